"""Boosts: how far they lift, which documents, several at once, by number and by age."""

from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.retrieval.found import STORE, found_chunk, found_document
from toulmin.domain import Document
from toulmin.retrieval.boosts import apply_boosts, boost_of
from toulmin.retrieval.query import AttributeBoost, Boost, ControlPoint
from toulmin.stores.index.predicate import AnyOf, InRange

NOW = datetime(2024, 6, 1, tzinfo=UTC)
RED = AnyOf("colour", ("red",))


def documents(**scores):
    """Return results `name_colour=score`."""
    return [
        found_chunk(document=name, score=score, data={"colour": name.split("_")[1]})
        for name, score in scores.items()
    ]


def order(found, *boosts, **options):
    return [result.document.id for result in apply_boosts(found, boosts, now=NOW, **options)]


def amount(data, boost):
    return boost_of(Document(id="d", struct_data=data), [boost], now_s=NOW.timestamp())


def test_a_boost_lifts_what_fulfils_the_condition():
    found = documents(a_blue=10.0, b_red=7.0, c_red=1.0)
    assert order(found, Boost(condition=RED, boost=1.0)) == ["b_red", "a_blue", "c_red"]
    assert order(found, Boost(condition=RED, boost=0.1)) == ["a_blue", "b_red", "c_red"]


def test_what_stands_far_out_stays_ahead_and_nothing_disappears():
    found = documents(a_blue=10.0, b_red=2.0, c_blue=1.0)
    assert order(found, Boost(condition=RED, boost=1.0)) == ["a_blue", "b_red", "c_blue"]
    found = documents(a_red=10.0, b_blue=7.0, c_blue=1.0)
    assert order(found, Boost(condition=RED, boost=-1.0)) == ["b_blue", "a_red", "c_blue"]


def test_scores_move_by_half_the_distance_at_most_and_relevance_not_at_all():
    found = documents(a_blue=10.0, b_red=4.0, c_blue=2.0)
    scores = {
        r.document.id: r for r in apply_boosts(found, [Boost(condition=RED, boost=0.5)], now=NOW)
    }
    assert scores["b_red"].score == pytest.approx(4.0 + 0.5 * 0.5 * 8.0)
    assert scores["a_blue"].score == 10.0
    assert scores["b_red"].relevance == found[1].relevance


def test_without_a_query_the_boost_alone_decides():
    found = documents(a_blue=0.0, b_red=0.0, c_blue=0.0, d_red=0.0)
    boost = Boost(condition=RED, boost=0.2)
    assert order(found, boost) == ["b_red", "d_red", "a_blue", "c_blue"]
    assert order(found) == ["a_blue", "b_red", "c_blue", "d_red"]


def test_several_boosts_are_all_applied_within_the_ends():
    wide = InRange("size", 0, 10)
    document = Document(id="d", struct_data={"colour": "red", "size": 3})

    def both(first, second):
        boosts = [Boost(condition=RED, boost=first), Boost(condition=wide, boost=second)]
        return boost_of(document, boosts, now_s=0)

    assert both(0.5, 0.5) == pytest.approx(0.75)
    assert both(-0.5, -0.5) == pytest.approx(-0.75)
    assert both(0.5, -0.5) == pytest.approx(0.0)
    assert both(1.0, 1.0) == pytest.approx(1.0)
    assert both(0.0, 0.3) == pytest.approx(0.3)


def test_the_id_of_a_document_is_a_field():
    found = documents(a_blue=2.0, b_red=1.9, c_blue=0.0)
    assert order(found, Boost(condition=AnyOf("id", ("b_red",)), boost=1.0))[0] == "b_red"


def test_boosts_of_one_data_store_leave_the_others_alone():
    other = STORE + "2"
    found = [
        found_chunk(document="a", score=1.0),
        found_chunk(document="b", score=1.0, store=other),
        found_chunk(document="b", score=1.0),
    ]
    boosted = apply_boosts(found, (), now=NOW, store_boosts={other: [Boost(boost=0.5)]})
    assert [(r.document.id, r.data_store) for r in boosted] == [
        ("b", other),
        ("a", STORE),
        ("b", STORE),
    ]


def test_documents_are_boosted_as_chunks_are():
    found = [found_document(chunk) for chunk in documents(a_blue=2.0, b_red=1.9, c_blue=0.0)]
    assert order(found, Boost(condition=RED, boost=1.0)) == ["b_red", "a_blue", "c_blue"]


@pytest.mark.parametrize(
    ("value", "expected"),
    [(-5, -0.5), (0, -0.5), (5, 0.0), (10, 0.5), (15, 0.75), (20, 1.0), (99, 1.0)],
)
def test_a_number_lifts_along_the_control_points(value, expected):
    points = (ControlPoint(0, -0.5), ControlPoint(10, 0.5), ControlPoint(20, 1.0))
    boost = Boost(attribute=AttributeBoost(field="stars", is_age=False, points=points))
    assert amount({"stars": value}, boost) == pytest.approx(expected)
    assert amount({"stars": [value, 7]}, boost) == pytest.approx(expected)
    assert amount({"stars": "many", "others": value}, boost) == 0.0
    assert amount({"stars": True}, boost) == 0.0


@pytest.mark.parametrize(
    ("days", "expected"), [(0, 1.0), (5, 0.5), (10, 0.0), (99, 0.0), (-3, 1.0)]
)
def test_an_age_lifts_along_the_control_points(days, expected):
    day = 86_400.0
    points = (ControlPoint(0, 1.0), ControlPoint(10 * day, 0.0))
    boost = Boost(attribute=AttributeBoost(field="date", is_age=True, points=points))
    moment = NOW - timedelta(days=days)
    assert amount({"date": moment.isoformat()}, boost) == pytest.approx(expected)
    assert amount({"date": "soon"}, boost) == 0.0


def test_a_condition_restricts_an_attribute_boost_and_no_points_boost_nothing():
    points = (ControlPoint(0, 0.4),)
    attribute = AttributeBoost(field="stars", is_age=False, points=points)
    boost = Boost(condition=RED, boost=-1.0, attribute=attribute)
    assert amount({"stars": 1, "colour": "red"}, boost) == pytest.approx(0.4)
    assert amount({"stars": 1, "colour": "blue"}, boost) == 0.0
    empty = AttributeBoost(field="stars", is_age=False, points=())
    assert amount({"stars": 1}, Boost(attribute=empty)) == 0.0


@given(st.lists(st.tuples(st.booleans(), st.floats(0, 100)), min_size=1), st.floats(-1, 1))
def test_a_boost_never_takes_the_worst_past_the_best_nor_loses_a_result(rows, boost):
    found = [
        found_chunk(document=str(i), score=score, data={"colour": "red" if red else "blue"})
        for i, (red, score) in enumerate(rows)
    ]
    boosted = apply_boosts(found, [Boost(condition=RED, boost=boost)], now=NOW)
    assert sorted(r.document.id for r in boosted) == sorted(r.document.id for r in found)
    for red in ("red", "blue"):  # among equals nothing changes
        own = [f for f in found if f.document.struct_data["colour"] == red]
        after = [r.document.id for r in boosted if r.document.struct_data["colour"] == red]
        scores = {f.document.id: f.score for f in own}
        assert [scores[i] for i in after] == sorted(scores.values(), reverse=True)
    moved = {r.document.id: r.score for r in boosted}
    worst = min(found, key=lambda f: f.score)
    best = max(found, key=lambda f: f.score)
    if best.score > worst.score and not (
        best.document.struct_data["colour"] == "red" and boost < 0
    ):
        assert moved[worst.document.id] <= moved[best.document.id]
