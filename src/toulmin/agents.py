"""Nouns of conversations with agents, that the store, the runtime and the API speak of.

An app and what is in it are `Resource`s whose `fields` are the API's JSON. A dialogue is what
Customer Engagement Suite calls a conversation; Discovery Engine has another noun of that name.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import ClassVar, Final

from toulmin.domain import NO_FIELDS, JsonObject, Resource

KEPT_FOR: Final = timedelta(days=365)
"""How long conversations are kept where an app does not say, as the API has it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class App(Resource):
    """Agents that work together, with what they share; its parent is a location."""

    collection: ClassVar[str] = "apps"


def kept_for(app: JsonObject) -> timedelta:
    """Return how long an app's conversations are kept after their last turn.

    Args:
        app: The app's `fields`.
    """
    settings = app.get("loggingSettings", {}).get("conversationLoggingSettings", {})
    window = str(settings.get("retentionWindow", "")).removesuffix("s")
    return timedelta(seconds=float(window)) if window else KEPT_FOR


@dataclass(frozen=True, slots=True, kw_only=True)
class Agent(Resource):
    """Who speaks: instructions, tools, child agents."""

    collection: ClassVar[str] = "agents"


@dataclass(frozen=True, slots=True, kw_only=True)
class Tool(Resource):
    """Something that an agent can do."""

    collection: ClassVar[str] = "tools"


@dataclass(frozen=True, slots=True, kw_only=True)
class Toolset(Resource):
    """Tools that another server describes."""

    collection: ClassVar[str] = "toolsets"


@dataclass(frozen=True, slots=True, kw_only=True)
class Example(Resource):
    """A conversation as it should go."""

    collection: ClassVar[str] = "examples"


@dataclass(frozen=True, slots=True, kw_only=True)
class Guardrail(Resource):
    """What an agent must not say or be told."""

    collection: ClassVar[str] = "guardrails"


@dataclass(frozen=True, slots=True, kw_only=True)
class Deployment(Resource):
    """How an app is reached."""

    collection: ClassVar[str] = "deployments"


@dataclass(frozen=True, slots=True, kw_only=True)
class Evaluation(Resource):
    """A conversation as it should go, to be run against the app."""

    collection: ClassVar[str] = "evaluations"


@dataclass(frozen=True, slots=True, kw_only=True)
class EvaluationDataset(Resource):
    """Evaluations that are run together."""

    collection: ClassVar[str] = "evaluationDatasets"


@dataclass(frozen=True, slots=True, kw_only=True)
class EvaluationExpectation(Resource):
    """What a whole conversation must be like, in prose."""

    collection: ClassVar[str] = "evaluationExpectations"


@dataclass(frozen=True, slots=True, kw_only=True)
class ScheduledEvaluationRun(Resource):
    """Evaluations that are to be run at certain times."""

    collection: ClassVar[str] = "scheduledEvaluationRuns"


@dataclass(frozen=True, slots=True, kw_only=True)
class EvaluationRun(Resource):
    """Evaluations that were run, and how far that is."""

    collection: ClassVar[str] = "evaluationRuns"


@dataclass(frozen=True, slots=True, kw_only=True)
class EvaluationResult(Resource):
    """How an evaluation went once; its parent is the evaluation."""

    collection: ClassVar[str] = "results"


@dataclass(frozen=True, slots=True, kw_only=True)
class AppVersion(Resource):
    """An app with what is in it, as it was at one time; it does not change."""

    collection: ClassVar[str] = "versions"


@dataclass(frozen=True, slots=True, kw_only=True)
class DialogueTurn:
    """What was said and done from one request to the end of its answer.

    Attributes:
        messages: The API's `Message`s as JSON, in the order in which they came.
        span: The API's `Span`: what was done in which time, and how well the text is borne out.
    """

    messages: tuple[JsonObject, ...]
    span: JsonObject = field(default_factory=lambda: NO_FIELDS)


@dataclass(frozen=True, slots=True, kw_only=True)
class Dialogue:
    """A session with an app's agents.

    Attributes:
        parent: Name of the app.
        id: Last part of the session's and the conversation's name.
        source: LIVE or another of the API's `Conversation.Source`.
        entry_agent: Name of the agent that was asked for; empty: the root agent.
        deployment: Name of the deployment; empty: none.
        app_version: Name of the version that the last turn ran; empty: the app as it was then.
        language_code: BCP 47 code; empty: not known.
        input_types: The API's `Conversation.InputType`s, in the order in which they first came.
        state: Where the runtime is: variables, current agent, calls that wait for an answer.
        turn_count: Number of turns.
        generation: Number of writes so far; 0: not stored yet.
        start_time: When it began, in UTC; None: not stored yet.
        end_time: When it was last written, in UTC; None: not stored yet.
    """

    parent: str
    id: str
    source: str = "LIVE"
    entry_agent: str = ""
    deployment: str = ""
    app_version: str = ""
    language_code: str = ""
    input_types: tuple[str, ...] = ()
    state: JsonObject = field(default_factory=lambda: NO_FIELDS)
    turn_count: int = 0
    generation: int = 0
    start_time: datetime | None = None
    end_time: datetime | None = None

    @property
    def name(self) -> str:
        """Full name of the conversation."""
        return f"{self.parent}/conversations/{self.id}"
