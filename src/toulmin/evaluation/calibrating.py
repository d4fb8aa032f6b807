"""Calibration in steps, for a server: one example at a time, then the fit of what was kept.

The browser keeps the scores between the requests, so the server keeps nothing, and what is fitted
changes nothing here: it is a file that whoever runs the server may name in a setting.
"""

from __future__ import annotations

import dataclasses
import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, Final

from toulmin.errors import FailedPrecondition, InvalidArgument
from toulmin.evaluation.examples import Example, example_of
from toulmin.evaluation.fitting import Curves, Fitted, Judged, fit_judged
from toulmin.evaluation.metrics import Bin
from toulmin.evaluation.report import DEFAULT_THRESHOLD
from toulmin.evaluation.runner import score_example
from toulmin.grounding.check import GroundingChecker
from toulmin.grounding.recalibration import Recalibration
from toulmin.work import UNLIMITED, Work

MAX_EXAMPLES: Final = 10_000
"""More than that are no sample of one's own any more, and the fit would hold a thread for long."""

_FEW: Final = 100


def recalibration_of(fitted: Fitted, *, models: Mapping[str, str]) -> Recalibration:
    """Return what the file holds: the maps, for which models, and what they are worth."""
    return Recalibration(
        support=fitted.support,
        contradiction=fitted.contradiction,
        models=models,
        examples=fitted.of_support.examples,
        citation_threshold=fitted.citation_threshold,
        figures={
            "support": dataclasses.asdict(fitted.of_support),
            "contradiction": fitted.of_contradiction
            and dataclasses.asdict(fitted.of_contradiction),
        },
    )


def cautions(fitted: Fitted) -> Iterator[str]:
    """Yield what somebody who is about to use a fit should know first."""
    examples, threshold = fitted.of_support.examples, fitted.citation_threshold
    if examples < _FEW:
        yield (
            f"{examples} examples are few: the same number of others may give another fit;"
            f" {_FEW} to 200 are better"
        )
    if fitted.highest < threshold:
        yield (
            f"nothing would pass: the highest score of an example is {fitted.highest:.2f}, below"
            f" the recommended threshold of {threshold:.2f}; these scores do not tell the labels"
            " apart, so do not use this calibration"
        )
    elif fitted.highest < DEFAULT_THRESHOLD:
        yield (
            f"nothing would pass at the default threshold of {DEFAULT_THRESHOLD:g}: the highest"
            f" score of an example is {fitted.highest:.2f}; use it only with a citation threshold"
            f" of {threshold:.2f}"
        )
    before, after = fitted.of_support.brier
    if after > before:
        yield f"the scores got worse: Brier score {before:.3f} before, {after:.3f} after"


