"""What a document is filtered, boosted and counted by, in the index and beside it."""

from __future__ import annotations

import orjson

from toulmin.domain import Document
from toulmin.stores.index.fields import fields_of
from toulmin.stores.index.predicate import FieldValue


def filter_fields(document: Document) -> dict[str, tuple[FieldValue, ...]]:
    """Return what a document is filtered by: its data, its id, and what is known of its content.

    `id` (also as `document_id`), `uri`, `mime_type` and `title` are there unless the data have
    fields of these names.
    """
    struct = document.struct_data
    if struct is None and document.json_data is not None:
        struct = orjson.loads(document.json_data)
    ids = (document.id,)
    fields: dict[str, tuple[FieldValue, ...]] = {"id": ids, "document_id": ids}
    if document.content is not None:
        fields["mime_type"] = (document.content.mime_type,)
        if document.content.uri:
            fields["uri"] = (document.content.uri,)
    if title := document.derived.get("title"):
        fields["title"] = (str(title),)
    return fields | fields_of(struct or {})
