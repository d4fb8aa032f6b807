"""Names of Discovery Engine resources, made canonical.

A name without `collections/...` means the collection `default_collection`; what comes out always
has it. A caller's names stay otherwise as sent: projects and locations are not looked up.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Final

from toulmin.apis.aip.names import ResourceName, parse_name
from toulmin.domain import Branch, Control, DataStore, Engine, Schema, ServingConfig
from toulmin.errors import InvalidArgument, NotFound

DEFAULT_COLLECTION: Final = "default_collection"
DEFAULT_BRANCH: Final = "0"
IMPLICIT_SERVING_CONFIGS: Final = ("default_config", "default_search", "default_serving_config")
"""Serving configs that every data store and engine has without their being created."""

_LOCATION: Final = "projects/{project}/locations/{location}"
_COLLECTION: Final = _LOCATION + "/collections/{collection}"
_PARENTS: Final = (_COLLECTION, _LOCATION)
_DATA_STORES: Final = tuple(f"{above}/dataStores/{{data_store}}" for above in _PARENTS)
_ENGINES: Final = tuple(f"{above}/engines/{{engine}}" for above in _PARENTS)
_OWNERS: Final = (*_DATA_STORES, *_ENGINES)
_BRANCH_IDS: Final = (DEFAULT_BRANCH, "default_branch")
_ID: Final = re.compile(r"[a-z0-9][a-z0-9_-]{0,62}\Z")
_MAX_NAME_CHARS: Final = 1_024


@dataclass(frozen=True, slots=True)
class ServingConfigName:
    """Name of a serving config, taken apart.

    Attributes:
        parent: Canonical name of the data store or engine.
        parent_kind: "dataStores" or "engines".
        id: Last part of the name.
    """

    parent: str
    parent_kind: str
    id: str

    @property
    def name(self) -> str:
        """Full canonical name."""
        return ServingConfig(parent=self.parent, id=self.id).name


def parse_collection(name: str, *, field: str = "parent") -> str:
    """Return the canonical name of a collection, named with or without `collections/...`.

    Raises:
        InvalidArgument: It has another form; names `field`, the value and the form.
    """
    return _collection_of(_parse(name, _PARENTS, field))


def parse_data_store(name: str, *, field: str) -> str:
    """Return the canonical name of a data store.

    Raises:
        InvalidArgument: It has another form; names `field`, the value and the form.
    """
    return _owner_of(_parse(name, _DATA_STORES, field))


def parse_engine(name: str, *, field: str) -> str:
    """Return the canonical name of an engine.

    Raises:
        InvalidArgument: It has another form.
    """
    return _owner_of(_parse(name, _ENGINES, field))


def parse_owner(name: str, *, field: str) -> str:
    """Return the canonical name of a data store or an engine: what has serving configs.

    Raises:
        InvalidArgument: It has another form.
    """
    return _owner_of(_parse(name, _OWNERS, field))


def parse_event_parent(name: str, *, field: str) -> str:
    """Return the canonical name of the data store that user events are of; empty for a location.

    Raises:
        InvalidArgument: It has another form.
    """
    found = _parse(name, (*_DATA_STORES, _LOCATION), field)
    return _owner_of(found) if "data_store" in found.ids else ""


def parse_completion_config(name: str, *, field: str) -> str:
    """Return the canonical name of the data store or engine whose completion config is named.

    Raises:
        InvalidArgument: It has another form.
    """
    return _owner_of(_parse(name, _below(_OWNERS, "completionConfig"), field))


def parse_branch(name: str, *, field: str) -> Branch:
    """Return a branch; `default_branch` is branch `0`.

    Raises:
        InvalidArgument: It has another form.
        NotFound: It is another branch: a data store has one.
    """
    return _branch_of(_parse(name, _below(_DATA_STORES, "branches/{branch}"), field))


def parse_document(name: str, *, field: str) -> tuple[Branch, str]:
    """Return the branch and the id of a document.

    Raises:
        InvalidArgument: It has another form.
        NotFound: It is of a branch that does not exist.
    """
    found = _parse(name, _below(_DATA_STORES, "branches/{branch}/documents/{document}"), field)
    return _branch_of(found), found["document"]


def parse_chunk(name: str, *, field: str) -> tuple[Branch, str, str]:
    """Return the branch, the id of the document and the id of a chunk.

    Raises:
        InvalidArgument: It has another form.
        NotFound: It is of a branch that does not exist.
    """
    below = "branches/{branch}/documents/{document}/chunks/{chunk}"
    found = _parse(name, _below(_DATA_STORES, below), field)
    return _branch_of(found), found["document"], found["chunk"]


def parse_serving_config(name: str, *, field: str) -> ServingConfigName:
    """Return a serving config's name taken apart; whether it exists is not looked up.

    Raises:
        InvalidArgument: It has another form.
    """
    found = _parse(name, _below(_OWNERS, "servingConfigs/{serving_config}"), field)
    kind = Engine if "engine" in found.ids else DataStore
    return ServingConfigName(_owner_of(found), kind.collection, found["serving_config"])


def parse_session(name: str, *, field: str) -> tuple[str, str]:
    """Return the canonical name of a session's data store or engine, and its id.

    Raises:
        InvalidArgument: It has another form.
    """
    found = _parse(name, _below(_OWNERS, "sessions/{session}"), field)
    return _owner_of(found), found["session"]


def parse_assistant(name: str, *, field: str) -> tuple[str, str]:
    """Return the canonical name of an assistant's engine, and its id.

    Raises:
        InvalidArgument: It has another form.
    """
    found = _parse(name, _below(_ENGINES, "assistants/{assistant}"), field)
    return _owner_of(found), found["assistant"]


def parse_answer(name: str, *, field: str) -> tuple[str, str, str]:
    """Return the canonical name of an answer's data store or engine, its session's id, and its id.

    Raises:
        InvalidArgument: It has another form.
    """
    found = _parse(name, _below(_OWNERS, "sessions/{session}/answers/{answer}"), field)
    return _owner_of(found), found["session"], found["answer"]


def parse_conversation(name: str, *, field: str) -> tuple[str, str]:
    """Return the canonical name of a conversation's data store or engine, and its id.

    Raises:
        InvalidArgument: It has another form.
    """
    found = _parse(name, _below(_OWNERS, "conversations/{conversation}"), field)
    return _owner_of(found), found["conversation"]


def parse_control(name: str, *, field: str) -> tuple[str, str]:
    """Return the canonical name of a control's data store or engine, and its id.

    Raises:
        InvalidArgument: It has another form.
    """
    found = _parse(name, _below(_OWNERS, f"{Control.collection}/{{control}}"), field)
    return _owner_of(found), found["control"]


def parse_schema(name: str, *, field: str) -> tuple[str, str]:
    """Return the canonical name of a schema's data store, and its id.

    Raises:
        InvalidArgument: It has another form.
    """
    found = _parse(name, _below(_DATA_STORES, f"{Schema.collection}/{{schema}}"), field)
    return _owner_of(found), found["schema"]


def canonical_name(name: str) -> str:
    """Return a name with its collection in and `default_branch` as `0`.

    For names that are looked up as they are, such as those of operations and of their parents;
    what is not below a location stays as it is.
    """
    parts = name.split("/")
    if len(parts) < 4 or (parts[0], parts[2]) != ("projects", "locations"):
        return name
    if parts[4:5] != ["collections"]:
        parts[4:4] = ["collections", DEFAULT_COLLECTION]
    if parts[8:10] == ["branches", "default_branch"]:
        parts[9] = DEFAULT_BRANCH
    return "/".join(parts)


def document_name(branch: Branch, document_id: str) -> str:
    """Return the full name of a document."""
    return f"{branch.name}/documents/{document_id}"


def chunk_name(branch: Branch, document_id: str, chunk_id: str) -> str:
    """Return the full name of a chunk."""
    return f"{document_name(branch, document_id)}/chunks/{chunk_id}"


def check_id(value: str, *, field: str) -> str:
    """Return an id that a caller chose for a new resource.

    Raises:
        InvalidArgument: It is not 1 to 63 of a-z, 0-9, "-" and "_", begun by a letter or digit.
    """
    if not _ID.match(value):
        raise InvalidArgument.of_field(
            field,
            f'"{value[:200]}" must have 1 to 63 characters of a-z, 0-9, "-" and "_", the first a'
            " letter or a digit",
        )
    return value


def _parse(name: str, patterns: tuple[str, ...], field: str) -> ResourceName:
    if len(name) > _MAX_NAME_CHARS:
        raise InvalidArgument.of_field(
            field, f"has {len(name):,} characters; at most {_MAX_NAME_CHARS:,} are allowed"
        )
    return parse_name(name, patterns, field=field)


def _below(patterns: tuple[str, ...], rest: str) -> tuple[str, ...]:
    return tuple(f"{above}/{rest}" for above in patterns)


def _collection_of(found: ResourceName) -> str:
    location = f"projects/{found['project']}/locations/{found['location']}"
    return f"{location}/collections/{found.ids.get('collection', DEFAULT_COLLECTION)}"


def _owner_of(found: ResourceName) -> str:
    parent = _collection_of(found)
    if "engine" in found.ids:
        return Engine(parent=parent, id=found["engine"]).name
    return DataStore(parent=parent, id=found["data_store"]).name


def _branch_of(found: ResourceName) -> Branch:
    data_store = _owner_of(found)
    if found["branch"] not in _BRANCH_IDS:
        raise NotFound(
            f"{data_store}/branches/{found['branch']} does not exist; a data store has one branch,"
            " 0 (default_branch)."
        )
    return Branch(data_store, DEFAULT_BRANCH)
