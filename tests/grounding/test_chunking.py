import itertools

import pytest
from hypothesis import given
from hypothesis import strategies as st

from toulmin.domain import Fact
from toulmin.grounding.chunking import SLACK, WINDOW_WORDS, ChunkPlan, FactChunk, plan_chunks

SENTENCE = "The harbour of the old town was built by fishermen in the year {}. "
LONG = "".join(SENTENCE.format(1800 + i) for i in range(40))


def windows_of(text: str) -> list[FactChunk]:
    plan = plan_chunks([Fact(text)])
    return [plan.window(i) for i in range(len(plan.window_units))]


def units(plan: ChunkPlan) -> list[str]:
    return [plan.chunk(i, i + 1).text for i in range(len(plan.unit_facts))]


def test_a_short_fact_is_one_chunk_without_the_space_around_it() -> None:
    chunks = windows_of("  One ship sank. Another did not.\n")
    assert [(c.start, c.end, c.text) for c in chunks] == [
        (2, 33, "One ship sank. Another did not.")
    ]


def test_windows_are_verbatim_within_the_limit_and_overlap() -> None:
    chunks = windows_of(LONG)
    assert len(chunks) > 5
    for chunk in chunks:
        assert chunk.text == LONG[chunk.start : chunk.end]
        assert chunk.text.startswith("The harbour")
        assert chunk.text.endswith(".")
        assert len(chunk.text.split()) <= WINDOW_WORDS
    for one, two in itertools.pairwise(chunks):
        assert one.start < two.start < one.end < two.end


def test_a_fact_of_few_words_is_whole_however_short_windows_are() -> None:
    words = len(LONG.split())
    for whole_words, windows in ((1.3 * words, 1), (0.8 * words, len(windows_of(LONG)))):
        plan = plan_chunks([Fact(LONG)], whole_words=int(whole_words))
        assert len(plan.window_units) == windows
    assert plan_chunks([Fact(LONG)], whole_words=2 * words).window(0).text == LONG.strip()


def test_every_two_neighbouring_sentences_share_a_window() -> None:
    plan = plan_chunks([Fact(LONG)])
    together = {
        (unit, unit + 1)
        for first, last in plan.window_units.tolist()
        for unit in range(first, last - 1)
    }
    assert together == {(unit, unit + 1) for unit in range(len(plan.unit_facts) - 1)}


def test_a_long_sentence_is_cut_at_a_clause() -> None:
    clause = "one two three four five six seven eight nine ten, "
    plan = plan_chunks([Fact(clause * 30)])
    assert len(plan.unit_facts) > 2
    for text in units(plan)[:-1]:
        assert text.rstrip().endswith(",")
        assert 30 <= len(text.split()) <= WINDOW_WORDS


def test_a_long_sentence_without_clauses_is_cut_between_words() -> None:
    text = "word " * 400
    plan = plan_chunks([Fact(text)])
    assert "".join(units(plan)).split() == ["word"] * 400
    assert all(piece.strip().split() == ["word"] * len(piece.split()) for piece in units(plan))


def test_text_without_spaces_is_cut_as_well() -> None:
    for text in ("海" * 3000, "x" * 10_000, "!" * 9_999, "。" * 500, "a" + " " * 5000 + "b"):
        plan = plan_chunks([Fact(text)])
        assert all(len(piece) <= 2000 for piece in units(plan)), text[:3]
        covered = set().union(*(range(c.start, c.end) for c in windows_of(text)))
        assert all(i in covered for i, character in enumerate(text) if not character.isspace())


def test_windows_never_cross_facts() -> None:
    facts = [Fact("One sank. Two sank."), Fact(""), Fact("Three sank."), Fact("   ")]
    plan = plan_chunks(facts)
    windows = [plan.window(i) for i in range(len(plan.window_units))]
    assert [(w.fact_index, w.text) for w in windows] == [
        (0, "One sank. Two sank."),
        (2, "Three sank."),
    ]


def test_no_fact_gives_no_window() -> None:
    assert len(plan_chunks([]).window_units) == 0
    assert len(plan_chunks([Fact("")]).window_units) == 0


@pytest.mark.parametrize(
    ("pronoun", "leans"), [("She", True), ("It", True), ("Maria", False), ("Items", False)]
)
def test_a_sentence_leans_back_if_it_begins_with_a_pronoun(pronoun: str, leans: bool) -> None:
    plan = plan_chunks([Fact(f"Maria sailed. {pronoun} won."), Fact("It sank.")])
    assert [plan.leans_back(i) for i in range(3)] == [False, leans, False]


def test_a_japanese_sentence_leans_back_too() -> None:
    plan = plan_chunks([Fact("手塚は漫画家である。彼は医師でもある。")])
    assert plan.leans_back(1)


def test_a_window_that_begins_with_a_pronoun_begins_a_sentence_earlier() -> None:
    text = LONG.replace("The harbour of the old town", "It", 40)
    text = "The harbour is old. " + text
    plan = plan_chunks([Fact(text)])
    plain = plan_chunks([Fact(LONG)])
    starts = plan.window_units[:, 0]
    assert len(plan.window_units) > 3
    assert (plan.window_units[1:-1, 1] - starts[1:-1]).min() >= 1
    costs = [plan.unit_costs[a:b].sum() for a, b in plan.window_units]
    assert max(costs) <= WINDOW_WORDS * 4 / 3
    assert max(plain.unit_costs[a:b].sum() for a, b in plain.window_units) <= WINDOW_WORDS * SLACK


@given(st.lists(st.text(alphabet="aB1 .,\n!?。東京It\u0301", max_size=400), max_size=4))
def test_windows_cover_every_visible_character_verbatim(texts: list[str]) -> None:
    facts = [Fact(text) for text in texts]
    plan = plan_chunks(facts, window_words=12)
    covered: set[tuple[int, int]] = set()
    for index in range(len(plan.window_units)):
        chunk = plan.window(index)
        assert facts[chunk.fact_index].text[chunk.start : chunk.end] == chunk.text != ""
        covered |= {(chunk.fact_index, at) for at in range(chunk.start, chunk.end)}
    visible = {(f, i) for f, t in enumerate(texts) for i, c in enumerate(t) if not c.isspace()}
    assert visible <= covered
