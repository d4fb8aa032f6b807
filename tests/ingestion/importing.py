"""What imports are tested with: a source in memory, an embedder by hash, parsers in this process."""

from __future__ import annotations

import hashlib
import json
import threading
from dataclasses import replace
from datetime import timedelta

import numpy as np

from tests.stores.records.nouns import BRANCH
from toulmin.domain import Document, DocumentContent
from toulmin.errors import NotFound
from toulmin.ingestion.imports.importing import import_documents_handler
from toulmin.ingestion.ingest import Ingestor
from toulmin.ingestion.parsing.chunking import chunk_document
from toulmin.ingestion.parsing.limits import ParseLimits
from toulmin.ingestion.parsing.parse import parse
from toulmin.ingestion.parsing.sandbox import ReadDocument
from toulmin.ingestion.parsing.struct_text import render_data
from toulmin.ingestion.sources.items import ImportItem
from toulmin.ingestion.sources.storage import Fetched

LEASE = timedelta(seconds=60)


class HashEmbedder:
    """Unit vectors that depend on nothing but the text."""

    version = "hash-1"
    has_parts = False

    def __init__(self):
        self.texts = []

    def embed(self, texts):
        self.texts.extend(texts)
        rows = [self.vector(text) for text in texts]
        return np.array(rows, dtype=np.float32).reshape(len(texts), 384)

    def embed_queries(self, texts, **_):
        return self.embed(texts)

    @staticmethod
    def vector(text):
        seed = int.from_bytes(hashlib.sha256(text.encode()).digest()[:8], "big")
        row = np.random.default_rng(seed).standard_normal(384)
        return (row / np.linalg.norm(row)).astype(np.float32)


class HereParsers:
    """A `ParserPool` without processes."""

    children = 2
    limits = ParseLimits()
    version = "here"

    def __init__(self):
        self.parsed = []

    def read(self, reading, *, work=None):
        self.parsed.append(reading.name)
        content, limits = reading.content, self.limits
        document = (
            render_data(json.loads(content), limits=limits)
            if reading.is_data
            else parse(content, mime_type=reading.mime_type, name=reading.name, limits=limits)
        )
        chunks = chunk_document(
            document,
            max_tokens=reading.max_tokens,
            include_ancestor_headings=reading.include_ancestor_headings,
        )
        return ReadDocument(document, chunks)


class Files:
    """Files by URI, which can be changed; counts what is read."""

    def __init__(self, **texts):
        self.files = {f"file:///{name}.txt": (text.encode(), "1") for name, text in texts.items()}
        self.read = []

    def put(self, name, text, version):
        self.files[f"file:///{name}.txt"] = (text.encode(), version)

    def fetch(self, uri):
        self.read.append(uri)
        self.version(uri)
        data, version = self.files[uri]
        return Fetched(data=data, mime_type="text/plain", version=version)

    def version(self, uri):
        if uri not in self.files:
            raise NotFound(f"{uri} does not exist.")
        return self.files[uri][1]


class ListSource:
    """Documents, errors or items in memory; the cursor is a position."""

    def __init__(self, things, cursor, total=None):
        self.things, self.start = things, cursor.get("at", 0)
        self.total = total

    def __iter__(self):
        for position in range(self.start, len(self.things)):
            thing = self.things[position]
            where, cursor = f"line {position + 1}", {"at": position + 1}
            if isinstance(thing, ImportItem):
                yield replace(thing, where=where, cursor=cursor)
            elif isinstance(thing, Document):
                yield ImportItem(where=where, cursor=cursor, document=thing)
            else:
                yield ImportItem(where=where, cursor=cursor, error=thing)


class Importing:
    """An import handler over a list of documents and errors, run by hand or by a runner."""

    def __init__(self, store, things=(), *, files=None, total=None, check=lambda *_: None):
        self.store, self.things, self.total = store, list(things), total
        self.files = files or Files()
        self.embedder, self.parsers = HashEmbedder(), HereParsers()
        self.ingestor = Ingestor(
            self.parsers, self.embedder, self.files.fetch, version_of=self.files.version
        )
        self.waited = []
        self.stop = threading.Event()
        self.handler = import_documents_handler(
            records=lambda: store,
            ingestor=lambda: self.ingestor,
            open_source=lambda _, cursor: ListSource(self.things, cursor, self.total),
            wait_searchable=self.waited.append,
            check=check,
        )

    def begin(self, **request):
        """Create an operation; return it."""
        with self.store.write() as transaction:
            return transaction.operations.create(
                parent=BRANCH.name, kind="import-documents", request=request
            )

    def run(self, operation=None, *, batches=None, **request):
        """Do an operation as a runner does, all of it or some batches; return it as it stands."""
        operation = run_batches(
            self.store, self.handler, operation or self.begin(**request), self.stop, batches
        )
        if operation.state == "SUCCEEDED":
            assert operation.cursor["written"] + operation.cursor["unchanged"] == (
                operation.success_count
            )
        return operation


def run_batches(store, handler, operation, stop, batches=None):
    with store.write() as transaction:
        operation = transaction.operations.claim(
            kinds=[operation.kind], owner=f"{operation.update_time}", lease=LEASE
        )
    running = handler(operation, stop)
    try:
        while batches is None or batches > 0:
            batch = next(running)
            with store.write() as transaction:
                transaction.operations.advance(operation, batch(transaction), lease=LEASE)
            batches = None if batches is None else batches - 1
    except StopIteration as end:
        with store.write() as transaction:
            transaction.operations.succeed(operation, end.value)
    else:
        running.close()
        with store.write() as transaction:
            transaction.operations.release(operation)
    with store.read() as transaction:
        return transaction.operations.get(operation.name)


def text_document(document_id, text="Some words.", **more):
    return Document(id=document_id, struct_data={"text": text}, **more)


def file_document(name, **more):
    content = DocumentContent(mime_type="text/plain", uri=f"file:///{name}.txt")
    return Document(id=name, content=content, **more)


def stored(store):
    """The documents of the branch by id."""
    with store.read() as transaction:
        page = transaction.documents.list(BRANCH, page_size=5000)
    return {document.id: document for document in page.items}
