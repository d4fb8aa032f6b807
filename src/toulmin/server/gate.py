"""What both transports ask about a call: who makes it, how much it may use, where it is noted."""

from __future__ import annotations

from dataclasses import dataclass

from toulmin.server.audit import AuditLog
from toulmin.server.auth import Authenticator
from toulmin.server.quotas import Quotas
from toulmin.server.telemetry import Telemetry


@dataclass(frozen=True, slots=True)
class Gate:
    """What every call passes.

    Attributes:
        authenticator: Says who calls.
        quotas: What callers may use.
        audit: Where requests are noted.
        telemetry: Where spans are sent; None: nowhere.
    """

    authenticator: Authenticator
    quotas: Quotas
    audit: AuditLog
    telemetry: Telemetry | None = None
