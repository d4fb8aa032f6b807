"""ImportApp: an archive of an app's files becomes an app, all of it or nothing."""

from __future__ import annotations

import io
import lzma
import re
import struct
import zipfile
import zlib
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Final

from google.protobuf.descriptor import Descriptor

from toulmin.agents import Agent, App, Example, Guardrail, Tool, Toolset
from toulmin.apis.aip.json_faults import Faults
from toulmin.apis.aip.json_parse import JsonParser
from toulmin.apis.aip.operations import finish_at_once, to_operation_message
from toulmin.apis.aip.registry import CallContext
from toulmin.apis.ces.checks import CHECKS, tool_display_name
from toulmin.apis.ces.convert import kept_message, resource_from
from toulmin.apis.ces.names import new_id, parse_location
from toulmin.apis.ces.resources import check_unlocked
from toulmin.apis.ces.snapshots import store
from toulmin.apis.schema import ces_pb2 as pb
from toulmin.apis.schema import load_schema, shared_pb2
from toulmin.conversation.app_files import AppFiles, Problem, read_app_files
from toulmin.domain import Resource
from toulmin.errors import FieldViolation, InvalidArgument, NotFound, Unimplemented
from toulmin.stores.records import RecordStore, Transaction

MOST_FILES: Final = 5_000
MOST_BYTES: Final = 64 * 1024 * 1024
MOST_SHOWN: Final = 100
_FIELD: Final = "app_content"
_Strategy: Final = pb.ImportAppRequest.ImportOptions.ConflictResolutionStrategy
_KINDS: Final[dict[str, type[Resource]]] = {
    "": App,
    "tools": Tool,
    "toolsets": Toolset,
    "agents": Agent,
    "examples": Example,
    "guardrails": Guardrail,
}
_BROKEN_ARCHIVE: Final = (
    *(zipfile.BadZipFile, NotImplementedError, RuntimeError, EOFError, OSError, ValueError),
    *(IndexError, struct.error, zlib.error, lzma.LZMAError),
)
"""What Python's reader of archives raises for one that is broken, or of a kind it does not read."""
_OPEN: Final = ("google.protobuf.Struct", "google.protobuf.Value", "google.protobuf.ListValue")


@dataclass(frozen=True, slots=True)
class ImportHandler:
    """The handler."""

    records: Callable[[], RecordStore]

    def __call__(self, request: pb.ImportAppRequest, context: CallContext) -> shared_pb2.Operation:
        """Answer ImportApp; the operation is done when it comes back."""
        parent = parse_location(request.parent, field="parent")
        if request.gcs_uri:
            raise Unimplemented("gcs_uri is not implemented in this version of Toulmin")
        new = App(parent=parent, id=new_id(request.app_id, field="app_id"))
        found = read_app_files(unzipped(request.app_content), new.name)
        resources = _resources(found, new, display_name=request.display_name)
        replaces = request.import_options.conflict_resolution_strategy == _Strategy.REPLACE
        with self.records().write() as transaction:
            _check_there(transaction, new, request)
            store(transaction, resources[0], resources[1:], keep_others=replaces)
            operation = finish_at_once(
                transaction,
                parent=parent,
                kind="import-app",
                version=context.rpc.version,
                result={"name": new.name, "warnings": found.warnings},
            )
        return to_operation_message(operation)


def unzipped(content: bytes) -> dict[str, bytes]:
    """Return the files of an archive by path.

    Raises:
        InvalidArgument: It is no zip archive, or too much is in it.
    """
    try:
        with zipfile.ZipFile(io.BytesIO(content)) as archive:
            members = [item for item in archive.infolist() if not item.is_dir()]
            if len(members) > MOST_FILES:
                raise InvalidArgument.of_field(
                    _FIELD, f"has {len(members):,} files; at most {MOST_FILES:,} are allowed"
                )
            size = sum(item.file_size for item in members)
            if size > MOST_BYTES:
                raise InvalidArgument.of_field(
                    _FIELD, f"has {size:,} bytes unpacked; at most {MOST_BYTES:,} are allowed"
                )
            return {item.filename: archive.read(item) for item in members}
    except _BROKEN_ARCHIVE as error:
        raise InvalidArgument.of_field(_FIELD, f"is no zip archive: {error}") from None


