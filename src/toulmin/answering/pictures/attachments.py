"""Images that come with an answer: of the passages that it cites, and charts of their tables."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from toulmin.answering.answer import Attachment
from toulmin.answering.passages import Passage
from toulmin.answering.pictures.chart import MIME_TYPE, draw_chart
from toulmin.answering.pictures.number_table import number_tables
from toulmin.answering.question import ImageSource
from toulmin.domain import BlobAttachment

MOST_ATTACHMENTS = 8
MOST_BYTES = 4 * 1024 * 1024
"""Of one image; larger ones are left out."""
MOST_CHARTS = 2
SHOWN_TYPES = frozenset({"image/png", "image/jpeg", "image/webp", "image/gif"})
_ASKS_FOR_FIGURES = re.compile(
    r"\b(?:charts?|graphs?|plots?|diagrams?|figures|numbers|statistics|trends?|compar\w+|percentages?"
    r"|shares?|how (?:many|much)|rates?|per (?:year|month|quarter|capita)"
    r"|by (?:year|month|quarter|country)"
    r"|over (?:time|the years)|develop(?:ed|ment)|grow(?:th|n)?|grew|increased?|decreased?"
    r"|cuánt[oa]s?|gráfic[oa]s?|cifras|quant[oiae]|grafic[oi]|wie ?viele?|diagramm|zahlen|combien"
    r"|graphiques?|chiffres)\b|グラフ|図表|推移|統計|いくつ|いくら|何人|何件",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class Attached:
    """Images of an answer.

    Attributes:
        attachments: The images, those of the corpus first.
        of_passages: For each cited passage the places of its images in `attachments`.
    """

    attachments: tuple[Attachment, ...] = ()
    of_passages: tuple[tuple[int, ...], ...] = ()


def attach(
    query: str,
    cited: Sequence[Passage],
    images: ImageSource,
    *,
    blobs: Callable[[Passage], Sequence[BlobAttachment]],
) -> Attached:
    """Return the images that come with an answer: at most 8, the same one once.

    Charts (at most 2) are made of tables with numbers in cited passages: always where only
    generated images are wanted; where all are, if the question asks for figures.

    Args:
        query: The question, as it is understood in its conversation.
        cited: The passages that the answer cites, in the order of its references.
        images: Which images are wanted.
        blobs: Returns the images of a passage, in order; those of `passage.blob_ids` are taken.
    """
    collected = _Collected(len(cited))
    charts: list[tuple[int, Attachment]] = []
    if images is ImageSource.GENERATED or (
        images is ImageSource.ALL and _ASKS_FOR_FIGURES.search(query)
    ):
        charts = _charts(query, cited)
    room = MOST_ATTACHMENTS - len(charts)
    if images in (ImageSource.ALL, ImageSource.CORPUS):
        for place, passage in enumerate(cited):
            if passage.blob_ids:
                for blob in blobs(passage):
                    if blob.id in passage.blob_ids and _is_shown(blob):
                        collected.add(place, Attachment(blob.mime_type, blob.data), most=room)
    for place, chart in charts:
        collected.add(place, chart, most=MOST_ATTACHMENTS)
    return collected.result()


def _is_shown(blob: BlobAttachment) -> bool:
    return blob.mime_type in SHOWN_TYPES and 0 < len(blob.data) <= MOST_BYTES


def _charts(query: str, cited: Sequence[Passage]) -> list[tuple[int, Attachment]]:
    """Return charts of different tables, with the places of their passages."""
    found: dict[bytes, int] = {}
    for place, passage in enumerate(cited):
        title = passage.headings[-1] if passage.headings else passage.title
        for table in number_tables(passage.text, query):
            if len(found) < MOST_CHARTS:
                found.setdefault(draw_chart(table, title), place)
    return [(place, Attachment(MIME_TYPE, data, generated=True)) for data, place in found.items()]


class _Collected:
    """Attachments so far, by what they are."""

    def __init__(self, passages: int) -> None:
        self._places: dict[tuple[str, bytes], int] = {}
        self._attachments: list[Attachment] = []
        self._own: list[list[int]] = [[] for _ in range(passages)]

    def add(self, passage: int, attachment: Attachment, *, most: int) -> None:
        """Add an image of a passage; one too many is left out, a known one only pointed to."""
        key = (attachment.mime_type, hashlib.sha256(attachment.data).digest())
        if key not in self._places:
            if len(self._attachments) >= most:
                return
            self._places[key] = len(self._attachments)
            self._attachments.append(attachment)
        if self._places[key] not in self._own[passage]:
            self._own[passage].append(self._places[key])

    def result(self) -> Attached:
        """Return everything."""
        return Attached(tuple(self._attachments), tuple(tuple(own) for own in self._own))
