"""The written passages keep to their form, and words in common do not give their labels away."""

from collections import defaultdict

import pytest
from packs import CONTRADICTION, NEUTRAL, SPAN, SUPPORT
from written import FOLDER, is_kept_out, read_file, read_folder, words_of

PASSAGES = list(read_folder())


def test_every_line_is_read():
    assert [fault for passage in PASSAGES for fault in passage.faults] == []
    claims = sum(query.label is not None for p in PASSAGES for query in p.queries)
    questions = sum(query.answer is not None for p in PASSAGES for query in p.queries)
    assert (len(PASSAGES), claims, questions) == (1796, 14223, 6741)


def test_answers_stand_in_their_passages():
    for passage in PASSAGES:
        for query in passage.queries:
            if query.answer == SPAN:
                start, end = query.spans[0]
                assert passage.text[start:end].strip() == passage.text[start:end] != ""


def test_words_in_common_do_not_give_the_label_away():
    shares = defaultdict(list)
    for passage in PASSAGES:
        known = words_of(passage.text)
        for query, language in zip(passage.queries, passage.languages, strict=True):
            if query.label is not None and language == passage.language:
                said = words_of(query.text)
                shares[query.label].append(len(said & known) / len(said))
    means = {label: sum(found) / len(found) for label, found in shares.items()}
    assert set(means) == {SUPPORT, CONTRADICTION, NEUTRAL}
    assert max(means.values()) - min(means.values()) < 0.05


def test_no_passage_stands_twice():
    texts = [" ".join(passage.text.split()) for passage in PASSAGES]
    assert len(set(texts)) == len(texts)


def test_one_passage_in_ten_is_kept_out():
    kept = sum(is_kept_out(passage.text) for passage in PASSAGES)
    assert 0.06 < kept / len(PASSAGES) < 0.14
    assert is_kept_out(" A  b\n") == is_kept_out("a b")


def test_a_broken_line_is_a_fault_with_its_place(tmp_path):
    path = tmp_path / "x.txt"
    path.write_text(
        "=== notes | en\nThe shop opens at nine.\n---\nS|time|It opens at nine.\nX|a|b\n"
        "A|plain|When?|at ten\n",
        encoding="utf-8",
    )
    (passage,) = read_file(path)
    assert [query.text for query in passage.queries] == ["It opens at nine."]
    assert passage.faults == [
        "x.txt:5: not a claim or question: X|a|b",
        "x.txt:6: not in the passage: at ten",
    ]


@pytest.mark.parametrize("name", ["w1", "w2", "w3", "w4", "w5", "w6", "w7", "r1", "r2", "r6"])
def test_all_parts_are_there(name):
    assert list(FOLDER.glob(f"{name}-*.txt"))
