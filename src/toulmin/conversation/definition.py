"""An app as it runs: agents, tools and variables, made of the resources that are stored.

A resource's `fields` are the API's JSON. What the runtime cannot do is not left out here: a tool of
a kind that does not run is in the app, and calling it is refused by name.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final

from toulmin.agents import Agent, App, Example, Guardrail, Tool, Toolset
from toulmin.conversation.guardrails import Guard, guard_of
from toulmin.conversation.openapi import Operation, operations_of
from toulmin.conversation.python_source import function_schema
from toulmin.conversation.transfer_rules import TransferRule, rules_of
from toulmin.domain import NO_FIELDS, JsonObject
from toulmin.errors import InvalidArgument

END_SESSION: Final = "end_session"
TRANSFER: Final = "transfer_to_agent"
"""What the model, and callbacks in its place, call to hand the conversation over."""
SYNCHRONOUS_S: Final = 30.0
ASYNCHRONOUS_S: Final = 60.0
_CALLBACKS: Final = (
    *("before_agent", "after_agent", "before_model", "after_model", "before_tool", "after_tool"),
)
_TOOL_KINDS: Final = (
    "clientFunction",
    "pythonFunction",
    "dataStoreTool",
    "systemTool",
    "agentTool",
    "openApiTool",
    "widgetTool",
    "googleSearchTool",
    "connectorTool",
    "fileSearchTool",
    "remoteAgentTool",
)


@dataclass(frozen=True, slots=True, kw_only=True)
class ToolSpec:
    """A tool.

    Attributes:
        name: Its resource name.
        display_name: What it is called.
        kind: The API's name of its type: "clientFunction", "dataStoreTool", ...
        description: What it is for.
        parameters: Schema of its arguments, an OBJECT.
        body: What its type says of it, as the API's JSON.
        fake_code: Python that answers in its place where fakes are asked for; empty: none.
        asynchronous: Whether the session goes on while it runs.
        timeout_s: Longest time that a response may take.
        operation: What is called, of an OpenAPI tool.
        toolset: Name of the toolset that it is of; empty: it is a tool of its own.
        changes: Whether a call changes something, as its server says; None: it does not say.
    """

    name: str
    display_name: str
    kind: str
    description: str = ""
    parameters: JsonObject = field(default_factory=lambda: NO_FIELDS)
    body: JsonObject = field(default_factory=lambda: NO_FIELDS)
    fake_code: str = ""
    asynchronous: bool = False
    timeout_s: float = SYNCHRONOUS_S
    operation: Operation | None = None
    toolset: str = ""
    changes: bool | None = None

    @property
    def reference(self) -> dict[str, Any]:
        """How the API's calls and responses name it."""
        if not self.toolset:
            return {"tool": self.name}
        id_ = self.name.removeprefix(f"{self.toolset}/tools/")
        return {"toolsetTool": {"toolset": self.toolset, "toolId": id_}}

    @property
    def properties(self) -> Mapping[str, JsonObject]:
        """Schemas of the arguments by name."""
        found: Mapping[str, JsonObject] = self.parameters.get("properties", {})
        return found

    @property
    def required(self) -> tuple[str, ...]:
        """Names of the arguments that a call must have."""
        return tuple(self.parameters.get("required", ()))


