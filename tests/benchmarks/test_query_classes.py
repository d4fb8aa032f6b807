"""The figures of the query classes on hand-made verdicts."""

from tests.benchmarks.modules import load
from toulmin.safety.query_classes import QueryClass

query_classes = load("quality.query_classes")


def judged(label, *positive, lang="en"):
    return query_classes.Written("text", label, lang, "text", 1), positive


def test_found_and_flagged_are_shares_of_their_own_queries():
    rows = [
        judged("jailbreak", QueryClass.ADVERSARIAL, QueryClass.JAILBREAK),
        judged("jailbreak", QueryClass.ADVERSARIAL),
        judged("answer_seeking"),
        judged("answer_seeking", QueryClass.CHIT_CHAT),
        judged("answer_seeking"),
    ]
    assert query_classes.figures(rows) == {
        "jailbreak_found": {"queries": 2, "of_them": 1, "share": 0.5},
        "harmless_flagged": {"queries": 3, "of_them": 1, "share": 0.3333},
    }
