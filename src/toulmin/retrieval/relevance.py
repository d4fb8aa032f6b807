"""How relevant is a chunk, by what cheap search knows of it, in [0, 1]?

A score is a weighted sum of cosine, share of the query's words and BM25; it orders the candidates.
Text in another language than the query has other words for the same: with the multilingual embedder
it has a weight of its own for that.
The probability comes from the score, from how far the candidate lies behind the best one and from
how few there are to choose from, by logistic regression, so it can be compared between queries and
data stores. Fitted by training/relevance/fit.py and sizes.py; figures in its CARD.md and in
docs/decisions/0015-reranking.md.
"""

from __future__ import annotations

import functools
import json
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from toulmin.errors import FailedPrecondition
from toulmin.retrieval.coverage import QueryWords
from toulmin.text.languages import is_elsewhere

Floats = NDArray[np.float64]

MANY = 200
"""Texts to choose from, from which on it does not matter how many: a search finds no more."""
RELEVANCE_FILE = Path(__file__).parent / "data" / "relevance.json"
RELEVANCE_FILES: Mapping[str, Path] = {
    "english": RELEVANCE_FILE,
    "multilingual": RELEVANCE_FILE.with_name("relevance_multilingual.json"),
}
"""The file of each embedder, by the setting that chooses it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Calibration:
    """Turns the scores of one query's candidates into probabilities; keeps their order.

    Attributes:
        bias: Logit of a score of 0 that is the best.
        slope: Logits for 1 of score; 0 or more.
        lead: Logits for each 1 of score that a candidate lies behind the best; 0 or more.
        few: Logits for each e-th part of `MANY` texts that there are to choose from; 0 or more.
    """

    bias: float
    slope: float
    lead: float
    few: float = 0.0

    def probabilities(self, scores: Floats, *, among: int = MANY) -> Floats:
        """Return a probability in [0, 1] for each score, shape (candidates,).

        Args:
            scores: Of all candidates of a query.
            among: How many texts there are to choose from. What is near to a query among three is
                likelier what is looked for than what is as near among thousands.
        """
        if not len(scores):
            return np.zeros(0, dtype=np.float64)
        behind = scores - scores.max()
        fewer = self.few * math.log(MANY / min(max(among, len(scores), 1), MANY))
        return sigmoid(self.bias + fewer + self.slope * scores + self.lead * behind)


@dataclass(frozen=True, slots=True, kw_only=True)
class RelevanceModel:
    """Weights of the score, and its calibration.

    Attributes:
        dense: Weight of the cosine.
        coverage: Weight of the share of words.
        lexical: Weight of BM25; 0 in a model for texts that no index knows.
        calibration: Score to probability.
        across: What a text in another language than the query has more, since it shares no words.
        abroad: Score to probability of such texts, among themselves; None: as of the others.
    """

    dense: float
    coverage: float
    lexical: float
    calibration: Calibration
    across: float = 0.0
    abroad: Calibration | None = None

    def scores(
        self, lexical: Floats, dense: Floats, coverage: Floats, elsewhere: Floats | None = None
    ) -> Floats:
        """Return what candidates are ordered by, higher is better, without bounds.

        Args:
            lexical: BM25 of each candidate, shape (candidates,); 0: not found by words.
            dense: Cosine of each with the query, in [-1, 1], also of those found by words only.
            coverage: Share of the query's words in each, in [0, 1] (see `coverage`).
            elsewhere: 1 for those in another language than the query, 0 for the others
                (see `elsewhere`); None: all are in its language.
        """
        total: Floats = self.dense * dense + self.coverage * coverage + self.lexical * lexical
        return total if elsewhere is None else total + self.across * elsewhere

    def predict(
        self,
        lexical: Floats,
        dense: Floats,
        coverage: Floats,
        elsewhere: Floats | None = None,
        *,
        among: int = MANY,
    ) -> Floats:
        """Return the probability in [0, 1] that each candidate is relevant, shape (candidates,).

        Give all candidates of a query together: how far one lies behind the best in the query's
        language, or in others, counts. Arguments as for `scores`, whose order is kept within
        either, and for `Calibration.probabilities`.
        """
        scores = self.scores(lexical, dense, coverage, elsewhere)
        found = self.calibration.probabilities(scores, among=among)
        if self.abroad is None or elsewhere is None or not elsewhere.any():
            return found
        there = elsewhere > 0
        found = np.zeros(len(scores), dtype=np.float64)
        found[there] = self.abroad.probabilities(scores[there], among=among)
        found[~there] = self.calibration.probabilities(scores[~there], among=among)
        return found

    def elsewhere(self, query: str, texts: Sequence[str]) -> Floats | None:
        """Return which texts are in another language than the query; None: it does not matter."""
        return elsewhere(query, texts) if self.across else None


def coverage(query: str, texts: Sequence[str]) -> Floats:
    """Return the share of the query's words that each text holds, by weight, in [0, 1].

    Shape (texts,). How much a word weighs depends on the word alone (see `coverage.py`).
    """
    return QueryWords(query).coverage(texts)


def elsewhere(query: str, texts: Sequence[str]) -> Floats:
    """Return 1 for each text in another language than the query, 0 for the others; shape (texts,).

    A query without a function word is in the language of whatever it is compared with.
    """
    return np.array([is_elsewhere(query, text) for text in texts], dtype=np.float64)


def load_relevance(embedder: str = "english") -> RelevanceModel:
    """Return the model for chunks found in an index, by the setting of the embedder."""
    return _relevance_model("found", embedder)


def load_record_relevance(embedder: str = "english") -> RelevanceModel:
    """Return the model for texts that no index knows, so without BM25."""
    return _relevance_model("given", embedder)


def read_weights(section: str, path: Path = RELEVANCE_FILE) -> dict[str, Any]:
    """Return a section of the fitted file.

    Raises:
        FailedPrecondition: The file is missing or has no such section.
    """
    try:
        found: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))[section]
    except (OSError, ValueError, KeyError) as error:
        raise FailedPrecondition(f"{path} holds no weights {section!r}: {error}") from error
    return found


def sigmoid(logits: Floats) -> Floats:
    """Return 1 / (1 + exp(-logits)), without overflow."""
    return np.asarray(0.5 * (1.0 + np.tanh(0.5 * np.asarray(logits))), dtype=np.float64)


def logit(probabilities: Floats) -> Floats:
    """Return the logits of probabilities, held within (-14, 14)."""
    held = np.clip(probabilities, 1e-6, 1.0 - 1e-6)
    return np.asarray(np.log(held / (1.0 - held)), dtype=np.float64)


@functools.cache
def _relevance_model(section: str, embedder: str) -> RelevanceModel:
    weights = read_weights(section, RELEVANCE_FILES[embedder])
    return RelevanceModel(
        dense=weights["dense"],
        coverage=weights["coverage"],
        lexical=weights["lexical"],
        calibration=Calibration(**weights["calibration"]),
        across=weights.get("across", 0.0),
        abroad=Calibration(**weights["abroad"]) if "abroad" in weights else None,
    )
