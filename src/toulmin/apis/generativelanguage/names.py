"""Names of corpora, documents, chunks and permissions, and the ids in them.

The names have no project in them. Which one they are of, the caller says: two projects can each
have a corpus of the same name, and neither sees the other's.
"""

from __future__ import annotations

import re
import secrets
import string
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

from toulmin.apis.aip.access import project_of
from toulmin.apis.aip.names import parse_name
from toulmin.callers import Caller
from toulmin.domain import Branch, DataStore
from toulmin.errors import InvalidArgument

CORPORA: Final = "generativelanguage"
"""Parent of the data stores that are corpora: of no project, or beneath `projects/PROJECT`. No name
of Discovery Engine, which always has a location, reaches them."""

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


@dataclass(frozen=True, slots=True)
class CorpusId:
    """Which corpus: the project it is of (empty: of none), and the id in its name."""

    project: str
    id: str


def corpora_of(caller: Caller) -> str:
    """Return the parent of a caller's corpora, as data stores.

    Raises:
        InvalidArgument: The caller may use several projects, and did not say which.
    """
    return _parent_of(_project_of(caller))


def corpus_name(corpus_id: CorpusId) -> str:
    """Return the full name of a corpus."""
    return f"corpora/{corpus_id.id}"


def document_name(corpus_id: CorpusId, document_id: str) -> str:
    """Return the full name of a document."""
    return f"{corpus_name(corpus_id)}/documents/{document_id}"


def chunk_name(corpus_id: CorpusId, document_id: str, chunk_id: str) -> str:
    """Return the full name of a chunk."""
    return f"{document_name(corpus_id, document_id)}/chunks/{chunk_id}"


def data_store_of(corpus_id: CorpusId) -> str:
    """Return the name of the data store that a corpus is."""
    return DataStore(parent=_parent_of(corpus_id.project), id=corpus_id.id).name


def branch_of(corpus_id: CorpusId) -> Branch:
    """Return where a corpus has its documents."""
    return Branch(data_store_of(corpus_id))


def corpus_id_of(data_store: str) -> CorpusId:
    """Return which corpus a data store is, given the data store's name."""
    parent, _, id_ = data_store.rpartition(f"/{DataStore.collection}/")
    return CorpusId(project_of(parent), id_)


def parse_corpus(name: str, caller: Caller, *, field: str) -> CorpusId:
    """Return which corpus a name means to a caller.

    Raises:
        InvalidArgument: It is no such name.
    """
    return CorpusId(_project_of(caller), parse_name(name, _CORPUS, field=field)["corpus"])


def parse_document(name: str, caller: Caller, *, field: str) -> tuple[CorpusId, str]:
    """Return corpus and id of the document that a name means to a caller.

    Raises:
        InvalidArgument: It is no such name.
    """
    found = parse_name(name, _DOCUMENT, field=field)
    return CorpusId(_project_of(caller), found["corpus"]), found["document"]


def parse_chunk(name: str, caller: Caller, *, field: str) -> tuple[CorpusId, str, str]:
    """Return corpus, id of the document and id of the chunk that a name means to a caller.

    Raises:
        InvalidArgument: It is no such name.
    """
    found = parse_name(name, _CHUNK, field=field)
    corpus_id = CorpusId(_project_of(caller), found["corpus"])
    return corpus_id, found["document"], found["chunk"]


def parse_source(name: str, caller: Caller, *, field: str) -> tuple[CorpusId, str]:
    """Return corpus and id of the document that a name means; "" for the document of a corpus.

    Raises:
        InvalidArgument: It is neither.
    """
    ids = parse_name(name, (_CORPUS, _DOCUMENT), field=field).ids
    return CorpusId(_project_of(caller), ids["corpus"]), ids.get("document", "")


def parse_permission(name: str, caller: Caller, *, field: str) -> tuple[CorpusId | None, str, str]:
    """Return corpus, id of the tuned model and id of the permission: None or "" for what it is not.

    Raises:
        InvalidArgument: It is no name of a permission.
    """
    ids = parse_name(name, (_PERMISSION, _TUNED_PERMISSION), field=field).ids
    return _corpus_in(ids, caller), ids.get("tuned_model", ""), ids["permission"]


def parse_permission_parent(
    name: str, caller: Caller, *, field: str
) -> tuple[CorpusId | None, str]:
    """Return corpus and id of the tuned model: None or "" for what it is not.

    Raises:
        InvalidArgument: It is the name of neither.
    """
    ids = parse_name(name, (_CORPUS, _TUNED_MODEL), field=field).ids
    return _corpus_in(ids, caller), ids.get("tuned_model", "")


def parse_tuned_model(name: str, *, field: str) -> str:
    """Return the id in the name of a tuned model.

    Raises:
        InvalidArgument: It is no such name.
    """
    return parse_name(name, _TUNED_MODEL, field=field)["tuned_model"]


def _project_of(caller: Caller) -> str:
    """Return the project that a caller works for; empty: none.

    Raises:
        InvalidArgument: It may use several, and did not say which.
    """
    if not caller.project and caller.projects is not None:
        raise InvalidArgument.of_field(
            "x-goog-user-project",
            "is needed in the headers of this caller: names of corpora have no project in them, and"
            " it may use several",
        )
    return caller.project


def _corpus_in(ids: Mapping[str, str], caller: Caller) -> CorpusId | None:
    return CorpusId(_project_of(caller), ids["corpus"]) if "corpus" in ids else None


def _parent_of(project: str) -> str:
    return f"projects/{project}/{CORPORA}" if project else CORPORA


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
