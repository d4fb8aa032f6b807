"""docs/quality.md from results/*.json and published.json: every figure and sentence is derived.

What is bad is found by rule (`BOUNDS`), and a hand-written remark is shown only while the figure
that it explains is on the wrong side of its bound; so neither can outlive the figures.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from benchmarks.measurement import REPOSITORY
from benchmarks.quality.sections import SECTIONS, figure, interval, table

PAGE = REPOSITORY / "docs" / "quality.md"
PUBLISHED = Path(__file__).with_name("published.json")
LANGUAGES = {"en": "English", "ja": "Japanese", "other": "five others, or two at once"}
_TRIAL_ITEMS = 100

Results = Mapping[str, Any]

# Figure, what is bad about it, and from which value on: (name, sentence, least, most).
BOUNDS: tuple[tuple[str, str, float | None, float | None], ...] = (
    ("auroc", "Supported and unsupported are hardly told apart (AUROC under .70)", 0.70, None),
    ("balanced_accuracy", "Right too seldom (balanced accuracy under .65)", 0.65, None),
    ("lost_at_default", "The default threshold does not fit (over .05 lost against the set's own best)", None, 0.05),
    ("false_pass_rate", "Too much passes (over a third of the unsupported)", None, 1 / 3),
    ("false_strip_rate", "Too much is refused (over a third of the supported)", None, 1 / 3),
    ("ece", "Scores are not the probabilities they claim to be (calibration error over .10)", None, 0.10),
    ("contradiction_auroc", "Contradiction is taken for mere lack of support, or the reverse (AUROC under .80)", 0.80, None),
)  # fmt: skip

# (condition, text): the condition is "set.figure<bound" or ">"; the text cites figures as {set.figure}.
REMARKS: tuple[tuple[str, str], ...] = (
    ("bump.all.balanced_accuracy<0.65", "**Summaries with one edit** (BUMP, balanced accuracy {bump.all.balanced_accuracy}). One wrong word in three sentences: the report's support score is the mean over the sentences, so two right ones carry a wrong one. Look at the claims, not at the overall score."),
    ("wice_claim.dev.ece>0.10", "**Web pages as facts** (WiCE, calibration error {wice_claim.dev.ece}). Navigation, captions and boilerplate crowd the chunks that are read; claims there often need several places at once."),
    ("healthver.dev.auroc<0.75", "**Scientific abstracts** (HealthVer, AUROC {healthver.dev.auroc}). What follows from an effect size or a hedge is not read out of the words."),
    ("nli4ct.dev.auroc<0.70", "**Tables flattened to text** (clinical trials, AUROC {nli4ct.dev.auroc}). Counting, comparing and adding up the facts' numbers is beyond this model."),
    ("med.test.auroc<0.70", "**Quantifiers** (MED, AUROC {med.test.auroc}). \"No delegate finished the report on time\" does not support \"No delegate finished the report\"; the model sees that all words are there."),
    ("nope.main.auroc<0.70", "**What is only presupposed** (NOPE, AUROC {nope.main.auroc}). A premise that takes something for granted is often not seen to say it."),
    ("jsick_ja.test.auroc<0.75", "**Japanese** (AUROC {jsick_ja.test.auroc} against {languages.en.auroc} over the English sets). The encoder's vocabulary is English: Japanese is read character by character."),
    ("snli_bizarro.test.auroc<0.80", "**Against expectation** (counterfactual captions, AUROC {snli_bizarro.test.auroc}, ordinary captions {snli.test.auroc}). A premise that says something unlikely is read as if it said the likely thing."),
    ("contradiction.auroc<0.85", "**Contradiction against silence** (mean AUROC {contradiction.auroc} over three sets). Whether a fact denies a claim or merely speaks of something else is the harder half; anti-citations have a high threshold for that reason."),
)  # fmt: skip

# Aim, figure, at least or at most.
AIMS: tuple[tuple[str, str, float, bool], ...] = (
    ("written claims, English, AUROC", "written.en.auroc", 0.88, True),
    ("the same, balanced accuracy at the default threshold", "written.en.balanced_accuracy", 0.80, True),
    ("the same, contradiction against neutral, AUROC", "written.en.contradiction_auroc", 0.85, True),
    ("the same, calibration error", "written.en.ece", 0.06, False),
    ("written claims, other languages and across languages, AUROC", "written.other.auroc", 0.80, True),
    ("AUROC, mean of the eight sets", "mean.auroc", 0.80, True),
    ("balanced accuracy at the default threshold, mean of the eight sets", "mean.balanced_accuracy", 0.73, True),
    ("what the best common threshold would add", "mean.short_of_best_common", 0.02, False),
    ("contradiction against neutral, AUROC, mean of three sets", "contradiction.auroc", 0.85, True),
    ("calibration error, mean of the eight sets", "mean.ece", 0.10, False),
)  # fmt: skip

_INTRODUCTION = """\
# Quality

