"""How right is the check? Every development set, the spans set, and the page made of all of it.

    python -m benchmarks.quality --data DATA [--resume]       # measures all, writes docs/quality.md
    python -m benchmarks.quality --page                       # only the page, from results/*.json

DATA holds grounding/dev/*.jsonl.gz and qa/dev/squad2_half.jsonl.gz. Nothing was trained on these
sets or fitted to them (of `written`, a part is one file's English items, a part the others). Every claim goes through the product's own check, as `toulmin evaluate`
sends it. Scores of each finished set are kept in build/quality/; with --resume, sets that the same
weights and calibration have scored are not run again. After a change of code, leave it out.
"""

from __future__ import annotations

import argparse
import json
import sys
import time
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.measurement import REPOSITORY, RESULTS, circumstances, write_result
from benchmarks.quality import page as quality_page
from benchmarks.quality import spans
from toulmin import __version__
from toulmin.evaluation import metrics
from toulmin.evaluation.examples import Example, read_examples, sample
from toulmin.evaluation.overlap import count_words
from toulmin.evaluation.report import DEFAULT_THRESHOLD, Section, Setup, as_json, build_report
from toulmin.evaluation.runner import DEFAULT_AGGREGATE, ScoredExample, score_examples
from toulmin.services import build_services, model_versions
from toulmin.settings import load_settings

FORMAT = 2
# Set, language, what it is.
SETS: Mapping[str, tuple[str, str]] = {
    "written.en": ("en", "claims whose words do not give the label away"),
    "written.other": ("other", "the same, in or across es, it, ja, fr, de"),
    "qags_cnndm.test": ("en", "sentences of news summaries"),
    "qags_xsum.test": ("en", "one-sentence news summaries"),
    "aggrefact_cliff.val": ("en", "news summaries"),
    "bump.all": ("en", "news summaries with one edit"),
    "wice_claim.dev": ("en", "Wikipedia sentences against the pages they cite"),
    "healthver.dev": ("en", "health claims against abstracts"),
    "mnli_mm_1k.test": ("en", "sentence pairs of five genres"),
    "fever_symmetric.dev": ("en", "Wikipedia claims, evidence and claim crossed"),
    "snli.test": ("en", "captions"),
    "snli_bizarro.test": ("en", "captions, counterfactual premises"),
    "cad_snli.test": ("en", "captions, counterfactual edits"),
    "conjnli.dev": ("en", "sentences with and, or, but"),
    "med.test": ("en", "monotonicity"),
    "nope.main": ("en", "presuppositions"),
    "nli4ct.dev": ("en", "claims against clinical trial records"),
    "jsick_ja.test": ("ja", "captions, Japanese"),
}
UNSEEN = tuple(name for name in SETS if not name.startswith("written."))[:8]
CONTRADICTION = ("mnli_mm_1k.test", "healthver.dev", "snli.test")
SCORES = REPOSITORY / "build" / "quality"
_SHOWN = ("balanced_accuracy", "auroc", "ece")


def with_contradiction(items: Sequence[ScoredExample]) -> list[ScoredExample]:
    """Return the unsupported items of which it is known whether they are contradicted."""
    return [
        item for item in items if not item.example.label and item.example.contradiction is not None
    ]


def contradiction_interval(items: Sequence[ScoredExample]) -> tuple[float, float] | None:
    """Return AUROC and variance of contradicted against neutral; None without both."""
    known = with_contradiction(items)
    labels = np.array([item.example.contradiction for item in known], dtype=bool)
    scores = np.array([item.contradiction(DEFAULT_AGGREGATE) for item in known], dtype=float)
    value, variance = metrics.auroc(labels, scores), metrics.auroc_variance(labels, scores)
    return None if value is None or variance is None else (value, variance)


def plain_accuracy(items: Sequence[ScoredExample]) -> float:
    """Return the share of items on the right side of the default threshold."""
    right = [
        (item.support(DEFAULT_AGGREGATE) >= DEFAULT_THRESHOLD) == item.example.label
        for item in items
    ]
    return sum(right) / len(right)


def three_way_accuracy(items: Sequence[ScoredExample]) -> float | None:
    """Return how often the likeliest of supported, contradicted and neither is the label.

    None where the labels do not tell all three apart.
    """
    labels = {(item.example.label, item.example.contradiction) for item in items}
    if len(labels) < 3 or any(contradiction is None for _, contradiction in labels):
        return None
    right = 0
    for item in items:
        support = item.support(DEFAULT_AGGREGATE)
        against = item.contradiction(DEFAULT_AGGREGATE)
        verdict = int(np.argmax([support, against, 1 - support - against]))
        label = 0 if item.example.label else 1 if item.example.contradiction else 2
        right += verdict == label
    return right / len(items)


