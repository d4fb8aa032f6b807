"""How far a claim's values are those that its evidence gives in their places."""

from __future__ import annotations

import json
import math
import re
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from toulmin.grounding.asking.answers import Answer, read_answers
from toulmin.grounding.asking.values import (
    AskedValue,
    asked_values,
    same_unit,
    unit_after,
    values_in,
)
from toulmin.models.grounding_encoder import GroundingEncoder
from toulmin.work import UNLIMITED, Work

ASKING_FILE = "asking.json"
"""The file of the model's folder that says what agreement and difference are worth."""
_FIGURE = re.compile(r"\d[\d.,]*(?<=\d)")
_LEAST, _MOST = 1e-4, 1 - 1e-4


@dataclass(frozen=True, slots=True)
class Agreement:
    """What asking for a claim's values brought, each in [0, 1]; all 0: nothing.

    Each is the square of the probability that the evidence answers: of answers that are half sure
    too many are read from a wrong place to count by half.

    Attributes:
        agrees: All of them stand in the evidence where they are claimed.
        differs: One has another value there, and stands in the evidence elsewhere.
        differs_new: One has another value there, and does not stand in the evidence at all; it may
            follow from what does.
    """

    agrees: float = 0.0
    differs: float = 0.0
    differs_new: float = 0.0


@dataclass(frozen=True, slots=True)
class AskingWeights:
    """What is added to log odds for each part of `Agreement`, in its order; shape (3,) each."""

    support: tuple[float, float, float]
    contradiction: tuple[float, float, float]

    def applied(
        self, support: float, contradiction: float, found: Agreement
    ) -> tuple[float, float]:
        """Return both probabilities with what was found."""
        return (
            _moved(support, _weighed(self.support, found)),
            _moved(contradiction, _weighed(self.contradiction, found)),
        )


def load_weights(path: Path) -> AskingWeights | None:
    """Return the weights in a JSON file; None: there is no such file, so nothing is asked."""
    if not path.is_file():
        return None
    raw = json.loads(path.read_text(encoding="utf-8"))
    return AskingWeights(tuple(raw["support"]), tuple(raw["contradiction"]))


def agreements(
    encoder: GroundingEncoder, pairs: Sequence[tuple[str, str]], *, work: Work = UNLIMITED
) -> list[Agreement]:
    """Return the agreement of each (claim, evidence), in order; most claims have no value.

    Raises:
        Cancelled: Nobody waits any more.
    """
    asked = [
        (place, value, evidence)
        for place, (claim, evidence) in enumerate(pairs)
        for value in asked_values(claim)
    ]
    answers = read_answers(
        encoder, [(value.question, evidence) for _, value, evidence in asked], work=work
    )
    found: list[list[tuple[AskedValue, Answer]]] = [[] for _ in pairs]
    for (place, value, _), answer in zip(asked, answers, strict=True):
        found[place].append((value, answer))
    return [
        agreement_of(values, evidence) for values, (_, evidence) in zip(found, pairs, strict=True)
    ]


def agreement_of(found: Sequence[tuple[AskedValue, Answer]], evidence: str) -> Agreement:
    """Return the agreement of a claim's values with what was read in their places."""
    agrees, differs = 1.0 if found else 0.0, {True: 0.0, False: 0.0}
    for asked, answer in found:
        read = values_in(answer.text, asked.kind)
        certainty = answer.answered**2
        if asked.value in read:
            agrees = min(agrees, certainty)
            continue
        agrees = 0.0
        if read and same_unit(asked.unit, _unit_of(answer)):
            stands = asked.value in values_in(evidence, asked.kind)
            differs[stands] = max(differs[stands], certainty)
    return Agreement(agrees, differs[True], differs[False])


def _unit_of(answer: Answer) -> str:
    """Return the word behind the answer's last number."""
    last = max((match.end() for match in _FIGURE.finditer(answer.text)), default=0)
    return unit_after(f"{answer.text}{answer.after}"[last:]) if last else ""


def _weighed(weights: tuple[float, float, float], found: Agreement) -> float:
    return weights[0] * found.agrees + weights[1] * found.differs + weights[2] * found.differs_new


def _moved(probability: float, by: float) -> float:
    """Return a probability whose log odds are moved; exactly the same where nothing is added."""
    if by == 0:
        return probability
    held = min(max(probability, _LEAST), _MOST)
    return 1 / (1 + math.exp(-(math.log(held / (1 - held)) + by)))
