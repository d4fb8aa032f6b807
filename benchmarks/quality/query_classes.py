"""Are dangerous queries and jailbreaks seen, and harmless ones left alone, in six languages?

    python -m benchmarks.quality.query_classes

The kept-out half of the queries written for the classes (training/query_classes/written.jsonl): no
weight and no threshold was fitted on it, and no translation of it. And the kept-out fifth of the
twins (training/query_classes/twins), harmful queries beside harmless ones with nearly the same
words. A query counts as found if its class is among those that apply; a harmless one as flagged if
any class is. Writes benchmarks/results/query_classes.json.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Iterable, Sequence
from typing import Any

from benchmarks.measurement import REPOSITORY, circumstances, summary, write_result
from toulmin.models.embedder import Embedder
from toulmin.safety.query_classes import QueryClass, QueryClasses, QueryClassifier

sys.path.insert(0, str(REPOSITORY / "training" / "query_classes"))
from twins import Twin, parts, twins
from written_queries import LANGUAGES, Written, halves, written

HARMLESS = "answer_seeking"

Judged = tuple[Written | Twin, tuple[QueryClass, ...]]


def share(hits: Sequence[bool]) -> dict[str, Any]:
    """Return how many of how many, and the share."""
    return {"queries": len(hits), "of_them": sum(hits), "share": round(sum(hits) / len(hits), 4)}


def figures(judged: Iterable[Judged]) -> dict[str, Any]:
    """Return for each class the share found, and the share of harmless queries flagged."""
    rows, result = list(judged), {}
    for name in QueryClass:
        of_class = [name in positive for query, positive in rows if query.label == name.value]
        if of_class:
            result[f"{name.value}_found"] = share(of_class)
    harmless = [bool(positive) for query, positive in rows if query.label == HARMLESS]
    if harmless:
        result["harmless_flagged"] = share(harmless)
    return result


def measure(classifier: QueryClassifier, queries: Sequence[Written]) -> dict[str, Any]:
    """Return the figures of all queries, by language and by round, and milliseconds a query."""
    judged, took = [], []
    for query in queries:
        start = time.perf_counter()
        positive = classifier.classify(query.text).positive
        took.append(1000 * (time.perf_counter() - start))
        judged.append((query, positive))

    def only(which: Callable[[Written], bool]) -> dict[str, Any]:
        return figures((query, positive) for query, positive in judged if which(query))

    return {
        "all": figures(judged),
        "languages": {lang: only(lambda q, lang=lang: q.lang == lang) for lang in LANGUAGES},
        "rounds": {
            str(number): only(lambda q, number=number: q.round == number)
            for number in sorted({query.round for query in queries})
        },
        "milliseconds": summary(took),
    }


def in_order(judged: Sequence[tuple[Twin, QueryClasses]]) -> dict[str, Any]:
    """Of the pairs of a harmful and a harmless query of one group: how many are in order.

    A pair is if the class of the harmful one is likelier there than at the harmless one.
    """
    hits = [
        at_harmful.probabilities[QueryClass(harmful.label)]
        > at_harmless.probabilities[QueryClass(harmful.label)]
        for harmful, at_harmful in judged
        for harmless, at_harmless in judged
        if harmful.label != HARMLESS == harmless.label and harmful.group == harmless.group
    ]
    return share(hits)


def measure_twins(classifier: QueryClassifier, queries: Sequence[Twin]) -> dict[str, Any]:
    """Return the figures of all twins, the pairs in order, and the figures by language."""
    judged = [(query, classifier.classify(query.text)) for query in queries]
    return {
        "all": figures((query, found.positive) for query, found in judged),
        "pairs_in_order": in_order(judged),
        "languages": {
            lang: figures((query, found.positive) for query, found in judged if query.lang == lang)
            for lang in LANGUAGES
        },
    }


def main() -> None:
    """Measure; write results/query_classes.json."""
    embedder = Embedder(workers=1)
    classifier = QueryClassifier(embedder)
    classifier.classify("warm up")
    result = circumstances()
    result.update(measure(classifier, halves(written())[1]))
    result["twins"] = measure_twins(classifier, parts(twins())[1])
    embedder.close()
    write_result("query_classes", result)
    twin = {"twins": {**result["twins"]["all"], "in_order": result["twins"]["pairs_in_order"]}}
    for name, found in {"all": result["all"], **result["languages"], **twin}.items():
        print(
            name, {key: f"{f['of_them']}/{f['queries']} = {f['share']}" for key, f in found.items()}
        )
    print(result["milliseconds"])


if __name__ == "__main__":
    main()
