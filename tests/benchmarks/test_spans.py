"""Words are counted as they should be."""

from tests.benchmarks.modules import load

spans = load("quality.spans")
substitutions = load("quality.substitutions")

PASSAGE = "The bridge was opened in 1998. It is long."
CLAIM = substitutions.Claim(
    "year", PASSAGE, "The bridge was opened in 2004.", wrong=((25, 29),), conflicting=((25, 29),)
)


class Report:
    """What the check would say: unsupported spans of (claim range, fact range or None)."""

    support_score = 0.2
    contradiction_score = 0.9

    def __init__(self, *found):
        self.claims = [type("Checked", (), {"spans": [ClaimSpan(*pair) for pair in found]})()]


class ClaimSpan:
    def __init__(self, place, fact, supported=False):
        self.start, self.end = place
        self.supported = supported
        self.fact_index = None if fact is None else 0
        self.fact_start, self.fact_end = fact or (0, 0)


def test_a_span_that_touches_a_word_marks_it():
    assert spans.words_in("one two three", [(5, 6)]) == {(4, 7)}
    assert spans.words_in("one two three", [(3, 4)]) == set()


def test_the_exact_words_are_right():
    found = spans.outcome(CLAIM, Report(((25, 29), (25, 29))))
    assert found.exact
    assert not found.whole
    assert found.words == spans.Counts(1, 1, 1)
    assert found.fact_words == spans.Counts(1, 1, 1)


def test_a_whole_claim_is_not_exact():
    found = spans.outcome(CLAIM, Report(((0, 30), None)))
    assert found.whole
    assert not found.exact
    assert found.words == spans.Counts(1, 6, 1)
    assert found.fact_words == spans.Counts(0, 0, 1)


def test_supported_spans_are_no_marks():
    assert spans.outcome(CLAIM, Report(((25, 29), (25, 29), True))).words.marked == 0


def test_words_that_may_be_marked_count_neither_way():
    counts = spans.compare("It was not long", [(3, 10)], [(7, 10)], [(3, 6)])
    assert counts == spans.Counts(1, 1, 1)


def test_precision_recall_and_f1_are_over_all_words():
    found = spans.total([spans.Counts(1, 4, 1), spans.Counts(1, 1, 2), spans.Counts(0, 0, 1)])
    assert found == {"precision": 0.4, "recall": 0.5, "f1": 0.4444}
    assert spans.total([spans.Counts(0, 0, 0)]) == {"precision": None, "recall": None, "f1": None}


def test_figures_tell_changed_from_untouched():
    untouched = substitutions.Claim("as it stands", PASSAGE, "It is long.")
    outcomes = [
        spans.outcome(CLAIM, Report(((25, 29), None))),
        spans.outcome(untouched, Report(((3, 5), None))),
    ]
    found = spans.figures(outcomes, seed=1)
    assert found["changed"]["claim_words"]["precision"] == 1.0
    assert found["all_claim_words"]["precision"] == 0.5
    assert found["untouched"]["false_alarm_share"] == 1.0
    assert found["verdict_balanced_accuracy"] == 0.5
    assert set(found["kinds"]) == {"year", "as it stands"}
