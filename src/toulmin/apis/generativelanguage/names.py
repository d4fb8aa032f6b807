"""Names of corpora, documents, chunks and permissions, and the ids in them."""

from __future__ import annotations

import re
import secrets
import string
from typing import Final

from toulmin.apis.aip.names import parse_name
from toulmin.domain import Branch, DataStore
from toulmin.errors import InvalidArgument

CORPORA: Final = "generativelanguage"
"""Parent of the data stores that are corpora."""

LONGEST_ID: Final = 40
LONGEST_DISPLAY_NAME: Final = 512
_CORPUS: Final = "corpora/{corpus}"
_DOCUMENT: Final = "corpora/{corpus}/documents/{document}"
_CHUNK: Final = "corpora/{corpus}/documents/{document}/chunks/{chunk}"
_PERMISSION: Final = "corpora/{corpus}/permissions/{permission}"
_TUNED_MODEL: Final = "tunedModels/{tuned_model}"
_TUNED_PERMISSION: Final = "tunedModels/{tuned_model}/permissions/{permission}"
_ID: Final = re.compile(r"[a-z0-9](?:[a-z0-9-]*[a-z0-9])?", re.ASCII)
_NOT_IN_IDS: Final = re.compile(r"[^a-z0-9]+")
_RANDOM_CHARS: Final = 12
_ALPHABET: Final = string.ascii_lowercase + string.digits


def corpus_name(corpus_id: str) -> str:
    """Return the full name of a corpus."""
    return f"corpora/{corpus_id}"


def document_name(corpus_id: str, document_id: str) -> str:
    """Return the full name of a document."""
    return f"{corpus_name(corpus_id)}/documents/{document_id}"


def chunk_name(corpus_id: str, document_id: str, chunk_id: str) -> str:
    """Return the full name of a chunk."""
    return f"{document_name(corpus_id, document_id)}/chunks/{chunk_id}"


def data_store_of(corpus_id: str) -> str:
    """Return the name of the data store that a corpus is."""
    return DataStore(parent=CORPORA, id=corpus_id).name


def branch_of(corpus_id: str) -> Branch:
    """Return where a corpus has its documents."""
    return Branch(data_store_of(corpus_id))


def corpus_id_of(data_store: str) -> str:
    """Return the id of the corpus that a data store is, given the data store's name."""
    return data_store.rpartition("/")[2]


def parse_corpus(name: str, *, field: str) -> str:
    """Return the id in the name of a corpus.

    Raises:
        InvalidArgument: It is no such name.
    """
    return parse_name(name, _CORPUS, field=field)["corpus"]


def parse_document(name: str, *, field: str) -> tuple[str, str]:
    """Return the ids of corpus and document in the name of a document.

    Raises:
        InvalidArgument: It is no such name.
    """
    found = parse_name(name, _DOCUMENT, field=field)
    return found["corpus"], found["document"]


def parse_chunk(name: str, *, field: str) -> tuple[str, str, str]:
    """Return the ids of corpus, document and chunk in the name of a chunk.

    Raises:
        InvalidArgument: It is no such name.
    """
    found = parse_name(name, _CHUNK, field=field)
    return found["corpus"], found["document"], found["chunk"]


def parse_source(name: str, *, field: str) -> tuple[str, str]:
    """Return the ids in the name of a corpus or a document; "" for the document of a corpus.

    Raises:
        InvalidArgument: It is neither.
    """
    ids = parse_name(name, (_CORPUS, _DOCUMENT), field=field).ids
    return ids["corpus"], ids.get("document", "")


def parse_permission(name: str, *, field: str) -> tuple[str, str, str]:
    """Return the ids of corpus, tuned model and permission: one of the first two is "".

    Raises:
        InvalidArgument: It is no name of a permission.
    """
    ids = parse_name(name, (_PERMISSION, _TUNED_PERMISSION), field=field).ids
    return ids.get("corpus", ""), ids.get("tuned_model", ""), ids["permission"]


def parse_permission_parent(name: str, *, field: str) -> tuple[str, str]:
    """Return the ids of corpus and tuned model: one of them is "".

    Raises:
        InvalidArgument: It is the name of neither.
    """
    ids = parse_name(name, (_CORPUS, _TUNED_MODEL), field=field).ids
    return ids.get("corpus", ""), ids.get("tuned_model", "")


def parse_tuned_model(name: str, *, field: str) -> str:
    """Return the id in the name of a tuned model.

    Raises:
        InvalidArgument: It is no such name.
    """
    return parse_name(name, _TUNED_MODEL, field=field)["tuned_model"]


def check_new_id(id_: str, *, field: str) -> None:
    """Raise unless a corpus, document or chunk can be given this id.

    Raises:
        InvalidArgument: It is too long or has other characters.
    """
    if len(id_) > LONGEST_ID:
        raise InvalidArgument.of_field(
            field, f'the id "{id_[:200]}" has {len(id_)} characters, the limit is {LONGEST_ID}'
        )
    if _ID.fullmatch(id_) is None:
        raise InvalidArgument.of_field(
            field,
            f'the id "{id_}" must be lower-case letters a to z, digits and dashes, and neither'
            " begin nor end with a dash",
        )


def made_id(display_name: str = "") -> str:
    """Return an id that nobody has: from the display name, with 12 random characters behind.

    Source: comments of `Corpus.name` and `Chunk.name` in retriever.proto; "My notes" gives
    "my-notes-123a456b789c", no display name only the random part.
    """
    ending = "".join(secrets.choice(_ALPHABET) for _ in range(_RANDOM_CHARS))
    words = _NOT_IN_IDS.sub("-", display_name.lower())[: LONGEST_ID - _RANDOM_CHARS - 1].strip("-")
    return f"{words}-{ending}" if words else ending


def check_display_name(display_name: str, *, field: str) -> None:
    """Raise unless a corpus or document can have this display name.

    Raises:
        InvalidArgument: It is longer than 512 characters, or cannot be kept.
    """
    if len(display_name) > LONGEST_DISPLAY_NAME:
        raise InvalidArgument.of_field(
            field, f"has {len(display_name):,} characters, the limit is {LONGEST_DISPLAY_NAME}"
        )
    if "\0" in display_name:
        raise InvalidArgument.of_field(field, "has a NUL character")
