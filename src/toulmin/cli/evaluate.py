"""`toulmin evaluate`: how right is the check on these labelled examples?"""

from __future__ import annotations

import argparse
import json
import shlex
import sys
import time
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, TextIO

from toulmin import __version__
from toulmin.cli.settings_flags import add_settings_flags, settings_from
from toulmin.errors import InvalidArgument
from toulmin.settings import SETTINGS, shown

if TYPE_CHECKING:
    from toulmin.evaluation.examples import Example
    from toulmin.evaluation.report import EvaluationReport, Setup
    from toulmin.evaluation.runner import ScoredExample
    from toulmin.services import Services
    from toulmin.settings import Settings

# Exit codes, for scripts; wrong input is 2, as for every verb.
HELD = 0
FELL_SHORT = 1
# Formats that list examples instead of figures.
ANNOTATIONS = ("junit", "sarif", "github")
# The settings that scores and their speed depend on.
SETTING_NAMES = tuple(
    row.name
    for row in SETTINGS
    if row.name in {"model_threads", "calibration"} or row.name.startswith(("support_", "llm_"))
)

_EPILOG = """\
A file holds one example a line, JSON, plain or gzip:
  {"premise": "text, or a list of texts", "claim": "text", "label": 1}
label is 1 when the premise supports all of the claim, else 0. Optional: "contradiction"
(true, false, or null for not known), "id", "kind" (of claim), "lang" and "claim_lang"
(figures are also given by these). A premise longer than a fact (10,000 characters) is checked
as several facts.

--fail-under takes a figure of the JSON report (auroc, balanced_accuracy, ece, ...): at least the
value where more is better, at most the value where less is (ece, false_pass_rate, latency, ...).
With several files, it is held against the mean over files.

exit codes:
  0  done, and every --fail-under holds
  1  one does not
  2  the input is wrong

example:
  toulmin evaluate dev.jsonl.gz --items 200 --format html --out report.html
"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the verb's options to its parser."""
    parser.formatter_class = argparse.RawDescriptionHelpFormatter
    parser.epilog = _EPILOG
    parser.add_argument("files", nargs="+", metavar="FILE", help="labelled examples")
    add_run_flags(parser)
    parser.add_argument(
        "--aggregate", choices=["mean", "min"],
        help="an example's support is the mean over its claims, or the least (default: mean)",
    )  # fmt: skip
    parser.add_argument(
        "--threshold", type=float, metavar="0..1",
        help="least support of an example that passes (default: 0.6)",
    )  # fmt: skip
    parser.add_argument(
        "--format", choices=["text", "json", "html", *ANNOTATIONS], default="text",
        help="the last three name what was judged wrongly, at its line (default: text)",
    )  # fmt: skip
    parser.add_argument(
        "--json", action="store_const", dest="format", const="json", help="same as --format json"
    )
    parser.add_argument("--out", metavar="FILE", help="write there instead of standard output")
    parser.add_argument(
        "--fail-under", action="append", default=[], metavar="METRIC=VALUE",
        help="exit with 1 when a figure is worse; may be given several times",
    )  # fmt: skip
    add_settings_flags(parser, only=SETTING_NAMES)


def add_run_flags(parser: argparse.ArgumentParser) -> None:
    """Add the flags that say which examples to check, and how many at once."""
    parser.add_argument("--items", type=int, metavar="N", help="take N random examples of a file")
    parser.add_argument("--seed", type=int, default=0, help="of that choice (default: 0)")
    parser.add_argument(
        "--workers", type=int, default=1, metavar="N",
        help="checks at the same time; more are faster, but a check's latency then includes"
        " waiting for others (default: 1)",
    )  # fmt: skip


def run(arguments: argparse.Namespace) -> int:
    """Check every example, print the report, and return the exit code.

    Raises:
        InvalidArgument: A file or an option is wrong; nothing was checked.
        FailedPrecondition: The calibration does not fit the models.
    """
    from toulmin.evaluation.gate import parse_bound, shortfalls
    from toulmin.evaluation.report import build_report
    from toulmin.services import build_services

    bounds = [parse_bound(text) for text in arguments.fail_under]
    check_output(arguments.out)
    settings = settings_from(arguments)
    setup = _setup(arguments, settings)
    files = read_files(arguments)
    services = build_services(settings)
    try:
        scored = score_files(services, files, setup.threshold, workers=arguments.workers)
    finally:
        services.close()
    report = build_report(scored, setup)
    rendered = (
        _annotated(scored, setup, arguments.format)
        if arguments.format in ANNOTATIONS
        else _rendered(report, arguments.format)
    )
    write_output(rendered, arguments.out)
    missed = list(shortfalls(report.mean, bounds))
    for sentence in missed:
        print(f"toulmin evaluate: {sentence}", file=sys.stderr)
    return FELL_SHORT if missed else HELD


def _annotated(scored: Mapping[str, Sequence[ScoredExample]], setup: Setup, form: str) -> str:
    from toulmin.evaluation import annotations

    write = getattr(annotations, form)
    return str(write(scored, threshold=setup.threshold, aggregate=setup.aggregate))