class Calibrator:
    """Scores examples without any calibration, and fits one to such scores.

    Args:
        checker: Returns the loaded checker whose scores are not recalibrated.
        models: Returns name and version of all that the scores depend on; asked once.
    """

    def __init__(
        self, checker: Callable[[], GroundingChecker], models: Callable[[], Mapping[str, str]]
    ) -> None:
        self._checker = checker
        self._find_models = models
        self._models: Mapping[str, str] | None = None
        self._lock = threading.Lock()

    def score(
        self,
        example: Example,
        *,
        work: Work = UNLIMITED,
    ) -> dict[str, Any]:
        """Return `supports` and `contradictions` of an example's claims, and `models`.

        Args:
            example: What to check.
            work: Asked before every run of the model.

        Raises:
            Cancelled: Nobody waits any more.
            ResourceExhausted: It would take far longer than there is time.
        """
        scored = score_example(
            self._checker(),
            example,
            threshold=DEFAULT_THRESHOLD,
            work=work,
        )
        return {
            "supports": scored.supports,
            "contradictions": scored.contradictions,
            "models": self._known_models(),
        }

    def fit(self, request: Mapping[str, Any]) -> dict[str, Any]:
        """Return the calibration of scores that `score` gave, and what it is worth.

        Args:
            request: `examples`, each with `label`, `contradiction`, `supports` and
                `contradictions`, and `models` as `score` gave them.

        Raises:
            InvalidArgument: A field is wrong, or there are too few examples.
            FailedPrecondition: The scores are of other models.
        """
        judged = [_judged(row, f"examples[{at}]") for at, row in enumerate(_examples(request))]
        models = self._known_models()
        if request.get("models") != models:
            raise FailedPrecondition(
                "models: the scores are of other models than this server has; have the examples"
                " scored again"
            )
        fitted = fit_judged(judged, default_threshold=DEFAULT_THRESHOLD)
        calibration = recalibration_of(fitted, models=models)
        return {
            "file": calibration.to_json(),
            "examples": calibration.examples,
            "citationThreshold": calibration.citation_threshold,
            "defaultThreshold": DEFAULT_THRESHOLD,
            "figures": calibration.figures,
            "curves": {
                "support": _curves(fitted.curves_of_support),
                "contradiction": _curves(fitted.curves_of_contradiction),
            },
            "warnings": list(cautions(fitted)),
        }

    def _known_models(self) -> Mapping[str, str]:
        with self._lock:
            if self._models is None:
                self._models = dict(self._find_models())
            return self._models


def example_in(request: object) -> Example:
    """Return the example that a request states, in the fields of a file's line.

    Raises:
        InvalidArgument: A field is wrong.
    """
    return example_of(_object(request, "request"))


def _examples(request: Mapping[str, Any]) -> Sequence[Any]:
    rows = request.get("examples")
    if not isinstance(rows, list):
        raise InvalidArgument.of_field("examples", "is not a list")
    if len(rows) > MAX_EXAMPLES:
        raise InvalidArgument.of_field(
            "examples", f"has {len(rows):,} entries; at most {MAX_EXAMPLES:,} are fitted at once"
        )
    return rows


def _judged(row: object, field: str) -> Judged:
    found = _object(row, field)
    label, contradiction = found.get("label"), found.get("contradiction")
    if not isinstance(label, int) or label not in (0, 1):
        raise InvalidArgument.of_field(f"{field}.label", "must be 1 (supported) or 0")
    if contradiction is not None and not isinstance(contradiction, bool):
        raise InvalidArgument.of_field(f"{field}.contradiction", "must be true, false or null")
    supports = _scores(found, "supports", field)
    contradictions = _scores(found, "contradictions", field)
    if len(supports) != len(contradictions):
        raise InvalidArgument.of_field(
            f"{field}.contradictions",
            f"has {len(contradictions)} scores, `supports` has {len(supports)}; both have one for"
            " each claim",
        )
    return Judged(bool(label), False if label else contradiction, supports, contradictions)


def _scores(row: Mapping[str, Any], name: str, field: str) -> list[float]:
    values = row.get(name)
    if not isinstance(values, list) or not all(map(_is_score, values)):
        raise InvalidArgument.of_field(f"{field}.{name}", "must be a list of numbers from 0 to 1")
    return [float(value) for value in values]


def _is_score(value: object) -> bool:
    # Not a number (NaN) is in no range.
    return isinstance(value, int | float) and not isinstance(value, bool) and 0 <= value <= 1


def _object(value: object, field: str) -> Mapping[str, Any]:
    if not isinstance(value, dict):
        raise InvalidArgument.of_field(field, "must be a JSON object")
    return value


def _curves(curves: Curves | None) -> dict[str, Any] | None:
    if curves is None:
        return None
    return {"before": _bins(curves.before), "after": _bins(curves.after)}


def _bins(bins: Sequence[Bin]) -> list[dict[str, Any]]:
    """Return the bins that hold an example."""
    return [
        {"mean": one.score, "share": one.share, "count": one.count} for one in bins if one.count
    ]
