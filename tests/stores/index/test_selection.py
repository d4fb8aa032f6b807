"""Listing documents in the order of their fields, and the fields of chunks: both indexes."""

from datetime import UTC, datetime

import numpy as np
import pytest

from tests.stores.index.chunks import DIMENSIONS
from tests.stores.index.oracle import OracleIndex
from toulmin.stores.index.embedded import EmbeddedIndex
from toulmin.stores.index.fields import fields_of
from toulmin.stores.index.predicate import AnyOf
from toulmin.stores.index.protocol import (
    Hit,
    IndexedChunk,
    Order,
    Put,
    Remove,
    SearchIndex,
    Selected,
    Selection,
)


@pytest.fixture(params=["embedded", "oracle"])
def index(request, open_index) -> SearchIndex:
    return open_index() if request.param == "embedded" else OracleIndex()


def chunk(key, document, **struct):
    return Put(IndexedChunk(key, document, "w1", fields=fields_of(struct)))


def documents(index, *orders, **rest):
    order_by = tuple(Order(name.lstrip("-"), name.startswith("-")) for name in orders)
    return [hit.document for hit in index.select(Selection(order_by=order_by, **rest)).hits]


def test_one_hit_a_document_and_pages(index):
    index.apply([chunk(9, 1), chunk(4, 1), chunk(5, 3), chunk(6, 3), chunk(2, 7)], up_to=1)
    index.apply([chunk(1, 3), Remove(4)], up_to=2)
    hits = (Hit(9, 1, 0.0), Hit(1, 3, 0.0), Hit(2, 7, 0.0))
    assert index.select(Selection()) == Selected(hits, documents=3, position=2)
    assert index.select(Selection(limit=1, offset=1)) == Selected(hits[1:2], 3, 2)
    assert index.select(Selection(offset=3)) == Selected((), 3, 2)
    assert index.select(Selection(limit=0)) == Selected((), 3, 2)


def test_empty(index):
    assert index.select(Selection(order_by=(Order("a"),))) == Selected((), 0, 0)
    assert index.values([1], "a") == {}


def test_orders(index):
    index.apply([chunk(1, 1, n=3, s="b"), chunk(2, 2, n=[1, 9], s="a")], up_to=1)
    index.apply([chunk(3, 3, s="B", b=True), chunk(4, 4, n=3, s="ä", b=False)], up_to=2)
    assert documents(index, "n") == [2, 1, 4, 3]
    assert documents(index, "-n") == [2, 1, 4, 3]  # 9 counts, and 3 has none
    assert documents(index, "s") == [3, 2, 1, 4]
    assert documents(index, "-s") == [4, 1, 2, 3]
    assert documents(index, "n", "-s") == [2, 4, 1, 3]
    assert documents(index, "-b", limit=3) == [3, 4, 1]
    assert documents(index, "none", "-s", limit=2, offset=1) == [1, 2]
    assert documents(index, "s", filter=AnyOf("s", ("a", "b"))) == [2, 1]


def test_only_chunks_that_fulfil_the_filter_count(index):
    index.apply([chunk(1, 1, n=1), chunk(2, 1, n=8, c="x"), chunk(3, 2, n=5, c="x")], up_to=1)
    assert documents(index, "n") == [1, 2]
    assert documents(index, "n", filter=AnyOf("c", ("x",))) == [2, 1]


def test_dates_are_ordered_as_times_and_kinds_stay_apart(index):
    index.apply(
        [
            chunk(1, 1, day="2024-04-16T12:00:00-07:00"),  # 19:00
            chunk(2, 2, day="2024-04-16T13:00:00+00:00"),
            chunk(3, 3, day="unknown"),
            chunk(4, 4, day=2024),
        ],
        up_to=1,
    )
    assert documents(index, "day") == [4, 2, 1, 3]
    assert documents(index, "-day") == [3, 1, 2, 4]


def test_values_of_chunks(index):
    index.apply([chunk(1, 1, a=["x", True, 2, "2024-04-16"]), chunk(2, 1, b=1)], up_to=1)
    index.apply([chunk(3, 2, a=["z", "y"]), chunk(4, 2, a="w"), Remove(4)], up_to=2)
    day = datetime(2024, 4, 16, tzinfo=UTC)
    found = index.values([3, 1, 2, 4, 99, 1], "a")
    assert found == {1: (2.0, day, True, "x", "2024-04-16"), 3: ("z", "y")}
    assert [type(value) for value in found[1]] == [float, datetime, bool, str, str]
    assert index.values([], "a") == {}


@pytest.mark.parametrize("name", ["number", "time", "text", "few", "several"])
def test_only_a_part_is_ordered(tmp_path, name):
    rng = np.random.default_rng(3)
    index, oracle = EmbeddedIndex(tmp_path / "i", lineage="a", dimensions=DIMENSIONS), OracleIndex()
    for step in range(1, 6):
        changes = [
            chunk(
                int(key),
                int(key) % 150,
                number=int(rng.integers(40)),
                time=f"2024-01-{int(rng.integers(1, 32)):02}",
                text=f"t{int(rng.integers(1000))}",
                few="ab"[int(rng.integers(2))],
                several=[f"t{int(number)}" for number in rng.integers(1000, size=2)],
            )
            for key in rng.choice(400, size=60, replace=False)
        ]
        index.apply(changes, up_to=step)
        oracle.apply(changes, up_to=step)
    for descending in (False, True):
        for limit in (1, 5, 20, 1000):
            for offset in (0, 7):
                for second in ("few", "text"):
                    orders = (Order(name, descending), Order(second, not descending))
                    selection = Selection(order_by=orders, limit=limit, offset=offset)
                    assert index.select(selection) == oracle.select(selection), selection
    index.close()
