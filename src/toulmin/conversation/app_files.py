"""The files of an app -> its resources as the API's JSON, or everything that is wrong with them.

    app.json
    agents/<id>/<id>.json           tools, children and so on by name
    agents/<id>/instruction.txt     long texts are files of their own: a value that is the path of
    tools/<id>/<id>.json            one of the files is replaced by what is in it
    toolsets/<id>/<id>.json
    examples/<id>/<id>.json
    guardrails/<id>/<id>.json

All of it may lie in one folder more. What one resource says of another is by the other's folder,
its `name`, its display name, or its whole resource name.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, Final

import orjson

from toulmin.conversation.python_source import function_schema

COLLECTIONS: Final = ("tools", "toolsets", "agents", "examples", "guardrails")
SYSTEM_TOOLS: Final = ("end_session", "customize_response", "transfer_to_agent")
APP_FILE: Final = "app.json"
_ID: Final = re.compile(r"[A-Za-z0-9_][A-Za-z0-9_-]{0,62}\Z")
FILE_KEYS: Final = frozenset({"instruction", "globalInstruction", "pythonCode", "openApiSchema"})
DEEPEST: Final = 100
"""Levels of a file: as many as protobuf reads."""
_COMMENT: Final = "_comment"


@dataclass(frozen=True, slots=True)
class Problem:
    """Something wrong in a file.

    Attributes:
        path: The file, from the app's folder.
        line: Line, from 1.
        message: What is wrong.
    """

    path: str
    line: int
    message: str

    def __str__(self) -> str:
        return f"{self.path}:{self.line}: {self.message}"


@dataclass(frozen=True, slots=True, kw_only=True)
class AppFiles:
    """What the files of an app say.

    Attributes:
        app: The app as the API's JSON, without a name.
        resources: By collection and id, as the API's JSON; names are whole.
        sources: The file of each resource, by collection and id; "" and "" for the app.
        problems: Everything that is wrong; with any of them the rest must not be used.
        warnings: What is left out.
        files: Contents by path.
    """

    app: dict[str, Any] = field(default_factory=dict)
    resources: dict[tuple[str, str], dict[str, Any]] = field(default_factory=dict)
    sources: dict[tuple[str, str], str] = field(default_factory=dict)
    problems: list[Problem] = field(default_factory=list)
    warnings: list[str] = field(default_factory=list)
    files: dict[str, bytes] = field(default_factory=dict)

    def line_of(self, path: str, field_path: str) -> int:
        """Return the line of a file in which a field of its object stands, as far as it does.

        Args:
            path: The file.
            field_path: The field as errors have it: "tool.client_function.parameters[0].type".
        """
        content, place = self.files.get(path, b""), 0
        for key in re.findall(r"[A-Za-z_]\w*", field_path):
            camel = re.sub(r"_([a-z0-9])", lambda found: found[1].upper(), key)
            at = (content.find(f'"{name}"'.encode(), place) for name in {key, camel})
            place = max(place, min((one for one in at if one >= 0), default=place))
        return content.count(b"\n", 0, place) + 1


def read_app_files(files: Mapping[str, bytes], app_name: str) -> AppFiles:
    """Return what the files of an app say.

    Args:
        files: Contents by path, "/" between folders.
        app_name: Resource name that the app will have.
    """
    return _Reading(_under_app(files), app_name).read()


def _under_app(files: Mapping[str, bytes]) -> dict[str, bytes]:
    """Return the files below the uppermost app.json, by their paths from there."""
    found = sorted((p for p in files if p.split("/")[-1] == APP_FILE), key=lambda p: p.count("/"))
    if not found:
        return dict(files)
    top = found[0].removesuffix(APP_FILE)
    return {path.removeprefix(top): text for path, text in files.items() if path.startswith(top)}


class _TooDeep(Exception):
    """A value of a file is nested deeper than is read."""


class _Reading:
    """The files of one app, as far as they are read."""

    def __init__(self, files: dict[str, bytes], app_name: str) -> None:
        self._files = files
        self._app_name = app_name
        self._found = AppFiles(files=files)
        self._ids: dict[tuple[str, str], str] = {}

    def read(self) -> AppFiles:
        """Read everything."""
        found = self._found
        if APP_FILE not in self._files:
            what = "is missing; an app folder has an app.json (YAML is not read)"
            found.problems.append(Problem(APP_FILE, 1, what))
            return found
        found.app.update(self._object(APP_FILE) or {})
        found.sources["", ""] = APP_FILE
        for path in sorted(self._files):
            self._take(path)
        self._resolve_all()
        return found

    def _take(self, path: str) -> None:
        parts = path.split("/")
        if len(parts) != 3 or not path.endswith(".json"):
            return
        collection, folder, file = parts
        if collection not in COLLECTIONS or file != f"{folder}.json":
            return
        value = self._object(path)
        if value is None:
            self._ids.setdefault((collection, folder), folder)  # one problem is enough
            return
        id_ = str(value.pop("name", "") or folder).rpartition("/")[2]
        if not _ID.match(id_):
            id_ = folder
        if not _ID.match(id_):
            what = f'"{folder}" cannot be an id: letters, digits, "-" and "_", at most 63'
            self._problem(path, what)
            return
        if (collection, id_) in self._found.resources:
            self._problem(path, f'the id "{id_}" is taken by another file')
            return
        self._found.resources[collection, id_] = value
        self._found.sources[collection, id_] = path
        for name in (id_, folder, _display_name(value)):
            self._ids.setdefault((collection, name), id_)

    def _object(self, path: str) -> dict[str, Any] | None:
        try:
            value = orjson.loads(self._files[path].decode())
        except UnicodeDecodeError:
            self._problem(path, "is not UTF-8")
            return None
        except orjson.JSONDecodeError as error:
            self._problem(path, f"is not JSON: {error.msg}", line=error.lineno)
            return None
        if not isinstance(value, dict):
            self._problem(path, "must be a JSON object")
            return None
        try:
            filled: dict[str, Any] = self._filled(value, path)
        except _TooDeep:
            self._problem(path, f"is nested deeper than {DEEPEST} levels")
            return None
        return filled

    def _filled(self, value: Any, path: str, level: int = 1) -> Any:
        """Return a value without comments, with the texts of the files that it names."""
        if level > DEEPEST:
            raise _TooDeep
        if isinstance(value, list):
            return [self._filled(item, path, level + 1) for item in value]
        if not isinstance(value, dict):
            return value
        filled = {}
        for key, item in value.items():
            if key.lower().startswith(_COMMENT):
                continue
            if key in FILE_KEYS and isinstance(item, str):
                filled[key] = self._text(item, path, is_code=key == "pythonCode")
            else:
                filled[key] = self._filled(item, path, level + 1)
        return filled

    def _text(self, value: str, path: str, *, is_code: bool) -> str:
        if value not in self._files:
            if re.fullmatch(r"\S+/\S+\.(?:txt|py|yaml|json|md)", value):
                self._problem(path, f'the file "{value}" is missing', wanted=value)
            return value
        try:
            text = self._files[value].decode()
        except UnicodeDecodeError:
            self._found.problems.append(Problem(value, 1, "is not UTF-8"))
            return ""
        checked = function_schema(text, "") if is_code else None
        if checked is not None and checked.problem:
            self._found.problems.append(Problem(value, checked.line, checked.problem))
        return text

    def _resolve_all(self) -> None:
        """Put whole names in the place of what resources call each other."""
        for key in ("name", "tools", "agents"):  # the folders say these
            self._found.app.pop(key, None)
        everything = {("", ""): self._found.app, **self._found.resources}
        for (collection, id_), value in everything.items():
            path = self._found.sources[collection, id_]
            for place, key, kind in _references(collection, value):
                named = place[key]
                place[key] = (
                    [self._resolve(kind, item, path) for item in named]
                    if isinstance(named, list)
                    else self._resolve(kind, named, path)
                )

    def _resolve(self, collection: str, name: Any, path: str) -> str:
        """Return the whole name of a resource that another one speaks of."""
        last = str(name).rpartition("/")[2]
        id_ = self._ids.get((collection, last))
        if id_ is None and collection == "tools" and last in SYSTEM_TOOLS:
            id_ = last
        if id_ is None:
            self._problem(path, f'"{name}" is none of the {collection}', wanted=str(name))
            return ""
        return f"{self._app_name}/{collection}/{id_}"

    def _problem(self, path: str, message: str, *, line: int = 0, wanted: str = "") -> None:
        if not line:
            line = _line_of(self._files[path], wanted)
        self._found.problems.append(Problem(path, line, message))


def _references(
    collection: str, value: dict[str, Any]
) -> Iterator[tuple[dict[str, Any], str, str]]:
    """Yield where a resource names others: the object, the key in it, their collection."""
    found: list[tuple[Any, str, str]] = [
        (value, "rootAgent", "agents"),
        (value, "guardrails", "guardrails"),
    ]
    if collection == "agents":
        found += [(value, "tools", "tools"), (value, "childAgents", "agents")]
        found += [(item, "toolset", "toolsets") for item in _items(value, "toolsets")]
        found += [(item, "childAgent", "agents") for item in _items(value, "transferRules")]
    elif collection == "tools":
        found.append((value.get("agentTool"), "agent", "agents"))
    elif collection == "guardrails":
        found.append((_inside(value, "action", "transferAgent"), "agent", "agents"))
    elif collection == "examples":
        found.append((value, "entryAgent", "agents"))
        for message in _items(value, "messages"):
            for chunk in _items(message, "chunks"):
                found.append((_inside(chunk, "agentTransfer"), "targetAgent", "agents"))
                for key in ("toolCall", "toolResponse"):
                    found.append((_inside(chunk, key), "tool", "tools"))
                    found.append((_inside(chunk, key, "toolsetTool"), "toolset", "toolsets"))
    for place, key, kind in found:
        if isinstance(place, dict) and place.get(key):
            yield place, key, kind


def _items(value: Any, key: str) -> list[Any]:
    """Return the list at a key; empty: there is none, which is said where it is read."""
    found = value.get(key) if isinstance(value, dict) else None
    return found if isinstance(found, list) else []


def _inside(value: Any, *keys: str) -> Any:
    for key in keys:
        value = value.get(key) if isinstance(value, dict) else None
    return value


def _display_name(value: Mapping[str, Any]) -> str:
    named = [item.get("name") for item in value.values() if isinstance(item, dict)]
    return str(value.get("displayName") or next((name for name in named if name), ""))


def _line_of(content: bytes, wanted: str) -> int:
    """Return the line in which a string stands; 1 when it does not."""
    place = content.find(f'"{wanted}"'.encode()) if wanted else -1
    return content.count(b"\n", 0, place) + 1 if place >= 0 else 1
