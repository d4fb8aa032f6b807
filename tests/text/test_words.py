import re

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from toulmin.text import words
from toulmin.text.words import fold_text, hash_words, scan_words

TRICKY = "aZé0.,。 \n'東京アーあ가ไท\u0301\u00ad\U00020000\U0001f600İß-%٣"


def spans(text: str) -> list[str]:
    stream = scan_words(text)
    return [text[s:e] for s, e in zip(stream.starts.tolist(), stream.ends.tolist(), strict=True)]


def test_words_of_a_sentence() -> None:
    text = "The U.S. paid $1,500 (12.5%) for J.R.R. Tolkien's café."
    assert scan_words(text).words() == [
        "the", "us", "paid", "1,500", "12.5", "for", "jrr", "tolkien", "s", "cafe",
    ]  # fmt: skip
    assert spans(text) == [
        "The", "U.S", "paid", "1,500", "12.5", "for", "J.R.R", "Tolkien", "s", "café",
    ]  # fmt: skip


def test_a_full_stop_after_a_number_or_word_is_not_part_of_it() -> None:
    assert scan_words("In 1997. Then 5,").words() == ["in", "1997", "then", "5"]
    assert scan_words("end.of it").words() == ["end", "of", "it"]


def test_scripts_without_spaces_become_overlapping_pairs() -> None:
    assert spans("東京都は") == ["東京", "京都", "都は"]
    assert spans("The 東 of") == ["The", "東", "of"]
    assert scan_words("東京 Sony").unspaced.tolist() == [True, False]


def test_equal_words_have_equal_hashes_wherever_they_stand() -> None:
    stream = scan_words("Titanic sank. The TITANIC, títanic")
    assert len({int(stream.hashes[i]) for i in (0, 3, 4)}) == 1
    assert len(set(stream.hashes.tolist())) == 3
    whole, prefix = hash_words(["titanic", "tit"])
    assert whole[0] == stream.hashes[0]
    assert prefix[0] == whole[1] == stream.prefixes[0]


def test_distinct_words_and_who_is_who() -> None:
    stream = scan_words("to be or not to be")
    words = stream.words()
    assert len(stream.distinct) == 4
    assert [words[stream.distinct[i]] for i in stream.identity] == words


def test_empty_and_wordless_texts_have_no_words() -> None:
    for text in ("", "  \n", "… — !", "\U0001f600"):
        assert len(scan_words(text)) == 0


def test_a_long_text_gives_the_same_words_as_its_parts(monkeypatch: pytest.MonkeyPatch) -> None:
    text = "Cameron's 1,500 people sank in 1912; 東京タワー stands.\n" * 40
    whole = scan_words(text)
    monkeypatch.setattr(words, "_BLOCK", 100)
    blocks = scan_words(text)
    assert blocks.words() == whole.words()
    for name in ("starts", "ends", "hashes", "prefixes", "unspaced", "numeric", "identity"):
        assert np.array_equal(getattr(blocks, name), getattr(whole, name)), name
    assert blocks.word(len(blocks) - 1) == "stands"


@given(st.text(alphabet=TRICKY, max_size=60))
def test_every_word_lies_where_it_says(text: str) -> None:
    stream = scan_words(text)
    assert stream.words() == [stream.word(i) for i in range(len(stream))]
    for start, end, word in zip(stream.starts, stream.ends, stream.words(), strict=True):
        piece = fold_text(text[start:end])
        assert piece in (word, re.sub(r"(?<=[^\W\d])\.(?=[^\W\d])", "", piece)) or "." in piece
        assert piece.replace(".", "") == word.replace(".", "")
    assert (np.diff(stream.starts) > 0).all()
    spaced = ~stream.unspaced
    assert (stream.starts[spaced][1:] >= stream.ends[spaced][:-1]).all()


@given(st.text())
def test_any_text_can_be_scanned(text: str) -> None:
    stream = scan_words(text)
    assert ((stream.starts >= 0) & (stream.starts < stream.ends)).all()
    assert (stream.ends <= len(text)).all()


@given(st.text(alphabet="abZ09 ,;!\n-", max_size=80))
def test_plain_text_agrees_with_a_regular_expression(text: str) -> None:
    assert scan_words(text).words() == re.findall(r"(?:[a-z]|\d(?:,(?=\d))?)+", text.lower())


def test_lone_surrogates_do_no_harm() -> None:
    assert scan_words("a \ud800 b").words() == ["a", "b"]
