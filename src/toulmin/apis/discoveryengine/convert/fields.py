"""Which fields a message has: versions of the API do not have the same ones."""

from __future__ import annotations

from google.protobuf.message import Message


def has_field(message: Message, name: str) -> bool:
    """Return whether messages of this type have the field, set or not."""
    return name in message.DESCRIPTOR.fields_by_name
