"""What a resource of an app must be to be kept. Each check names the field and what is wrong.

What it refers to is looked up by `resources`.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Mapping
from typing import Any, Final, Protocol

from toulmin.agents import (
    Agent,
    App,
    Deployment,
    Example,
    Guardrail,
    Tool,
    Toolset,
)
from toulmin.apis.ces.convert import to_json
from toulmin.apis.schema import ces_pb2 as pb
from toulmin.apis.schema.enum_names import value_name
from toulmin.conversation.conditions import ConditionError, parse_condition
from toulmin.conversation.dates import zone_problem
from toulmin.conversation.guardrails import MATCH_TYPES, banned_problem
from toulmin.conversation.openapi import operations_of
from toulmin.conversation.outgoing import address_problem
from toulmin.conversation.schemas import value_problem
from toulmin.domain import Resource
from toulmin.errors import InvalidArgument, Unimplemented

SYSTEM_TOOLS: Final = ("end_session",)
"""System tools that run; every app has them without their being created."""

LONGEST_DISPLAY_NAME: Final = 1_024
LONGEST_INSTRUCTION: Final = 1_000_000
MOST_VARIABLES: Final = 500
_VARIABLE: Final = re.compile(r"[A-Za-z_]\w{0,127}\Z", re.ASCII)
_HEADER: Final = re.compile(r"[A-Za-z0-9!#$%&'*+.^_`|~-]{1,200}\Z")
_OWN_HEADERS: Final = frozenset(
    {"accept", "connection", "content-length", "content-type", "host", "transfer-encoding"}
)
_TOOL_NAME: Final = re.compile(r"[A-Za-z_][A-Za-z0-9_.-]{0,127}\Z")


class _Named(Protocol):
    """A message that has a display name."""

    display_name: str


def check_app(message: pb.App, field: str = "app") -> None:
    """Check an `App`.

    Raises:
        InvalidArgument: It cannot be kept.
    """
    check_display_name(message, field)
    _check_instruction(message.global_instruction, f"{field}.global_instruction")
    _check_retention(message, f"{field}.logging_settings.conversation_logging_settings")
    if problem := zone_problem(message.time_zone_settings.time_zone):
        raise InvalidArgument.of_field(f"{field}.time_zone_settings.time_zone", problem)
    declared = message.variable_declarations
    if len(declared) > MOST_VARIABLES:
        raise InvalidArgument.of_field(
            f"{field}.variable_declarations",
            f"has {len(declared):,} entries; at most {MOST_VARIABLES} are allowed",
        )
    seen: set[str] = set()
    for number, item in enumerate(declared):
        _check_variable(item, seen, f"{field}.variable_declarations[{number}]")
        seen.add(item.name)


def _check_retention(message: pb.App, field: str) -> None:
    settings = message.logging_settings.conversation_logging_settings
    window = settings.retention_window
    if settings.HasField("retention_window") and window.seconds < 1:
        raise InvalidArgument.of_field(
            f"{field}.retention_window",
            f"is {window.seconds + window.nanos / 1e9:g} s; it must be at least 1 s",
        )
    if settings.disable_conversation_logging:
        raise Unimplemented(
            f"{field}.disable_conversation_logging is not implemented in this version of Toulmin;"
            " set a short retention_window"
        )


def check_agent(message: pb.Agent, field: str = "agent") -> None:
    """Check an `Agent`; whether what it refers to is there says `references`.

    Raises:
        InvalidArgument: It cannot be kept.
    """
    check_display_name(message, field)
    _check_instruction(message.instruction, f"{field}.instruction")
    if message.name and message.name in message.child_agents:
        raise InvalidArgument.of_field(f"{field}.child_agents", "has the agent itself")
    for number, rule in enumerate(message.transfer_rules):
        _check_rule(rule, message.child_agents, f"{field}.transfer_rules[{number}]")


def _check_rule(rule: pb.TransferRule, children: Collection[str], field: str) -> None:
    """Check a `TransferRule`; the fields that the API calls required are."""
    if rule.child_agent not in children:
        raise InvalidArgument.of_field(
            f"{field}.child_agent", f'"{rule.child_agent[:200]}" is none of child_agents'
        )
    if value_name(rule, "direction") not in ("PARENT_TO_CHILD", "CHILD_TO_PARENT"):
        raise InvalidArgument.of_field(
            f"{field}.direction", "is required: PARENT_TO_CHILD or CHILD_TO_PARENT"
        )
    kind = rule.WhichOneof("rule_type")
    if kind is None:
        raise InvalidArgument.of_field(
            field, "has no rule_type; set deterministic_transfer or disable_planner_transfer"
        )
    body, path = getattr(rule, kind), f"{field}.{kind}"
    if kind == "deterministic_transfer":
        condition = body.WhichOneof("condition_type")
        if condition is None:
            raise InvalidArgument.of_field(
                path, "has no condition; set expression_condition or python_code_condition"
            )
        if condition == "python_code_condition":
            if not body.python_code_condition.python_code.strip():
                raise InvalidArgument.of_field(
                    f"{path}.python_code_condition.python_code", "is empty; it is required"
                )
            return
    try:
        parse_condition(body.expression_condition.expression)
    except ConditionError as error:
        raise InvalidArgument.of_field(
            f"{path}.expression_condition.expression", str(error)
        ) from None


def check_tool(message: pb.Tool, field: str = "tool") -> None:
    """Check a `Tool`.

    Raises:
        InvalidArgument: It cannot be kept.
    """
    kind = message.WhichOneof("tool_type")
    if kind is None:
        raise InvalidArgument.of_field(
            field, "has no type; set client_function, data_store_tool or another one"
        )
    if kind == "mcp_tool":
        raise InvalidArgument.of_field(
            f"{field}.mcp_tool", "cannot be created by itself; create a toolset with mcp_toolset"
        )
    name = getattr(message, kind).name
    if not _TOOL_NAME.match(name):
        raise InvalidArgument.of_field(
            f"{field}.{kind}.name",
            f'"{name[:200]}" must have 1 to 128 of a-z, A-Z, 0-9, "_", "-" and ".", the first a'
            ' letter or "_"',
        )
    if kind == "python_function" and not message.python_function.python_code.strip():
        raise InvalidArgument.of_field(f"{field}.python_function.python_code", "is empty")
    if kind == "open_api_tool":
        _check_open_api(message.open_api_tool, f"{field}.open_api_tool")
    if kind == "data_store_tool":
        _check_data_store_tool(
            message.data_store_tool, _project_of(message.name), f"{field}.data_store_tool"
        )


def check_toolset(message: pb.Toolset, field: str = "toolset") -> None:
    """Check a `Toolset`.

    Raises:
        InvalidArgument: It cannot be kept.
    """
    if message.WhichOneof("toolset_type") is None:
        raise InvalidArgument.of_field(
            field, "has no type; set open_api_toolset, mcp_toolset or another one"
        )
    if message.WhichOneof("toolset_type") == "open_api_toolset":
        _check_open_api(message.open_api_toolset, f"{field}.open_api_toolset")
    if message.WhichOneof("toolset_type") == "mcp_toolset":
        _check_mcp(message.mcp_toolset, f"{field}.mcp_toolset")


def check_example(message: pb.Example, field: str = "example") -> None:
    """Check an `Example`.

    Raises:
        InvalidArgument: It cannot be kept.
    """
    check_display_name(message, field)


def check_guardrail(message: pb.Guardrail, field: str = "guardrail") -> None:
    """Check a `Guardrail`.

    Raises:
        InvalidArgument: It cannot be kept.
    """
    check_display_name(message, field)
    kind = message.WhichOneof("guardrail_type")
    if kind is None:
        raise InvalidArgument.of_field(
            field, "has no type; set content_filter, code_callback or another one"
        )
    if kind == "content_filter":
        _check_content_filter(message.content_filter, f"{field}.content_filter")
    if kind == "code_callback":
        for callback, value in message.code_callback.ListFields():
            path = f"{field}.code_callback.{callback.name}.python_code"
            if not value.python_code.strip():
                raise InvalidArgument.of_field(path, "is empty")


def check_deployment(message: pb.Deployment, field: str = "deployment") -> None:
    """Check a `Deployment`.

    Raises:
        InvalidArgument: It cannot be kept.
        Unimplemented: It asks for an experiment or for a channel that another service runs.
    """
    check_display_name(message, field)
    if not message.HasField("channel_profile"):
        raise InvalidArgument.of_field(f"{field}.channel_profile", "is required")
    for name in ("experiment_config", "whatsapp_credentials", "instagram_credentials"):
        if message.HasField(name):
            raise Unimplemented(f"{field}.{name} is not implemented in this version of Toulmin")


CHECKS: Final[Mapping[type[Resource], Callable[[Any, str], None]]] = {
    App: check_app,
    Agent: check_agent,
    Tool: check_tool,
    Toolset: check_toolset,
    Example: check_example,
    Guardrail: check_guardrail,
    Deployment: check_deployment,
}


def tool_display_name(message: pb.Tool) -> str:
    """Return the display name of a tool, which its type's name is."""
    kind = message.WhichOneof("tool_type")
    return str(getattr(message, kind).name) if kind else ""


