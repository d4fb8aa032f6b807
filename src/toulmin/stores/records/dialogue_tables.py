"""Tables of conversations with agents and their turns; made by migrations 0006 and 0007."""

from __future__ import annotations

from sqlalchemy import BigInteger, Column, ForeignKey, Index, Integer, Table, UniqueConstraint

from toulmin.stores.records.tables import ID, KEY, METADATA, Json, Moment

DIALOGUES = Table(
    "dialogues",
    METADATA,
    Column("key", KEY, primary_key=True),
    Column("owner", KEY, ForeignKey("resources.key", ondelete="CASCADE"), nullable=False),
    Column("id", ID, nullable=False),
    Column("source", ID, nullable=False),
    Column("own", Json, nullable=False),
    Column("state", Json, nullable=False),
    Column("turn_count", Integer, nullable=False),
    Column("generation", BigInteger, nullable=False),
    Column("start_time", Moment, nullable=False),
    Column("end_time", Moment, nullable=False),
    UniqueConstraint("owner", "id"),
    Index("ix_dialogues_owner_start_time", "owner", "start_time"),
    Index("ix_dialogues_owner_end_time", "owner", "end_time"),
    sqlite_autoincrement=True,
)
"""`owner` is the app; `own` has the fields that nothing is found by."""

DIALOGUE_TURNS = Table(
    "dialogue_turns",
    METADATA,
    Column("dialogue", KEY, ForeignKey("dialogues.key", ondelete="CASCADE"), primary_key=True),
    Column("position", Integer, primary_key=True, autoincrement=False),
    Column("messages", Json, nullable=False),
    Column("span", Json, nullable=False),
    Column("create_time", Moment, nullable=False),
)
"""`position` counts from 1, as the API does."""
