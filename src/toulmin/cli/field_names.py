"""Errors in the words of the command line: flags and files instead of the API's fields."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Final

FLAGS: Final[Mapping[str, str]] = {
    "query": "QUERY",
    "query.text": "QUESTION",
    "filter": "--filter",
    "search_spec.search_params.filter": "--filter",
    "order_by": "--order-by",
    "page_size": "--limit",
    "search_spec.search_params.max_return_results": "--limit",
    "session_id": "--session",
    "answer_generation_spec.prompt_spec.preamble": "--preamble",
    "answer_generation_spec.answer_language_code": "--language",
    "data_store_id": "ID",
    "data_store.display_name": "--display-name",
    "gcs_source.input_uris": "PATH",
    "gcs_source.data_schema": "--schema",
    "id_field": "--id-field",
    "auto_generate_ids": "--generate-ids",
    "citation_threshold": "--citation-threshold",
    "anti_citation_threshold": "--anti-citation-threshold",
    "prompt": "--prompt",
}
_PLACE: Final = re.compile(r"\[\d{1,9}\]$")


def in_own_words(message: str, names: Mapping[str, str] = FLAGS) -> str:
    """Return an error's message with the flag in the place of the field that it begins with."""
    field, colon, rest = message.partition(": ")
    name = names.get(field) or names.get(_PLACE.sub("", field))
    return f"{name}: {rest}" if colon and name else message
