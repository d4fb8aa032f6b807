"""ImportEvaluations: goldens from rows, from conversations, or from an export; each by itself.

An evaluation with a fault is left out and its faults are said, row by row; the others are stored,
all in one transaction.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from toulmin.agents import Agent, App, Evaluation, Tool, Toolset
from toulmin.apis.aip.json_faults import Faults
from toulmin.apis.aip.json_parse import JsonParser
from toulmin.apis.aip.operations import finish_at_once, to_operation_message
from toulmin.apis.aip.registry import CallContext
from toulmin.apis.ces.checks import SYSTEM_TOOLS
from toulmin.apis.ces.convert import kept_message, to_json, to_message
from toulmin.apis.ces.evaluation_checks import EVALUATION_CHECKS
from toulmin.apis.ces.evaluation_recorded import golden_of, read_export
from toulmin.apis.ces.evaluation_rows import FIELD, Candidate, Names, read_rows
from toulmin.apis.ces.names import location_of, new_id, parse_app, parse_in_app
from toulmin.apis.ces.resources import check_unlocked, checked
from toulmin.apis.schema import ces_pb2 as pb
from toulmin.apis.schema import load_schema, shared_pb2
from toulmin.domain import Resource
from toulmin.errors import InvalidArgument, NotFound, Unimplemented
from toulmin.stores.records import RecordStore, Transaction

MOST_IMPORTED: Final = 1_000
_STRATEGIES: Final = ("", "OVERWRITE", "SKIP", "DUPLICATE")


@dataclass(frozen=True, slots=True)
class EvaluationImportHandler:
    """The handler."""

    records: Callable[[], RecordStore]

    def __call__(
        self, request: pb.ImportEvaluationsRequest, context: CallContext
    ) -> shared_pb2.Operation:
        """Answer ImportEvaluations; the operation is done when it comes back."""
        app = parse_app(request.parent, field="parent")
        source = request.WhichOneof("source")
        if source is None:
            raise InvalidArgument.of_field("source", "is missing; set csv_content")
        if source == "gcs_uri":
            raise Unimplemented("gcs_uri is not implemented in this version of Toulmin")
        strategy = request.import_options.conflict_resolution_strategy
        if not 0 <= strategy < len(_STRATEGIES):
            raise InvalidArgument.of_field(
                "import_options.conflict_resolution_strategy", f"{strategy} is none"
            )
        with self.records().write() as transaction:
            check_unlocked(transaction.resources.get(App, app))
            found, unread = _candidates(transaction, request, source, app)
            if len(found) > MOST_IMPORTED:
                raise InvalidArgument.of_field(
                    source,
                    f"has {len(found):,} evaluations; at most {MOST_IMPORTED:,} are allowed",
                )
            importing = _Importing(transaction, app, _STRATEGIES[strategy])
            for candidate in found:
                importing.take(candidate)
            result = {
                "evaluations": [to_json(to_message(item)) for item in importing.stored],
                "errorMessages": [
                    *importing.errors,
                    *(text for of in unread.values() for text in of),
                ],
                "importFailureCount": importing.failures,
                "evaluationResultImportFailureCount": len(unread.get("evaluationResults", ())),
                "evaluationRunImportFailureCount": len(unread.get("evaluationRuns", ())),
            }
            operation = finish_at_once(
                transaction,
                parent=location_of(app),
                kind="import-evaluations",
                version=context.rpc.version,
                result=result,
                success=len(importing.stored),
            )
        return to_operation_message(operation)


def _candidates(
    transaction: Transaction, request: pb.ImportEvaluationsRequest, source: str, app: str
) -> tuple[list[Candidate], dict[str, list[str]]]:
    """Return the evaluations of a request, and what of it is not imported, by kind."""
    if source == "conversation_list":
        return _recorded(transaction, request.conversation_list.conversations, app), {}
    content = request.csv_content
    # A header never begins with a brace. The API has no other way in for what it writes as JSON
    # but a bucket.
    if content.lstrip(b"\xef\xbb\xbf \t\r\n").startswith(b"{"):
        return read_export(content, app)
    found = read_rows(content, _names(transaction, app))
    if not found:
        raise InvalidArgument.of_field(FIELD, "has no rows below the header")
    return found, {}


def _recorded(transaction: Transaction, names: Sequence[str], app: str) -> list[Candidate]:
    field = "conversation_list.conversations"
    if not 1 <= len(names) <= MOST_IMPORTED:
        raise InvalidArgument.of_field(
            field, f"has {len(names):,} names; give 1 to {MOST_IMPORTED:,}"
        )
    found = []
    for number, name in enumerate(names):
        parsed = parse_in_app(name, "conversations", field=f"{field}[{number}]")
        if parsed.app != app:
            raise InvalidArgument.of_field(f"{field}[{number}]", f'"{name[:200]}" is not of {app}')
        try:
            dialogue = transaction.dialogues.get(app, parsed.id)
        except NotFound as error:
            found.append(Candidate(name, {}, problems=[error.message]))
        else:
            found.append(golden_of(dialogue, transaction.dialogues.turns(app, parsed.id), name))
    return found


def _names(transaction: Transaction, app: str) -> Names:
    """Return how rows call the tools and agents of an app: by display name, id or full name."""
    tools: dict[str, Mapping[str, str]] = {
        id_: {"tool": f"{app}/tools/{id_}"} for id_ in SYSTEM_TOOLS
    }
    for tool in transaction.resources.under(Tool, app):
        for key in (tool.name, tool.id, tool.display_name):
            tools[key] = {"tool": tool.name}
    agents: dict[str, tuple[str, str]] = {}
    for agent in transaction.resources.under(Agent, app):
        for key in (agent.name, agent.id, agent.display_name):
            agents[key] = (agent.name, agent.display_name)
    has_toolsets = any(True for _ in transaction.resources.under(Toolset, app))

    def find_tool(name: str) -> Mapping[str, str]:
        if name in tools:
            return tools[name]
        if has_toolsets:  # which tools these have is known only when a turn asks their servers
            return {"displayName": name}
        raise ValueError(f'tool_name: "{name[:100]}" is no tool of the app')

    def find_agent(name: str) -> tuple[str, str]:
        if name not in agents:
            raise ValueError(f'"{name[:100]}" is no agent of the app')
        return agents[name]

    return Names(find_tool, find_agent)


class _Importing:
    """Evaluations that are stored one after the other.

    Attributes:
        stored: Those that were.
        errors: What was wrong with the others.
        failures: How many others there were; one that is skipped is none.
    """

    def __init__(self, transaction: Transaction, app: str, strategy: str) -> None:
        self._transaction = transaction
        self._app = app
        self._strategy = strategy
        self._there: list[Resource] = list(transaction.resources.under(Evaluation, app))
        self._before = {item.name for item in self._there}
        self.stored: list[Resource] = []
        self.errors: list[str] = []
        self.failures = 0

    def take(self, candidate: Candidate) -> None:
        """Store an evaluation, or note why not."""
        problems = list(candidate.problems)
        if not problems:
            try:
                self._store(candidate)
            except InvalidArgument as error:
                texts = [f"{item.field}: {item.description}" for item in error.violations]
                problems = [f"{candidate.where}: {text}" for text in texts or [error.message]]
            except Unimplemented as error:
                problems = [f"{candidate.where}: {error.message}"]
        if problems:
            self.errors += problems
            self.failures += 1

    def _store(self, candidate: Candidate) -> None:
        message = _message(candidate.value)
        old = self._old(candidate, message.display_name)
        new: Resource = Evaluation(parent=self._app, id=new_id(candidate.id, field="name"))
        if old is not None and old.name not in self._before:
            raise InvalidArgument.of_field(
                "display_name", f'"{message.display_name[:100]}" is in this import twice'
            )
        if old is not None and not self._strategy:
            raise InvalidArgument.of_field(
                "import_options.conflict_resolution_strategy",
                f"is not set, and {old.name} is there already",
            )
        if old is not None and self._strategy == "SKIP":
            return
        if old is not None and self._strategy == "DUPLICATE":
            new = dataclasses.replace(new, id=new_id("", field="name"))
        if old is not None and self._strategy == "OVERWRITE":
            new = old
        self._check_unique(message, new.name)
        made = checked(
            self._transaction, message, new, field="evaluation", checks=EVALUATION_CHECKS
        )
        self._keep(made, replaces=old is not None and self._strategy == "OVERWRITE")

    def _keep(self, made: Resource, *, replaces: bool) -> None:
        resources = self._transaction.resources
        stored = resources.update(made) if replaces else resources.create(made)
        self._there = [*(item for item in self._there if item.name != stored.name), stored]
        self._before.discard(stored.name)
        self.stored.append(stored)

    def _old(self, candidate: Candidate, display_name: str) -> Resource | None:
        """Return the evaluation of that id, or where none is brought along of that name."""
        for item in self._there:
            if item.id == candidate.id if candidate.id else item.display_name == display_name:
                return item
        return None

    def _check_unique(self, message: pb.Evaluation, name: str) -> None:
        """Raise when another evaluation has the display name; what is doubled gets a free one.

        Raises:
            InvalidArgument: Another has it.
        """
        wanted = message.display_name
        holder = next((i for i in self._there if i.display_name == wanted and i.name != name), None)
        if holder is None:
            return
        if self._strategy != "DUPLICATE":
            raise InvalidArgument.of_field(
                "display_name", f'"{wanted[:100]}" is that of {holder.name}; it must be unique'
            )
        message.display_name = self._free_name(wanted)

    def _free_name(self, wanted: str) -> str:
        """Return a display name with a number that no evaluation of the app has."""
        taken = {item.display_name for item in self._there}
        number = 2
        while f"{wanted} ({number})" in taken:
            number += 1
        return f"{wanted} ({number})"


def _message(value: Mapping[str, Any]) -> pb.Evaluation:
    """Return an evaluation as a message of the version that is kept.

    Raises:
        InvalidArgument: A value does not fit its field, or there is no field of a name.
    """
    message: pb.Evaluation = kept_message("Evaluation")
    faults = Faults()
    arguments = JsonParser(load_schema()).read_root(dict(value), message.DESCRIPTOR, faults)
    faults.raise_if_any()
    return type(message)(**arguments)
