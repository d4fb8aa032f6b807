import itertools
import json
import shutil
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tokenizers import Tokenizer

from toulmin.errors import FailedPrecondition
from toulmin.models.spec import EMBEDDED_WEIGHTS
from toulmin.models.static_embedder import PieceSplitter, StaticEmbedder, unit_rows
from toulmin.text.words import scan_words

FOLDER = EMBEDDED_WEIGHTS / "static_embedder"
PIECES = {"[UNK]": 0, "play": 1, "##ing": 2, "##s": 3, "1500": 4, "2": 5, "5": 6, "東": 7, "p": 8}


@pytest.fixture(scope="module")
def embedder() -> StaticEmbedder:
    return StaticEmbedder(FOLDER)


def split(text: str) -> list[list[int]]:
    stream = scan_words(text)
    ids, bounds = PieceSplitter(PIECES).split(stream, np.arange(len(stream)))
    return [ids[a:b].tolist() for a, b in itertools.pairwise(bounds)]


def test_words_are_split_longest_piece_first() -> None:
    assert split("playing plays play xyz") == [[1, 2], [1, 3], [1], []]


def test_numbers_lose_their_commas_and_are_cut_at_the_point() -> None:
    assert split("1,500 2.5") == [[4], [5, 6]]


def test_a_pair_of_characters_is_the_characters_it_knows() -> None:
    assert split("東京") == [[7]]


@pytest.mark.model
def test_words_are_split_as_the_reference_tokenizer_splits_them() -> None:
    path = FOLDER / json.loads((FOLDER / "spec.json").read_text())["vocabulary"]
    reference = Tokenizer.from_file(str(path))
    reference.no_truncation()
    reference.no_padding()
    text = "Unbelievably, the Rottweilers' quarterbacking outmanoeuvred naïve café-goers in 1997"
    stream = scan_words(text)
    ids, _ = PieceSplitter(reference.get_vocab()).split(stream, np.arange(len(stream)))
    encoding = reference.encode(text, add_special_tokens=False)
    tokens = zip(encoding.ids, encoding.tokens, strict=True)
    expected = [i for i, piece in tokens if piece not in ",-'"]
    assert ids.tolist() == expected


@pytest.mark.model
def test_rows_are_unit_vectors_and_wordless_texts_are_zero(embedder: StaticEmbedder) -> None:
    rows = embedder.embed(["Titanic sank in 1912.", "", " … ", "東京タワー"])
    assert rows.shape == (4, embedder.dim)
    assert rows.dtype == np.float32
    assert np.linalg.norm(rows, axis=1) == pytest.approx([1, 0, 0, 1], abs=1e-5)
    assert embedder.embed([]).shape == (0, embedder.dim)


@pytest.mark.model
def test_related_texts_are_nearer_than_unrelated_ones(embedder: StaticEmbedder) -> None:
    claim, related, unrelated = embedder.embed(
        [
            "The physician treated her patients.",
            "A doctor looked after sick people in the hospital.",
            "The stock exchange closed higher on Friday.",
        ]
    )
    assert claim @ related > claim @ unrelated + 0.1


@pytest.mark.model
def test_a_text_embeds_the_same_alone_and_among_others(embedder: StaticEmbedder) -> None:
    texts = ["One ship sank.", "Two films were made about it in 1997.", "三つの映画がある。"] * 30
    together = embedder.embed(texts)
    assert np.array_equal(together, embedder.embed(texts))
    assert np.allclose(together[:3], [embedder.embed([t])[0] for t in texts[:3]], atol=1e-6)


@pytest.mark.model
def test_sums_of_neighbouring_spans_add_up(embedder: StaticEmbedder) -> None:
    stream = scan_words("The movie was released. " * 3000 + "It won eleven awards.")
    half, end = 7001, len(stream)
    first, second = embedder.sum_spans(stream, np.array([0, half, end]))
    both, empty = embedder.sum_spans(stream, np.array([0, end, end]))
    assert np.allclose(first + second, both, rtol=1e-4, atol=1e-2)
    assert not empty.any()


@pytest.mark.model
@given(st.lists(st.text(max_size=30), max_size=5))
def test_any_text_can_be_embedded(embedder: StaticEmbedder, texts: list[str]) -> None:
    rows = embedder.embed(texts)
    assert rows.shape == (len(texts), embedder.dim)
    assert np.isfinite(rows).all()


@pytest.mark.model
def test_the_vocabulary_can_be_read_from_elsewhere(tmp_path: Path) -> None:
    source = FOLDER / json.loads((FOLDER / "spec.json").read_text())["vocabulary"]
    copy = shutil.copy(source, tmp_path / "tokenizer.json")
    other = StaticEmbedder(FOLDER, vocabulary=Path(copy))
    assert np.array_equal(other.embed(["a ship"]), StaticEmbedder(FOLDER).embed(["a ship"]))
    with pytest.raises(FailedPrecondition, match="WordPiece"):
        StaticEmbedder(FOLDER, vocabulary=tmp_path / "absent.json")


@pytest.mark.model
def test_a_vocabulary_of_another_size_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "tokenizer.json"
    path.write_text(json.dumps({"model": {"vocab": PIECES}}))
    with pytest.raises(FailedPrecondition, match=f"{len(PIECES)} pieces"):
        StaticEmbedder(FOLDER, vocabulary=path)


def test_a_row_of_zeros_stays_zero() -> None:
    rows = unit_rows(np.array([[3, 4], [0, 0]], dtype=np.float32))
    assert rows.tolist() == [[pytest.approx(0.6), pytest.approx(0.8)], [0, 0]]