def describe(name: str, section: Section, items: Sequence[ScoredExample]) -> dict[str, Any]:
    """Return what results/quality.json says of one set."""
    language, kind = SETS[name]
    intervals = {key: [it.low, it.high] for key, it in section.intervals.items()}
    gap = section.overlap.intervals["difference_auroc"]
    if gap is not None:
        intervals["words_difference"] = [gap.low, gap.high]
    against = section.contradiction_overlap
    contradiction = contradiction_interval(items)
    if contradiction is not None:
        found = metrics.interval_of_auroc(*contradiction)
        intervals["contradiction_auroc"] = [found.low, found.high]
    return {
        "language": language,
        "kind": kind,
        "items": section.items,
        "supported": section.supported,
        "unchecked": section.unchecked,
        **section.figures,
        "balanced_accuracy_at_0.5": _at_half(section),
        "accuracy": plain_accuracy(items),
        "three_way_accuracy": three_way_accuracy(items),
        "words_auroc": section.overlap.best_auroc,
        "words_difference": section.overlap.difference["auroc"],
        "words_contradiction_auroc": None if against is None else against.best_auroc,
        "intervals": intervals,
    }


def _at_half(section: Section) -> float | None:
    return next(point.balanced_accuracy for point in section.sweep if point.threshold == 0.5)


def summarise(scored: Mapping[str, Sequence[ScoredExample]], setup: Setup) -> dict[str, Any]:
    """Return sets and means of results/quality.json."""
    report = build_report(scored, setup)
    sections = dict(zip(scored, report.files, strict=True))
    sets = {name: describe(name, sections[name], items) for name, items in scored.items()}
    languages = sorted({language for language, _ in SETS.values()})
    by_language = {
        language: [n for n in scored if SETS[n][0] == language] for language in languages
    }
    return {
        "sets": sets,
        "mean": _mean_of({n: scored[n] for n in UNSEEN if n in scored}, setup),
        "contradiction": _contradiction_mean({n: scored[n] for n in CONTRADICTION if n in scored}),
        "languages": {
            language: _mean_of({n: scored[n] for n in names}, setup)
            for language, names in by_language.items()
            if names
        },
    }


def _mean_of(scored: Mapping[str, Sequence[ScoredExample]], setup: Setup) -> dict[str, Any] | None:
    if not scored:
        return None
    report = build_report(scored, setup)
    content = as_json(report)
    found = (_at_half(section) for section in report.files)
    at_half = [value for value in found if value is not None]
    common = content["best_common_threshold"]
    mean = {"sets": list(scored), "items": sum(map(len, scored.values())), **content["mean"]}
    mean["intervals"] = {
        key: [it["low"], it["high"]] for key, it in content["mean_intervals"].items()
    }
    mean["balanced_accuracy_at_0.5"] = sum(at_half) / len(at_half) if at_half else None
    if common is not None:
        mean["best_common_threshold"] = common["threshold"]
        mean["balanced_accuracy_best_common"] = common["mean_balanced_accuracy"]
        mean["short_of_best_common"] = (
            common["mean_balanced_accuracy"] - content["mean"]["balanced_accuracy"]
        )
    return mean


def _contradiction_mean(scored: Mapping[str, Sequence[ScoredExample]]) -> dict[str, Any] | None:
    found = {name: contradiction_interval(items) for name, items in scored.items()}
    known = {name: pair for name, pair in found.items() if pair is not None}
    if not known:
        return None
    mean = sum(value for value, _ in known.values()) / len(known)
    variance = sum(variance for _, variance in known.values()) / len(known) ** 2
    interval = metrics.interval_of_auroc(mean, variance)
    return {"sets": list(known), "auroc": mean, "interval": [interval.low, interval.high]}


def expected_seconds(examples: Sequence[Example]) -> float:
    """Return about how long the check of these takes with the default model on one quiet core."""
    return sum(
        0.08
        * (1 + example.claim.count(". "))
        * (1 + min(4, sum(len(f.text) for f in example.facts) / 1000))
        for example in examples
    )


def load_scores(
    path: Path, key: Mapping[str, Any], examples: Sequence[Example]
) -> list[ScoredExample] | None:
    """Return the scores kept in `path`; None when there are none for this `key`."""
    if not path.is_file():
        return None
    kept = json.loads(path.read_text(encoding="utf-8"))
    if kept["key"] != key or [row["line"] for row in kept["rows"]] != [e.line for e in examples]:
        return None
    return [
        ScoredExample(
            example=example,
            supports=tuple(row["supports"]),
            contradictions=tuple(row["contradictions"]),
            evidence=(),
            milliseconds=row["milliseconds"],
            words=count_words(example.claim, [fact.text for fact in example.facts]),
        )
        for example, row in zip(examples, kept["rows"], strict=True)
    ]


def save_scores(path: Path, key: Mapping[str, Any], items: Sequence[ScoredExample]) -> None:
    """Keep the scores of a finished set in `path`."""
    rows = [
        {
            "line": item.example.line,
            "supports": item.supports,
            "contradictions": item.contradictions,
            "milliseconds": item.milliseconds,
        }
        for item in items
    ]
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps({"key": key, "rows": rows}), encoding="utf-8")


