"""The probability that a chunk is relevant, by how many there are to choose from."""

from __future__ import annotations

import numpy as np
import pytest

from toulmin.retrieval.relevance import MANY, load_record_relevance, load_relevance

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
