"""Sentences: gold boundaries in many languages, and properties that hold for any text."""

import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.growth import assert_linear
from toulmin.text.sentences import split_sentences

DATA = Path(__file__).parent / "data"
CASES = json.loads((DATA / "sentences.json").read_text(encoding="utf-8"))
HELD_OUT = json.loads((DATA / "sentences_held_out.json").read_text(encoding="utf-8"))
KNOWN_FAILURES = 2  # of the held-out cases: a lower-case product name, "Chapter 3. The Voyage"
MARK = "¦"
FRAGMENTS = st.sampled_from(
    [". ", "\n", "\r\n", "\t", "。", "」", "「", "Dr. ", "e.g. ", "1. ", "- ", "| a |", "[1]", "\x00", "😀", "é",
     "e\u0301", "\u200b", "\u2028", "\ufeff", "A", "b", "? ", "...", "…", "#", "(", ")", '"', "\ud800", "  ", "\n\n",
     ";", "α", "1", "U.S. ", "؟ ", "।", "*", "ไทย", "\x0c", "\x85"]
)  # fmt: skip
TEXTS = st.one_of(st.text(), st.lists(FRAGMENTS, max_size=60).map("".join))


def gold(case):
    ranges, position = [], 0
    for part in case["marked"].split(MARK):
        start = position + len(part) - len(part.lstrip())
        ranges.append((start, start + len(part.strip())))
        position += len(part)
    return case["marked"].replace(MARK, ""), ranges


@pytest.mark.parametrize(
    "case", CASES, ids=lambda case: f"{case['lang']}-{case['kind']}-{case['marked'][:24]}"
)
def test_gold(case):
    text, ranges = gold(case)
    assert split_sentences(text) == ranges


def test_held_out_cases_fail_no_more_often_than_recorded():
    wrong = [text for text, ranges in map(gold, HELD_OUT) if split_sentences(text) != ranges]
    assert len(wrong) <= KNOWN_FAILURES, wrong


def test_gold_covers_many_languages():
    assert len(CASES) >= 120
    assert len({case["lang"] for case in CASES}) >= 30


@pytest.mark.parametrize("text", ["", " ", "\r\n\t ", "\u3000\u2029"])
def test_no_sentence_in_white_space(text):
    assert split_sentences(text) == []


@given(TEXTS)
def test_ranges_tile_any_text(text):
    position = 0
    for start, end in split_sentences(text):
        assert position <= start < end
        assert not text[position:start].strip(), "only white space between sentences"
        assert text[start:end] == text[start:end].strip()
        position = end
    assert not text[position:].strip()


@given(TEXTS)
def test_a_paragraph_break_always_separates(text):
    parts = split_sentences(f"x{text.strip()}x\n\ny{text.strip()}")
    assert any(start == len(text.strip()) + 4 for start, _ in parts)


@given(
    st.lists(
        st.sampled_from(["The ship sank.", "It was 1912.", "Nobody came!", "Who knows?"]),
        min_size=1,
    )
)
def test_splitting_joined_sentences_gives_them_back(sentences):
    text = " ".join(sentences)
    assert [text[start:end] for start, end in split_sentences(text)] == sentences


@pytest.mark.parametrize(
    "text",
    ["a." * 100_000, "(" * 200_000, "1." * 100_000, " " * 200_000, "\n" * 200_000, "a. " * 70_000, "「。" * 100_000,
     "“。" * 100_000, "." * 200_000, '."' * 100_000, ".[1]" * 50_000, "a\r" * 100_000, "A\n" * 100_000, "α; " * 66_000,
     "- " * 100_000, ".»a" * 66_000, "\n- " * 66_000, "A.\n>" * 50_000, ". (" * 66_000, "x" * 200_000, "。\n" * 100_000],
    ids=lambda text: repr(text[:4]),
)  # fmt: skip
def test_time_is_linear_on_adversarial_text(text):
    assert_linear(split_sentences, lambda size: text[:size], len(text))
