"""Does this evidence support this claim, or contradict it? Calibrated probabilities for both.

The encoder reads evidence and claim together; what it misses (a number that is nowhere in the
evidence, a name that is not) comes from lexical features. A logistic regression joins the two and
is the calibration at once (fitted by training/calibration, recorded in docs/decisions/0006).
"""

from __future__ import annotations

import html
import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import Protocol

import numpy as np
import numpy.typing as npt

from toulmin.domain import Claim, Fact
from toulmin.errors import FailedPrecondition
from toulmin.grounding.evidence import Evidence
from toulmin.grounding.inputs import (
    EncodedPair,
    PairText,
    Span,
    encode_pairs,
    evidence_text,
    piece_spans,
)
from toulmin.grounding.lexical import FEATURE_NAMES, lexical_features
from toulmin.models.encoder_pool import EncoderPool
from toulmin.work import UNLIMITED, Work

FloatArray = npt.NDArray[np.float64]

_PORTION = 128
"""Pairs between two questions whether the caller is still there."""
_NO_LOGITS = np.zeros((0, 3), dtype=np.float32)
CALIBRATION_FILE = Path(__file__).parent / "data" / "calibration.json"
ENCODER_FEATURES = ("support_margin", "contradiction_margin", "neutral_margin")
COVERAGE = len(ENCODER_FEATURES) + FEATURE_NAMES.index("terms_found")


@dataclass(frozen=True, slots=True)
class PairReading:
    """What the encoder read and marked, for explanations.

    Attributes:
        encoded: The token sequence, with the way back to characters.
        piece_spans: Character range of each chunk in the evidence text.
        word_logits: Shape (tokens,): above 0, the token is not borne out, or is conflicted with.
    """

    encoded: EncodedPair
    piece_spans: tuple[Span, ...]
    word_logits: npt.NDArray[np.float32]


@dataclass(frozen=True, slots=True)
class PairScore:
    """One claim against one piece of evidence.

    Attributes:
        evidence: What was read.
        support: Calibrated probability in [0, 1] that it entails the claim.
        contradiction: Calibrated probability in [0, 1] that it contradicts the claim.
        coverage: Share of the claim's terms that it holds, by weight, in [0, 1].
        reading: The encoder's marks on single words; None from a scorer that marks none.
    """

    evidence: Evidence
    support: float
    contradiction: float
    coverage: float
    reading: PairReading | None


@dataclass(frozen=True, slots=True)
class Calibration:
    """Two logistic regressions over encoder margins and lexical features.

    Attributes:
        support: Weights, shape (features,).
        support_bias: Intercept of `support`.
        contradiction: Weights, shape (features,).
        contradiction_bias: Intercept of `contradiction`.
    """

    support: FloatArray
    support_bias: float
    contradiction: FloatArray
    contradiction_bias: float

    def probabilities(
        self, features: FloatArray, beside: FloatArray | float = 0.0
    ) -> tuple[FloatArray, FloatArray]:
        """Return P(support) and P(contradiction), each of shape (pairs,).

        Args:
            features: Shape (pairs, features), in the order of `feature_names()`.
            beside: Log odds that something else adds to support, shape (pairs,).
        """
        return (
            sigmoid(features @ self.support + self.support_bias + beside),
            sigmoid(features @ self.contradiction + self.contradiction_bias),
        )


def feature_names() -> tuple[str, ...]:
    """Return the names of the calibration's features, in order."""
    return (*ENCODER_FEATURES, *FEATURE_NAMES)


def load_calibration(
    path: Path = CALIBRATION_FILE, names: Sequence[str] | None = None
) -> Calibration:
    """Return the calibration in a JSON file.

    Args:
        path: The file.
        names: The features that it must be for; None means `feature_names()`.

    Raises:
        FailedPrecondition: The file does not fit this version's features.
    """
    raw = json.loads(path.read_text(encoding="utf-8"))
    wanted = tuple(names or feature_names())
    if tuple(raw["features"]) != wanted:
        raise FailedPrecondition(
            f"{path} is for the features {raw['features']}, this version has {wanted}: "
            "fit the calibration again"
        )
    return Calibration(
        np.array(raw["support"]["weights"]),
        float(raw["support"]["bias"]),
        np.array(raw["contradiction"]["weights"]),
        float(raw["contradiction"]["bias"]),
    )