def read_files(arguments: argparse.Namespace) -> dict[str, list[Example]]:
    """Return the examples asked for, by file.

    Raises:
        InvalidArgument: An option or a file is wrong.
    """
    from toulmin.evaluation.examples import read_examples, sample

    for flag, value in (("--items", arguments.items), ("--workers", arguments.workers)):
        if value is not None and value < 1:
            raise InvalidArgument.of_field(flag, f"is {value}; it must be at least 1")
    if len(set(arguments.files)) < len(arguments.files):
        raise InvalidArgument("a file is given twice")
    files = {path: read_examples(path) for path in arguments.files}
    if arguments.items is None:
        return files
    return {
        path: sample(examples, arguments.items, seed=arguments.seed)
        for path, examples in files.items()
    }


def score_files(
    services: Services,
    files: Mapping[str, Sequence[Example]],
    threshold: float,
    *,
    workers: int,
) -> dict[str, list[ScoredExample]]:
    """Return the check's scores of each file, showing progress on a terminal."""
    from toulmin.evaluation.runner import score_examples

    checker = services.checker()
    progress = Progress(sum(len(examples) for examples in files.values()), sys.stderr)
    try:
        return {
            path: score_examples(
                checker, examples, threshold=threshold, workers=workers, on_done=progress.advance
            )
            for path, examples in files.items()
        }
    finally:
        progress.close()


def check_output(path: str | None) -> None:
    """Raise `InvalidArgument` if `path` cannot be a file to write: before the work, not after."""
    if path is None:
        return
    target = Path(path)
    if target.is_dir() or not target.absolute().parent.is_dir():
        reason = "is a folder" if target.is_dir() else "is in a folder that does not exist"
        raise InvalidArgument.of_field("--out", f"{path} {reason}")


def write_output(text: str, path: str | None) -> None:
    """Write `text` to a file, or to standard output.

    Raises:
        InvalidArgument: The file cannot be written.
    """
    if path is None:
        print(text, end="")
        return
    try:
        Path(path).write_text(text, encoding="utf-8")
    except OSError as error:
        raise InvalidArgument.of_field("--out", f"cannot write {path}: {error.strerror}") from error


class Progress:
    """A bar with count, speed and time left, on a terminal only.

    Args:
        total: Steps to come.
        stream: Where to draw.
    """

    _WIDTH = 24
    _SECONDS_BETWEEN_DRAWINGS = 0.1

    def __init__(self, total: int, stream: TextIO) -> None:
        self._total = total
        self._stream = stream
        self._shows = stream.isatty()
        self._done = 0
        self._started = self._drawn = time.monotonic()

    def advance(self) -> None:
        """Count one step."""
        self._done += 1
        now = time.monotonic()
        if self._shows and (
            self._done == self._total or now - self._drawn > self._SECONDS_BETWEEN_DRAWINGS
        ):
            self._drawn = now
            self._stream.write(f"\r\x1b[K{self.line(now - self._started)}")
            self._stream.flush()

    def line(self, seconds: float) -> str:
        """Return the bar `seconds` after the start."""
        filled = self._WIDTH * self._done // max(self._total, 1)
        rate = self._done / max(seconds, 1e-9)
        left = round((self._total - self._done) / max(rate, 1e-9))
        bar = "█" * filled + "░" * (self._WIDTH - filled)
        return (
            f"{bar} {self._done:,}/{self._total:,}  {rate:.1f} items/s"
            f"  {left // 60}:{left % 60:02d} left"
        )

    def close(self) -> None:
        """Remove the bar."""
        if self._shows:
            self._stream.write("\r\x1b[K")
            self._stream.flush()


def _setup(arguments: argparse.Namespace, settings: Settings) -> Setup:
    from toulmin.evaluation.report import DEFAULT_THRESHOLD, Setup
    from toulmin.evaluation.runner import DEFAULT_AGGREGATE, Aggregate
    from toulmin.services import model_versions

    threshold = DEFAULT_THRESHOLD if arguments.threshold is None else arguments.threshold
    if not 0 <= threshold <= 1:
        raise InvalidArgument.of_field("--threshold", f"is {threshold:g}; it must be in [0, 1]")
    aggregate = Aggregate(arguments.aggregate) if arguments.aggregate else DEFAULT_AGGREGATE
    return Setup(
        command=_command(arguments, settings),
        toulmin=__version__,
        models=model_versions(settings),
        calibration=settings.calibration,
        aggregate=aggregate,
        threshold=threshold,
        workers=arguments.workers,
    )


def _command(arguments: argparse.Namespace, settings: Settings) -> str:
    """Return a command line that measures the same again."""
    words = ["toulmin", "evaluate", *arguments.files]
    if arguments.items is not None:
        words += ["--items", str(arguments.items), "--seed", str(arguments.seed)]
    for flag, value in (("--aggregate", arguments.aggregate), ("--threshold", arguments.threshold)):
        if value is not None:
            words += [flag, str(value)]
    if arguments.workers != 1:
        words += ["--workers", str(arguments.workers)]
    for row in SETTINGS:
        value = getattr(settings, row.name)
        if row.name in SETTING_NAMES and not row.secret and value != row.default:
            words += [row.flag, shown(row, value)]
    return shlex.join(words)


def _rendered(report: EvaluationReport, form: str) -> str:
    if form == "json":
        from toulmin.evaluation.report import as_json

        return json.dumps(as_json(report), ensure_ascii=False, indent=1) + "\n"
    if form == "html":
        from toulmin.evaluation.page import render_page

        return render_page(report)
    from toulmin.evaluation.text import render_text

    return render_text(report)
