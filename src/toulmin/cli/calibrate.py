"""`toulmin calibrate`: make the scores honest on examples of your own."""

from __future__ import annotations

import argparse
import dataclasses
import json
import sys
from collections.abc import Iterator
from typing import TYPE_CHECKING

from toulmin.cli.evaluate import (
    SETTING_NAMES,
    add_run_flags,
    check_output,
    read_files,
    score_files,
    write_output,
)
from toulmin.cli.settings_flags import add_settings_flags, settings_from
from toulmin.cli.terminal import print_json

if TYPE_CHECKING:
    from toulmin.evaluation.fitting import Comparison, Fitted
    from toulmin.grounding.recalibration import Recalibration

_EPILOG = """\
The files are those of `toulmin evaluate`. At least 50 examples are needed, 10 of each label; 50 to
200 are usual. Examples should be like the texts that will be checked, and not be measured on
afterwards: the figures printed here are measured on examples left out of the fit.

use the result with any of:
  toulmin serve --calibration calibration.json
  toulmin evaluate other.jsonl --calibration calibration.json
  TOULMIN_CALIBRATION=calibration.json toulmin check ...
"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the verb's options to its parser."""
    parser.formatter_class = argparse.RawDescriptionHelpFormatter
    parser.epilog = _EPILOG
    parser.add_argument("files", nargs="+", metavar="FILE", help="labelled examples")
    parser.add_argument("--out", required=True, metavar="FILE", help="the calibration to write")
    parser.add_argument("--json", action="store_true", help="print the calibration as JSON")
    add_run_flags(parser)
    add_settings_flags(parser, only=set(SETTING_NAMES) - {"calibration"})


def run(arguments: argparse.Namespace) -> int:
    """Score the examples, fit, print what it is worth, write the file; return 0.

    Raises:
        InvalidArgument: A file or an option is wrong, or there are too few examples.
    """
    from toulmin.evaluation.calibrating import cautions, recalibration_of
    from toulmin.evaluation.fitting import fit_recalibration, require_enough
    from toulmin.evaluation.report import DEFAULT_THRESHOLD
    from toulmin.services import build_services, model_versions

    check_output(arguments.out)
    # The fit is for the scores as they are without another calibration.
    settings = dataclasses.replace(settings_from(arguments), calibration="")
    files = read_files(arguments)
    require_enough([example.label for examples in files.values() for example in examples])
    services = build_services(settings)
    try:
        scored = score_files(services, files, DEFAULT_THRESHOLD, workers=arguments.workers)
    finally:
        services.close()
    fitted = fit_recalibration(
        [item for items in scored.values() for item in items], default_threshold=DEFAULT_THRESHOLD
    )
    recalibration = recalibration_of(fitted, models=model_versions(settings))
    write_output(recalibration.to_json(), arguments.out)
    warnings = list(cautions(fitted))
    if arguments.json:
        print_json(json.loads(recalibration.to_json()) | {"warnings": warnings})
    else:
        print("\n".join(_describe(fitted, recalibration, arguments.out)))
    for warning in warnings:
        print(f"toulmin calibrate: warning: {warning}", file=sys.stderr)
    return 0


def _describe(fitted: Fitted, recalibration: Recalibration, path: str) -> Iterator[str]:
    from toulmin.evaluation.report import DEFAULT_THRESHOLD

    yield "each figure on examples left out of the fit  before   after"
    yield from _describe_comparison("support", fitted.of_support)
    if fitted.of_support.balanced_accuracy is not None:
        before, after = fitted.of_support.balanced_accuracy
        yield (
            f"  balanced accuracy {before:.3f} at {DEFAULT_THRESHOLD:g}; {after:.3f} at a threshold"
            " chosen without the examples it judges"
        )
    if fitted.of_contradiction is None:
        yield "contradiction is left as it is: too few examples say whether they are contradicted"
    else:
        yield from _describe_comparison("contradiction", fitted.of_contradiction)
    yield ""
    yield f"recommended citation threshold: {fitted.citation_threshold:.2f}"
    yield f"written to {path}, for {', '.join(f'{n} {v}' for n, v in recalibration.models.items())}"


def _describe_comparison(name: str, comparison: Comparison) -> Iterator[str]:
    about = f"{name}, {comparison.examples} examples, {comparison.positives} of them true"
    yield about
    for title, (before, after) in (
        ("calibration error (ECE)", comparison.ece),
        ("Brier score", comparison.brier),
    ):
        yield f"  {title:<42} {before:.3f}   {after:.3f}"
