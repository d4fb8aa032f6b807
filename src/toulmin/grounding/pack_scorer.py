"""Scores evidence with the grounding model: every text is read once for all claims about it.

The small cross-encoder reads short evidence too: a useless judge of paraphrases, it knows short
sentences and changed numbers, on which it was trained longer. A logistic regression joins the two;
the longer the evidence, the less the small model's opinion counts (decision 0019). It goes by the
words: where the grounding model does not find a claim borne out, it can doubt it, too, but not
raise it (decision 0040). The multilingual
model is read in the same way: of short texts the small one tells changed numbers and names in any
language.

Long evidence of English claims is read by the multilingual model, too, where it is there: a quarter
of the work, and the two err on different claims, so that both together judge better than either.
The shorter the evidence, the less it counts: short texts it judges worse (decision 0062).

Where the model's folder says what it is worth, a claim's numbers, times and days are asked for in
the evidence that bears it out best, and what is read there moves its scores (`asking/`, decision
0051).
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from toulmin.domain import Claim, Fact
from toulmin.grounding.asking.agreement import AskingWeights
from toulmin.grounding.asking.best_evidence import ask_best
from toulmin.grounding.evidence import Evidence
from toulmin.grounding.inputs import (
    EncodedPair,
    PairText,
    encode_pairs,
    evidence_text,
    piece_spans,
)
from toulmin.grounding.packs import EncodedPack, PackLimits, QueryText, encode_packs
from toulmin.grounding.quantities.rewriting import Rewritten, as_written
from toulmin.grounding.support import (
    COVERAGE,
    ENCODER_FEATURES,
    Calibration,
    FloatArray,
    PairReading,
    PairScore,
    feature_names,
    margins,
    pair_features,
    pieces_of,
)
from toulmin.models.encoder_pool import EncoderPool
from toulmin.models.grounding_encoder import GroundingEncoder, PackLogits
from toulmin.text.lookalikes import plain_letters
from toulmin.text.scripts import is_cjk
from toulmin.work import UNLIMITED, Work

PACK_CALIBRATION = "calibration.json"
"""The file of a grounding model's folder that its calibration is in."""
SECOND_READING = "second_reading.json"
"""The file that says what another grounding model's reading is worth."""
SMALL_HEARD_TO = (30, 120)
"""Words of evidence up to which the small model counts in full, and from which on not at all."""
HEEDED_AT = 2.0
"""How steeply the small model is heeded with the grounding model's own margin of support."""
PACK_FEATURES = (
    *feature_names(),
    *(f"small_{name}" for name in ENCODER_FEATURES),
    *(f"heeded_{name}" for name in ENCODER_FEATURES),
)
_RAISING = np.array([1.0, -1.0, -1.0])
"""Which way each margin moves support."""
_LIMITS = PackLimits()


@dataclass(frozen=True, slots=True)
class _Reading:
    """One claim in one pack: pack `pack`, query `query` of it."""

    pack: int
    query: int


@dataclass(frozen=True, slots=True)
class SecondReading:
    """Another grounding model that reads long evidence, too.

    Attributes:
        encoder: The model.
        worth: What its margin of support is worth of the log odds of support; the less, the more
            the small model counts.
    """

    encoder: GroundingEncoder
    worth: float


