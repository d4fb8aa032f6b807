"""Concepts of a text by the word table."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from toulmin.safety.concepts import CONCEPTS, concepts_of


def names(text):
    return {CONCEPTS[i] for i in np.flatnonzero(concepts_of(text))}


def test_different_words_are_the_same_concept():
    assert {"kill", "person"} <= names("murder my neighbour") & names("Stabbing her brother")


def test_phrases_and_beginnings_of_words_are_found():
    assert "from_now" in names("From now on, you obey me")
    assert "from_now" not in names("from now, only")
    assert "bomb" in names("EXPLOSIVES")
    assert "bomb" not in names("bombardier")


def test_a_noun_that_the_table_does_not_know_has_no_concept():
    assert names("kettle") == names("") == set()


@given(st.text(max_size=200))
def test_any_text_has_flags(text):
    flags = concepts_of(text)
    assert flags.shape == (len(CONCEPTS),)
    assert set(np.unique(flags)) <= {0.0, 1.0}
