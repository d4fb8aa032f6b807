"""The word list, on our own sentences: its only measurement."""

import json
from pathlib import Path

import pytest

from toulmin.safety.explicit_terms import explicit_weight

SENTENCES = json.loads((Path(__file__).parent / "data" / "sexual.json").read_text("utf-8"))


def test_explicit_sentences_are_found():
    found = [explicit_weight(text) >= 3 for text in SENTENCES["explicit"]]
    assert sum(found) / len(found) >= 0.9


@pytest.mark.parametrize("text", SENTENCES["harmless"])
def test_harmless_sentences_are_not(text):
    assert explicit_weight(text) < 2


def test_each_term_counts_once():
    assert explicit_weight("porn porn porn") == explicit_weight("porn") == 3


def test_medicine_and_filters_take_weight_off():
    assert explicit_weight("porn") > explicit_weight("a filter against porn")
