"""How probably does the sentence that would be said first answer the question?

What the reader says of spans and passages is joined, in a logistic regression, with how relevant
the search found the sentence's passage, and how many of the question's words the sentence has.
Fitted on questions over a data store (training/grounding_model/calibrate_answers.py); its file is
in the reader's folder, since it is of no use with another model.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Final

import numpy as np
from numpy.typing import NDArray

from toulmin.answering.compose.asked_about import names_lacking
from toulmin.answering.compose.choosing import heading_of
from toulmin.answering.compose.fit import that_answer
from toulmin.answering.compose.question_kind import AskedFor
from toulmin.answering.compose.scoring import Scored, score_pieces
from toulmin.answering.compose.sentences import Piece, PieceKind, pieces_of
from toulmin.answering.passages import Passage
from toulmin.answering.reading.answerability import LEXICAL_PLACES, LEXICAL_USED, Answerability
from toulmin.answering.reading.by_language import is_english
from toulmin.answering.reading.reader import Reading
from toulmin.grounding.lexical import lexical_features

CERTAINTY_FILE: Final = "certainty.json"
"""The file of a reader's folder that the regression is in."""
FEATURE_NAMES: Final = (
    "odds",  # log odds that the sentence's passage answers, by the answer head
    "relevance",  # log odds of that passage's relevance; 0 if it is not known
    "coverage",  # share of the question's words in the sentence and above it, by weight
    "share",  # log share of the reader's belief that lies in it
    "lead",  # its score minus the next best one's, at most 5; 5 if there is no other
    "answerable",  # log odds that there is an answer, by the reader
    "yes_no",  # 1 for a question for yes or no
    *LEXICAL_USED,  # question against that passage below its headings
)
WITHOUT_NAME: Final = 3.0
"""How much likelier it is of a question without an answer that a name of it is in no passage: of
SQuAD 2.0's own paragraphs 19 to 7 of 100 questions with names (0017)."""
WITHOUT_ABBREVIATION: Final = 9.0
"""The same of a name of capitals alone, which sets one of several like it apart as a number does:
an ultrasound does not say how long a CT takes. Set, not measured (0027)."""
_MOST_LEAD = 5.0
_LEAST = 1e-3


@dataclass(frozen=True, slots=True)
class Examined:
    """What is known of the sentence that would be said first.

    Attributes:
        features: Values of `FEATURE_NAMES`; empty: nothing can be said.
        piece: The sentence; None: there is none.
    """

    features: NDArray[np.float64]
    piece: Piece | None


@dataclass(frozen=True, slots=True)
class Certainty:
    """Says how probably what would be said answers; threads may share it.

    Attributes:
        regression: For `FEATURE_NAMES`.
    """

    regression: Answerability

    def weigh(
        self, query: str, asked: AskedFor, passages: Sequence[Passage], reading: Reading
    ) -> Reading:
        """Return the reading with `answerable` for what would be said.

        It was fitted on English: elsewhere the reading is left as it is.

        Args:
            query: The question.
            asked: What it asks for.
            passages: What was read.
            reading: What the reader says of them.
        """
        if not is_english(query, [passage.text for passage in passages]):
            return reading
        found = self.examine(query, asked, passages, reading)
        if found.piece is None:
            return replace(reading, answerable=0.0)
        probability = round(self.regression.probability(found.features), 6)
        return replace(reading, answerable=without_names(probability, query, passages))

    def examine(
        self, query: str, asked: AskedFor, passages: Sequence[Passage], reading: Reading
    ) -> Examined:
        """Return what `regression` is asked, and fitted on. Arguments as for `weigh`."""
        pieces = pieces_of(passages)
        scored = score_pieces(query, passages, pieces, reading, span_weight=asked.span_weight)
        if not asked.yes_no:
            scored = that_answer(query, asked, passages, pieces, scored)
        if not scored.order:
            return Examined(np.zeros(0), None)
        features = _features(query, asked, passages, pieces, scored, reading)
        return Examined(features, pieces[scored.order[0]])


def without_names(answerable: float, query: str, passages: Sequence[Passage]) -> float:
    """Return a probability that passages answer, less where they lack a name of the question."""
    lacking = names_lacking(query, passages)
    if not lacking or answerable >= 1:
        return answerable
    abbreviated = any(name.isupper() for name in lacking)
    odds = answerable / (1 - answerable) / (WITHOUT_ABBREVIATION if abbreviated else WITHOUT_NAME)
    return odds / (1 + odds)


def _features(
    query: str,
    asked: AskedFor,
    passages: Sequence[Passage],
    pieces: Sequence[Piece],
    scored: Scored,
    reading: Reading,
) -> NDArray[np.float64]:
    """Return `FEATURE_NAMES` of the first piece in order."""
    best, behind = scored.order[0], scored.order[1:2]
    place = pieces[best].passage
    passage = passages[place]
    lead = scored.scores[best] - scored.scores[behind[0]] if behind else _MOST_LEAD
    total = sum(scored.beliefs) or 1.0
    told = (
        reading.odds_of(place),
        0.0 if passage.relevance is None else _log_odds(passage.relevance),
        # A table's title says of none of its rows that it is the one asked about.
        (scored.coverage if pieces[best].kind is PieceKind.ROW else scored.held)[best],
        math.log(max(scored.beliefs[best] / total, _LEAST)),
        min(lead, _MOST_LEAD),
        _log_odds(reading.answerable),
        float(asked.yes_no),
    )
    lexical = lexical_features(query, heading_of(passage) + passage.text)[LEXICAL_PLACES]
    return np.concatenate((told, lexical))


def _log_odds(probability: float) -> float:
    bounded = min(max(probability, _LEAST), 1 - _LEAST)
    return math.log(bounded / (1 - bounded))
