"""Facets: counted by the index and among documents found, restricted, ordered, cut off."""

import pytest

from toulmin.domain import Document
from toulmin.retrieval.facets import count_facets, count_facets_among
from toulmin.retrieval.query import Facet, Interval
from toulmin.stores.filter_fields import filter_fields
from toulmin.stores.index.embedded import EmbeddedIndex
from toulmin.stores.index.predicate import EVERYTHING, And, AnyOf, InRange, matches, without_fields
from toulmin.stores.index.protocol import IndexedChunk, Put

DATA = [
    {"colour": "red", "price": 5, "day": "2024-01-01", "part": "Part 9"},
    {"colour": ["red", "blue"], "price": 10, "part": "Part 10"},
    {"colour": "Reddish", "price": [10, 30], "part": "Part 10"},
    {"colour": "green", "price": 20, "part": "Part 2"},
    {"price": 99},
]
OTHERS = [{"colour": "blue", "price": 5}, {"colour": "blue", "price": 7}]


def documents(data, first=0):
    return [Document(id=f"d{first + i}", struct_data=one) for i, one in enumerate(data)]


@pytest.fixture(scope="module")
def indexed(tmp_path_factory):
    """Two indexes with these documents, each in two chunks."""
    opened = []
    for number, data in enumerate((DATA, OTHERS)):
        index = EmbeddedIndex(
            tmp_path_factory.mktemp("index") / str(number), lineage="a", dimensions=4
        )
        index.apply(
            [
                Put(
                    IndexedChunk(
                        key=2 * i + part, document=i, text="x", fields=filter_fields(document)
                    )
                )
                for i, document in enumerate(documents(data))
                for part in (0, 1)
            ],
            up_to=1,
        )
        opened.append(index)
    yield opened
    for index in opened:
        index.close()


def both_ways(facet, indexed, predicate=EVERYTHING):
    """Return a facet as (value or interval, documents), the same by either way."""
    indexes = [(index, predicate) for index in indexed]
    (by_index,) = count_facets([facet], indexes=indexes)

    def candidates(excluded):
        wanted = without_fields(predicate, excluded)
        every = [*documents(DATA), *documents(OTHERS, first=100)][: 5 if len(indexed) == 1 else 7]
        return [d for d in every if matches(wanted, filter_fields(d))]

    (among,) = count_facets_among([facet], candidates=candidates)
    assert by_index == among
    assert by_index.field == facet.field
    return [(count.interval or count.value, count.documents) for count in by_index.counts]


def test_strings_are_counted_by_document_most_frequent_first(indexed):
    assert both_ways(Facet(field="colour"), indexed[:1]) == [
        ("red", 2),
        ("blue", 1),
        ("green", 1),
        ("Reddish", 1),
    ]


def test_counts_of_several_indexes_add_up(indexed):
    counts = dict(both_ways(Facet(field="colour"), indexed))
    assert counts == {"blue": 3, "red": 2, "green": 1, "Reddish": 1}


def test_only_what_fulfils_the_filter_counts(indexed):
    cheap = InRange("price", high=10)
    assert dict(both_ways(Facet(field="colour"), indexed[:1], cheap)) == {
        "red": 2,
        "blue": 1,
        "Reddish": 1,
    }


def test_conditions_on_excluded_fields_do_not_count(indexed):
    predicate = And((AnyOf("colour", ("red",)), InRange("price", high=5)))
    assert both_ways(Facet(field="colour"), indexed, predicate) == [("red", 1)]
    excluding = Facet(field="colour", excluded_fields=frozenset(["colour"]))
    assert both_ways(excluding, indexed, predicate) == [("blue", 1), ("red", 1)]


def test_numbers_are_counted_in_intervals(indexed):
    low = Interval(high=10)
    middle = Interval(low=10, high=30, high_included=True)
    none = Interval(low=40, high=50)
    above = Interval(low=10, low_included=False)
    in_order = Facet(field="price", intervals=(low, middle, none, above), by_value=True)
    expected = [(low, 3), (middle, 3), (above, 3)]
    assert both_ways(in_order, indexed) == expected
    by_count = Facet(field="price", intervals=(low, middle))
    assert both_ways(by_count, indexed[:1]) == [(middle, 3), (low, 1)]


def test_times_are_counted_in_microseconds_as_filters_do(indexed):
    start, end = 1_704_067_200_000_000, 1_704_067_200_000_001  # midnight of 2024-01-01
    facet = Facet(field="day", intervals=(Interval(low=start, high=end),))
    assert [count for _, count in both_ways(facet, indexed)] == [1]


@pytest.mark.parametrize(
    ("restriction", "expected"),
    [
        ({"values": ("red", "absent")}, {"red"}),
        ({"prefixes": ("red",)}, {"red"}),
        ({"prefixes": ("red", "bl"), "ignore_case": True}, {"red", "Reddish", "blue"}),
        ({"contains": ("ED",)}, set()),
        ({"contains": ("ED",), "ignore_case": True}, {"red", "Reddish"}),
        ({"contains": ("e",), "prefixes": ("g", "b")}, {"green", "blue"}),
    ],
)
def test_strings_are_restricted(indexed, restriction, expected):
    assert {
        value for value, _ in both_ways(Facet(field="colour", **restriction), indexed)
    } == expected


def test_values_are_ordered_naturally_either_way_and_cut_off(indexed):
    ascending = Facet(field="part", by_value=True, descending=False)
    assert [value for value, _ in both_ways(ascending, indexed)] == ["Part 2", "Part 9", "Part 10"]
    descending = Facet(field="part", by_value=True, limit=2)
    assert [value for value, _ in both_ways(descending, indexed)] == ["Part 10", "Part 9"]
    rare_first = Facet(field="part", descending=False, limit=1)
    assert both_ways(rare_first, indexed) == [("Part 2", 1)]


def test_an_unknown_field_has_no_values(indexed):
    assert both_ways(Facet(field="absent"), indexed) == []
    assert both_ways(Facet(field="absent", intervals=(Interval(low=0),)), indexed) == []


def test_candidates_are_asked_once_for_each_set_of_fields():
    asked = []

    def candidates(excluded):
        asked.append(excluded)
        return documents(DATA)

    facets = [
        Facet(field="colour"),
        Facet(field="part"),
        Facet(field="colour", excluded_fields=frozenset(["colour"])),
    ]
    assert [r.field for r in count_facets_among(facets, candidates=candidates)] == [
        "colour",
        "part",
        "colour",
    ]
    assert asked == [frozenset(), frozenset(["colour"])]
