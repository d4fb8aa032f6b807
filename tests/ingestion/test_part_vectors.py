"""Sentences of a chunk have vectors of their own."""

import numpy as np
import pytest

from tests.ingestion.test_chunk_vectors import Recorder
from toulmin.errors import Cancelled
from toulmin.ingestion.chunk_vectors import ChunkText
from toulmin.ingestion.part_vectors import embed_for_store, part_texts
from toulmin.ingestion.token_count import count_tokens
from toulmin.stores.vector_forms import part_rows, unit_vector
from toulmin.work import Work

LONG = "The pump stands in the cellar behind the second door on the left."
SHORT = "Price: 40 euros."
TEXT = f"{LONG} {SHORT} Weight: 3 kg.\n{LONG}"


class WithParts(Recorder):
    has_parts = True


class WithoutParts(Recorder):
    has_parts = False


def test_short_sentences_are_joined_and_nothing_is_lost():
    parts = part_texts(ChunkText("Pumps", (), TEXT))
    assert parts[0] == LONG
    assert parts[1].startswith(SHORT)
    assert "".join("".join(parts).split()) == "".join(TEXT.split())


def test_a_chunk_of_one_part_has_none():
    assert part_texts(ChunkText("Pumps", (), LONG)) == []
    assert part_texts(ChunkText("Pumps", (), "")) == []


def test_a_long_chunk_has_a_bounded_number():
    parts = part_texts(ChunkText("", (), f"{LONG} " * 200))
    assert 32 <= len(parts) <= 64
    assert max(count_tokens(part) for part in parts) < 80


def test_what_is_kept_is_the_chunk_and_its_parts():
    recorder = WithParts()
    chunks = [ChunkText("", (), TEXT), ChunkText("", (), LONG), ChunkText("", (), TEXT)]
    kept = embed_for_store(recorder, chunks)
    assert kept[0] == kept[2]
    assert kept[1].parts == b""
    rows = part_rows(kept[0].parts, 2)
    assert len(rows) == len(part_texts(chunks[0]))
    assert np.linalg.norm(unit_vector(kept[0].chunk)) == pytest.approx(1)
    first = np.array([len(LONG), 1.0])
    assert rows[0] @ first / np.linalg.norm(rows[0]) / np.linalg.norm(first) > 0.999


def test_an_embedder_without_parts_makes_none():
    recorder = WithoutParts()
    (kept,) = embed_for_store(recorder, [ChunkText("", (), TEXT)])
    assert kept.parts == b""
    assert recorder.texts == [TEXT]
    assert embed_for_store(recorder, []) == []


@pytest.mark.parametrize("text", [TEXT, f"{LONG} " * 120])
def test_it_says_how_far_it_is_and_stops(text):
    told = []
    embed_for_store(
        WithParts(), [ChunkText("", (), text)] * 20, on_progress=lambda *said: told.append(said)
    )
    assert len(told) > 2
    assert [total for _, total in told] == [told[0][1]] * len(told)
    assert [done for done, _ in told] == sorted(done for done, _ in told)
    with pytest.raises(Cancelled):
        embed_for_store(WithParts(), [ChunkText("", (), TEXT)], work=Work(is_gone=lambda: True))
