"""Documents that came with the request -> import items."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from toulmin.domain import JsonObject
from toulmin.errors import ToulminError
from toulmin.ingestion.sources.document_json import document_from_json
from toulmin.ingestion.sources.items import ImportItem


def read_inline(documents: Sequence[object], cursor: JsonObject) -> Iterator[ImportItem]:
    """Yield the documents that come after a cursor: `{"items": n}`, n of them being done."""
    for number, value in enumerate(documents):
        if number < cursor.get("items", 0):
            continue
        where, after = f"documents[{number}]", {"items": number + 1}
        try:
            document = document_from_json(value, field=where)
        except ToulminError as error:
            yield ImportItem(where=where, cursor=after, error=error)
        else:
            yield ImportItem(where=where, cursor=after, document=document)