def _check_content_filter(content: pb.Guardrail.ContentFilter, field: str) -> None:
    match_type = value_name(content, "match_type")
    if match_type not in MATCH_TYPES:
        raise InvalidArgument.of_field(
            f"{field}.match_type", f"is required: one of {', '.join(MATCH_TYPES)}"
        )
    lists = (
        "banned_contents",
        "banned_contents_in_user_input",
        "banned_contents_in_agent_response",
    )
    for name in lists:
        for number, text in enumerate(getattr(content, name)):
            problem = banned_problem(text, match_type)
            if problem:
                raise InvalidArgument.of_field(f"{field}.{name}[{number}]", problem)
    if not any(getattr(content, name) for name in lists):
        raise InvalidArgument.of_field(field, "bans nothing; set banned_contents")


def check_optional_display_name(message: _Named, field: str) -> None:
    """Check a display name that may be empty.

    Raises:
        InvalidArgument: It is too long.
    """
    if message.display_name:
        check_display_name(message, field)


def check_display_name(message: _Named, field: str) -> None:
    """Check a display name.

    Raises:
        InvalidArgument: It is empty or too long.
    """
    text = message.display_name
    if not text.strip():
        raise InvalidArgument.of_field(f"{field}.display_name", "is empty; it is required")
    if len(text) > LONGEST_DISPLAY_NAME:
        raise InvalidArgument.of_field(
            f"{field}.display_name",
            f"has {len(text):,} characters; at most {LONGEST_DISPLAY_NAME:,} are allowed",
        )


