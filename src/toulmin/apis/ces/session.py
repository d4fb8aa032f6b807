"""SessionService: talking with an app's agents, a request or an input at a time.

A turn runs outside of any transaction and is stored, with all its messages, before its last output
leaves: what was answered is kept, and what was called, whatever becomes of the rest of the turn
(`keeping.py`). Turns of one session take their turns.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field, replace
from threading import Condition
from typing import Any, Final

from toulmin.agents import Deployment, Dialogue
from toulmin.apis.aip.deadline import work_of
from toulmin.apis.aip.operations import fill_from_json
from toulmin.apis.aip.registry import CallContext
from toulmin.apis.ces.convert import fill_from_kept, kept_message, to_json
from toulmin.apis.ces.keeping import TurnKeeper
from toulmin.apis.ces.names import NameInApp, parse_in_app, parse_session
from toulmin.apis.ces.references import DRAFT
from toulmin.apis.ces.session_inputs import MOST_INPUTS, inputs_of
from toulmin.apis.ces.snapshots import snapshot_of, snapshot_of_version, version_of
from toulmin.apis.schema import ces_pb2 as pb
from toulmin.callers import Caller
from toulmin.conversation.callbacks import Callbacks
from toulmin.conversation.definition import AppSpec
from toulmin.conversation.history import state_of_history
from toulmin.conversation.inputs import Inputs
from toulmin.conversation.led import LedTurn
from toulmin.conversation.premises import statements_in
from toulmin.conversation.rooms import Rooms
from toulmin.conversation.state import SessionState
from toulmin.conversation.turn import Turn
from toulmin.domain import JsonObject
from toulmin.errors import (
    Aborted,
    DeadlineExceeded,
    InvalidArgument,
    PermissionDenied,
    Unimplemented,
)
from toulmin.stores.records import RecordStore, Transaction
from toulmin.work import Work

MOST_HISTORY: Final = 500
_NOT_BUILT: Final = (
    "input_audio_config",
    "output_audio_config",
    "remote_dialogflow_query_parameters",
)
_LONGEST_WAIT_S: Final = 60.0


class Queues:
    """One turn at a time for each session."""

    def __init__(self) -> None:
        self._busy: set[str] = set()
        self._changed = Condition()

    @contextmanager
    def turn(self, session: str) -> Iterator[None]:
        """Wait for the session's other turns of this process, and keep further ones waiting.

        Raises:
            DeadlineExceeded: It took too long.
        """
        with self._changed:
            if not self._changed.wait_for(lambda: session not in self._busy, _LONGEST_WAIT_S):
                raise DeadlineExceeded(f"{session} was busy for {_LONGEST_WAIT_S:.0f} s.")
            self._busy.add(session)
        try:
            yield
        finally:
            with self._changed:
                self._busy.discard(session)
                self._changed.notify_all()


@dataclass(frozen=True, slots=True)
class Asked:
    """A request that was understood.

    Attributes:
        session: Name of the session.
        inputs: What came in.
        history: The API's messages as JSON that the session begins with; empty: its own.
        deployment: Name of the deployment; empty: the one of the session, or none.
        app_version: Name of the version that runs; empty: that of the deployment, or the app as it
            is now.
        source: The API's `Conversation.Source`.
        agent: Name of the agent that takes over before the turn; empty: none does.
    """

    session: NameInApp
    inputs: Inputs
    history: tuple[JsonObject, ...]
    deployment: str = ""
    app_version: str = ""
    source: str = "LIVE"
    agent: str = ""


@dataclass(frozen=True, slots=True)
class SessionHandlers:
    """The handlers.

    Attributes:
        records: Returns the record store.
        rooms: Returns what conversations stand on.
        queues: Keep the turns of a session in order.
    """

    records: Callable[[], RecordStore]
    rooms: Callable[[], Rooms]
    queues: Queues = field(default_factory=Queues)

    def run(self, request: pb.RunSessionRequest, context: CallContext) -> pb.RunSessionResponse:
        """Answer RunSession."""
        response: pb.RunSessionResponse = context.new_message()
        asked = _asked(request.config, request.inputs, context)
        for output in self.outputs(asked, work_of(context, "the turn")):
            fill_from_kept(response.outputs.add(), output)
        return response

    def stream(
        self, request: pb.RunSessionRequest, context: CallContext
    ) -> Iterator[pb.RunSessionResponse]:
        """Answer StreamRunSession: each output at once, the last one when the turn is kept."""
        asked = _asked(request.config, request.inputs, context)
        return self._streamed(asked, context)

    def bidi(
        self, requests: Iterable[pb.BidiSessionClientMessage], context: CallContext
    ) -> Iterator[pb.BidiSessionServerMessage]:
        """Answer BidiRunSession: a turn for each input that does not go on in the next message.

        Raises:
            InvalidArgument: The first message has no config, or a later one has.
            Unimplemented: There is audio.
        """
        config: pb.SessionConfig | None = None
        given: list[pb.SessionInput] = []
        for request in requests:
            kind = request.WhichOneof("message_type")
            if (kind == "config") != (config is None):
                where = "is in a later message" if config else "is missing; it comes first"
                raise InvalidArgument.of_field("config", where)
            if kind == "config":
                _asked_config(request.config, context.caller)
                config = request.config
                continue
            assert config is not None  # noqa: S101 - the first message had it
            if kind is None:
                raise InvalidArgument.of_field("realtime_input", "is missing; send an input")
            given.append(request.realtime_input)
            if request.realtime_input.will_continue and len(given) <= MOST_INPUTS:
                continue
            yield from self._answered(config, given, context)
            config.ClearField("historical_contexts")  # the session goes on by itself now
            given = []
        if given and config is not None:  # the client has nothing more to say
            yield from self._answered(config, given, context)

    def _answered(
        self, config: pb.SessionConfig, given: Sequence[pb.SessionInput], context: CallContext
    ) -> Iterator[pb.BidiSessionServerMessage]:
        asked = _asked(config, given, context, field="realtime_input")
        for output in self.outputs(asked, work_of(context, "the turn")):
            response: pb.BidiSessionServerMessage = context.new_message()
            fill_from_kept(response.session_output, output)
            yield response
            if output.HasField("end_session"):
                ending: pb.BidiSessionServerMessage = context.new_message()
                fill_from_kept(ending.end_session, output.end_session)
                yield ending

    def _streamed(self, asked: Asked, context: CallContext) -> Iterator[pb.RunSessionResponse]:
        for output in self.outputs(asked, work_of(context, "the turn")):
            response: pb.RunSessionResponse = context.new_message()
            fill_from_kept(response.outputs.add(), output)
            yield response

    def outputs(self, asked: Asked, work: Work) -> Iterator[pb.SessionOutput]:
        """Yield `SessionOutput`s of the version that is kept; before the last one all is stored."""
        with self.queues.turn(asked.session.name):
            with self.records().read() as transaction:
                dialogue = transaction.dialogues.find(asked.session.app, asked.session.id)
                deployment = asked.deployment or (dialogue.deployment if dialogue else "")
                version = asked.app_version or deployed_version(transaction, deployment)
                app = running_app(transaction, asked.session.app, version)
                earlier = list(asked.history)
                rooms = self.rooms()
                asks = rooms.leader or (rooms.judge and app.guards)
                state = SessionState.from_json(dialogue.state if dialogue else {})
                needs_earlier = (
                    asks
                    or any(a.callbacks for a in app.agents.values())
                    or any(map(statements_in, [asked.inputs.text, *state.open_questions]))
                )
                if dialogue and not earlier and needs_earlier:
                    turns = transaction.dialogues.turns(asked.session.app, asked.session.id)
                    earlier = [message for turn in turns for message in turn.messages]
                now = transaction.now
            dialogue = dialogue or Dialogue(
                parent=asked.session.app,
                id=asked.session.id,
                entry_agent=asked.inputs.entry_agent,
                source=asked.source,
            )
            dialogue = replace(dialogue, deployment=deployment, app_version=version)
            goes_on = state.is_open and not asked.history
            if asked.history:
                state = state_of_history(app, asked.history, "config.historical_contexts")
            state.agent = (asked.agent or state.agent) if state.agent else ""
            index = dialogue.turn_count + (0 if goes_on else 1)
            callbacks = Callbacks(
                app,
                python=rooms.python,
                session_id=asked.session.id,
                turn_index=index,
                earlier=earlier,
                work=work,
            )
            keeper = TurnKeeper(self.records, dialogue, asked.inputs, goes_on=goes_on)
            told: dict[str, Any] = {
                "rooms": rooms,
                "now": now,
                "callbacks": callbacks,
                "earlier": earlier,
                "keep": keeper.keep,
                "work": work,
            }
            kind = Turn if rooms.leader is None else LedTurn
            turn = kind(app, state, asked.inputs, **told)
            last: JsonObject = {}
            try:
                for output in turn.run():
                    if last:
                        yield _output(last, index)
                    last = output
            except BaseException:  # the caller may just be gone
                if keeper.has_begun:
                    with suppress(Aborted):
                        keeper.keep(turn)
                raise
            yield _last_output(last, index, turn, keeper.keep(turn))


def _asked(
    config: pb.SessionConfig,
    given: Sequence[pb.SessionInput],
    context: CallContext,
    *,
    field: str = "",
) -> Asked:
    """Return a request that was understood; `field` is the path of its inputs, for errors."""
    session, history = _asked_config(config, context.caller)
    inputs = inputs_of(
        given,
        app=session.app,
        entry_agent=config.entry_agent,
        use_fakes=config.use_tool_fakes,
        time_zone=config.time_zone,
        field=field,
    )
    chat = context.caller.chat
    deployment = config.deployment or (chat.deployment if chat else "")
    return Asked(session, inputs, history, deployment)


def _asked_config(
    config: pb.SessionConfig, caller: Caller
) -> tuple[NameInApp, tuple[JsonObject, ...]]:
    """Return the session and the history that a `SessionConfig` names.

    Raises:
        InvalidArgument: A name is wrong, or the history is too long.
        PermissionDenied: The caller has a chat token and asks for fakes (docs/decisions/0066).
        Unimplemented: It asks for what this version does not do.
    """
    if caller.chat and config.use_tool_fakes:
        raise PermissionDenied(
            "A chat token does not allow this: config.use_tool_fakes stands fakes in for the app's"
            " tools; use a key",
            reason="CHAT_TOKEN_SCOPE",
        )
    session = parse_session(config.session, field="config.session")
    for name in _NOT_BUILT:
        value = getattr(config, name)
        if value and (not hasattr(value, "ListFields") or config.HasField(name)):
            raise Unimplemented(f"config.{name} is not implemented in this version of Toulmin")
    if len(config.historical_contexts) > MOST_HISTORY:
        raise InvalidArgument.of_field(
            "config.historical_contexts",
            f"has {len(config.historical_contexts)} messages; at most {MOST_HISTORY} are allowed",
        )
    if config.deployment:
        deployment = parse_in_app(
            config.deployment, Deployment.collection, field="config.deployment"
        )
        if deployment.app != session.app:
            raise InvalidArgument.of_field(
                "config.deployment", f'"{config.deployment[:200]}" is not of {session.app}'
            )
    return session, tuple(to_json(message) for message in config.historical_contexts)


def deployed_version(transaction: Transaction, deployment: str) -> str:
    """Return the name of the version that a deployment runs; empty: the app as it is now.

    Args:
        transaction: Where it is read.
        deployment: Name of the deployment; empty: none.

    Raises:
        NotFound: There is none of that name.
    """
    if not deployment:
        return ""
    found = transaction.resources.get(Deployment, deployment).fields.get("appVersion", "")
    return "" if found.endswith(f"/{DRAFT}") else str(found)


def running_app(transaction: Transaction, name: str, version: str = "") -> AppSpec:
    """Return an app as it runs.

    Args:
        transaction: Where it is read.
        name: Name of the app.
        version: Name of a version of it; empty: the app as it is now.

    Raises:
        NotFound: There is no app of that name.
        FailedPrecondition: The version was deleted.
    """
    if not version:
        return snapshot_of(transaction, name).running()
    return snapshot_of_version(version_of(transaction, version)).running()


def _output(value: JsonObject, index: int) -> pb.SessionOutput:
    message: pb.SessionOutput = kept_message("SessionOutput")
    fill_from_json(message, value)
    message.turn_index = index
    return message


def _last_output(
    value: JsonObject, index: int, turn: Turn, messages: tuple[JsonObject, ...]
) -> pb.SessionOutput:
    message = _output(value, index)
    if turn.state.is_open:  # the client has to answer a tool call first
        return message
    message.turn_completed = True
    info = {"messages": list(messages), "rootSpan": turn.log.root_span()}
    fill_from_json(message.diagnostic_info, info)
    return message
