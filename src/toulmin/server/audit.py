"""The audit log: who did what, when, and what came of it. One JSON object a line, in files in turn.

Never content: no texts, queries, headers, keys or error messages; only names of resources.
"""

from __future__ import annotations

import contextlib
import json
import logging
import os
from collections.abc import Sequence
from datetime import UTC, datetime
from logging.handlers import RotatingFileHandler
from typing import Any, Final

from toulmin.errors import FailedPrecondition
from toulmin.server.request_log import RequestRecord
from toulmin.settings import Settings

_MIB: Final = 1024 * 1024
_MOST_NAMES: Final = 10
_LONGEST_NAME: Final = 512
_KINDS: Final = ("projects/", "corpora/", "models/", "tunedModels/")

_logger: Final = logging.getLogger(__name__)


class AuditLog:
    """Writes the lines; without a path it writes nothing. Threads may share it.

    Args:
        path: The newest file; older ones have `.1`, `.2` and so on behind.
        max_bytes: Size at which a new one is begun; 0: never.
        files: How many older ones are kept.

    Raises:
        FailedPrecondition: The file cannot be written.
    """

    def __init__(self, path: str = "", *, max_bytes: int = 0, files: int = 0) -> None:
        self._file: RotatingFileHandler | None = None
        if not path:
            return
        try:
            self._file = _Lines(path, maxBytes=max_bytes, backupCount=files, encoding="utf-8")
        except OSError as error:
            raise FailedPrecondition(
                f"The file of setting audit_log, {path}, cannot be written: {error.strerror}"
            ) from error

    @classmethod
    def from_settings(cls, settings: Settings, *, rotates: bool = True) -> AuditLog:
        """Return the log that the settings name.

        Args:
            settings: Path, sizes.
            rotates: Whether this process begins new files; one does, the others only add lines.
        """
        return cls(
            settings.audit_log,
            max_bytes=settings.audit_log_mib * _MIB if rotates else 0,
            files=settings.audit_log_files,
        )

    def request(self, record: RequestRecord) -> None:
        """Write the line of a finished request; a request for health has none."""
        if self._file is not None and (record.rpc or record.reason):
            self.event(
                record.rpc,
                caller=record.caller,
                code=record.code,
                request_id=record.request_id,
                protocol=record.protocol,
                reason=record.reason,
                names=shown_names(record.names),
            )

    def event(self, what: str, *, caller: str, code: str = "OK", **more: Any) -> None:
        """Write a line.

        Args:
            what: Full name of an RPC, or of what a command did ("keys.create").
            caller: Who did it; empty: nobody knows.
            code: Name of the google.rpc code.
            **more: Further columns; empty ones are left out.
        """
        if self._file is None:
            return
        time = datetime.now(UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")
        columns = {"time": time, "caller": caller, "what": what, "code": code, **more}
        line = json.dumps({name: value for name, value in columns.items() if value})
        self._file.handle(logging.LogRecord("audit", logging.INFO, "", 0, line, None, None))

    def close(self) -> None:
        """Close the file."""
        if self._file is not None:
            with contextlib.suppress(OSError):  # a full disk, which was said
                self._file.close()


class _Lines(RotatingFileHandler):
    """A handler that says once that it cannot write, instead of a trace for each line."""

    _failed = False

    def _open(self) -> Any:
        def private(path: str, flags: int) -> int:
            return os.open(path, flags, 0o600)

        return open(self.baseFilename, self.mode, encoding=self.encoding, opener=private)

    def handleError(self, record: logging.LogRecord) -> None:  # noqa: ARG002, N802 - logging's name
        if not self._failed:
            self._failed = True
            _logger.error("The audit log %s cannot be written any more", self.baseFilename)


def shown_names(names: Sequence[str]) -> list[str]:
    """Return the names that are names: what else stands in their fields may be anything."""
    return [
        name
        for name in names[:_MOST_NAMES]
        if name.startswith(_KINDS)
        and len(name) <= _LONGEST_NAME
        and not any(map(str.isspace, name))
    ]
