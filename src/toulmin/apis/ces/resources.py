"""What is in an app, its versions apart: one way for all kinds."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Final

from google.protobuf.message import Message

from toulmin.agents import (
    Agent,
    App,
    AppVersion,
    Deployment,
    Evaluation,
    EvaluationDataset,
    EvaluationExpectation,
    Example,
    Guardrail,
    Tool,
    Toolset,
)
from toulmin.apis.aip.field_mask import masked_paths, merge
from toulmin.apis.aip.registry import CallContext
from toulmin.apis.ces.checks import CHECKS, SYSTEM_TOOLS, tool_display_name
from toulmin.apis.ces.convert import (
    etag_of,
    fill_from_kept,
    resource_from,
    to_kept,
    to_message,
)
from toulmin.apis.ces.lists import fill_list, list_page
from toulmin.apis.ces.names import new_id, parse_app, parse_in_app
from toulmin.apis.ces.references import DRAFT, references, without_reference
from toulmin.apis.schema import ces_pb2 as pb
from toulmin.domain import Resource
from toulmin.errors import (
    Aborted,
    AlreadyExists,
    FailedPrecondition,
    InvalidArgument,
    NotFound,
)
from toulmin.stores.records import RecordStore, Transaction

if TYPE_CHECKING:
    from toulmin.apis.ces.requests import (
        CreateRequest,
        DeleteRequest,
        GetRequest,
        ListRequest,
        UpdateRequest,
    )

_EVERYTHING: Final = ("*",)
_REFERRING: Final = (Agent, Example, Tool, Guardrail, EvaluationDataset)
_UNIQUE: Final = (Evaluation, EvaluationDataset, EvaluationExpectation)
"""Kinds of which an app has no two of the same display name."""
Checks = Mapping[type[Resource], Callable[[Any, str], None]]


@dataclass(frozen=True, slots=True)
class ResourceHandlers:
    """The five handlers of a kind of resource that lies in an app.

    Attributes:
        records: Returns the record store.
        kind: The kind.
        noun: Its name in requests: "agent" for `CreateAgentRequest.agent` and `agent_id`.
        checks: What one of the kind must be.
        default_order: Order of lists that do not say any; empty: by name.
    """

    records: Callable[[], RecordStore]
    kind: type[Resource]
    noun: str
    checks: Checks = field(default_factory=lambda: CHECKS)
    default_order: str = ""

    def create(self, request: CreateRequest, context: CallContext) -> Message:
        """Answer CreateX."""
        app = parse_app(request.parent, field="parent")
        id_ = new_id(getattr(request, f"{self.noun}_id"), field=f"{self.noun}_id")
        kept = to_kept(getattr(request, self.noun))
        with self.records().write() as transaction:
            check_unlocked(transaction.resources.get(App, app))
            new = self.kind(parent=app, id=id_)
            new = checked(transaction, kept, new, field=self.noun, checks=self.checks)
            _check_unique(transaction, new, field=self.noun)
            made = transaction.resources.create(new)
        return fill_from_kept(context.empty_message(), to_message(made))

    def get(self, request: GetRequest, context: CallContext) -> Message:
        """Answer GetX."""
        name = parse_in_app(request.name, self.kind.collection, field="name").name
        with self.records().read() as transaction:
            found = transaction.resources.get(self.kind, name)
        return fill_from_kept(context.empty_message(), to_message(found))

    def list(self, request: ListRequest, context: CallContext) -> Message:
        """Answer ListXs."""
        app = parse_app(request.parent, field="parent")
        with self.records().read() as transaction:
            transaction.resources.get(App, app)
            page = list_page(transaction, self.kind, app, request, default_order=self.default_order)
        return fill_list(context.empty_message(), self.kind, page)

    def update(self, request: UpdateRequest, context: CallContext) -> Message:
        """Answer UpdateX; without a mask the whole is replaced."""
        sent = getattr(request, self.noun)
        name = parse_in_app(sent.name, self.kind.collection, field=f"{self.noun}.name").name
        with self.records().write() as transaction:
            check_unlocked(transaction.resources.get(App, name.rsplit("/", 2)[0]))
            updated = updated_resource(
                transaction, self.kind, sent, request, field=self.noun, checks=self.checks
            )
        return fill_from_kept(context.empty_message(), to_message(updated))

    def delete(self, request: DeleteRequest, context: CallContext) -> Message:
        """Answer DeleteX; what others refer to goes only by force, and out of them, too."""
        found = parse_in_app(request.name, self.kind.collection, field="name")
        with self.records().write() as transaction:
            check_unlocked(transaction.resources.get(App, found.app))
            old = transaction.resources.get(self.kind, found.name)
            check_etag(request.etag, old)
            forced = bool(getattr(request, "force", True))
            _drop_references(transaction, found.app, found.name, forced=forced)
            transaction.resources.delete(self.kind, found.name)
        return context.empty_message()


def checked(
    transaction: Transaction, kept: Any, new: Resource, *, field: str, checks: Checks = CHECKS
) -> Resource:
    """Return the resource that a message states, after all checks.

    Args:
        transaction: Where what it refers to is looked up.
        kept: The message, of the version that is kept.
        new: Has its name.
        field: Path of the message in the request, for errors.
        checks: What one of the kind must be.

    Raises:
        InvalidArgument: A value is wrong, or something that it refers to is not there.
    """
    kept.name = new.name
    checks[type(new)](kept, field)
    if isinstance(new, Tool):
        kept.display_name = tool_display_name(kept)
    app = new.name if isinstance(new, App) else new.parent
    for path, name, kind in references(kept):
        _check_reference(transaction, app, name, kind, field=f"{field}.{path}")
    return resource_from(kept, new)


def updated_resource(
    transaction: Transaction,
    kind: type[Resource],
    sent: Any,
    request: UpdateRequest | pb.UpdateAppRequest,
    *,
    field: str,
    checks: Checks = CHECKS,
) -> Resource:
    """Change a resource as an update request says, and return it as stored.

    Raises:
        InvalidArgument: A value or the mask is wrong.
        NotFound: There is none of that name.
        Aborted: The etag is not that of the resource.
        AlreadyExists: The display name is another one's, and must be its own.
    """
    paths = masked_paths(request.update_mask, sent.DESCRIPTOR) or _EVERYTHING
    old = transaction.resources.get(kind, sent.name, to_change=True)
    check_etag(sent.etag, old)
    merged = merge(to_message(old), to_kept(sent), paths)
    new = checked(transaction, merged, old, field=field, checks=checks)
    if new.display_name != old.display_name:  # in older data, two may have the same
        _check_unique(transaction, new, field=field)
    return transaction.resources.update(new)


def _check_unique(transaction: Transaction, new: Resource, *, field: str) -> None:
    if not isinstance(new, _UNIQUE):
        return
    for item in transaction.resources.under(type(new), new.parent):
        if item.display_name == new.display_name and item.name != new.name:
            raise AlreadyExists(
                f'{field}.display_name: "{new.display_name[:100]}" is that of {item.name};'
                f" display names of {new.collection} are unique in an app"
            )


def check_etag(etag: str, resource: Resource) -> None:
    """Raise unless an etag is empty or that of the resource.

    Raises:
        Aborted: It is another one.
    """
    if etag and etag != etag_of(resource):
        raise Aborted(
            f"{resource.name} was changed: its etag is {etag_of(resource)}, not {etag[:100]};"
            " read it again."
        )


def check_unlocked(app: Resource) -> None:
    """Raise when an app is locked.

    Raises:
        FailedPrecondition: It is.
    """
    if app.fields.get("locked"):
        raise FailedPrecondition(f"{app.name} is locked; set `locked` to false first.")


def _check_reference(
    transaction: Transaction, app: str, name: str, kind: type[Resource], *, field: str
) -> None:
    found = parse_in_app(name, kind.collection, field=field)
    if found.app != app:
        raise InvalidArgument.of_field(field, f'"{name[:200]}" is not of {app}')
    if kind is Tool and found.id in SYSTEM_TOOLS:
        return
    if kind is AppVersion and found.id == DRAFT:
        return
    try:
        transaction.resources.get(kind, found.name)
    except NotFound:
        missing = f'"{name[:200]}" does not exist; create it first'
        raise InvalidArgument.of_field(field, missing) from None


def _drop_references(transaction: Transaction, app: str, name: str, *, forced: bool) -> None:
    referring: Sequence[Resource] = [transaction.resources.get(App, app)]
    for kind in _REFERRING:
        referring = [*referring, *transaction.resources.under(kind, app)]
    users = [item for item in referring if any(to == name for _, to, _ in _of(item))]
    if users and not forced:
        raise FailedPrecondition(
            f"{name} is used by {', '.join(item.name for item in users)}; take it out of there"
            " first, or set force."
        )
    for item in users:
        message = to_message(item)
        if without_reference(message, name):
            transaction.resources.update(resource_from(message, item))


def _of(resource: Resource) -> Iterator[tuple[str, str, type[Resource]]]:
    return references(to_message(resource))


KINDS: Final[tuple[tuple[type[Resource], str], ...]] = (
    (Agent, "agent"),
    (Tool, "tool"),
    (Toolset, "toolset"),
    (Example, "example"),
    (Guardrail, "guardrail"),
    (Deployment, "deployment"),
)
