"""ControlService: rules that serving configs apply (boost, filter, redirect, synonyms).

https://cloud.google.com/generative-ai-app-builder/docs/configure-serving-controls
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime
from typing import Final

from google.protobuf.message import Message

from toulmin.apis.aip.field_mask import masked_paths, merge
from toulmin.apis.aip.paging import page_size
from toulmin.apis.aip.registry import CallContext, Registry
from toulmin.apis.discoveryengine.control_checks import check_control
from toulmin.apis.discoveryengine.convert import resources as convert
from toulmin.apis.discoveryengine.names import (
    ServingConfigName,
    check_id,
    parse_control,
    parse_owner,
    parse_serving_config,
)
from toulmin.apis.discoveryengine.serving_config import owner_of, serving_config_of
from toulmin.apis.schema import discoveryengine_pb2 as pb
from toulmin.domain import Control, JsonObject, ServingConfig
from toulmin.errors import FailedPrecondition, InvalidArgument
from toulmin.stores.records import RecordStore, Transaction

_DEFAULT_PAGE: Final = 50
_MAX_PAGE: Final = 1_000
_FIXED: Final = ("solution_type",)
_PUNCTUATION: Final = ".,;:!?\"'()[]{}…“”‘’«»¿¡"  # noqa: RUF001
# The lists of a serving config in its proto JSON, in the order in which they apply.
_CONTROL_LISTS: Final = (
    "filterControlIds",
    "boostControlIds",
    "redirectControlIds",
    "synonymsControlIds",
)


def register_controls(registry: Registry, *, records: Callable[[], RecordStore]) -> None:
    """Bind the service, in every version.

    Args:
        registry: Takes the handlers.
        records: Returns the store that has the controls.
    """
    handlers = _Handlers(records)
    for method, handler in (
        ("CreateControl", handlers.create),
        ("GetControl", handlers.get),
        ("ListControls", handlers.list),
        ("UpdateControl", handlers.update),
        ("DeleteControl", handlers.delete),
    ):
        registry.register("discoveryengine", "ControlService", method, handler)


def controls_of(
    transaction: Transaction, serving_config: str | ServingConfigName
) -> tuple[Control, ...]:
    """Return the controls of a serving config: filters, boosts, redirects, synonyms, as listed.

    Whether one is triggered by a query says `is_triggered`.

    Raises:
        InvalidArgument: It is no name of a serving config.
        NotFound: There is no such serving config.
    """
    name = (
        parse_serving_config(serving_config, field="serving_config")
        if isinstance(serving_config, str)
        else serving_config
    )
    config = serving_config_of(transaction, name)
    found = []
    for key in _CONTROL_LISTS:
        for id_ in config.fields.get(key, ()):
            control = Control(parent=name.parent, id=id_)
            found.append(transaction.resources.get(Control, control.name))
    return tuple(found)


def is_triggered(control: Control, *, query: str, now: datetime) -> bool:
    """Return whether a control applies to a query; one without condition always does.

    Of a condition's query terms one must match: with `fullMatch` it is the query, without it is in
    there as whole words, whatever punctuation is around them. Capitals and runs of blanks do not
    count. `now` must be in one of its time ranges, if it has any.

    Args:
        control: As stored.
        query: As the user gave it.
        now: Time of the request, in UTC.
    """
    conditions = control.fields.get("conditions", ())
    return not conditions or any(_holds(item, query=query, now=now) for item in conditions)


@dataclass(frozen=True, slots=True)
class _Handlers:
    records: Callable[[], RecordStore]

    def create(self, request: pb.CreateControlRequest, context: CallContext) -> pb.Control:
        parent = parse_owner(request.parent, field="parent")
        id_ = check_id(request.control_id, field="control_id")
        message = type(request.control)()
        message.CopyFrom(request.control)
        with self.records().write() as transaction:
            check_control(message, owner_of(transaction, parent))
            control = convert.control_from(message, Control(parent=parent, id=id_))
            created = transaction.resources.create(control)
        return convert.fill_control(context.new_message(), created)

    def get(self, request: pb.GetControlRequest, context: CallContext) -> pb.Control:
        name = _name_of(request.name, "name")
        with self.records().read() as transaction:
            control = transaction.resources.get(Control, name)
            users = _users_of(transaction, control)
        return convert.fill_control(context.new_message(), control, users)

    def list(
        self, request: pb.ListControlsRequest, context: CallContext
    ) -> pb.ListControlsResponse:
        if request.filter:
            raise InvalidArgument.of_field(
                "filter", "is not supported for controls; leave it empty"
            )
        parent = parse_owner(request.parent, field="parent")
        size = page_size(request, default=_DEFAULT_PAGE, maximum=_MAX_PAGE)
        response: pb.ListControlsResponse = context.new_message()
        with self.records().read() as transaction:
            owner_of(transaction, parent)
            page = transaction.resources.list(
                Control, parent, page_size=size, page_token=request.page_token
            )
            configs = list(transaction.resources.under(ServingConfig, parent))
        for control in page.items:
            users = [config.id for config in configs if _uses(config, control)]
            convert.fill_control(response.controls.add(), control, users)
        response.next_page_token = page.next_page_token
        return response

    def update(self, request: pb.UpdateControlRequest, context: CallContext) -> pb.Control:
        sent = request.control
        name = _name_of(sent.name, "control.name")
        paths = masked_paths(request.update_mask, sent.DESCRIPTOR)
        with self.records().write() as transaction:
            old = transaction.resources.get(Control, name, to_change=True)
            old_message = convert.fill_control(type(sent)(), old)
            merged = merge(old_message, sent, paths)
            convert.keep_fixed(old_message, merged, _FIXED, field="control")
            check_control(merged, owner_of(transaction, old.parent))
            users = _users_of(transaction, old)
            if users and merged.WhichOneof("action") != old_message.WhichOneof("action"):
                raise FailedPrecondition(
                    f"{name} is used by the serving configs {', '.join(users)} for its"
                    f" {old_message.WhichOneof('action')}; take it out of there first."
                )
            updated = transaction.resources.update(convert.control_from(merged, old))
        return convert.fill_control(context.new_message(), updated, users)

    def delete(self, request: pb.DeleteControlRequest, context: CallContext) -> Message:
        name = _name_of(request.name, "name")
        with self.records().write() as transaction:
            users = _users_of(transaction, transaction.resources.get(Control, name))
            if users:
                raise FailedPrecondition(
                    f"{name} is used by the serving configs {', '.join(users)}; take it out of"
                    " there first."
                )
            transaction.resources.delete(Control, name)
        return context.empty_message()


def _name_of(name: str, field: str) -> str:
    parent, id_ = parse_control(name, field=field)
    return Control(parent=parent, id=id_).name


def _users_of(transaction: Transaction, control: Control) -> list[str]:
    """Return the ids of the serving configs that have a control."""
    configs = transaction.resources.under(ServingConfig, control.parent)
    return [config.id for config in configs if _uses(config, control)]


def _uses(config: ServingConfig, control: Control) -> bool:
    return any(control.id in config.fields.get(key, ()) for key in _CONTROL_LISTS)


def _holds(condition: JsonObject, *, query: str, now: datetime) -> bool:
    words = query.lower().split()
    terms = condition.get("queryTerms", ())
    ranges = condition.get("activeTimeRange", ())
    return (not terms or any(_matches(term, words) for term in terms)) and (
        not ranges or any(_is_within(item, now) for item in ranges)
    )


def _matches(term: JsonObject, words: list[str]) -> bool:
    wanted = str(term.get("value", "")).lower().split()
    return words == wanted if term.get("fullMatch") else _stands_in(wanted, words)


def has_words(query: str, term: str) -> bool:
    """Return whether a term is in a query as whole words, whatever punctuation is around them."""
    return _stands_in(term.lower().split(), query.lower().split())


def _stands_in(wanted: list[str], words: list[str]) -> bool:
    count = len(wanted)
    words = [word.strip(_PUNCTUATION) for word in words]
    return any(words[at : at + count] == wanted for at in range(len(words) - count + 1))


def _is_within(span: JsonObject, now: datetime) -> bool:
    start, end = span.get("startTime"), span.get("endTime")
    return (start is None or _time(start) <= now) and (end is None or now <= _time(end))


def _time(text: str) -> datetime:
    return datetime.fromisoformat(text)
