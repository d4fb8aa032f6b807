"""Table of what users did, made by migration 0009."""

from __future__ import annotations

from sqlalchemy import Column, ForeignKey, Index, Table, Text

from toulmin.stores.records.tables import ID, KEY, METADATA, Json, Moment

USER_EVENTS = Table(
    "user_events",
    METADATA,
    Column("key", KEY, primary_key=True),
    Column("data_store", KEY, ForeignKey("resources.key", ondelete="CASCADE"), nullable=False),
    Column("event_type", ID, nullable=False),
    Column("event_time", Moment, nullable=False),
    Column("user_pseudo_id", ID, nullable=False),
    Column("user_id", ID, nullable=False),
    Column("search_query", Text, nullable=False),
    Column("body", Json, nullable=False),
    Column("create_time", Moment, nullable=False),
    Index("ix_user_events_data_store_event_time", "data_store", "event_time"),
    Index("ix_user_events_data_store_user_pseudo_id", "data_store", "user_pseudo_id", "event_time"),
    Index("ix_user_events_create_time", "create_time"),
    sqlite_autoincrement=True,
)
"""`body` is the event as the API's JSON; what is beside it is what events are found by."""
