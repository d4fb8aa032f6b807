"""Parts of docs/quality.md that are there when their result file is, and how figures are shown."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial
from typing import Any

READER_LANGUAGES = {
    "jaquad": "Japanese",
    "jsquad_ja": "Japanese",
    "xquad_es": "Spanish",
    "squad_it": "Italian",
}
_READER = {
    "questions": "questions",
    "f1": "F1, answerable",
    "exact": "exact, answerable",
    "f1_with_abstention": "F1, all",
    "answerability_auroc": "answerability AUROC",
    "answerability_ece": "its calibration error",
    "answer_probability_ece": "calibration error of the answer",
}
_RETRIEVAL = ("ndcg@10", "recall@10", "recall@100", "mrr")
_HIDDEN = {"circumstances", "date", "command", "commit", "machine", "packages", "models"}


def figure(value: float | None) -> str:
    """Return a share with three decimals and no leading zero; nothing for None."""
    if value is None:
        return ""
    text = f"{value:.3f}"
    return text.removeprefix("0") if text.startswith("0.") else text.replace("-0.", "-.", 1)


def interval(bounds: Sequence[float] | None) -> str:
    """Return " (low to high)"; nothing for None."""
    return "" if bounds is None else f" ({figure(bounds[0])} to {figure(bounds[1])})"


def table(header: Sequence[str], rows: Sequence[Sequence[object]]) -> str:
    """Return a Markdown table."""
    lines = [header, ["--"] * len(header), *([str(cell) for cell in row] for row in rows)]
    return "".join(f"| {' | '.join(line)} |\n" for line in lines)


def spans_section(found: Mapping[str, Any]) -> str:
    """Return the section on the words that are marked."""
    changed, untouched, bounds = found["changed"], found["untouched"], found["intervals"]
    words, facts = changed["claim_words"], changed["fact_words"]
    fact_given = changed["fact_words_if_claim_word_marked"]
    given = changed["claim_words_if_unsupported"]
    rows = [
        ("words of the claim that are unsupported", *_prf(words, bounds["words"])),
        ("the same, where the claim as a whole is found unsupported", *_prf(given)),
        ("words of the fact that they conflict with", *_prf(facts, bounds["fact_words"])),
        ("the same, where a wrong word of the claim is marked", *_prf(fact_given)),
    ]
    by_kind = [_span_kind(kind, figures) for kind, figures in found["kinds"].items()]
    return "\n".join(
        [
            "## Which words: spans without a language model\n",
            f"{found['items']} claims made from passages of the SQuAD 2.0 half by"
            " `benchmarks/quality/substitutions.py`: a sentence in which one or two words were replaced by"
            " others of the same kind, or that says only what the passage says. Measured by"
            f" `{found['circumstances']['command']}`. A word counts as marked when a span touches"
            " it.\n",
            table(("", "precision", "recall", "F1"), rows),
            f"Exactly the replaced words are marked in {figure(changed['exact_share'])} of the"
            f" claims with replaced words; the whole claim, so no word in particular, in"
            f" {figure(changed['whole_claim_share'])}. {figure(changed['unsupported_share'])} of"
            f" them are found unsupported, {figure(changed['contradicted_share'])} contradicted."
            f" Of {untouched['items']} claims that the passage bears out,"
            f" {figure(untouched['false_alarm_share'])} have a mark and"
            f" {figure(untouched['supported_share'])} pass. The set has no parser behind it: a few"
            " replaced nouns and verbs are true by chance.\n",
            table(
                (
                    "kind", "claims", "precision", "recall", "F1", "exact", "conflict: precision",
                    "recall", "found unsupported", "contradicted", "has a mark",
                ),
                by_kind,
            ),
        ]
    )  # fmt: skip


def _prf(
    figures: Mapping[str, float | None], bounds: Mapping[str, Sequence[float]] | None = None
) -> tuple[str, ...]:
    known = bounds or {}
    return tuple(
        figure(figures[key]) + interval(known.get(key)) for key in ("precision", "recall", "f1")
    )


def _span_kind(kind: str, figures: Mapping[str, Any]) -> tuple[object, ...]:
    if "false_alarm_share" in figures:
        unsupported = 1 - figures["supported_share"]
        verdicts = (figure(unsupported), figure(figures["contradicted_share"]))
        marks = figure(figures["false_alarm_share"])
        return (kind, figures["items"], "", "", "", "", "", "", *verdicts, marks)
    conflict = figures["fact_words"]
    return (
        kind,
        figures["items"],
        *_prf(figures["claim_words"]),
        figure(figures["exact_share"]),
        figure(conflict["precision"]),
        figure(conflict["recall"]),
        figure(figures["unsupported_share"]),
        figure(figures["contradicted_share"]),
        "",
    )


def reader_section(found: Mapping[str, Any]) -> str:
    """Return the section on the extractive reader; F1 and exact match are per cent."""
    rows = []
    for name, figures in found["results"].items():
        language = READER_LANGUAGES.get(name, "English")
        cells = [
            str(figures[key]) if key == "questions" else _per_cent_or_share(key, figures.get(key))
            for key in _READER
        ]
        rows.append((name, language, *cells))
    return "\n".join(
        [
            "## The reader\n",
            f"Measured by `{found['command']}`. F1 and exact match in per cent.\n",
            table(("set", "language", *_READER.values()), rows),
        ]
    )


def _per_cent_or_share(key: str, value: float | None) -> str:
    if value is None:
        return ""
    return f"{value:.1f}" if key.startswith(("f1", "exact")) else figure(value)


def retrieval_section(found: Mapping[str, Any]) -> str:
    """Return the section on retrieval."""
    parts = ["## Retrieval\n"]
    for name, collection in found["collections"].items():
        parts.append(
            f"{name}: {collection['documents']:,} passages, {collection['queries']:,} queries;"
            f" the gain is in nDCG@10 over {collection['baseline']}, with its 95 % interval.\n"
        )
        rows = [
            (search, *(figure(figures[key]) for key in _RETRIEVAL), "")
            for search, figures in collection["alone"].items()
        ]
        rows += [
            (
                f"BM25 + {fusion} ({figures['weight']:g})",
                *(figure(figures[key]) for key in _RETRIEVAL),
                figure(figures["ndcg@10 gain"]) + interval([figures["95% from"], figures["to"]]),
            )
            for fusion, figures in collection["fused"].items()
            if fusion.startswith("embedder")
        ]
        parts.append(table(("search", "nDCG@10", "recall@10", "recall@100", "MRR", "gain"), rows))
    return "\n".join(parts)


_CLASSES = {
    "jailbreak_found": "jailbreaks found",
    "adversarial_found": "dangerous ones found",
    "chit_chat_found": "chit-chat found",
    "no_clear_intent_found": "no clear intent found",
    "harmless_flagged": "harmless ones flagged",
}
_OF_TWINS = ("jailbreak_found", "adversarial_found", "harmless_flagged")


def query_classes_section(found: Mapping[str, Any]) -> str:
    """Return the section on chit-chat, jailbreaks and dangerous queries."""
    rows = [
        (language, *(_share_of(classes.get(name)) for name in _CLASSES))
        for language, classes in {"all": found["all"], **found["languages"]}.items()
    ]
    text = (
        "Queries written for this and kept out of training, of which the last rounds were written after a look at"
        f" the figures of earlier ones; `{found['command']}`.\n"
    )
    twins = found["twins"]
    beside = [
        (language, *(_share_of(classes.get(name)) for name in _OF_TWINS))
        for language, classes in {"all": twins["all"], **twins["languages"]}.items()
    ]
    order = (
        "Twins: harmful queries beside harmless ones with nearly the same words, a fifth kept out of training."
        f" Of the pairs, {_share_of(twins['pairs_in_order'])} are in order: the class of the harmful one is likelier there.\n"
    )
    return "\n".join(
        [
            "## Query classes\n",
            text,
            table(("", *_CLASSES.values()), rows),
            order,
            table(("", *(_CLASSES[name] for name in _OF_TWINS)), beside),
        ]
    )


def _share_of(row: Mapping[str, Any] | None) -> str:
    return "" if row is None else f"{figure(row['share'])} of {row['queries']}"


def plain_section(title: str, found: Mapping[str, Any]) -> str:
    """Return any result file as a table of its numbers, by their path in the file."""
    rows = [
        (path, f"{value:g}" if isinstance(value, int) else figure(value))
        for path, value in _numbers(found)
    ]
    return "\n".join([f"## {title}\n", table(("figure", "value"), rows)])


def _numbers(value: Any, path: tuple[str, ...] = ()) -> Iterator[tuple[str, float]]:
    if isinstance(value, Mapping):
        for key, item in value.items():
            if path or key not in _HIDDEN:
                yield from _numbers(item, (*path, str(key)))
    elif isinstance(value, int | float) and not isinstance(value, bool):
        yield ", ".join(path), value


# By the name of the result file.
SECTIONS: Mapping[str, Callable[[Mapping[str, Any]], str]] = {
    "spans": spans_section,
    "reader": reader_section,
    "retrieval": retrieval_section,
    "calibration": partial(plain_section, "Calibration in domain"),
    "query_classes": query_classes_section,
    "safety": partial(plain_section, "Safety ratings"),
    "helpfulness": partial(plain_section, "Helpfulness"),
}