class SupportScorer(Protocol):
    """Whatever can say how likely evidence supports or contradicts a claim; serves all threads.

    Calibrated or not, a score is a probability in [0, 1], the same for the same input.
    """

    def score(
        self,
        claims: Sequence[Claim],
        evidence: Sequence[Sequence[Evidence]],
        facts: Sequence[Fact],
        *,
        work: Work = UNLIMITED,
    ) -> list[list[PairScore]]:
        """Return the scores of each claim's evidence, in the order of the evidence.

        Args:
            claims: The claims.
            evidence: For each claim, what to read it against; may be empty.
            facts: The facts that the evidence was taken from.
            work: Asked before every step, which is timed into it.

        Raises:
            Cancelled: Nobody waits any more.
        """


class EncoderScorer:
    """Scores evidence with the embedded cross-encoder, lexical features and a calibration."""

    def __init__(self, pool: EncoderPool, calibration: Calibration) -> None:
        self._pool = pool
        self._calibration = calibration

    def score(
        self,
        claims: Sequence[Claim],
        evidence: Sequence[Sequence[Evidence]],
        facts: Sequence[Fact],
        *,
        work: Work = UNLIMITED,
    ) -> list[list[PairScore]]:
        """Return the scores of each claim's evidence, in the order of the evidence.

        Raises:
            Cancelled: Nobody waits any more.
        """
        rows = [
            (claim, item) for claim, items in zip(claims, evidence, strict=True) for item in items
        ]
        pieces = [pieces_of(item, facts) for _, item in rows]
        pairs = [
            PairText(evidence_text(parts), claim.text, claim.context)
            for (claim, _), parts in zip(rows, pieces, strict=True)
        ]
        encoder = self._pool.encoder
        encoded: list[EncodedPair] = []
        for portion in _portions(pairs, work):
            encoded += encode_pairs(encoder.tokenizer, portion, max_tokens=encoder.max_tokens)
        logits = self._pool.run(encoded, work=work)
        classes = iter([item.classes for item in logits])
        features = np.vstack(
            [pair_features([], _NO_LOGITS)]
            + [
                pair_features(portion, np.array(list(islice(classes, len(portion)))))
                for portion in _portions(pairs, work)
            ]
        )
        support, contradiction = self._calibration.probabilities(features)
        scores = iter(
            PairScore(
                item,
                float(support[i]),
                float(contradiction[i]),
                float(features[i, COVERAGE]),
                PairReading(encoded[i], tuple(piece_spans(pieces[i])), logits[i].words),
            )
            for i, (_, item) in enumerate(rows)
        )
        return [[next(scores) for _ in items] for items in evidence]


def _portions(pairs: Sequence[PairText], work: Work) -> Iterator[Sequence[PairText]]:
    """Yield the pairs, some at a time, as long as somebody wants them.

    Raises:
        Cancelled: Nobody waits any more.
    """
    for start in range(0, len(pairs), _PORTION):
        work.check()
        yield pairs[start : start + _PORTION]


def pieces_of(item: Evidence, facts: Sequence[Fact]) -> list[tuple[str, Mapping[str, str]]]:
    """Return (text, attributes) of each chunk; a fact's attributes go with its first chunk."""
    seen: set[int] = set()
    pieces = []
    for chunk in item.chunks:
        attributes = {} if chunk.fact_index in seen else facts[chunk.fact_index].attributes
        seen.add(chunk.fact_index)
        pieces.append((chunk.text, attributes))
    return pieces


def pair_features(pairs: Sequence[PairText], logits: npt.NDArray[np.float32]) -> FloatArray:
    """Return what the calibration reads, shape (pairs, features).

    Args:
        pairs: The texts.
        logits: Shape (pairs, 3): support, contradiction, neutral.
    """
    if not pairs:
        return np.zeros((0, len(feature_names())))
    # The tokenizer reads "&#39;" as an apostrophe; here it would count as the number 39.
    lexical = np.array(
        [
            lexical_features(html.unescape(pair.claim), html.unescape(pair.evidence))
            for pair in pairs
        ]
    )
    return np.hstack([margins(logits.astype(np.float64)), lexical])


def coverage(claim: str, evidence: str) -> float:
    """Return the share of the claim's terms that the evidence holds, by weight, in [0, 1]."""
    features = lexical_features(html.unescape(claim), html.unescape(evidence))
    return float(features[FEATURE_NAMES.index("terms_found")])


def margins(logits: FloatArray) -> FloatArray:
    """Return each class's log-odds against the other two, shape (pairs, 3)."""
    log_probs = logits - np.logaddexp.reduce(logits, axis=1, keepdims=True)
    rest = np.log1p(-np.minimum(np.exp(log_probs), 1 - 1e-7))
    result: FloatArray = log_probs - rest
    return result


def sigmoid(x: FloatArray) -> FloatArray:
    """Return 1 / (1 + exp(-x)), without overflow."""
    result: FloatArray = 1 / (1 + np.exp(-np.clip(x, -60, 60)))
    return result
