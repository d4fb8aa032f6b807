"""Texts of any length are read whole, or nearly so."""

import numpy as np
import pytest

from toulmin.ingestion.chunk_vectors import ChunkText, embed_chunks
from toulmin.ingestion.token_count import count_tokens


class Recorder:
    """Embeds by length and remembers what it was given."""

    version = "recorder"

    def __init__(self):
        self.texts = []

    def embed(self, texts):
        self.texts.extend(texts)
        rows = np.array([[len(text), 1.0] for text in texts], dtype=np.float32)
        return rows / np.linalg.norm(rows, axis=1, keepdims=True)


def test_it_says_how_far_it_is():
    told = []
    chunks = [ChunkText("", (), f"Words {number}.") for number in range(40)]
    embed_chunks(Recorder(), chunks, on_progress=lambda *said: told.append(said))
    assert told == [(0, 40), (16, 40), (32, 40)]


@pytest.mark.parametrize("tokens", [20, 300, 301, 500, 700, 1_200, 2_043])
def test_every_part_is_short_enough_and_nothing_is_lost(tokens):
    words = [f"w{number}" if number % 9 else "End." for number in range(tokens)]
    text = " ".join(words)
    recorder = Recorder()
    row = embed_chunks(recorder, [ChunkText("", (), text)])[0]
    assert "".join("".join(recorder.texts).split()) == "".join(text.split())
    assert max(count_tokens(part) for part in recorder.texts) <= 400
    assert np.linalg.norm(row) == pytest.approx(1)


def test_the_halves_of_an_ordinary_chunk_are_not_halved_again():
    recorder = Recorder()
    embed_chunks(recorder, [ChunkText("", (), "word " * 500)])
    assert len(recorder.texts) == 2