def _check_instruction(text: str, field: str) -> None:
    if len(text) > LONGEST_INSTRUCTION:
        raise InvalidArgument.of_field(
            field, f"has {len(text):,} characters; at most {LONGEST_INSTRUCTION:,} are allowed"
        )


def _check_variable(item: pb.App.VariableDeclaration, seen: set[str], field: str) -> None:
    if not _VARIABLE.match(item.name):
        raise InvalidArgument.of_field(
            f"{field}.name",
            f'"{item.name[:200]}" must have 1 to 128 letters, digits and "_", the first a letter'
            ' or "_"',
        )
    if item.name in seen:
        raise InvalidArgument.of_field(f"{field}.name", f'"{item.name}" is declared twice')
    if not item.schema.type:
        raise InvalidArgument.of_field(f"{field}.schema.type", "is required")
    if item.schema.HasField("default"):
        schema = to_json(item.schema)
        problem = value_problem(schema.get("default"), schema)
        if problem:
            raise InvalidArgument.of_field(f"{field}.schema.default", problem)


def _check_open_api(body: pb.OpenApiTool | pb.OpenApiToolset, field: str) -> None:
    if not operations_of(
        body.open_api_schema, url=getattr(body, "url", ""), field_name=f"{field}.open_api_schema"
    ):
        raise InvalidArgument.of_field(f"{field}.open_api_schema", "has no operations")


def _check_mcp(body: pb.McpToolset, field: str) -> None:
    if problem := address_problem(body.server_address):
        raise InvalidArgument.of_field(f"{field}.server_address", problem)
    for name in body.custom_headers:
        if not _HEADER.match(name) or name.lower() in _OWN_HEADERS:
            raise InvalidArgument.of_field(
                f"{field}.custom_headers", f'"{name[:200]}" is no header that a tool may set'
            )


def _project_of(name: str) -> str:
    return "/".join(name.split("/", 2)[:2])


def _check_data_store_tool(tool: pb.DataStoreTool, project: str, field: str) -> None:
    """Check where a tool searches: in the app's own project, whoever may call the app."""
    source = tool.WhichOneof("search_source")
    if source is None:
        raise InvalidArgument.of_field(field, "needs data_store_source or engine_source")
    if source == "data_store_source" and not tool.data_store_source.data_store.name:
        raise InvalidArgument.of_field(f"{field}.data_store_source.data_store.name", "is empty")
    if source == "engine_source" and not tool.engine_source.engine:
        raise InvalidArgument.of_field(f"{field}.engine_source.engine", "is empty")
    names = {
        "data_store_source.data_store.name": tool.data_store_source.data_store.name,
        "engine_source.engine": tool.engine_source.engine,
    }
    for number, item in enumerate(tool.engine_source.data_store_sources):
        names[f"engine_source.data_store_sources[{number}].data_store.name"] = item.data_store.name
    for path, name in names.items():
        if name and not name.startswith(f"{project}/"):
            raise InvalidArgument.of_field(f"{field}.{path}", f'"{name[:200]}" is not of {project}')
    for number, config in enumerate(tool.modality_configs):
        level = config.grounding_config.grounding_level
        if level and not 1 <= level <= 5:  # also NaN
            raise InvalidArgument.of_field(
                f"{field}.modality_configs[{number}].grounding_config.grounding_level",
                f"{level:g} must be 1 to 5",
            )
