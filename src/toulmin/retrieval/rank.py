"""In what order do these texts answer the query? For texts that no index knows: the rank API.

Cosine of the embedder and share of the query's words say how relevant each record is
(`relevance.py`); the reranker, if one is given, then reads the best of them.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from toulmin.errors import InvalidArgument
from toulmin.models.embedder import Embedder
from toulmin.retrieval.relevance import RelevanceModel, coverage, load_record_relevance
from toulmin.retrieval.rerank import Reranker
from toulmin.work import UNLIMITED, Work

MOST_RECORDS = 200
LEAST_SCORE = 0.00001
_DIGITS = 4


@dataclass(frozen=True, slots=True, kw_only=True)
class Record:
    """A text to rank; title or content must have a word.

    Attributes:
        id: The caller's name of it; may be empty or stand twice.
        title: Its title.
        content: Its text.
    """

    id: str = ""
    title: str = ""
    content: str = ""

    @property
    def text(self) -> str:
        """Title and content, as they are read."""
        return "\n".join(part for part in (self.title.strip(), self.content) if part)


def rank_records(
    query: str,
    records: Sequence[Record],
    *,
    embedder: Embedder,
    relevance: RelevanceModel | None = None,
    reranker: Reranker | None = None,
    work: Work = UNLIMITED,
) -> list[tuple[int, float]]:
    """Return (index into `records`, score in [0, 1]) of every record, best first.

    Equal scores keep the order given. A score is the probability that the record is relevant;
    it depends on the other records, since being far behind the best one counts against it.

    Args:
        query: What is asked.
        records: At most 200. The first 256 tokens of each count for its meaning, all for words.
        embedder: Embeds query and records.
        relevance: The weights that were fitted on the embedder; None: those of the English one.
        reranker: Reads the best records together with the query; None: no second stage.
        work: Asked before every text.

    Raises:
        InvalidArgument: There are too many records, or one without title and content.
        Cancelled: Nobody waits any more.
        DeadlineExceeded: The time is up.
    """
    _check(records)
    if not records:
        return []
    texts = [record.text for record in records]
    asked = embedder.embed_queries([query], work=work)[0]
    # The same text twice is embedded once.
    distinct = list(dict.fromkeys(texts))
    rows = embedder.embed(distinct, work=work)
    by_text = dict(zip(distinct, (rows @ asked).astype(np.float64).tolist(), strict=True))
    dense = np.array([by_text[text] for text in texts], dtype=np.float64)
    held = coverage(query, texts)
    model = relevance or load_record_relevance()
    scores = model.predict(np.zeros(len(texts)), dense, held, model.elsewhere(query, texts))
    if reranker is not None:
        scores = reranker.rerank(query, texts, scores, work=work)
    order = np.argsort(-scores, kind="stable").tolist()
    return [(index, float(scores[index])) for index in order]


def rounded(score: float) -> float:
    """Return a score as the rank API gives it: four decimals, and 0.00001 instead of 0.

    Source: Google's ranking API as observed (design notes, peers 1.3).
    """
    return round(score, _DIGITS) or LEAST_SCORE


def _check(records: Sequence[Record]) -> None:
    if len(records) > MOST_RECORDS:
        raise InvalidArgument.of_field(
            "records", f"holds {len(records)} records, the limit is {MOST_RECORDS}"
        )
    for index, record in enumerate(records):
        if not (record.title.strip() or record.content.strip()):
            raise InvalidArgument.of_field(
                f"records[{index}]", "has neither a title nor content; give at least one"
            )
