"""What a status says of what has not happened: what is shipped is not delivered yet."""

from __future__ import annotations

import re
from typing import Final

_ON_THE_WAY: Final = (
    (
        "pending",
        "processing",
        "preparing",
        "placed",
        "received",
        "confirmed",
        "packed",
        "backordered",
    ),
    ("shipped", "dispatched", "in transit", "out for delivery", "on its way"),
    ("delivered", "arrived"),
)
"""Stages that follow each other; who says a later one than the status is wrong."""
_EITHER: Final = (
    (
        ("pending", "in review", "under review", "open"),
        ("approved", "rejected", "declined", "denied"),
    ),
    (("approved", "accepted"), ("rejected", "declined", "denied")),
    (("rejected", "declined", "denied"), ("approved", "accepted")),
    (("open", "in progress"), ("closed", "resolved", "solved")),
    (("active",), ("cancelled", "expired", "suspended")),
    (("cancelled", "expired", "suspended"), ("active",)),
    (("unpaid", "overdue"), ("paid",)),
    (("cancelled",), ("shipped", "dispatched", "delivered", "arrived")),
)
"""A status, and what it denies."""
_ALSO: Final = {"canceled": "cancelled"}
_STATUS: Final = re.compile(r"\b(?:status|state)\s*\Z", re.IGNORECASE)
_HAPPENED: Final = (
    r"\b(?:is|are|was|were|(?:has|have)(?:\s+been)?|had(?:\s+been)?|got|it's|they're)\s+"
    r"(?:(?:already|now|just|finally|both|all|been)\s+)*{word}\b(?!\s+(?:to|for|by)\b)"
)
_CAME: Final = r"\b(?:order|parcel|package|delivery|shipment|it|they|#?[\w-]*\d)\s+{word}\b"


def status_denies(line: str, stated: str) -> bool:
    """Return whether a line such as "Status: SHIPPED" denies what is stated.

    Args:
        line: What is known: a name, a colon, a value.
        stated: What somebody says has happened.
    """
    name, colon, value = line.partition(":")
    if not colon or not _STATUS.search(name):
        return False
    status = " ".join(re.split(r"[\s_-]+", value.strip().lower()))
    return any(_says(stated, word) for word in _denied(_ALSO.get(status, status)))


def _denied(status: str) -> list[str]:
    found: list[str] = []
    for place, stage in enumerate(_ON_THE_WAY):
        if status in stage:
            found += [word for later in _ON_THE_WAY[place + 1 :] for word in later]
            found += ["cancelled", "canceled"]
    for statuses, denied in _EITHER:
        if status in statuses:
            found += denied
    return found


def _says(stated: str, word: str) -> bool:
    forms = [_HAPPENED] + ([_CAME] if word == "arrived" else [])
    return any(
        re.search(form.replace("{word}", word), stated, re.IGNORECASE) is not None for form in forms
    )
