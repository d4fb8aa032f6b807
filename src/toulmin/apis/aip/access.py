"""May this caller do this, here? Asked of every request before its handler sees it.

The answer depends on the caller, the RPC and the names in the request, and on nothing that is
stored: what exists in another project makes no difference to it, nor to how long it takes.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import cache
from typing import Any, Final

from google.protobuf.message import Message

from toulmin.apis.aip.roles import role_of
from toulmin.apis.schema import Rpc
from toulmin.callers import Caller, ChatScope, Role
from toulmin.errors import PermissionDenied

NAME_FIELDS: Final = frozenset({
    "agent", "answer", "app", "app_version", "assistant_session", "branch", "child_agent",
    "child_agents", "chunk", "completion_config", "conversation", "conversations", "data_store",
    "data_stores", "deployment", "document", "documents", "engine", "entry_agent",
    "evaluation_dataset", "evaluation_datasets", "evaluation_expectation",
    "evaluation_expectations", "evaluation_run", "evaluations", "grounding_config", "guardrails",
    "identity_mapping_store", "last_completed_run", "location", "name", "names", "parent",
    "persona", "ranking_config", "root_agent", "scheduled_evaluation_run", "search_source",
    "serving_config", "session", "source_tool_name", "target_agent", "tool", "tools", "toolset",
})  # fmt: skip
"""Request fields, in whatever message, that hold names of resources. A handler takes names from no
other: tests read them off the calls that parse names, and off the API's own words on its fields."""

_PROJECTS: Final = "projects"
_CHATTING: Final = ("RunSession", "StreamRunSession", "BidiRunSession")
_STRING: Final = 9
_MESSAGE: Final = 11


def check_access(caller: Caller, rpc: Rpc, names: Sequence[str]) -> None:
    """Return if a caller may make a request.

    Args:
        caller: Who asks.
        rpc: What for.
        names: What `names_in` finds in the request.

    Raises:
        PermissionDenied: The caller's role does not suffice, or a name is of a project that it
            may not use, or of what its chat token is not for.
    """
    check_role(caller, rpc)
    if caller.chat is not None:
        _check_chat_names(caller.chat, names)
    if caller.projects is None:
        return
    projects = [project for name in names if (project := project_of(name))]
    for project in projects:
        if not caller.may_use(project):
            raise PermissionDenied(
                f"This caller may not use project {project[:100]!r}", reason="PROJECT_DENIED"
            )
    if not projects and rpc.api == "longrunning":  # it would list what is beneath, in all projects
        raise PermissionDenied(
            "This caller may use the operations of its own projects only; name one:"
            " projects/PROJECT/...",
            reason="PROJECT_DENIED",
        )


def check_role(caller: Caller, rpc: Rpc) -> None:
    """Return if the caller's role suffices for an RPC.

    Raises:
        PermissionDenied: It does not, or the caller has a chat token and this is no talking.
    """
    if caller.chat is not None and (rpc.api != "ces" or rpc.method not in _CHATTING):
        raise _beyond_chat(f"it may call {', '.join(_CHATTING)}, not {rpc.method}")
    needed = role_of(rpc) or Role.ADMIN
    if not caller.role.includes(needed):
        raise PermissionDenied(
            f"{rpc.method} needs the role {needed}; this caller has the role {caller.role}",
            reason="ROLE_INSUFFICIENT",
        )


def check_no_chat(caller: Caller, path: str) -> None:
    """Return if a caller may read what the server says of itself.

    Raises:
        PermissionDenied: It has a chat token, which is for talking.
    """
    if caller.chat is not None:
        raise _beyond_chat(f"it is for {caller.chat.session}, not for {path}")


def _check_chat_names(scope: ChatScope, names: Sequence[str]) -> None:
    """Return if every name is of the session, its deployment or something else in their app.

    Raises:
        PermissionDenied: One is not.
    """
    app, _, _ = scope.session.rpartition("/sessions/")
    for name in names:
        collection = name.removeprefix(f"{app}/").partition("/")[0]
        bound = {"sessions": scope.session, "deployments": scope.deployment}.get(collection, name)
        if not name.startswith(f"{app}/") or name != bound:
            raise _beyond_chat(f"it is for {scope.session} with {scope.deployment}")


def _beyond_chat(why: str) -> PermissionDenied:
    return PermissionDenied(f"A chat token does not allow this: {why}", reason="CHAT_TOKEN_SCOPE")


def project_of(name: str) -> str:
    """Return the project in a name; empty: none is in it."""
    first, _, rest = name.partition("/")
    return rest.partition("/")[0] if first == _PROJECTS else ""


def names_in(message: Message) -> Iterator[str]:
    """Yield what stands in a request's fields for names, at any depth, in order."""
    for field, is_name in _fields(message.DESCRIPTOR):
        value = getattr(message, field.name)
        if not field.is_repeated:
            if is_name:
                yield from [value] if value else []
            elif message.HasField(field.name):
                yield from names_in(value)
        elif is_name:
            yield from value
        else:
            for item in value:
                yield from names_in(item)


@cache
def _fields(descriptor: Any) -> tuple[tuple[Any, bool], ...]:
    """Return the fields of a message type to look at; true beside those that are names."""
    return tuple(
        (field, _is_name(field))
        for field in descriptor.fields
        if _is_name(field) or _leads_to_name(field, set())
    )


def _is_name(field: Any) -> bool:
    return bool(field.type == _STRING and field.name in NAME_FIELDS)


def _leads_to_name(field: Any, seen: set[str]) -> bool:
    """Return whether there is a name in the message of a field, at any depth."""
    type_: Any = field.message_type if field.type == _MESSAGE else None
    if type_ is None or type_.full_name in seen or type_.GetOptions().map_entry:
        return False
    if type_.full_name.startswith("google.protobuf."):
        return False
    seen.add(type_.full_name)
    return any(_is_name(inner) or _leads_to_name(inner, seen) for inner in type_.fields)
