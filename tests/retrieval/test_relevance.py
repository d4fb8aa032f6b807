"""The probability that a chunk is relevant, by how many there are to choose from."""

from __future__ import annotations

import numpy as np
import pytest

from toulmin.retrieval.relevance import (
    MANY,
    elsewhere,
    load_record_relevance,
    load_relevance,
)

NEAR = {"lexical": [1.7, 0.5, 0.0], "dense": [0.54, 0.26, 0.32], "coverage": [0.26, 0.12, 0.0]}


def predict(model, **more):
    return model.predict(*(np.array(NEAR[name]) for name in NEAR), **more)


def test_the_fewer_there_are_the_likelier_the_near_one_is_right():
    model = load_relevance()
    found = [predict(model, among=count)[0] for count in (3, 10, 50, MANY)]
    assert found == sorted(found, reverse=True)
    assert found[0] > 0.4
    assert found[-1] < 0.1


def test_from_many_on_nothing_changes_and_fewer_than_given_are_not_believed():
    model = load_relevance()
    assert predict(model, among=MANY) == pytest.approx(predict(model, among=10**6))
    assert predict(model, among=0) == pytest.approx(predict(model, among=3))
    assert predict(model) == pytest.approx(predict(model, among=MANY))
    assert predict(load_record_relevance(), among=3) == pytest.approx(
        predict(load_record_relevance())
    )


def test_the_order_stays():
    model = load_relevance()
    assert np.argsort(predict(model, among=3)).tolist() == np.argsort(predict(model)).tolist()


def test_what_is_elsewhere_is_told_by_function_words_and_letters():
    texts = ["La piscina está abierta de mayo a septiembre.", "The pool is open in May.", "84"]
    assert elsewhere("When is the pool open?", texts).tolist() == [1.0, 0.0, 0.0]
    assert elsewhere("¿Cuándo abre la piscina?", texts).tolist() == [0.0, 1.0, 0.0]
    assert elsewhere("プールはいつですか", texts).tolist() == [1.0, 1.0, 0.0]
    assert elsewhere("piscina", texts).tolist() == [0.0, 0.0, 0.0]  # no function word
    assert elsewhere("?", []).shape == (0,)


def test_the_english_weights_do_not_ask_for_languages():
    assert load_relevance().elsewhere("When?", ["¿Cuándo es?"]) is None
    found = load_relevance("multilingual").elsewhere("When is it?", ["¿Cuándo es la feria?"])
    assert found.tolist() == [1.0]


@pytest.mark.parametrize("section", [load_relevance, load_record_relevance])
def test_texts_in_another_language_are_judged_among_themselves(section):
    model = section("multilingual")
    lexical, covered = np.array([6.0, 0.0, 0.0]), np.array([0.9, 0.0, 0.0])
    dense, there = np.array([0.80, 0.75, 0.60]), np.array([0.0, 1.0, 1.0])
    mixed = model.predict(lexical, dense, covered, there)
    alone = model.predict(lexical[1:], dense[1:], covered[1:], there[1:])
    assert mixed[1:] == pytest.approx(alone)
    assert mixed[1] > mixed[2]
    assert all(0.0 <= value <= 1.0 for value in mixed)
