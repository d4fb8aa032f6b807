"""Settings of agents."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from toulmin.settings.row import option

CHANGES: Final = "changes"
"""Ask before a tool of which it is plain that it changes something."""


@dataclass(frozen=True, kw_only=True)
class AgentSettings:
    """What agent apps may do."""

    agent_python: bool = option(
        "Run the Python functions and tool fakes of agent apps, each call in a process of its"
        " own without network, files to write or programs to start. It is no wall against code"
        " that wants out: allow it for apps that you trust.",
        default=False,
    )
    agent_model: str = option(
        "What decides what agents say and call: `builtin`, the planner, which needs no language"
        " model; `llm`, the language model of `llm_base_url`, and the planner where that fails.",
        default="builtin",
        choices=("builtin", "llm"),
    )
    agent_confirm: str = option(
        "When the planner asks the user before it calls a tool: `changes`, where the tool"
        " changes something, or the app asks for it; `never`.",
        default=CHANGES,
        choices=(CHANGES, "never"),
    )
    agent_hosts: tuple[str, ...] = option(
        "Hosts that tools of agent apps may call (OpenAPI, MCP), comma-separated, each as host"
        " or host:port. Empty: none.",
        default=(),
    )
