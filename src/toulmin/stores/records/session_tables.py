"""Tables of sessions, their turns and answers; made by migration 0002 and the one of results."""

from __future__ import annotations

from sqlalchemy import BigInteger, Column, ForeignKey, Index, Integer, Table, Text, UniqueConstraint

from toulmin.stores.records.tables import ID, KEY, METADATA, Json, Moment

SESSIONS = Table(
    "sessions",
    METADATA,
    Column("key", KEY, primary_key=True),
    Column("owner", KEY, ForeignKey("resources.key", ondelete="CASCADE"), nullable=False),
    Column("id", ID, nullable=False),
    Column("display_name", Text, nullable=False),
    Column("state", ID, nullable=False),
    Column("user_pseudo_id", ID, nullable=False),
    Column("labels", Json, nullable=False),
    Column("is_pinned", Integer, nullable=False),
    Column("generation", BigInteger, nullable=False),
    Column("start_time", Moment, nullable=False),
    Column("end_time", Moment, nullable=False),
    UniqueConstraint("owner", "id"),
    Index("ix_sessions_owner_user_pseudo_id", "owner", "user_pseudo_id"),
    Index("ix_sessions_owner_end_time", "owner", "end_time"),
    sqlite_autoincrement=True,
)
"""`owner` is the data store or engine."""

TURNS = Table(
    "turns",
    METADATA,
    Column("session", KEY, ForeignKey("sessions.key", ondelete="CASCADE"), primary_key=True),
    Column("position", Integer, primary_key=True, autoincrement=False),
    Column("query", Text, nullable=False),
    Column("query_id", ID, nullable=False),
    Column("answer_id", ID, nullable=False),
    Column("query_config", Json, nullable=False),
    Column("results", Json),
)
"""`results` is what a search of the session found: its mode, and chunks with their relevance."""

ANSWERS = Table(
    "answers",
    METADATA,
    Column("session", KEY, ForeignKey("sessions.key", ondelete="CASCADE"), primary_key=True),
    Column("id", ID, primary_key=True),
    Column("body", Json, nullable=False),
    Column("create_time", Moment, nullable=False),
)
"""`body` is the answer as the API's JSON."""
