import numpy as np
import pytest

from toulmin.evaluation.overlap import compare, count_words, verdict


def baseline(labels, found, scores):
    return compare(
        np.array(labels, dtype=bool), np.array(found, float), np.array(scores, float), near=0.6
    )


def test_the_share_of_content_words_that_any_fact_has():
    facts = ["The bridge is 300 metres long.", "It opened in 1975."]
    counts = count_words("The bridge opened in 1998.", facts)
    assert counts.found == pytest.approx(2 / 3), "bridge, opened; not 1998"
    assert counts.premise_words == 10


@pytest.mark.parametrize(
    ("claim", "fact", "found"),
    [
        ("Bridges were opening.", "A BRIDGE opened.", 1),
        ("It cost 1,500 euros.", "The cost: 1500 Euro.", 1),
        ("Eine Brücke ist nicht neu.", "Die Brucke ist alt.", 1 / 2),
        ("bridge bridge bridge tower", "bridge", 1 / 2),
        ("It was not so.", "Nothing of the kind.", 1),
        ("It opened.", "...", 0),
    ],
)
def test_words_count_once_in_one_spelling_and_stopwords_do_not(claim, fact, found):
    assert count_words(claim, [fact]).found == pytest.approx(found)


def test_japanese_is_counted_in_pairs_of_characters_without_pairs_of_hiragana():
    counts = count_words("東京都は首都です", ["東京は日本の首都である"])
    # 東京 京都 都は は首 首都 都で, but not です; the fact has 東京, 首都 and 都で.
    assert counts.found == pytest.approx(3 / 6)
    assert counts.premise_words == 5, "ten pairs"


def test_a_worked_baseline():
    found = baseline([1, 1, 0, 0], [1.0, 0.5, 0.5, 0.0], [0.9, 0.8, 0.1, 0.2])
    assert (found.items, found.positives, found.reversed) == (4, 2, False)
    # Pairs won: three and a tie. From 0.25 or 0.75 on, one item is on the wrong side.
    assert found.words["auroc"] == found.best_auroc == pytest.approx(3.5 / 4)
    assert found.words["auroc_reversed"] == pytest.approx(0.5 / 4)
    assert found.words["balanced_accuracy_best"] == pytest.approx(3 / 4)
    assert found.check == {"auroc": 1, "balanced_accuracy_best": 1}
    assert found.difference["auroc"] == pytest.approx(0.5 / 4)
    assert found.difference["balanced_accuracy_best"] == pytest.approx(1 / 4)
    assert found.intervals["check_auroc"].low < 1, "four items are no proof"


def test_below_chance_the_words_that_are_missing_are_the_score():
    found = baseline([0, 0, 1, 1], [1.0, 0.5, 0.5, 0.0], [0.1, 0.2, 0.8, 0.9])
    assert found.reversed
    assert found.words["auroc"] == pytest.approx(0.5 / 4)
    assert found.words["auroc_reversed"] == found.best_auroc == pytest.approx(3.5 / 4)
    assert found.words["balanced_accuracy_best"] == pytest.approx(3 / 4)
    assert found.difference["auroc"] == pytest.approx(0.5 / 4)
    assert found.passes(np.array([1.0, 0.0])).tolist() == [False, True]


def test_one_label_has_no_baseline():
    found = baseline([1, 1], [1.0, 0.5], [0.9, 0.8])
    assert found.best_auroc is None
    assert found.difference == {"auroc": None, "balanced_accuracy_best": None}
    assert found.passes(np.array([1.0])) is None
    assert "one label only" in verdict(found)


# Twelve bridges; their facts name a second one, so that the words of both are there.
NAMES = [
    "Adler",
    "Birke",
    "Carmen",
    "Dorn",
    "Eiche",
    "Falke",
    "Giebel",
    "Hasel",
    "Iltis",
    "Jasmin",
    "Kiefer",
    "Linde",
]
PREMISE = "The {0} bridge was built before the {1} bridge by Hansen."