def _resources(found: AppFiles, app: App, *, display_name: str) -> list[Resource]:
    """Return the app and what is in it, all checked.

    Raises:
        InvalidArgument: Something is wrong; every problem is listed with its file and line.
    """
    problems = list(found.problems)
    made: list[Resource] = []
    unread = {problem.path for problem in problems}
    if display_name:
        found.app["displayName"] = display_name
    for (collection, id_), path in found.sources.items():
        if path in unread:  # what is wrong with it is said already
            continue
        value = found.resources[collection, id_] if collection else found.app
        new = _KINDS[collection](parent=app.name, id=id_) if collection else app
        try:
            made.append(_resource(value, new, path, found.warnings))
        except InvalidArgument as error:
            problems += _problems_in(error, path, found)
    if problems:
        problems.sort(key=lambda problem: (problem.path, problem.line))
        shown = problems[:MOST_SHOWN]
        raise InvalidArgument(
            f"The app has {len(problems)} problem{'s' if problems[1:] else ''}:\n"
            + "\n".join(str(item) for item in shown),
            violations=[
                FieldViolation(f"{_FIELD}/{item.path}:{item.line}", item.message) for item in shown
            ],
            reason="APP_INVALID",
        )
    return made


def _problems_in(error: InvalidArgument, path: str, found: AppFiles) -> list[Problem]:
    """Return what is wrong with a resource, each thing with the line that it stands in."""
    if not error.violations:
        return [Problem(path, 1, error.message)]
    problems = []
    for item in error.violations:
        named = re.search(r'"(\w+)"', item.description)  # a fault of the whole names the key
        line = found.line_of(path, item.field or (named[1] if named else ""))
        what = f"{item.field}: {item.description}" if item.field else item.description
        problems.append(Problem(path, line, what))
    return problems


def _resource(value: dict[str, Any], new: Resource, path: str, warnings: list[str]) -> Resource:
    message = kept_message(type(new).__name__)
    known = _known(value, message.DESCRIPTOR, path, warnings)
    faults = Faults()
    arguments = JsonParser(load_schema()).read_root(known, message.DESCRIPTOR, faults)
    faults.raise_if_any()
    message = type(message)(**arguments)
    message.name = new.name
    CHECKS[type(new)](message, type(new).__name__.lower())
    if isinstance(new, Tool):
        message.display_name = tool_display_name(message)
    return resource_from(message, new)


def _known(value: Any, descriptor: Descriptor, path: str, warnings: list[str]) -> Any:
    """Return a JSON object without what the API has no field for; each such key is a warning."""
    if not isinstance(value, dict) or descriptor.full_name in _OPEN:
        return value
    by_name = descriptor.fields_by_camelcase_name
    kept = {}
    for key, item in value.items():
        field = by_name.get(key) or descriptor.fields_by_name.get(key)
        if field is None:
            warnings.append(f'{path}: {descriptor.name} has no field "{key}"; left out')
            continue
        inner = field.message_type
        if inner is None or inner.full_name.startswith("google.protobuf."):
            kept[key] = item
        elif inner.GetOptions().map_entry:
            inside = inner.fields_by_name["value"].message_type
            kept[key] = (
                {name: _known(part, inside, path, warnings) for name, part in item.items()}
                if inside is not None and isinstance(item, dict)
                else item
            )
        elif isinstance(item, list):
            kept[key] = [_known(part, inner, path, warnings) for part in item]
        else:
            kept[key] = _known(item, inner, path, warnings)
    return kept


def _check_there(transaction: Transaction, new: App, request: pb.ImportAppRequest) -> None:
    """Check what an app that is there already says to being replaced."""
    try:
        old = transaction.resources.get(App, new.name)
    except NotFound:
        return
    if request.display_name:
        raise InvalidArgument.of_field(
            "display_name", f"cannot be given: {new.name} is there already and is replaced"
        )
    if not request.ignore_app_lock:
        check_unlocked(old)
