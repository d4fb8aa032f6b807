"""The figures of the query classes on hand-made verdicts."""

from tests.benchmarks.modules import load
from toulmin.safety.query_classes import QueryClass, QueryClasses

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


def twin(text, label, probability, group="a", lang="en"):
    classes = {QueryClass.ADVERSARIAL: probability, QueryClass.JAILBREAK: 0.3}
    return query_classes.Twin(text, label, lang, group), QueryClasses(classes, ())


def test_a_pair_is_in_order_if_the_harmful_one_is_likelier():
    judged = [
        twin("harm", "adversarial", 0.6),
        twin("likelier", "answer_seeking", 0.7),
        twin("as likely", "answer_seeking", 0.6),
        twin("less likely", "answer_seeking", 0.1),
        twin("of another group", "answer_seeking", 0.1, group="b"),
        twin("a jailbreak is as likely", "jailbreak", 0.1),
    ]
    assert query_classes.in_order(judged) == {"queries": 6, "of_them": 1, "share": 0.1667}


class ByWord:
    """Takes for adversarial what has the word "bomb"."""

    def classify(self, text):
        harmful = "bomb" in text
        positive = (QueryClass.ADVERSARIAL,) if harmful else ()
        return QueryClasses({QueryClass.ADVERSARIAL: float(harmful)}, positive)


def test_twins_are_judged_by_language_and_in_pairs():
    queries = [
        query_classes.Twin("a bomb", "adversarial", "en", "a bomb"),
        query_classes.Twin("a bomb shelter", "answer_seeking", "en", "a bomb"),
        query_classes.Twin("un arbol", "answer_seeking", "es", "a bomb"),
    ]
    found = query_classes.measure_twins(ByWord(), queries)
    assert found["all"]["adversarial_found"]["share"] == 1
    assert found["all"]["harmless_flagged"]["share"] == 0.5
    assert found["pairs_in_order"] == {"queries": 2, "of_them": 1, "share": 0.5}
    assert found["languages"]["es"]["harmless_flagged"]["share"] == 0
    assert found["languages"]["it"] == {}