@dataclass(frozen=True, slots=True, kw_only=True)
class AgentSpec:
    """An agent.

    Attributes:
        name: Its resource name.
        display_name: What it is called.
        description: What it is for.
        instruction: What it is told, with the app's instruction for all.
        tools: Names of its tools.
        children: Names of the agents that it can hand over to.
        parent: Name of the agent that hands over to it; empty: none does.
        is_remote: Whether another service runs it.
        callbacks: Sources of its callbacks by kind: "before_agent", "after_model", ...
        guardrails: Names of its guardrails, those of the app first.
        rules: Its transfer rules, about both ways between it and its children.
    """

    name: str
    display_name: str
    description: str = ""
    instruction: str = ""
    tools: tuple[str, ...] = ()
    children: tuple[str, ...] = ()
    parent: str = ""
    is_remote: bool = False
    callbacks: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    guardrails: tuple[str, ...] = ()
    rules: tuple[TransferRule, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Hint:
    """Somebody said this, and then that was done.

    Attributes:
        text: What the user said.
        target: Name of the tool that was called or the agent that took over.
    """

    text: str
    target: str


@dataclass(frozen=True, slots=True, kw_only=True)
class AppSpec:
    """An app.

    Attributes:
        name: Its resource name.
        display_name: What it is called.
        root: Name of its root agent; empty: it has none.
        agents: By name.
        tools: By name.
        variables: Schemas of the declared variables by name.
        hints: What the examples show.
        guards: The guardrails that are enabled, by name.
        mcp_toolsets: Toolsets whose tools another server lists; they are not among the tools yet.
        version: Changes whenever one of its resources does.
        time_zone: Name of the time zone in which it tells the day; empty: UTC.
    """

    name: str
    display_name: str
    root: str
    agents: Mapping[str, AgentSpec]
    tools: Mapping[str, ToolSpec]
    variables: Mapping[str, JsonObject]
    hints: tuple[Hint, ...] = ()
    guards: Mapping[str, Guard] = field(default_factory=dict)
    mcp_toolsets: tuple[Toolset, ...] = ()
    version: str = ""
    time_zone: str = ""

    def guards_of(self, agent: AgentSpec) -> list[Guard]:
        """Return the guardrails that are about an agent, in the order in which it has them."""
        return [self.guards[name] for name in agent.guardrails if name in self.guards]

    def tools_of(self, agent: AgentSpec) -> Iterator[ToolSpec]:
        """Yield an agent's tools in the order in which it has them."""
        for name in agent.tools:
            if name in self.tools:
                yield self.tools[name]
            elif name.endswith("/*"):  # all tools of a toolset
                toolset = name.removesuffix("/*")
                yield from (tool for tool in self.tools.values() if tool.toolset == toolset)

    def defaults(self) -> dict[str, Any]:
        """Return the variables that have a default value, with it."""
        return {
            name: schema["default"]
            for name, schema in self.variables.items()
            if "default" in schema
        }


def app_spec(
    app: App,
    agents: Sequence[Agent],
    tools: Sequence[Tool],
    examples: Sequence[Example] = (),
    toolsets: Sequence[Toolset] = (),
    guardrails: Sequence[Guardrail] = (),
) -> AppSpec:
    """Return an app as it runs.

    Args:
        app: The app.
        agents: Its agents.
        tools: Its tools.
        examples: Its examples.
        toolsets: Its toolsets; a description that cannot be read has no tools.
        guardrails: Its guardrails.
    """
    parents = {
        child: agent.name for agent in agents for child in agent.fields.get("childAgents", ())
    }
    specs = {agent.name: _agent_spec(agent, parents.get(agent.name, ""), app) for agent in agents}
    described = {tool.name: tool for toolset in toolsets for tool in toolset_tools(toolset)}
    resources = [app, *agents, *tools, *examples, *toolsets, *guardrails]
    return AppSpec(
        name=app.name,
        display_name=app.display_name,
        root=str(app.fields.get("rootAgent", "")),
        agents=specs,
        tools={tool.name: tool_spec(tool) for tool in tools}
        | described
        | _system_tools(app.name, specs),
        variables={
            item["name"]: item.get("schema", {})
            for item in app.fields.get("variableDeclarations", ())
        },
        hints=tuple(_hints(examples)),
        guards={found.name: found for item in guardrails if (found := guard_of(item))},
        mcp_toolsets=tuple(item for item in toolsets if "mcpToolset" in item.fields),
        version=" ".join(f"{item.id}:{item.generation}" for item in resources),
        time_zone=str(app.fields.get("timeZoneSettings", {}).get("timeZone", "")),
    )


def tool_spec(tool: Tool) -> ToolSpec:
    """Return a tool as it runs."""
    kind = next((kind for kind in _TOOL_KINDS if kind in tool.fields), "")
    body: JsonObject = tool.fields.get(kind, {})
    asynchronous = tool.fields.get("executionType") == "ASYNCHRONOUS"
    parameters, description = _interface(kind, body)
    return ToolSpec(
        name=tool.name,
        display_name=str(body.get("name") or tool.display_name),
        kind=kind,
        description=description,
        parameters=parameters,
        body=body,
        fake_code=str(
            tool.fields.get("toolFakeConfig", {}).get("codeBlock", {}).get("pythonCode", "")
        ),
        asynchronous=asynchronous,
        operation=_operation(body) if kind == "openApiTool" else None,
        timeout_s=seconds_of(tool, ASYNCHRONOUS_S if asynchronous else SYNCHRONOUS_S),
    )


def seconds_of(resource: Tool | Toolset, default: float = SYNCHRONOUS_S) -> float:
    """Return the longest time of a call of a tool, in seconds."""
    return float(str(resource.fields.get("timeout", "")).removesuffix("s") or default)


def toolset_tools(toolset: Toolset) -> list[ToolSpec]:
    """Return the tools of a toolset that describes them itself; none of another kind."""
    body: JsonObject = toolset.fields.get("openApiToolset", {})
    return [
        ToolSpec(
            name=f"{toolset.name}/tools/{operation.id}",
            display_name=operation.id,
            kind="openApiTool",
            description=operation.description,
            parameters=operation.parameters,
            body=body,
            operation=operation,
            toolset=toolset.name,
            timeout_s=seconds_of(toolset),
        )
        for operation in _operations(body)
    ]


def _operations(body: JsonObject) -> tuple[Operation, ...]:
    """Return the operations of a description; none where it cannot be read: it was checked."""
    try:
        text, url = str(body.get("openApiSchema", "")), str(body.get("url", ""))
        return operations_of(text, url=url, field_name="open_api_schema") if body else ()
    except InvalidArgument:
        return ()


def _operation(body: JsonObject) -> Operation | None:
    """Return the operation of an OpenAPI tool: the one of its name, or the only one."""
    found = _operations(body)
    named = [item for item in found if item.id == body.get("name")]
    return next(iter((*named, *found)), None)


def _interface(kind: str, body: JsonObject) -> tuple[JsonObject, str]:
    """Return the schema of a tool's arguments, and what the tool is for."""
    description = str(body.get("description", ""))
    if kind == "pythonFunction":
        schema = function_schema(str(body.get("pythonCode", "")), str(body.get("name", "")))
        return schema.parameters, description or schema.description
    if kind == "dataStoreTool":
        query = {"type": "STRING", "description": "What is asked."}
        return {
            "type": "OBJECT",
            "properties": {"query": query},
            "required": ["query"],
        }, description
    if kind == "agentTool":
        request = {"type": "STRING", "description": "What is asked of the agent."}
        found = {"type": "OBJECT", "properties": {"request": request}, "required": ["request"]}
        return found, description
    if kind == "openApiTool":
        operation = _operation(body)
        if operation is not None:
            return operation.parameters, description or operation.description
    parameters: JsonObject = body.get("parameters", {})
    return parameters, description


def _agent_spec(agent: Agent, parent: str, app: App) -> AgentSpec:
    shared = str(app.fields.get("globalInstruction", ""))
    guardrails = (*app.fields.get("guardrails", ()), *agent.fields.get("guardrails", ()))
    instruction = str(agent.fields.get("instruction", ""))
    return AgentSpec(
        name=agent.name,
        display_name=agent.display_name,
        description=str(agent.fields.get("description", "")),
        instruction=f"{shared}\n{instruction}" if shared else instruction,
        tools=(*agent.fields.get("tools", ()), *_of_toolsets(agent)),
        callbacks={kind: found for kind in _CALLBACKS if (found := _callbacks(agent, kind))},
        children=tuple(agent.fields.get("childAgents", ())),
        parent=parent,
        is_remote="remoteDialogflowAgent" in agent.fields,
        guardrails=tuple(dict.fromkeys(guardrails)),
        rules=tuple(rules_of(agent.name, agent.fields.get("transferRules", []))),
    )


def _of_toolsets(agent: Agent) -> Iterator[str]:
    """Yield the names of an agent's toolset tools; without ids it has all of a toolset."""
    for item in agent.fields.get("toolsets", ()):
        for id_ in item.get("toolIds", ()):
            yield f"{item.get('toolset', '')}/tools/{id_}"
        if not item.get("toolIds"):
            yield f"{item.get('toolset', '')}/*"


def _callbacks(agent: Agent, kind: str) -> tuple[str, ...]:
    moment, _, what = kind.partition("_")
    key = f"{moment}{what.capitalize()}Callbacks"
    return tuple(
        str(item.get("pythonCode", ""))
        for item in agent.fields.get(key, ())
        if not item.get("disabled")
    )


def _system_tools(app: str, agents: Mapping[str, AgentSpec]) -> dict[str, ToolSpec]:
    name = f"{app}/tools/{END_SESSION}"
    if not any(name in agent.tools for agent in agents.values()):
        return {}
    spec = ToolSpec(
        name=name,
        display_name=END_SESSION,
        kind="systemTool",
        description="Ends the conversation, or hands it to a person.",
        body={"name": END_SESSION},
    )
    return {name: spec}


def _hints(examples: Iterable[Example]) -> Iterator[Hint]:
    for example in examples:
        said = ""
        for message in example.fields.get("messages", ()):
            for chunk in message.get("chunks", ()):
                if message.get("role") == "user":
                    said = chunk.get("text", said)
                target = chunk.get("toolCall", {}).get("tool") or chunk.get(
                    "agentTransfer", {}
                ).get("targetAgent")
                if target and said:
                    yield Hint(text=said, target=target)