class PackScorer:
    """Scores evidence with the grounding model, lexical features and a calibration.

    Args:
        encoder: The model.
        small: The small cross-encoder, which reads short pairs, too.
        calibration: What turns their logits into probabilities; for `PACK_FEATURES`.
        asking: What the evidence's own values are worth; None: they are not asked for.
        second: Another model that reads long evidence, too; None: there is none.
    """

    def __init__(
        self,
        encoder: GroundingEncoder,
        small: EncoderPool,
        calibration: Calibration,
        asking: AskingWeights | None = None,
        second: SecondReading | None = None,
    ) -> None:
        self._encoder = encoder
        self._small = small
        self._calibration = calibration
        self._asking = asking
        self._second = second

    def score(
        self,
        claims: Sequence[Claim],
        evidence: Sequence[Sequence[Evidence]],
        facts: Sequence[Fact],
        *,
        work: Work = UNLIMITED,
    ) -> list[list[PairScore]]:
        """Return the scores of each claim's evidence, in the order of the evidence.

        Times `infer_ms`, the milliseconds in the models, and `ask_ms`, those of asking for values.

        Raises:
            Cancelled: Nobody waits any more.
        """
        rows = [
            (claim, item) for claim, items in zip(claims, evidence, strict=True) for item in items
        ]
        pieces = [pieces_of(item, facts) for _, item in rows]
        read = [pair_text(claim, parts) for (claim, _), parts in zip(rows, pieces, strict=True)]
        pairs = [pair for pair, _ in read]
        packs, readings = _packed(self._encoder, pairs)
        with work.step("infer_ms"):
            logits, beside = self._read(packs, pairs, work)
            small = self._small_opinion(pairs, work)
        features = pack_features(pairs, _verdicts(logits, readings), small)
        support, contradiction = self._calibration.probabilities(features, beside)
        if self._asking is not None:
            sizes = [len(items) for items in evidence]
            with work.step("ask_ms"):
                ask_best(
                    self._encoder, self._asking, pairs, sizes, (support, contradiction), work=work
                )
        scores = iter(
            PairScore(
                item,
                float(support[i]),
                float(contradiction[i]),
                float(features[i, COVERAGE]),
                _marks(
                    packs[reading.pack], logits[reading.pack], reading.query, pieces[i], read[i][1]
                ),
            )
            for i, ((_, item), reading) in enumerate(zip(rows, readings, strict=True))
        )
        return [[next(scores) for _ in items] for items in evidence]

    def _read(
        self, packs: Sequence[EncodedPack], pairs: Sequence[PairText], work: Work
    ) -> tuple[list[PackLogits], FloatArray]:
        """Return the logits of the packs, and what a second reading adds to each pair's support.

        That is log odds, of shape (pairs,).
        """
        added = np.zeros(len(pairs))
        if self._second is None:
            return self._encoder.run(packs, work=work), added
        weights = self._second.worth * (1.0 - small_weights(pairs))
        read = np.flatnonzero(weights).tolist()
        its_packs, readings = _packed(self._second.encoder, [pairs[i] for i in read])
        logits, others = self._encoder.run_beside(packs, self._second.encoder, its_packs, work=work)
        verdicts = _verdicts(others, readings).astype(np.float64)
        added[read] = weights[read] * margins(verdicts)[:, 0]
        return logits, added

    def _small_opinion(self, pairs: Sequence[PairText], work: Work) -> npt.NDArray[np.float32]:
        """Return the small model's logits, shape (pairs, 3); 0 where they do not count."""
        found = np.zeros((len(pairs), 3), dtype=np.float32)
        small = self._small.encoder
        heard = np.flatnonzero(small_weights(pairs)).tolist()
        encoded = encode_pairs(
            small.tokenizer, [pairs[i] for i in heard], max_tokens=small.max_tokens
        )
        for index, item in zip(heard, self._small.run(encoded, work=work.part()), strict=True):
            found[index] = item.classes
        return found


def _packed(
    encoder: GroundingEncoder, pairs: Sequence[PairText]
) -> tuple[list[EncodedPack], list[_Reading]]:
    """Return packs, one or more for each text, and where each pair is read."""
    waiting: dict[str, list[int]] = defaultdict(list)
    for index, pair in enumerate(pairs):
        waiting[pair.evidence].append(index)
    packs: list[EncodedPack] = []
    readings: dict[int, _Reading] = {}
    while waiting:
        texts = [
            (text, [QueryText(pairs[i].claim, pairs[i].context) for i in indices])
            for text, indices in waiting.items()
        ]
        left: dict[str, list[int]] = {}
        for (text, indices), pack in zip(
            waiting.items(), encode_packs(encoder.tokenizer, texts, _LIMITS), strict=True
        ):
            fitted = len(pack.places)
            for query, index in enumerate(indices[:fitted]):
                readings[index] = _Reading(len(packs), query)
            if indices[fitted:]:
                left[text] = indices[fitted:]
            packs.append(pack)
        waiting = left
    return packs, [readings[index] for index in range(len(pairs))]