def pairs():
    return list(zip(NAMES, NAMES[1:] + NAMES[:1], strict=True))


def file_of(scored, true, false, *, good=0.9, bad=0.1):
    """A supported and an unsupported claim about each premise, and the check all but perfect."""
    items = []
    for number, (first, second) in enumerate(pairs()):
        premise = PREMISE.format(first, second)
        slip = number == 0
        for label, claim in ((1, true), (0, false)):
            support = good if (label == 1) != slip else bad
            items.append(scored(label, support, claim=claim.format(first, second), premise=premise))
    return items


def measured(items):
    return baseline(
        [item.example.label for item in items],
        [item.words.found for item in items],
        [item.supports[0] for item in items],
    )


def test_a_file_where_overlap_decides(scored):
    items = file_of(
        scored,
        "The {0} bridge was built before the {1} bridge.",
        "The {0} tunnel collapsed after the {1} earthquake.",
    )
    found = measured(items)
    assert found.words["auroc"] == found.words["balanced_accuracy_best"] == 1
    assert found.check["auroc"] < 1
    assert found.difference["auroc"] < 0
    assert verdict(found) == (
        "Counting words gets 1.00 here: this file hardly tests understanding. The check gets"
        f" {found.check['auroc']:.2f}, which is not clearly different."
    )


def test_a_file_where_overlap_is_useless(scored):
    items = file_of(
        scored,
        "The {0} bridge was built before the {1} bridge.",
        "The {1} bridge was built before the {0} bridge.",
    )
    found = measured(items)
    assert found.words["auroc"] == found.words["balanced_accuracy_best"] == 0.5
    assert not found.reversed
    assert found.intervals["difference_auroc"].low > 0
    assert verdict(found) == (
        "Counting words gets 0.50 here: words are not clearly better than guessing. The check gets"
        f" {found.check['auroc']:.2f}, clearly more."
    )


def test_a_file_where_the_wrong_claims_copy(scored):
    items = file_of(
        scored,
        "Construction of {0} predates that of {1}.",
        "The {1} bridge was built before the {0} bridge by Hansen.",
        good=0.1,
        bad=0.9,
    )
    found = measured(items)
    assert (found.words["auroc"], found.words["auroc_reversed"]) == (0, 1)
    assert verdict(found).startswith(
        "Counting missing words gets 1.00 here: this file hardly tests understanding."
    )
    assert verdict(found).endswith("clearly less.")


@pytest.mark.parametrize(
    ("right", "meaning"),
    [
        (20, "this file hardly tests understanding"),
        (15, "words give part of the labels away"),
        (11, "words are not clearly better than guessing"),
    ],
)
def test_what_it_means_depends_on_what_words_get(right, meaning):
    # Words put `right` of 20 supported items on top, the others beneath; check is perfect.
    labels = [1] * 20 + [0] * 20
    words = [1.0] * right + [0.0] * (20 - right) + [0.5] * 20
    found = baseline(labels, words, [0.9] * 20 + [0.1] * 20)
    assert found.best_auroc == right / 20
    assert f"gets {right / 20:.2f} at chess: {meaning}." in verdict(found, where="at chess")


def test_a_slight_lead_on_many_items_is_said_too():
    labels = np.arange(2000) < 1000
    random = np.random.default_rng(0)
    words = np.clip(random.normal(0.5 + 0.03 * labels, 0.15), 0, 1)
    found = compare(labels, words, words, near=0.6)
    assert 0.5 < found.intervals["words_auroc"].low < found.best_auroc < 0.65
    assert "words give little of the labels away" in verdict(found)


def test_few_items_say_nothing():
    found = baseline([1, 1, 0, 0], [1.0, 0.5, 0.5, 0.0], [0.9, 0.8, 0.1, 0.2])
    assert verdict(found) == (
        "Counting words gets 0.88 here, on 4 examples only: too few to say what that means."
    )
