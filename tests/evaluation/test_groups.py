import pytest

from toulmin.evaluation.groups import groups_of
from toulmin.evaluation.runner import Aggregate

PREMISE = "The bridge opened in 1998."
SAME, OTHER = "The bridge opened.", "A tunnel collapsed."


def groups(items, grouping):
    found = groups_of(items, Aggregate.MEAN, 0.6)
    return {group.name: group for group in found if group.grouping == grouping}


def test_a_worked_group(scored):
    items = [scored(1, 0.9, kind="order") for _ in range(12)]
    items += [scored(0, 0.95, kind="order") for _ in range(3)]
    items += [scored(0, 0.1, kind="order") for _ in range(9)]
    group = groups([*items, scored(1, 0.1, kind="other"), scored(0, 0.1)], "kind")["order"]
    assert (group.items, group.supported, group.too_small) == (24, 12, False)
    assert group.figures == {
        "auroc": pytest.approx(9 / 12),
        "balanced_accuracy": pytest.approx((1 + 9 / 12) / 2),
        "false_pass_rate": pytest.approx(3 / 12),
        "false_strip_rate": 0,
    }
    assert group.intervals["auroc"].low < 9 / 12 < group.intervals["auroc"].high
    assert set(group.intervals) == {"auroc", "balanced_accuracy"}
    assert group.overlap.check["auroc"] == group.figures["auroc"]
    assert group.words_accuracy is None


def test_a_kind_with_one_label_has_the_share_judged_rightly(scored):
    items = [scored(0, 0.1, kind="role", claim=SAME, premise=PREMISE) for _ in range(15)]
    items += [scored(0, 0.9, kind="role", claim=OTHER, premise=PREMISE) for _ in range(5)]
    # What makes words a rule: elsewhere the supported claims have those of the premise.
    items += [scored(1, 0.9, kind="copy", claim=SAME, premise=PREMISE) for _ in range(30)]
    items += [scored(0, 0.1, kind="new", claim=OTHER, premise=PREMISE) for _ in range(30)]
    group = groups(items, "kind")["role"]
    assert group.figures == {
        "auroc": None,
        "balanced_accuracy": None,
        "false_pass_rate": 5 / 20,
        "false_strip_rate": None,
        "accuracy": 15 / 20,
    }
    assert set(group.intervals) == {"accuracy"}
    # Wilson's, by hand: centre (0.75 + 0.0960) / 1.1921, half width 0.1811.
    assert group.intervals["accuracy"].low == pytest.approx(0.5313, abs=1e-3)
    assert group.intervals["accuracy"].high == pytest.approx(0.8881, abs=1e-3)
    assert group.words_accuracy == 5 / 20, "those that have none of the premise's words"
    assert group.overlap is None


def test_a_label_that_is_rare_in_a_group_is_no_rate(scored):
    items = [scored(0, 0.1, kind="role") for _ in range(20)]
    rare = [scored(1, 0.9, kind="role") for _ in range(4)]
    figures = groups(items + rare, "kind")["role"].figures
    assert (figures["auroc"], figures["false_strip_rate"], figures["accuracy"]) == (None, None, 1)
    enough = groups([*items, *rare, rare[0]], "kind")["role"].figures
    assert (enough["auroc"], enough["false_strip_rate"]) == (1, 0)
    assert "accuracy" not in enough


def test_under_twenty_items_there_is_only_the_count(scored):
    items = [scored(n % 2, 0.5, kind="few") for n in range(19)]
    group = groups(items, "kind")["few"]
    assert (group.items, group.supported, group.too_small) == (19, 9, True)
    assert (dict(group.figures), dict(group.intervals)) == ({}, {})
    assert group.overlap is group.words_accuracy is group.contradiction_overlap is None
    assert not groups([*items, items[0]], "kind")["few"].too_small


def test_kinds_and_languages_are_those_the_file_gives_the_largest_first(scored):
    items = [scored(1, 0.9, kind="b", language="en over es")]
    items += [scored(1, 0.9, kind=kind) for kind in "aacc"]
    assert list(groups(items, "kind")) == ["a", "c", "b"]
    assert list(groups(items, "language")) == ["en over es"]
    assert groups([scored(1, 0.9)], "kind") == {}


@pytest.mark.parametrize(
    ("words", "group"),
    [(99, "short"), (100, "medium"), (399, "medium"), (400, "long"), (5000, "long")],
)
def test_length_is_in_words_of_all_facts(scored, words, group):
    premise = ["word " * 50, "word " * (words - 50)]
    [name] = groups([scored(1, 0.9, premise=premise)], "length")
    assert name.startswith(f"{group} (")


@pytest.mark.parametrize(
    ("count", "group"),
    [(1, "1 fact"), (2, "2 to 5"), (5, "2 to 5"), (6, "6 to 20"), (20, "6 to 20"), (21, "over 20")],
)
def test_number_of_facts(scored, count, group):
    [name] = groups([scored(1, 0.9, premise=["A fact."] * count)], "facts")
    assert name.startswith(group)


def test_lengths_and_numbers_of_facts_come_in_their_own_order(scored):
    premises = ["word " * 500, "word", "word " * 200, ["word"] * 3]
    items = [scored(1, 0.9, premise=premise) for premise in premises]
    assert [name.split()[0] for name in groups(items, "length")] == ["short", "medium", "long"]
    assert list(groups(items, "facts")) == ["1 fact", "2 to 5 facts"]


def test_contradicted_against_neutral_is_of_those_that_are_known(scored):
    def item(contradiction, claim, against):
        return scored(
            0, 0.1, [against], contradiction=contradiction, claim=claim, premise=PREMISE,
            language="en",
        )  # fmt: skip

    items = [item(True, SAME, 0.9) for _ in range(10)] + [
        item(False, OTHER, 0.2) for _ in range(10)
    ]
    items += [item(None, OTHER, 0.9), scored(1, 0.9, [0.9], language="en")]
    group = groups(items, "language")["en"]
    found = group.contradiction_overlap
    assert (found.items, found.positives) == (20, 10)
    assert found.words["auroc"] == found.check["auroc"] == 1
    assert found.difference["auroc"] == 0
    fewer = groups(items[6:] + [item(False, OTHER, 0.2)] * 6, "language")["en"]
    assert fewer.contradiction_overlap is None, "four contradicted"
