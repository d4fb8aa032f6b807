"""Support and contradiction from a cross-encoder of somebody else.

The evidence is the premise (first text), the claim the hypothesis (second). What each of the
model's logits means is read from the names that its configuration gives them, or from the setting
`support_model_labels`. Its probabilities are taken as they are: whether they are right as often
as they say was never checked here, so fit a calibration of your own (docs/larger-models.md).
"""

from __future__ import annotations

import enum
from collections.abc import Mapping, Sequence

import numpy as np
import numpy.typing as npt

from toulmin.domain import Claim, Fact
from toulmin.errors import FailedPrecondition
from toulmin.grounding.evidence import Evidence
from toulmin.grounding.inputs import evidence_text
from toulmin.grounding.support import PairScore, coverage, pieces_of
from toulmin.models.pool import ModelPool
from toulmin.models.sequence_classifier import SequenceClassifier
from toulmin.work import UNLIMITED, Work

FloatArray = npt.NDArray[np.float64]


class Verdict(enum.Enum):
    """What a label says of a pair."""

    SUPPORT = "support"
    CONTRADICTION = "contradiction"
    NEITHER = "neither"


_SPELLINGS: Mapping[Verdict, str] = {
    Verdict.SUPPORT: (
        "support supports supported supporting entailment entail entails entailed entailing"
        " consistent factual faithful grounded attributable verified yes"
    ),
    Verdict.CONTRADICTION: (
        "contradiction contradict contradicts contradicted contradicting contradictory"
        " refute refutes refuted conflict conflicts conflicting"
    ),
    # "unsupported" and the like may mean contradicted or not said; so they count as neither.
    Verdict.NEITHER: (
        "neither neutral unsupported notsupport notsupported notsupports nonsupport notentailment"
        " notentailed notentails nonentailment nonentailed noentailment unentailed inconsistent"
        " notconsistent nonfactual notfactual unfaithful notfaithful ungrounded notgrounded"
        " hallucinated hallucination unattributable notattributable unverified unverifiable"
        " notenoughinfo notenoughinformation nei unknown unrelated baseless no"
    ),
}
_BY_SPELLING = {word: verdict for verdict, words in _SPELLINGS.items() for word in words.split()}
_LABEL_WORDS = "support, contradiction or neither"


class ClassifierScorer:
    """Scores evidence with any text-pair classifier; marks no words.

    Args:
        model: The classifier.
        pool: Runs it; one pair on each worker at the same time.
        labels: What the model's logits mean, in order, in place of the model's own names: each
            "support", "contradiction", "neither" or a usual spelling; empty to read the names.

    Raises:
        FailedPrecondition: The labels cannot be read, or none means support.
    """

    def __init__(
        self, model: SequenceClassifier, pool: ModelPool, *, labels: Sequence[str] = ()
    ) -> None:
        self._model = model
        self._pool = pool
        verdicts = read_labels(model.labels, instead=labels)
        self._supporting = np.array([v is Verdict.SUPPORT for v in verdicts])
        self._contradicting = np.array([v is Verdict.CONTRADICTION for v in verdicts])

    def score(
        self,
        claims: Sequence[Claim],
        evidence: Sequence[Sequence[Evidence]],
        facts: Sequence[Fact],
        *,
        work: Work = UNLIMITED,
    ) -> list[list[PairScore]]:
        """Return the scores of each claim's evidence, in the order of the evidence.

        A claim's context is not read: these models know no third text, and what they would make
        of a hypothesis with other claims in it is unknown. A model without a label for
        contradiction gives 0 for it. Times `infer_ms`.

        Raises:
            Cancelled: Nobody waits any more.
        """
        rows = [
            (claim, item) for claim, items in zip(claims, evidence, strict=True) for item in items
        ]
        pairs = [(evidence_text(pieces_of(item, facts)), claim.text) for claim, item in rows]
        with work.step("infer_ms"):
            logits = self._pool.run(
                lambda pair: self._model.run([pair])[0], pairs, work=work.part()
            )
        scores = iter(
            self._pair_score(item, row, pair)
            for (_, item), row, pair in zip(rows, logits, pairs, strict=True)
        )
        return [[next(scores) for _ in items] for items in evidence]

    def _pair_score(self, item: Evidence, logits: FloatArray, pair: tuple[str, str]) -> PairScore:
        evidence, claim = pair
        probabilities = label_probabilities(logits, multi_label=self._model.is_multi_label)
        return PairScore(
            item,
            float(probabilities[self._supporting].sum().clip(0, 1)),
            float(probabilities[self._contradicting].sum().clip(0, 1)),
            coverage(claim, evidence),
            None,
        )


def label_probabilities(logits: FloatArray, *, multi_label: bool) -> FloatArray:
    """Return the probability of each label, shape (labels,).

    Args:
        logits: Of one pair, shape (labels,). A single one is a logistic regression's.
        multi_label: Whether each label is a question of its own.
    """
    if multi_label or len(logits) == 1:
        each: FloatArray = np.exp(-np.logaddexp(0.0, -logits))
        return each
    shared: FloatArray = np.exp(logits - np.logaddexp.reduce(logits))
    return shared


def read_labels(names: Sequence[str], *, instead: Sequence[str] = ()) -> list[Verdict]:
    """Return what each of a model's labels means.

    A single label without a name that means anything is support.

    Args:
        names: As the model's configuration has them, in the order of its logits.
        instead: What to read in their place; empty to read the names.

    Raises:
        FailedPrecondition: A label cannot be read, or none means support.
    """
    if instead and len(instead) != len(names):
        raise FailedPrecondition(
            f"support_model_labels names {len(instead)} labels ({', '.join(instead)}), but the "
            f"model has {len(names)} ({', '.join(names)})"
        )
    read = [_BY_SPELLING.get(_letters(name)) for name in instead or names]
    if len(names) == 1 and not instead and read[0] is None:
        return [Verdict.SUPPORT]
    verdicts = [verdict for verdict in read if verdict is not None]
    if len(verdicts) < len(read) or Verdict.SUPPORT not in verdicts:
        raise FailedPrecondition(
            f"the labels {', '.join(instead or names)} of the support model do not say which is "
            f"support: set support_model_labels to {len(names)} of {_LABEL_WORDS}, in this order"
        )
    return verdicts


def _letters(name: str) -> str:
    return "".join(character for character in name.casefold() if character.isalnum())
