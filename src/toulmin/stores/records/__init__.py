"""The system of record, in SQL: SQLite in the data folder, or PostgreSQL, with one schema.

In: documents with what was made from them, resources, operations. Out: the same, page by page, and
in the outbox what changed, in order. Times are in UTC; offsets are characters.

    store.py             open it; `write()` and `read()` give transactions; waiting
    resources.py         data stores, engines, apps, and what belongs to them
    documents.py         writing documents with chunks, text and images; purge; full imports
    chunk_writes.py      writing chunks one by one, as callers of the semantic retriever do
    chunk_vectors.py     which model vectors are of, and replacing those of another
    document_queries.py  reading them (rows.py turns rows into nouns and back)
    search_queries.py    what searches and completion read: chunks by number, their neighbours
    sessions.py          conversations, their turns and answers (session_tables.py)
    api_keys.py          keys that callers present, hashed
    dialogues.py         conversations with agents, their turns (dialogue_tables.py)
    user_events.py       what users did (user_event_tables.py)
    outbox.py            which documents changed, numbered in the order of commits
    operation.py         long-running operations; operations.py: as rows
    operation_runner.py  does them; steady_clock.py: whether the time is to be believed
    paging.py            page tokens; texts.py: what a text must be to be kept
    backup.py            copies made while the server runs, checked, and put back
    database.py          the two engines: connecting, locking, errors; postgresql.py, folder_lock.py
    postgresql_servers.py  which server a URL means, also after a fail-over
    postgresql_silence.py  connections on which no answer comes, and will not
    start_checks.py      what is asked of the files before they are opened; wal.py: SQLite's log
    tables.py            the schema; migrate.py and migrations/ bring a database to it
"""

from __future__ import annotations

from toulmin.stores.records.api_keys import ApiKey, ApiKeys, digest_of
from toulmin.stores.records.backup import BackupReport, backup, restore, verify
from toulmin.stores.records.chunk_vectors import EmbeddedText
from toulmin.stores.records.document_queries import EmbeddedWords, Statistics, StoredDocument
from toulmin.stores.records.documents import PurgeStep
from toulmin.stores.records.operation import Operation, OperationError, Progress
from toulmin.stores.records.operation_runner import Batch, OperationRunner
from toulmin.stores.records.operation_runner import Handler as OperationHandler
from toulmin.stores.records.operation_runner import Job as OperationJob
from toulmin.stores.records.outbox import Change, OutboxHead
from toulmin.stores.records.paging import Page
from toulmin.stores.records.search_queries import Headline, StoredChunk
from toulmin.stores.records.steady_clock import CLOCK_FILE
from toulmin.stores.records.store import RecordStore, Transaction, editing_keys
from toulmin.stores.records.user_events import EventFilter, UserEvent

__all__ = [
    "CLOCK_FILE",
    "ApiKey",
    "ApiKeys",
    "BackupReport",
    "Batch",
    "Change",
    "EmbeddedText",
    "EmbeddedWords",
    "EventFilter",
    "Headline",
    "Operation",
    "OperationError",
    "OperationHandler",
    "OperationJob",
    "OperationRunner",
    "OutboxHead",
    "Page",
    "Progress",
    "PurgeStep",
    "RecordStore",
    "Statistics",
    "StoredChunk",
    "StoredDocument",
    "Transaction",
    "UserEvent",
    "backup",
    "digest_of",
    "editing_keys",
    "restore",
    "verify",
]
