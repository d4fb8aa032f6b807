"""Nouns that two rooms or more speak of: frozen, no behaviour beyond validation.

Offsets are 0-based character positions, end exclusive. Bytes exist only at the wire.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from types import MappingProxyType
from typing import Any, ClassVar, TypeAlias

_NO_ATTRIBUTES: Mapping[str, str] = MappingProxyType({})

JsonObject: TypeAlias = Mapping[str, Any]
"""A JSON object as Python reads it: str, int, float, bool, None, lists and dicts."""

NO_FIELDS: JsonObject = MappingProxyType({})


@dataclass(frozen=True, slots=True)
class Fact:
    """A text to check against, with what is known about it (author, title, ...)."""

    text: str
    attributes: Mapping[str, str] = field(default_factory=lambda: _NO_ATTRIBUTES)


@dataclass(frozen=True, slots=True)
class Claim:
    """One sentence of an answer.

    Attributes:
        text: The sentence, verbatim: `answer[start:end]`.
        start: First character in the answer.
        end: One past the last character in the answer.
        needs_check: False when the sentence states nothing that a fact could support.
        context: Earlier text of the answer that the sentence leans on ("It was released in
            1997." leans on what "it" is); empty when the sentence stands alone.
    """

    text: str
    start: int
    end: int
    needs_check: bool = True
    context: str = ""


@dataclass(frozen=True, slots=True)
class FactChunk:
    """A verbatim part of a fact: `facts[fact_index].text[start:end] == text`."""

    fact_index: int
    start: int
    end: int
    text: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Resource:
    """What every named resource has. `parent` and `name` are canonical, with the collection in.

    Attributes:
        parent: Name of the resource above, such as
            `projects/p/locations/global/collections/default_collection`.
        id: Last part of the name.
        display_name: What people call it.
        fields: The API's other fields as its JSON, kept for what reads them by name.
        generation: Number of writes so far, 1 after the first; 0: not stored yet.
        create_time: When it was first stored, in UTC; None: not stored yet.
        update_time: When it was last written, in UTC; None: not stored yet.
    """

    collection: ClassVar[str] = ""

    parent: str
    id: str
    display_name: str = ""
    fields: JsonObject = field(default_factory=lambda: NO_FIELDS)
    generation: int = 0
    create_time: datetime | None = None
    update_time: datetime | None = None

    @property
    def name(self) -> str:
        """Full name: parent, kind of resource, id."""
        return f"{self.parent}/{self.collection}/{self.id}"


@dataclass(frozen=True, slots=True, kw_only=True)
class DataStore(Resource):
    """A set of documents that are searched together.

    Attributes:
        content_config: The API's `ContentConfig`: whether documents have content beside data.
        default_schema_id: Schema of documents that name none.
    """

    collection: ClassVar[str] = "dataStores"

    content_config: str = "NO_CONTENT"
    default_schema_id: str = "default_schema"


@dataclass(frozen=True, slots=True, kw_only=True)
class Engine(Resource):
    """An app: data stores searched together.

    Attributes:
        data_store_ids: Data stores of the same parent, in the order given.
    """

    collection: ClassVar[str] = "engines"

    data_store_ids: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class ServingConfig(Resource):
    """How an engine or a data store answers a request; its parent is one of the two."""

    collection: ClassVar[str] = "servingConfigs"


@dataclass(frozen=True, slots=True, kw_only=True)
class Control(Resource):
    """A rule that serving configs apply (boost, filter, synonyms, ...)."""

    collection: ClassVar[str] = "controls"


@dataclass(frozen=True, slots=True, kw_only=True)
class Conversation(Resource):
    """The older form of a session; its messages are in `fields`, as the API's JSON."""

    collection: ClassVar[str] = "conversations"


@dataclass(frozen=True, slots=True, kw_only=True)
class Schema(Resource):
    """What the data of a data store's documents look like: a JSON schema.

    Attributes:
        json_schema: The schema itself.
    """

    collection: ClassVar[str] = "schemas"

    json_schema: JsonObject = field(default_factory=lambda: NO_FIELDS)


@dataclass(frozen=True, slots=True, kw_only=True)
class Permission(Resource):
    """Who may do what with a corpus of the Gemini API, its parent. Kept, not enforced.

    Attributes:
        grantee_type: "USER", "GROUP" or "EVERYONE".
        email_address: Whose; empty for everyone.
        role: "OWNER", "WRITER" or "READER".
    """

    collection: ClassVar[str] = "permissions"

    grantee_type: str
    email_address: str = ""
    role: str


@dataclass(frozen=True, slots=True)
class Branch:
    """A set of documents within a data store.

    Attributes:
        data_store: Name of the data store.
        id: The branch; the API's `default_branch` is `0`.
    """

    data_store: str
    id: str = "0"

    @property
    def name(self) -> str:
        """Full name."""
        return f"{self.data_store}/branches/{self.id}"


@dataclass(frozen=True, slots=True, kw_only=True)
class DocumentContent:
    """What a document was made from: bytes or the place they came from, never both.

    Attributes:
        mime_type: Type of the bytes.
        uri: Where they are; empty when they came with the document.
        raw_bytes: The bytes; None when there is a URI, or when they were not asked for.
    """

    mime_type: str
    uri: str = ""
    raw_bytes: bytes | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Document:
    """A document as its owner gave it, with what was derived from it.

    Attributes:
        id: Unique in its branch.
        schema_id: Schema that `struct_data` or `json_data` follows.
        struct_data: Data as an object; None when there is none or it came as `json_data`.
        json_data: Data as the JSON text that was sent.
        content: The unstructured part, if any.
        parent_document_id: Document of the same branch above this one, or empty.
        derived: What parsing found: title, link and so on.
        fingerprint: Hash of what it was made from and how; equal ones need no new parsing. Empty:
            not known.
        index_time: When its chunks were last made, in UTC; None: never.
        generation: Number of writes so far, 1 after the first; 0: not stored yet.
        create_time: When it was first stored, in UTC; None: not stored yet.
        update_time: When it was last written, in UTC; None: not stored yet.
    """

    id: str
    schema_id: str = "default_schema"
    struct_data: JsonObject | None = None
    json_data: str | None = None
    content: DocumentContent | None = None
    parent_document_id: str = ""
    derived: JsonObject = field(default_factory=lambda: NO_FIELDS)
    fingerprint: str = ""
    index_time: datetime | None = None
    generation: int = 0
    create_time: datetime | None = None
    update_time: datetime | None = None

    def __post_init__(self) -> None:
        if self.struct_data is not None and self.json_data is not None:
            raise ValueError("a document has struct_data or json_data, not both")

    @property
    def data(self) -> JsonObject:
        """Its data as an object, in whatever form they came; empty: none, or no object."""
        if self.json_data is None:
            return self.struct_data or NO_FIELDS
        found = json.loads(self.json_data)
        return found if isinstance(found, dict) else NO_FIELDS


@dataclass(frozen=True, slots=True, kw_only=True)
class Chunk:
    """A piece of a document that is searched and cited: `text[start:end]` of its document's text.

    A piece that was written by itself (a chunk of a corpus) is a text of its own, from 0 on.

    Attributes:
        id: Unique in its document.
        document_id: The document.
        content: The words of the piece.
        start: First character in the document's text.
        end: One past the last character.
        page_start: First page, counted from 1; None: the document has no pages.
        page_end: Last page.
        later_pages: Where in `content` each page after the first begins, with its number.
        headings: Headings above the piece, outermost first.
        blob_ids: Images on the piece's pages or between its words.
        metadata: What else is known of the piece; it is filtered by this as by its document's data.
        embedding: The piece as a vector, in the form of the model that made it; empty: none.
        part_embeddings: Its parts as vectors (stores/vector_forms.py); empty: it is one part, or
            its model makes none; None: a version stored it that knew none.
        embedding_model: Name and version of that model.
        key: The store's number of the piece, never used again; 0: not stored yet.
        create_time: When it was first stored, in UTC; None: with its document, or not yet.
        update_time: When it was last written, in UTC; None: with its document, or not yet.
    """

    id: str
    document_id: str
    content: str
    start: int
    end: int
    page_start: int | None = None
    page_end: int | None = None
    later_pages: tuple[tuple[int, int], ...] = ()
    headings: tuple[str, ...] = ()
    blob_ids: tuple[str, ...] = ()
    metadata: JsonObject = field(default_factory=lambda: NO_FIELDS)
    embedding: bytes = b""
    part_embeddings: bytes | None = None
    embedding_model: str = ""
    key: int = 0
    create_time: datetime | None = None
    update_time: datetime | None = None

    def page_at(self, position: int) -> int | None:
        """Return the page of a character of `content`; None: the document has no pages."""
        begun = [page for start, page in self.later_pages if start <= position]
        return begun[-1] if begun else self.page_start


@dataclass(frozen=True, slots=True, kw_only=True)
class BlobAttachment:
    """Bytes found in a document, such as an image.

    Attributes:
        id: Unique in its document.
        mime_type: Type of the bytes.
        data: The bytes.
        page: Page it stands on, counted from 1; None: no pages.
        caption: Words that go with it.
    """

    id: str
    mime_type: str
    data: bytes
    page: int | None = None
    caption: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class IngestedDocument:
    """A document with everything made from it, stored and replaced as a whole.

    Attributes:
        document: The document.
        text: All its words; chunks are ranges of it.
        chunks: Its pieces, in order.
        blobs: Its images.
    """

    document: Document
    text: str = ""
    chunks: tuple[Chunk, ...] = ()
    blobs: tuple[BlobAttachment, ...] = ()


@dataclass(frozen=True, slots=True)
class TurnResults:
    """What a search of a session found, for an answer to its question.

    Attributes:
        mode: "DOCUMENTS" or "CHUNKS": what was searched for.
        chunks: Full names of chunks with their relevance in [0, 1], the best one first.
    """

    mode: str
    chunks: tuple[tuple[str, float], ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Turn:
    """A question in a session, with its answer.

    Attributes:
        query: The question.
        query_id: Name of the question; another call may refer to it.
        answer_id: Id of the answer in the session; empty: none yet.
        query_config: What the caller noted with the question.
        results: What a search for it found; None: nothing was kept.
    """

    query: str
    query_id: str = ""
    answer_id: str = ""
    query_config: Mapping[str, str] = field(default_factory=lambda: _NO_ATTRIBUTES)
    results: TurnResults | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Session:
    """A conversation with a data store or an engine.

    Attributes:
        parent: Canonical name of the data store or engine.
        id: Last part of the name.
        display_name: What people call it; by default the first question.
        state: IN_PROGRESS or another of the API's `Session.State`.
        user_pseudo_id: Whose it is.
        labels: For lists to filter by.
        is_pinned: Whether it stands at the top of lists.
        turns: The questions, oldest first.
        generation: Number of writes so far; 0: not stored yet.
        start_time: When it was made, in UTC; None: not stored yet.
        end_time: When it was last written, in UTC; None: not stored yet.
    """

    parent: str
    id: str
    display_name: str = ""
    state: str = "IN_PROGRESS"
    user_pseudo_id: str = ""
    labels: tuple[str, ...] = ()
    is_pinned: bool = False
    turns: tuple[Turn, ...] = ()
    generation: int = 0
    start_time: datetime | None = None
    end_time: datetime | None = None

    @property
    def name(self) -> str:
        """Full name."""
        return f"{self.parent}/sessions/{self.id}"