Generated from `benchmarks/results/*.json` by `python -m benchmarks.quality --page`; measured by

    {command}

on {date}, commit {commit}; {models}. {sample}

Nothing was trained on these sets. Which models and default thresholds to keep was decided with a look at them, so
these are development figures; on data of your own, measure with `toulmin evaluate`. Each claim goes through the product's own check, as `toulmin evaluate` sends it:
a premise longer than a fact is split into several, and a claim's support is the report's support score. It passes
from {threshold} on, the default.
"""

_WORDS = """\
AUROC of the share of a claim's content words that the facts hold (or lack, where that is better), and of the check.
Where words do as well as the check, a set does not show that the check understands anything.
"""


def render(results: Path) -> str:
    """Return the page of the result files in a folder; quality.json must be among them."""
    quality = _read(results / "quality.json")
    parts = [_introduction(quality), *_trial_warning(quality)]
    parts += list(_words(quality))
    parts += ["## Against what was aimed for\n", _aims(quality)]
    parts += ["## Every development set\n", _sets(quality), _legend(quality)]
    parts += ["## By language\n", _languages(quality)]
    parts += ["## Next to what others published\n", *_published(results, quality)]
    parts += ["## Where it is bad\n", *_bad(quality)]
    for name, section in SECTIONS.items():
        path = results / f"{name}.json"
        if path.is_file():
            parts.append(section(_read(path)))
    return "\n".join(parts)


def lookup(quality: Results, path: str) -> Any:
    """Return the value that "set.figure", "mean.figure" or "languages.en.figure" names, or None."""
    name, _, key = path.rpartition(".")
    found = quality["sets"].get(name)
    if found is None:
        found = quality
        for step in name.split("."):
            found = (found or {}).get(step)
    return None if found is None else found.get(key)


def holds(quality: Results, condition: str) -> bool:
    """Return whether "path<bound" or "path>bound" is true; false when the figure is not known."""
    path, sign, bound = re.split(r"([<>])", condition)
    value = lookup(quality, path)
    if value is None:
        return False
    return bool(value < float(bound)) if sign == "<" else bool(value > float(bound))


def fill(quality: Results, text: str) -> str:
    """Return `text` with every {path} replaced by its figure; "not measured" where there is none."""

    def shown(match: re.Match[str]) -> str:
        value = lookup(quality, match[1])
        return "not measured" if value is None else figure(value)

    return re.sub(r"\{([\w.]+)\}", shown, text)


def bad_sets(quality: Results) -> Iterator[tuple[str, list[tuple[str, float]]]]:
    """Yield each sentence of `BOUNDS` with the sets it is true of, worst first."""
    for name, sentence, least, most in BOUNDS:
        known = [(key, _of(figures, name)) for key, figures in quality["sets"].items()]
        found = [
            (key, value)
            for key, value in known
            if value is not None
            and ((least is not None and value < least) or (most is not None and value > most))
        ]
        if found:
            yield sentence, sorted(found, key=lambda pair: pair[1], reverse=most is not None)


def _of(figures: Mapping[str, Any], name: str) -> float | None:
    if name != "lost_at_default":
        value: float | None = figures.get(name)
        return value
    best, at = figures["balanced_accuracy_best"], figures["balanced_accuracy"]
    return None if best is None else best - at


def _read(path: Path) -> Any:
    return json.loads(path.read_text(encoding="utf-8"))


def _introduction(quality: Results) -> str:
    about, items = quality["circumstances"], quality["items_asked"]
    return _INTRODUCTION.format(
        command=about["command"],
        date=about["date"][:10],
        commit=about["commit"],
        models=", ".join(f"{name} {version}" for name, version in quality["scorer"].items()),
        sample=f"{items} random items a set." if items else "Whole sets.",
        threshold=figure(quality["threshold"]),
    )


def _trial_warning(quality: Results) -> Iterator[str]:
    missing, items = quality["sets_missing"], quality["items_asked"]
    if missing:
        yield f"**Not all measured**: {', '.join(missing)} are missing.\n"
    if items and items < _TRIAL_ITEMS:
        yield "**A trial**: with so few items the figures mean little.\n"


def _words(quality: Results) -> Iterator[str]:
    """Yield what counting words gets on each set, and what the check gets; of old results nothing."""
    rows = []
    for name, figures in quality["sets"].items():
        if figures.get("words_auroc") is None:
            continue
        gap = figure(figures["words_difference"])
        rows.append(
            (
                f"{name} ({figures['kind']})",
                figure(figures["words_auroc"]),
                figure(figures["auroc"]),
                gap + interval(figures["intervals"].get("words_difference")),
                figure(figures["words_contradiction_auroc"]),
                figure(figures["contradiction_auroc"]),
            )
        )
    if rows:
        yield "## Next to counting words\n"
        yield _WORDS
        header = ("set", "words", "check", "difference", "contradiction, words", "contradiction, check")  # fmt: skip
        yield table(header, rows)


def _aims(quality: Results) -> str:
    rows = []
    for title, path, bound, least in AIMS:
        value = lookup(quality, path)
        sign = "at least" if least else "at most"
        reached = value is not None and (value >= bound if least else value <= bound)
        verdict = "not measured" if value is None else "yes" if reached else "**no**"
        rows.append((title, f"{sign} {figure(bound)}", figure(value), verdict))
    return table(("", "aim", "measured", "reached"), rows)


_COLUMNS = {
    "items": "items",
    "balanced_accuracy": "balanced accuracy",
    "balanced_accuracy_at_0.5": "at .5",
    "balanced_accuracy_best": "at its best",
    "best_threshold": "best threshold",
    "auroc": "AUROC",
    "false_pass_rate": "false pass",
    "false_strip_rate": "false strip",
    "ece": "calibration error",
    "contradiction_auroc": "contradiction AUROC",
    "latency_mean_ms": "ms",
}


def _row(name: str, figures: Mapping[str, Any]) -> list[str]:
    bounds = figures.get("intervals", {})
    cells = [name]
    for key in _COLUMNS:
        value = figures.get(key)
        if key in {"items", "latency_mean_ms"}:
            cells.append("" if value is None else f"{value:,.0f}")
        else:
            cells.append(figure(value) + interval(bounds.get(key)))
    return cells


def _sets(quality: Results) -> str:
    rows = [_row(f"{name} ({f['kind']})", f) for name, f in quality["sets"].items()]
    mean = quality["mean"]
    if mean:
        rows.append(
            _row(
                f"**mean of {len(mean['sets'])}**: {', '.join(mean['sets'])}",
                {**mean, "best_threshold": None},
            )
        )
    return table(("set", *_COLUMNS.values()), rows)


def _legend(quality: Results) -> str:
    lines = [
        "Balanced accuracy is at the default threshold; in brackets 95 % intervals. False pass: unsupported claims",
        "that pass; false strip: supported ones that do not. Contradiction AUROC: contradicted against merely",
        "unsupported claims, where the set tells them apart. Milliseconds are those of the machine at that time.",
    ]  # fmt: skip
    mean, against = quality["mean"], quality["contradiction"]
    if mean and "best_common_threshold" in mean:
        lines.append(
            f"The best common threshold of the mean is {figure(mean['best_common_threshold'])}"
            f" ({figure(mean['balanced_accuracy_best_common'])}); the default falls"
            f" {figure(mean['short_of_best_common'])} short of it."
        )
    if against:
        lines.append(
            f"Contradiction against neutral, mean over {', '.join(against['sets'])}:"
            f" {figure(against['auroc'])}{interval(against['interval'])}."
        )
    return "\n".join(lines) + "\n"


def _languages(quality: Results) -> str:
    rows = []
    for language, mean in quality["languages"].items():
        counts = f"{len(mean['sets'])} sets, {mean['items']:,} items"
        keys = ("balanced_accuracy", "auroc", "false_pass_rate", "false_strip_rate", "ece", "contradiction_auroc")  # fmt: skip
        rows.append((LANGUAGES[language], counts, *(figure(mean[key]) for key in keys)))
    header = ("language", "measured on", "balanced accuracy", "AUROC", "false pass", "false strip", "calibration error", "contradiction AUROC")  # fmt: skip
    return table(header, rows)


_METRICS = {
    "auroc": "AUROC",
    "balanced_accuracy": "balanced accuracy",
    "accuracy": "accuracy",
    "three_way_accuracy": "accuracy, three classes",
    "ece": "calibration error",
    "f1": "F1",
}


def _published(results: Path, quality: Results) -> Iterator[str]:
    """Yield a table with one row for each set and figure, and the sources as numbered notes."""
    entries = _read(PUBLISHED)["figures"]
    notes: dict[tuple[str, str], int] = {}
    cells: dict[tuple[str, str], dict[bool, list[str]]] = {}
    for entry in entries:
        note = notes.setdefault((entry["differs"], entry["source"]), len(notes) + 1)
        size = "" if entry["size"] == "-" else f", {entry['size']}"
        text = (
            f"{entry['system']}{size}: {entry.get('prefix', '')}{figure(entry['value'])} [{note}]"
        )
        row = cells.setdefault((entry["set"], entry["metric"]), {True: [], False: []})
        row[entry["same_set"]].append(text)
    rows = []
    for (name, metric), found in cells.items():
        ours = figure(_ours(results, quality, name, metric))
        rows.append((name, _METRICS[metric], ours, "<br>".join(found[True]), "<br>".join(found[False])))  # fmt: skip
    yield table(("set", "figure", "ours", "published, same set", "published, related set"), rows)
    yield "What differs, and where it was published:\n"
    yield "\n".join(f"{n}. {differs}. {source}." for (differs, source), n in notes.items()) + "\n"


def _ours(results: Path, quality: Results, name: str, metric: str) -> float | None:
    """Return our figure for a row of published ones; None where it was not measured."""
    if name in {"spans", "reader"}:
        path = results / f"{name}.json"
        if not path.is_file():
            return None
        found = _read(path)
        if name == "spans":
            value: float | None = found["changed"]["claim_words"][metric]
            return value
        share: float | None = found["results"]["squad2_half"].get("f1_with_abstention")
        return None if share is None else share / 100
    place = {"contradiction": "contradiction", "calibration": "mean"}.get(name, name)
    measured: float | None = lookup(quality, f"{place}.{metric}")
    return measured


def _bad(quality: Results) -> Iterator[str]:
    lines = []
    for sentence, sets in bad_sets(quality):
        lines.append(f"- {sentence}: " + ", ".join(f"{name} {figure(v)}" for name, v in sets) + ".")
    yield "By rule, from the table above:\n"
    yield "\n".join(lines or ["- nothing is on the wrong side of a bound."]) + "\n"
    remarks = [fill(quality, text) for condition, text in REMARKS if holds(quality, condition)]
    if remarks:
        yield "What we take some of them to mean (the figures are measured, the reasons are not):\n"
        yield "\n".join(f"- {remark}" for remark in remarks) + "\n"
