"""Extracts: which sentences answer, that they are verbatim and whole, and segments."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.retrieval.found import found_chunk
from toulmin.retrieval.extracts import (
    LONGEST_ANSWER,
    extractive_answers,
    extractive_segments,
)

RIVER = (
    "The Nile flows through eleven countries, and people have lived on both of its banks, which are"
    " flooded every summer, for many thousands of years. It is 6,650 km long. Its source was looked"
    " for by many travellers, who came from the coast and mostly turned back long before they had"
    " seen any of the great lakes, ill or robbed by those whom they had hired to carry their goods."
    " John Speke reached Lake Victoria in 1858 and named it the source of the Nile, which others did"
    " not believe until much later, when both of them were dead and the lake had been sailed round."
)


def test_the_sentence_with_the_rare_words_answers():
    answers = extractive_answers(
        "Who reached Lake Victoria?", [found_chunk(RIVER, page=7)], count=1
    )
    assert len(answers) == 1
    assert answers[0].content.startswith("John Speke reached Lake Victoria in 1858")
    assert (answers[0].page, answers[0].chunk_id) == (7, "c1")
    assert answers[0].score == 1.0


def test_a_short_sentence_brings_its_neighbours():
    (answer,) = extractive_answers("How many km long?", [found_chunk(RIVER)], count=1)
    assert "It is 6,650 km long." in answer.content
    assert answer.content != "It is 6,650 km long."
    assert len(answer.content) <= LONGEST_ANSWER


def test_several_answers_share_no_sentence_and_stay_in_their_chunk():
    first, second = "Bees make honey.", "Honey bees live in hives."
    chunks = [found_chunk(first, number=1), found_chunk(second, number=2)]
    answers = extractive_answers("honey hives", chunks, count=5)
    assert [(a.chunk_id, a.content) for a in answers] == [("c2", second), ("c1", first)]
    assert answers[0].score > answers[1].score
    assert len(extractive_answers("honey hives", chunks, count=1)) == 1


def test_nothing_in_common_gives_the_beginning_with_score_0():
    (answer,) = extractive_answers("quantum", [found_chunk(RIVER)], count=3)
    assert answer.content.startswith("The Nile flows")
    assert answer.score == 0.0
    assert extractive_answers("quantum", [found_chunk(" ")], count=3) == ()
    assert extractive_answers("quantum", [], count=3) == ()


def test_meaning_decides_where_words_do_not():
    text = "Cats purr. " * 20 + "The automobile halted at once. " + "Dogs bark. " * 20
    asked = []

    def embed(texts):
        asked.extend(texts)
        near = [text == "why did my car stop" or "automobile" in text for text in texts]
        return np.array([[1.0, 0.0] if yes else [0.0, 1.0] for yes in near], dtype=np.float32)

    # None of the sentences has a word of the query: the first 16 are embedded.
    (answer, *_) = extractive_answers(
        "why did my car stop", [found_chunk(text[9 * 11 :])], count=1, embed=embed
    )
    assert "automobile" in answer.content
    assert len(asked) == 17


def test_what_the_reader_finds_comes_first():
    def best_span(question, passage):
        assert question == "How long is the Nile?"
        at = passage.index("6,650")
        return at, at + 8, 0.9

    (plain,) = extractive_answers("How long is the Nile?", [found_chunk(RIVER)], count=1)
    (read,) = extractive_answers(
        "How long is the Nile?", [found_chunk(RIVER)], count=1, best_span=best_span
    )
    assert "6,650" in read.content
    assert read.score > plain.score
    (unread,) = extractive_answers(
        "How long is the Nile?", [found_chunk(RIVER)], count=1, best_span=lambda *_: None
    )
    assert unread == plain


@given(
    st.lists(st.text(st.sampled_from("ab. \n東京。")), max_size=4),
    st.text(st.sampled_from("ab 東京")),
    st.integers(1, 5),
)
def test_answers_are_verbatim_and_apart(texts, query, count):
    chunks = [found_chunk(text, number=i) for i, text in enumerate(texts)]
    answers = extractive_answers(query, chunks, count=count)
    assert len(answers) <= count
    assert bool(answers) == any(text.strip() for text in texts)
    assert [a.score for a in answers] == sorted((a.score for a in answers), reverse=True)
    for answer in answers:
        assert 0.0 <= answer.score <= 1.0
        assert answer.content
        text = texts[int(answer.chunk_id[1:])]
        own = [a.content for a in answers if a.chunk_id == answer.chunk_id]
        assert answer.content in text
        assert sum(map(len, own)) <= len(text)


def test_segments_are_chunks_with_the_neighbours_asked_for():
    chunks = [found_chunk(f"text {n}", number=n, page=n) for n in (5, 2)]
    around = {n: found_chunk(f"text {n}", number=n).chunk for n in range(1, 8)}

    def neighbours(found):
        at = int(found.chunk.id[1:])
        return [around[n] for n in range(1, at)], [around[n] for n in range(at + 1, 8)]

    first, second = extractive_segments(
        chunks, count=10, previous=2, next_=1, neighbours=neighbours
    )
    assert (first.id, first.content, first.page, first.relevance_score) == ("c5", "text 5", 5, 0.5)
    assert [c.id for c in first.previous_segments] == ["c3", "c4"]
    assert [c.id for c in first.next_segments] == ["c6"]
    assert [c.id for c in second.previous_segments] == ["c1"]

    (alone,) = extractive_segments(chunks, count=1)
    assert (alone.previous_segments, alone.next_segments) == ((), ())
    with pytest.raises(ValueError, match="neighbours"):
        extractive_segments(chunks, count=1, next_=1)
