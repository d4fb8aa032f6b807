"""What both transports ask about a call: who makes it, how much it may use, where it is noted."""

from __future__ import annotations

from dataclasses import dataclass

from toulmin.server.audit import AuditLog
from toulmin.server.auth import Authenticator
from toulmin.server.quotas import Quotas


@dataclass(frozen=True, slots=True)
class Gate:
    """The three that every call passes.

    Attributes:
        authenticator: Says who calls.
        quotas: What callers may use.
        audit: Where requests are noted.
    """

    authenticator: Authenticator
    quotas: Quotas
    audit: AuditLog
