"""An app with all that is in it: as it is now, as a message, and put back."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final

from toulmin.agents import Agent, App, AppVersion, Example, Guardrail, Tool, Toolset
from toulmin.apis.ces.convert import kept_message, resource_from, to_message
from toulmin.apis.schema import ces_pb2 as pb
from toulmin.conversation.definition import AppSpec, app_spec
from toulmin.domain import Resource
from toulmin.errors import FailedPrecondition, NotFound
from toulmin.stores.records import Transaction

INSIDE: Final[tuple[type[Resource], ...]] = (Tool, Toolset, Agent, Example, Guardrail)
"""Kinds of what a version has beside the app itself."""


@dataclass(frozen=True, slots=True)
class Snapshot:
    """An app and what is in it, at one time.

    Attributes:
        app: The app.
        inside: What is in it, by kind.
    """

    app: App
    inside: Mapping[type[Resource], Sequence[Any]] = field(default_factory=dict)

    def running(self) -> AppSpec:
        """Return it as it runs."""
        agents, tools, examples, toolsets, guardrails = (
            self.inside.get(kind, ()) for kind in (Agent, Tool, Example, Toolset, Guardrail)
        )
        return app_spec(self.app, agents, tools, examples, toolsets, guardrails)

    def message(self) -> pb.AppSnapshot:
        """Return it as an `AppSnapshot`."""
        message: pb.AppSnapshot = kept_message("AppSnapshot")
        message.app.CopyFrom(to_message(self.app))
        for kind, found in self.inside.items():
            getattr(message, kind.collection).extend(to_message(item) for item in found)
        return message


def snapshot_of(transaction: Transaction, name: str) -> Snapshot:
    """Return an app as it is now.

    Raises:
        NotFound: There is none of that name.
    """
    app = transaction.resources.get(App, name)
    return Snapshot(app, {kind: tuple(transaction.resources.under(kind, name)) for kind in INSIDE})


def snapshot_of_version(version: AppVersion) -> Snapshot:
    """Return an app as it was when a version was made."""
    message = to_message(version).snapshot
    location, _, id_ = version.parent.rpartition("/apps/")
    app = resource_from(message.app, App(parent=location, id=id_))
    inside = {
        kind: tuple(
            resource_from(item, kind(parent=version.parent, id=item.name.rpartition("/")[2]))
            for item in getattr(message, kind.collection)
        )
        for kind in INSIDE
    }
    return Snapshot(app, inside)


def put_back(transaction: Transaction, snapshot: Snapshot) -> None:
    """Make an app what it was: what is in it otherwise goes; versions and deployments stay."""
    store(transaction, snapshot.app, [item for kind in INSIDE for item in snapshot.inside[kind]])


def store(
    transaction: Transaction,
    app: Resource,
    inside: Iterable[Resource],
    *,
    keep_others: bool = False,
) -> None:
    """Write an app and what is in it; what else is in it goes, unless it is to be kept."""
    put(transaction, app)
    items = list(inside)
    wanted = {item.name for item in items}
    for kind in INSIDE if not keep_others else ():
        for old in list(transaction.resources.under(kind, app.name)):
            if old.name not in wanted:
                transaction.resources.delete(kind, old.name)
    for item in items:
        put(transaction, item)


def put(transaction: Transaction, resource: Resource) -> None:
    """Write a resource, whether it is there already or not."""
    try:
        transaction.resources.update(resource)
    except NotFound:
        transaction.resources.create(resource)


def version_of(transaction: Transaction, name: str) -> AppVersion:
    """Return a version that something refers to.

    Raises:
        FailedPrecondition: It was deleted.
    """
    try:
        return transaction.resources.get(AppVersion, name)
    except NotFound as error:
        raise FailedPrecondition(f"{name} does not exist any more.") from error
