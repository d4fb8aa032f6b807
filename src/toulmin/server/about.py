"""What the server says of itself to those who sign in, below `/v1/toulmin/`.

    caller               who asks
    status               how the server is
    imports/{operation}  how far the file is that an import reads now

No Google API has these; the console needs them. Nothing in them is a secret: settings that are say
only how many values they have, and of a key there is everything but the key.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any, Final

import orjson

import toulmin
from toulmin.callers import Caller, Role
from toulmin.errors import PermissionDenied
from toulmin.ingestion.progress import IMPORTS
from toulmin.server.state import ServerState
from toulmin.server.stored_keys import StoredKeys
from toulmin.server.workers import Workers
from toulmin.services import model_versions, reader_versions
from toulmin.settings import SETTINGS, Settings, shown
from toulmin.stores.records import ApiKey

_PREFIX: Final = "/v1/toulmin/"
_IMPORTS: Final = f"{_PREFIX}imports/"


@dataclass(frozen=True, slots=True)
class About:
    """Answers the paths.

    Attributes:
        settings: Those in force.
        state: Whether the server is ready.
        workers: How much they have to do.
        connections: Returns how many connections are open.
        stored_keys: The keys of the record store; None: there are none.
        is_open: Asks whether no key is needed.
        started: `time.monotonic()` when the server was made.
        models: What is said of the models, once it was asked for: their files are hashed for it,
            and the status page asks every few seconds.
    """

    settings: Settings
    state: ServerState
    workers: Workers
    connections: Callable[[], int]
    stored_keys: StoredKeys | None
    is_open: Callable[[], Awaitable[bool]]
    started: float = field(default_factory=time.monotonic)
    models: dict[str, dict[str, str]] = field(default_factory=dict)

    def knows(self, method: str, path: str) -> bool:
        """Return whether a request is for one of the paths."""
        if method != "GET":
            return False
        return path in (f"{_PREFIX}caller", f"{_PREFIX}status") or path.startswith(_IMPORTS)

    def shown(self, path: str) -> str:
        """Return a path as logs may have it, without the name of a resource."""
        return _IMPORTS if path.startswith(_IMPORTS) else path

    async def answer(self, path: str, caller: Caller) -> bytes:
        """Return the JSON of a path.

        Raises:
            PermissionDenied: The status was asked for, which is for admins of all projects: it
                names the keys of all; or an import of a project that the caller may not use.
        """
        if path.startswith(_IMPORTS):
            return orjson.dumps(_import(path.removeprefix(_IMPORTS), caller))
        if path.endswith("caller"):
            return orjson.dumps(await self._caller(caller))
        if not caller.role.includes(Role.ADMIN):
            raise PermissionDenied(
                f"{path} is for role admin; this caller is {caller.role}",
                reason="ROLE_INSUFFICIENT",
            )
        if caller.projects is not None:
            raise PermissionDenied(
                f"{path} names the keys of all projects; this caller may use some only. Use a key"
                " made with --all-projects",
                reason="PROJECT_DENIED",
            )
        return orjson.dumps(await self._status())

    async def _caller(self, caller: Caller) -> dict[str, Any]:
        return {
            "id": caller.id,
            "role": caller.role,
            "projects": None if caller.projects is None else sorted(caller.projects),
            "open": await self.is_open(),
            "version": toulmin.__version__,
        }

    async def _status(self) -> dict[str, Any]:
        keys = {} if self.stored_keys is None else await self.stored_keys.current()
        if not self.models:
            self.models.update(await asyncio.to_thread(_models, self.settings))
        return {
            "version": toulmin.__version__,
            "ready": self.state.why_not_ready() or "ok",
            "uptimeSeconds": round(time.monotonic() - self.started, 1),
            "requestsInFlight": self.workers.in_flight,
            "workerThreads": self.settings.worker_threads,
            "maxQueue": self.settings.max_queue,
            "openConnections": self.connections(),
            **self.models,
            "languageModel": self.settings.llm_model,
            "settings": _settings(self.settings),
            "keys": _keys(keys),
        }


def _models(settings: Settings) -> dict[str, dict[str, str]]:
    """Return which models judge claims and which read questions."""
    return {"models": model_versions(settings), "readers": reader_versions(settings)}


def _import(operation: str, caller: Caller) -> dict[str, int]:
    """Return how far an import is; nothing where that is not known, also of one that is not."""
    project = operation.removeprefix("projects/").partition("/")[0]
    if caller.projects is not None and project not in caller.projects:
        raise PermissionDenied(
            f"This caller may not use the project {project!r}.", reason="PROJECT_DENIED"
        )
    found = IMPORTS.of(operation)
    return {} if found is None else {"embeddedTexts": found.done, "totalTexts": found.total}


def _settings(settings: Settings) -> list[dict[str, str]]:
    return [
        {
            "name": row.name,
            "value": shown(row, getattr(settings, row.name)),
            "origin": settings.origins.get(row.name, "default"),
            "help": row.help,
        }
        for row in SETTINGS
    ]


def _keys(keys: Mapping[bytes, ApiKey]) -> list[dict[str, Any]]:
    now = datetime.now(UTC)
    return [
        {
            "id": key.id,
            "displayName": key.display_name,
            "role": key.role,
            "projects": None if key.projects is None else sorted(key.projects),
            "state": key.state(now),
            "createTime": key.create_time.isoformat(),
            "expireTime": key.expire_time.isoformat() if key.expire_time else None,
        }
        for key in sorted(keys.values(), key=lambda one: one.create_time)
    ]