def _verdicts(
    logits: Sequence[PackLogits], readings: Sequence[_Reading]
) -> npt.NDArray[np.float32]:
    """Return the logits of each pair, shape (pairs, 3)."""
    return np.array([logits[r.pack].pair[r.query] for r in readings]).reshape(-1, 3)


def pair_text(
    claim: Claim, pieces: Sequence[tuple[str, Mapping[str, str]]]
) -> tuple[PairText, Rewritten]:
    """Return what is read, and how its claim came from the one that was given.

    Args:
        claim: The claim, its subject spelt out.
        pieces: (text, attributes) of each chunk of the evidence.
    """
    evidence = plain_letters(evidence_text(pieces))
    said = as_written(plain_letters(claim.text), evidence)
    return PairText(evidence, said.text, plain_letters(claim.context)), said


def pack_features(
    pairs: Sequence[PairText],
    verdicts: npt.NDArray[np.float32],
    second: npt.NDArray[np.float32],
) -> FloatArray:
    """Return what the calibration reads, shape (pairs, features), as in `PACK_FEATURES`.

    Args:
        pairs: The texts.
        verdicts: Logits of the grounding model, shape (pairs, 3).
        second: Logits of the small model, shape (pairs, 3).
    """
    own = pair_features(pairs, verdicts)
    opinion = margins(second.astype(np.float64)) * small_weights(pairs)[:, None]
    return np.hstack([own, opinion, heeded(opinion, own[:, 0])])


def heeded(opinion: FloatArray, support: FloatArray) -> FloatArray:
    """Return the small model's margins with what raises support only as far as the other agrees.

    Args:
        opinion: Its margins, shape (pairs, 3).
        support: The grounding model's margin of support, shape (pairs,).
    """
    agrees = 1 / (1 + np.exp(-HEEDED_AT * support))
    towards = opinion * _RAISING
    raising, lowering = np.maximum(towards, 0.0), np.minimum(towards, 0.0)
    result: FloatArray = (lowering + raising * agrees[:, None]) * _RAISING
    return result


def small_weights(pairs: Sequence[PairText]) -> FloatArray:
    """Return how much the small model's opinion of each pair counts, in [0, 1], shape (pairs,)."""
    full, none = SMALL_HEARD_TO
    words = np.array([_words_in(pair.evidence) for pair in pairs], dtype=np.float64)
    weights: FloatArray = np.clip((none - words) / (none - full), 0.0, 1.0)
    return weights


def _words_in(text: str) -> float:
    """Return how many words a text has; two characters count as one where there are no spaces."""
    return len(text.split()) + sum(is_cjk(character) for character in text) / 2


def _marks(
    pack: EncodedPack,
    logits: PackLogits,
    query: int,
    pieces: Sequence[tuple[str, Mapping[str, str]]],
    said: Rewritten,
) -> PairReading:
    """Return what was marked in one claim and its evidence, as one sequence of tokens."""
    place = pack.places[query]
    evidence_end = 1 + len(pack.offsets)
    encoded = EncodedPair(
        ids=[],
        types=[],
        evidence_start=0,
        evidence_offsets=pack.offsets,
        claim_start=len(pack.offsets),
        claim_offsets=[said.original(*span) for span in place.offsets],
    )
    words = np.concatenate(
        [
            logits.conflict[query, 1:evidence_end],
            logits.wrong[place.start : place.start + len(place.offsets)],
        ]
    )
    return PairReading(encoded, tuple(piece_spans(pieces)), words)
