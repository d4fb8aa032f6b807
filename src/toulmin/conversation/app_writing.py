"""The resources of an app -> its files, as `app_files` reads them.

Instructions, Python and OpenAPI descriptions are files of their own; one resource names another by
its id.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from pathlib import PurePosixPath
from typing import Any, Final

from toulmin.agents import App
from toulmin.conversation.app_files import APP_FILE, FILE_KEYS
from toulmin.domain import Resource

_NAMES: Final = {"instruction": "instruction.txt", "globalInstruction": "global_instruction.txt"}
_REFERRING: Final = frozenset(
    {
        "rootAgent",
        "childAgents",
        "childAgent",
        "tools",
        "guardrails",
        "toolset",
        "agent",
        "entryAgent",
        "tool",
        "targetAgent",
    }
)


def app_files(app: App, inside: Iterable[Resource]) -> dict[str, bytes]:
    """Return the files of an app by path, "/" between folders.

    Args:
        app: The app.
        inside: What is in it.
    """
    files = _Files(app.name)
    files.add(APP_FILE, app)
    for item in inside:
        files.add(f"{item.collection}/{item.id}/{item.id}.json", item)
    return files.made


class _Files:
    """Files that are being written."""

    def __init__(self, app: str) -> None:
        self._app = app
        self.made: dict[str, bytes] = {}

    def add(self, path: str, resource: Resource) -> None:
        """Write a resource, and its long texts beside it."""
        body = self._written(resource.fields, PurePosixPath(path).parent, ())
        whole = {"name": resource.id, "displayName": resource.display_name, **body}
        text = json.dumps(whole, indent=2, ensure_ascii=False, sort_keys=True)
        self.made[path] = f"{text}\n".encode()

    def _written(self, value: Any, folder: PurePosixPath, keys: tuple[str, ...]) -> Any:
        """Return a value with paths in the place of long texts, and ids in that of names."""
        if isinstance(value, list | tuple):
            many = len(value) > 1
            return [
                self._written(item, folder, (*keys, str(number)) if many else keys)
                for number, item in enumerate(value, 1)
            ]
        if not isinstance(value, Mapping):
            return self._short(value) if keys and _key_of(keys) in _REFERRING else value
        return {
            key: self._own_file(key, item, folder, keys)
            if key in FILE_KEYS and isinstance(item, str) and item
            else self._written(item, folder, (*keys, key))
            for key, item in value.items()
        }

    def _own_file(self, key: str, text: str, folder: PurePosixPath, keys: tuple[str, ...]) -> str:
        suffix = {"pythonCode": "python_code.py", "openApiSchema": "open_api_schema.yaml"}
        inner = "/".join(_snake(part) for part in keys)
        path = str(folder / inner / (_NAMES.get(key) or suffix[key]))
        self.made[path] = text.encode()
        return path

    def _short(self, value: Any) -> Any:
        """Return the id in a name of something in this app."""
        if isinstance(value, str) and value.startswith(f"{self._app}/"):
            return value.rpartition("/")[2]
        return value


def _key_of(keys: tuple[str, ...]) -> str:
    return next((key for key in reversed(keys) if not key.isdecimal()), "")


def _snake(key: str) -> str:
    return "".join(f"_{char.lower()}" if char.isupper() else char for char in key)
