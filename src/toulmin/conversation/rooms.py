"""What conversations stand on. Others make it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from toulmin.answering.pipeline import Answerer
from toulmin.conversation.arguments import ArgumentFiller
from toulmin.conversation.leader import Leader
from toulmin.conversation.mcp_client import McpClient
from toulmin.conversation.python_runner import PythonRunner
from toulmin.conversation.routing import Router
from toulmin.conversation.similarity import Similarity
from toulmin.grounding.check import GroundingChecker


@dataclass(frozen=True, slots=True, kw_only=True)
class Rooms:
    """What conversations stand on.

    Attributes:
        router: Says where what was said leads.
        filler: Reads arguments out of what was said.
        answerer: Returns what answers questions from documents.
        checker: Returns what checks texts against tool responses.
        is_small_talk: Whether a text wants no answer but a friendly word.
        python: Runs the functions of apps, if the operator allows it.
        leader: The language model that leads agents; None: there is none, and the planner does.
        judge: The language model that guardrails ask; None: there is none.
        mcp: Asks MCP servers.
        similarity: Compares texts by meaning.
        confirms: Whether the planner asks the user before a tool changes something.
        allowed_hosts: "host" or "host:port" that tools may call.
        data_stores_of: Canonical names of the data stores of an engine, by its name.
    """

    router: Router
    filler: ArgumentFiller
    answerer: Callable[[], Answerer]
    checker: Callable[[], GroundingChecker]
    is_small_talk: Callable[[str], bool]
    data_stores_of: Callable[[str], tuple[str, ...]]
    python: PythonRunner
    mcp: McpClient
    similarity: Similarity
    leader: Leader | None = None
    judge: Leader | None = None
    confirms: bool = True
    allowed_hosts: frozenset[str] = frozenset()
