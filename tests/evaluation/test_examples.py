import gzip
import json

import pytest

from toulmin.errors import InvalidArgument
from toulmin.evaluation.examples import read_examples, sample, split_premise

GOOD = {"premise": "It opened in 1998.", "claim": "It opened.", "label": 1}


def write(tmp_path, *rows, name="dev.jsonl"):
    path = tmp_path / name
    lines = [row if isinstance(row, str) else json.dumps(row) for row in rows]
    path.write_text("\n".join(lines), encoding="utf-8")
    return str(path)


def test_a_line_becomes_an_example(tmp_path):
    path = write(tmp_path, GOOD, "", {**GOOD, "label": 0, "contradiction": True, "id": 7, "x": 1})
    first, second = read_examples(path)
    assert (first.line, first.id, first.label, first.claim) == (1, "line 1", True, "It opened.")
    assert [fact.text for fact in first.facts] == ["It opened in 1998."]
    assert first.contradiction is False, "what is supported is not contradicted"
    assert (second.line, second.id, second.label, second.contradiction) == (3, "7", False, True)


def test_contradiction_of_an_unsupported_claim_may_be_unknown(tmp_path):
    rows = [{**GOOD, "label": 0}, {**GOOD, "label": 0, "contradiction": None}]
    assert [e.contradiction for e in read_examples(write(tmp_path, *rows))] == [None, None]


def test_a_list_of_premises_is_several_facts(tmp_path):
    [example] = read_examples(write(tmp_path, {**GOOD, "premise": ["One.", "x" * 10_001]}))
    assert [len(fact.text) for fact in example.facts] == [4, 10_000, 1]


def test_gzip_is_read_whatever_the_name(tmp_path):
    path = tmp_path / "dev"
    path.write_bytes(gzip.compress(json.dumps(GOOD).encode()))
    assert len(read_examples(str(path))) == 1


def test_a_byte_order_mark_and_odd_line_separators_do_not_matter(tmp_path):
    path = tmp_path / "dev.jsonl"
    row = json.dumps({**GOOD, "claim": "One\u2028two\x85three."}, ensure_ascii=False)
    path.write_bytes(b"\xef\xbb\xbf" + row.encode() + b"\r\n" + row.encode())
    assert [e.claim for e in read_examples(str(path))] == ["One\u2028two\x85three."] * 2


@pytest.mark.parametrize(
    ("line", "complaint"),
    [
        ('{"premise": "a', "line is not JSON"),
        ("[1]", "line is a list; it must be an object"),
        ({"claim": "a.", "label": 1}, "premise is missing"),
        ({**GOOD, "premise": 3}, "premise is a number"),
        ({**GOOD, "premise": " "}, "premise is empty"),
        ({**GOOD, "premise": ["a.", None]}, "premise[1] is null"),
        ({**GOOD, "premise": []}, "premise is empty"),
        ({**GOOD, "claim": ["a"]}, "claim is a list"),
        ({**GOOD, "claim": ""}, "claim is empty"),
        ({**GOOD, "claim": "word " * 4097}, "claim has 4,097 tokens; at most 4,096"),
        ({"premise": "a.", "claim": "a."}, "label is missing"),
        ({**GOOD, "label": 2}, "label is 2; it must be 1 (supported) or 0"),
        ({**GOOD, "label": "1"}, 'label is "1"'),
        ({**GOOD, "label": 0.5}, "label is 0.5"),
        ({**GOOD, "label": None}, "label is null"),
        ({**GOOD, "label": 0, "contradiction": 1}, "contradiction is 1; it must be true, false"),
        ({**GOOD, "contradiction": True}, "contradiction is true and label is 1"),
        ({**GOOD, "kind": 3}, "kind is a number; it must be a string or null"),
        ({**GOOD, "lang": ["en"]}, "lang is a list"),
        ({**GOOD, "kind": "a\ud800"}, "kind is not valid Unicode"),
        ({**GOOD, "premise": "a\ud800"}, "premise is not valid Unicode"),
        ({**GOOD, "premise": ["a."] * 201}, "makes 201 facts; at most 200 facts"),
        ({**GOOD, "premise": "x" * 2_000_001}, "premise has 2,000,001 characters"),
    ],
)
def test_a_wrong_line_names_file_line_and_field(tmp_path, line, complaint):
    path = write(tmp_path, GOOD, line)
    with pytest.raises(InvalidArgument) as caught:
        read_examples(path)
    assert caught.value.message.startswith(f"{path}:2: {complaint}"[: len(path) + 4])
    assert complaint in caught.value.message


def test_all_wrong_lines_are_named_up_to_ten(tmp_path):
    path = write(tmp_path, *[{**GOOD, "label": n} for n in range(2, 15)])
    with pytest.raises(InvalidArgument) as caught:
        read_examples(path)
    lines = caught.value.message.splitlines()
    assert len(lines) == 11
    assert lines[9].startswith(f"{path}:10: label is 11")
    assert lines[10] == "and 3 more wrong lines"


@pytest.mark.parametrize(
    ("content", "complaint"),
    [
        (b"", "holds no example"),
        (b"\xff", "line is not UTF-8"),
        (b"\x1f\x8b\x08\x00broken", "cannot read"),
        (gzip.compress(b"{}" * 999, mtime=0)[:30], "cannot read"),
    ],
)
def test_a_file_that_is_none(tmp_path, content, complaint):
    path = tmp_path / "x.jsonl"
    path.write_bytes(content)
    with pytest.raises(InvalidArgument, match=complaint):
        read_examples(str(path))
    with pytest.raises(InvalidArgument, match="No such file"):
        read_examples(str(tmp_path / "nowhere.jsonl"))


def test_a_premise_that_fits_stays_whole_and_a_long_one_loses_nothing():
    assert split_premise("a\n\nb" * 2000) == ["a\n\nb" * 2000]
    text = "".join(f"Sentence {n} is here. " + "\n\n" * (n % 40 == 0) for n in range(3000))
    parts = split_premise(text)
    assert "".join(parts) == text
    assert all(5_000 < len(part) <= 10_000 for part in parts[:-1])
    assert all(part.endswith("\n\n") for part in parts[:-1]), "cut between paragraphs"
    assert split_premise("x" * 25_000) == ["x" * 10_000, "x" * 10_000, "x" * 5_000]


def test_a_sample_is_seeded_and_keeps_the_order(tmp_path):
    examples = read_examples(write(tmp_path, *[{**GOOD, "id": n} for n in range(50)]))
    chosen = sample(examples, 10, seed=1)
    assert chosen == sample(examples, 10, seed=1)
    assert chosen != sample(examples, 10, seed=2)
    assert [e.line for e in chosen] == sorted(e.line for e in chosen)
    assert len({e.line for e in chosen}) == 10
    assert sample(examples, 500, seed=1) == examples


@pytest.mark.parametrize(
    ("fields", "language"),
    [
        ({}, ""),
        ({"lang": "en"}, "en"),
        ({"lang": "en", "claim_lang": "EN"}, "en"),
        ({"lang": "es", "claim_lang": "en"}, "en over es"),
        ({"lang": None, "claim_lang": "ja"}, "ja"),
    ],
)
def test_the_language_is_that_of_claim_and_facts(tmp_path, fields, language):
    assert read_examples(write(tmp_path, {**GOOD, **fields}))[0].language == language


def test_a_kind_is_one_line_and_may_be_missing(tmp_path):
    rows = [GOOD, {**GOOD, "kind": None}, {**GOOD, "kind": " role\nswap "}]
    assert [e.kind for e in read_examples(write(tmp_path, *rows))] == ["", "", "role swap"]
