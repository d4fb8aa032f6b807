"""What is reported of which facts is counted by kind, and contexts are paired by their labels."""

from types import SimpleNamespace

from tests.benchmarks.modules import load

fact_conflicts = load("quality.fact_conflicts")


def test_items_with_conflicts_are_counted_once_and_by_kind():
    items = [("year", ["a", "b"]), ("year", ["c", "d"]), ("name", ["e", "f", "g"])]
    reported = {"a": [SimpleNamespace(), SimpleNamespace()]}
    found = fact_conflicts.counted(items, lambda facts: reported.get(facts[0], []))
    assert found == {
        "items": 3,
        "facts": 7,
        "items_with_conflicts": 1,
        "share": 0.3333,
        "conflicts": 2,
        "kinds": {"name": [0, 1], "year": [1, 2]},
    }


def test_pairs_of_contexts_contradict_each_other_or_agree():
    pairs = list(fact_conflicts.contrast_pairs(5, seed=1))
    assert {kind for kind, _ in pairs} == {"contrasts", "agreeing"}
    assert all(len(set(facts)) == 2 for _, facts in pairs)
    assert pairs == list(fact_conflicts.contrast_pairs(5, seed=1))
