"""Recalibration: scores made honest on one's own data, by a file that `toulmin calibrate` writes.

In: a scorer. Out: the same scorer, each probability p mapped to sigmoid(slope * logit(p) + bias).
The map rises, so it changes no ranking: only how sure a score sounds, and so what passes a
threshold.

Source: Platt 1999, Probabilistic Outputs for Support Vector Machines, on log-odds.
"""

from __future__ import annotations

import json
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, Final

import numpy as np
import numpy.typing as npt

from toulmin.domain import Claim, Fact
from toulmin.errors import FailedPrecondition
from toulmin.grounding.evidence import Evidence
from toulmin.grounding.support import PairScore, SupportScorer
from toulmin.work import UNLIMITED, Work

FloatArray = npt.NDArray[np.float64]

FORMAT: Final = 1
# Half the last decimal that a report shows: beyond it, a score is not known any better.
SMALLEST: Final = 5e-5


@dataclass(frozen=True, slots=True)
class LogitMap:
    """p -> sigmoid(slope * logit(p) + bias); the default changes nothing.

    Attributes:
        slope: Above 0; below 1 it makes scores less sure.
        bias: Added to the log-odds.
    """

    slope: float = 1.0
    bias: float = 0.0

    def __post_init__(self) -> None:
        if not (math.isfinite(self.slope) and math.isfinite(self.bias) and self.slope > 0):
            raise ValueError(f"slope {self.slope} and bias {self.bias} make no rising map")

    def __call__(self, probability: float) -> float:
        """Return the probability that `probability`, in [0, 1], is mapped to."""
        return float(self.of(np.array([probability]))[0])

    def of(self, probabilities: FloatArray) -> FloatArray:
        """Return what each probability, in [0, 1], is mapped to; any shape."""
        if self == LogitMap():
            return probabilities
        mapped: FloatArray = 1 / (1 + np.exp(-self.slope * logit(probabilities) - self.bias))
        return mapped


def logit(probabilities: FloatArray) -> FloatArray:
    """Return log-odds; probabilities nearer to 0 or 1 than `SMALLEST` count as that near."""
    clipped = np.clip(probabilities, SMALLEST, 1 - SMALLEST)
    odds: FloatArray = np.log(clipped) - np.log1p(-clipped)
    return odds


@dataclass(frozen=True, slots=True)
class Recalibration:
    """What `toulmin calibrate` found.

    Attributes:
        support: For a claim's support.
        contradiction: For its contradiction, before that is discounted by the support.
        models: Name and version of everything that the scores depended on.
        examples: Labelled examples that it was fitted on.
        citation_threshold: The threshold in [0, 1] that suits the recalibrated scores; advice.
        figures: What it is worth, measured on examples that were left out of the fit.
    """

    support: LogitMap
    contradiction: LogitMap
    models: Mapping[str, str]
    examples: int
    citation_threshold: float
    figures: Mapping[str, Any] = field(default_factory=dict)

    def apply(self, score: PairScore) -> PairScore:
        """Return the score with both probabilities mapped."""
        return replace(
            score,
            support=self.support(score.support),
            contradiction=self.contradiction(score.contradiction),
        )

    def to_json(self) -> str:
        """Return the content of the file."""
        content = {
            "format": FORMAT,
            "models": dict(self.models),
            "examples": self.examples,
            "support": {"slope": self.support.slope, "bias": self.support.bias},
            "contradiction": {
                "slope": self.contradiction.slope,
                "bias": self.contradiction.bias,
            },
            "citation_threshold": self.citation_threshold,
            "figures": dict(self.figures),
        }
        return json.dumps(content, indent=1, ensure_ascii=False) + "\n"


class RecalibratedScorer:
    """A scorer whose scores are mapped."""

    def __init__(self, scorer: SupportScorer, recalibration: Recalibration) -> None:
        self._scorer = scorer
        self._recalibration = recalibration

    def score(
        self,
        claims: Sequence[Claim],
        evidence: Sequence[Sequence[Evidence]],
        facts: Sequence[Fact],
        *,
        work: Work = UNLIMITED,
    ) -> list[list[PairScore]]:
        """Return the mapped scores of each claim's evidence, in the order of the evidence.

        Raises:
            Cancelled: Nobody waits any more.
        """
        scores = self._scorer.score(claims, evidence, facts, work=work)
        return [[self._recalibration.apply(score) for score in row] for row in scores]


def load_recalibration(path: Path, *, models: Mapping[str, str]) -> Recalibration:
    """Return the recalibration in a file.

    Args:
        path: A file that `toulmin calibrate` wrote.
        models: Name and version of what the scores depend on now.

    Raises:
        FailedPrecondition: The file cannot be read or is none, or it was fitted for other models.
    """
    try:
        raw = json.loads(path.read_text(encoding="utf-8"))
        made_as = raw["format"]
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise _unusable(path, error) from error
    if made_as != FORMAT:
        raise FailedPrecondition(
            f"calibration file {path} has format {made_as!r}, this version of Toulmin reads"
            f" {FORMAT}: run `toulmin calibrate` again"
        )
    try:
        found = Recalibration(
            support=LogitMap(float(raw["support"]["slope"]), float(raw["support"]["bias"])),
            contradiction=LogitMap(
                float(raw["contradiction"]["slope"]), float(raw["contradiction"]["bias"])
            ),
            models={str(name): str(version) for name, version in raw["models"].items()},
            examples=int(raw["examples"]),
            citation_threshold=float(raw["citation_threshold"]),
            figures=dict(raw.get("figures", {})),
        )
    except (ValueError, KeyError, TypeError, AttributeError) as error:
        raise _unusable(path, error) from error
    differences = list(_differences(found.models, models))
    if differences:
        raise FailedPrecondition(
            f"calibration file {path} was fitted for other models: {'; '.join(differences)}. Run"
            " `toulmin calibrate` again with the models in use, or unset the setting `calibration`"
        )
    return found


def _differences(fitted: Mapping[str, str], used: Mapping[str, str]) -> list[str]:
    return [
        f"{name} {fitted.get(name, '(none)')} there, {used.get(name, '(none)')} in use"
        for name in sorted({*fitted, *used})
        if fitted.get(name) != used.get(name)
    ]


def _unusable(path: Path, error: Exception) -> FailedPrecondition:
    if isinstance(error, OSError):
        return FailedPrecondition(f"cannot read the calibration file {path}: {error.strerror}")
    reason = f"{error} is missing" if isinstance(error, KeyError) else str(error)
    return FailedPrecondition(
        f"{path} is no calibration file ({reason}): make one with `toulmin calibrate`"
    )