def measure(args: argparse.Namespace) -> Mapping[str, Any]:
    """Score the sets, writing the results after each, and return the circumstances."""
    settings = load_settings()
    models = model_versions(settings)
    key = {"models": models, "items": args.items, "seed": args.seed}
    setup = Setup(
        command=_command(args), toulmin=__version__, models=models, calibration=settings.calibration,
        aggregate=DEFAULT_AGGREGATE, threshold=DEFAULT_THRESHOLD,
    )  # fmt: skip
    about = {**circumstances(), "command": _command(args)}
    examples = {name: _examples(args, name) for name in args.sets}
    scored = {}
    for name in args.sets:
        kept = load_scores(args.scores / f"{name}.json", key, examples[name])
        if args.resume and kept is not None:
            scored[name] = kept
    left = {name: items for name, items in examples.items() if name not in scored}
    seconds = sum(map(expected_seconds, left.values())) + args.spans * spans.MS_PER_ITEM / 1000
    print(
        f"{len(left)} sets to score ({len(scored)} kept), {sum(map(len, left.values())):,} items, and"
        f" {args.spans} claims of the spans set: about {seconds:,.0f} s on a quiet core",
        flush=True,
    )
    services = build_services(settings)
    try:
        for name, items in left.items():
            started = time.perf_counter()
            scored[name] = score_examples(services.checker(), items, threshold=DEFAULT_THRESHOLD)
            save_scores(args.scores / f"{name}.json", key, scored[name])
            _write(args, about, setup, {n: scored[n] for n in args.sets if n in scored})
            print(f"{name:22} {time.perf_counter() - started:6.0f} s", flush=True)
    finally:
        services.close()
    found = _write(args, about, setup, {name: scored[name] for name in args.sets})
    for name, figures in found["sets"].items():
        print(f"{name:22}", *(f"{key} {figures[key] or 0:.3f}" for key in _SHOWN))
    return about


def _command(args: argparse.Namespace) -> str:
    """Return a command that measures the same again, without the paths of this machine."""
    words = ["python -m benchmarks.quality --data DATA"]
    if args.items:
        words.append(f"--items {args.items} --seed {args.seed}")
    if len(args.sets) < len(SETS):
        words.append(f"--sets {' '.join(args.sets)}")
    if args.spans != spans.ITEMS:
        words.append(f"--spans {args.spans}")
    return " ".join(words)


def _examples(args: argparse.Namespace, name: str) -> list[Example]:
    written = name.startswith("written.")
    file = "written" if written else name
    found = read_examples(str(args.data / "grounding" / "dev" / f"{file}.jsonl.gz"))
    if written:
        english = name == "written.en"
        found = [example for example in found if (example.language == "en") == english]
    return sample(found, args.items, seed=args.seed) if args.items else found


def _write(
    args: argparse.Namespace,
    about: Mapping[str, Any],
    setup: Setup,
    scored: Mapping[str, Sequence[ScoredExample]],
) -> dict[str, Any]:
    content = {
        "format": FORMAT,
        "circumstances": about,
        "items_asked": args.items,
        "seed": args.seed,
        "threshold": setup.threshold,
        "scorer": dict(setup.models),
        "sets_missing": [name for name in SETS if name not in scored],
        **summarise(scored, setup),
    }
    rounded: dict[str, Any] = _rounded(content)
    write_result("quality", rounded, out=args.results / "quality.json")
    return rounded


def _rounded(value: Any) -> Any:
    if isinstance(value, float):
        return round(value, 4)
    if isinstance(value, Mapping):
        return {key: _rounded(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [_rounded(item) for item in value]
    return value


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--data", type=Path, help="the folder that holds grounding/dev and qa/dev")
    parser.add_argument("--page", action="store_true", help="only write the page")
    parser.add_argument("--items", type=int, default=0, help="random items a set; 0 is all")
    parser.add_argument("--seed", type=int, default=0, help="of that choice")
    parser.add_argument("--sets", nargs="+", choices=tuple(SETS), default=tuple(SETS))
    parser.add_argument(
        "--spans", type=int, default=spans.ITEMS, help="claims of the spans set; 0: none"
    )
    parser.add_argument("--resume", action="store_true", help="keep scores of the same weights")
    parser.add_argument("--scores", type=Path, default=SCORES, help="where scores are kept")
    parser.add_argument("--results", type=Path, default=RESULTS, help="where results are written")
    parser.add_argument("--out", type=Path, default=quality_page.PAGE, help="the page")
    args = parser.parse_args()
    if args.data is None and not args.page:
        parser.error("--data is needed to measure")
    return args


def main() -> int:
    """Measure what is asked for and write the page."""
    args = _arguments()
    if not args.page:
        about = measure(args)
        if args.spans:
            found = spans.measure(args.data, items=args.spans, seed=spans.SEED, about=about)
            write_result("spans", found, out=args.results / "spans.json")
    args.out.write_text(quality_page.render(args.results), encoding="utf-8")
    print(args.out)
    return 0


if __name__ == "__main__":
    sys.exit(main())
