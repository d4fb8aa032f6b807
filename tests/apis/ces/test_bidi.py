"""BidiRunSession over gRPC: a talk on one stream."""

from __future__ import annotations

import queue
from functools import cached_property

import pytest

from tests.apis.ces.clients import Clients, responses
from tests.apis.ces.test_resources import refused
from tests.patience import PATIENCE_S

pytestmark = [pytest.mark.client, pytest.mark.model]


@pytest.fixture(scope="module", params=["v1", "v1beta"])
def grpc_clients(request, backend):
    made = Clients(request.param, "grpc", backend.server.port)
    yield made
    made.close()


class Line:
    """A stream that is written to while it is read."""

    def __init__(self, clients, app, session="s", **config):
        self._said = queue.Queue()
        self.say(config={"session": f"{app}/sessions/{session}", **config})
        self._clients = clients

    @cached_property
    def _answers(self):
        # The client waits for the first answer, so something must have been said before.
        return iter(
            self._clients.session.bidi_run_session(
                requests=iter(self._said.get, None), timeout=PATIENCE_S
            )
        )

    def say(self, **message):
        self._said.put(message)

    def tell(self, text, **more):
        self.say(realtime_input={"text": text, **more})

    def hear(self):
        """Return the outputs of a turn, to the end or to a call that waits."""
        found = []
        for message in self._answers:
            found.append(message.session_output)
            if found[-1].turn_completed or found[-1].tool_calls:
                return found
        return found

    def rest(self):
        self._said.put(None)
        return list(self._answers)


def sent(clients, *messages):
    return list(clients.session.bidi_run_session(requests=iter(messages)))


def test_a_talk_of_several_turns_on_one_stream(grpc_clients, backend):
    app = grpc_clients.make_shop(backend)
    line = Line(grpc_clients, app)
    line.tell("Where is my parcel?")
    assert line.hear()[0].text == "What is the order number?"
    line.tell("it is number 4711")
    call = line.hear()[0].tool_calls.tool_calls[0]
    assert dict(call.args) == {"order_id": "4711"}
    line.say(realtime_input=responses((call.id, {"output": "It comes on Friday."})))
    last = line.hear()[-1]
    assert last.text == "It comes on Friday."
    assert last.diagnostic_info.messages
    line.tell("goodbye")
    ending = line.rest()
    assert ending[0].session_output.text == "Goodbye."
    assert "end_session" in ending[-1]
    kept = grpc_clients.agent.get_conversation(name=f"{app}/conversations/s")
    assert kept.turn_count == 3


def test_an_input_that_goes_on_is_one_turn(grpc_clients, backend):
    app = grpc_clients.make_shop(backend)
    line = Line(grpc_clients, app)
    line.say(realtime_input={"variables": {"plan": "gold"}, "will_continue": True})
    line.tell("where is my order", will_continue=True)
    line.tell("number 4711")
    call = line.hear()[0].tool_calls.tool_calls[0]
    assert dict(call.args) == {"order_id": "4711"}
    assert line.rest() == []
    other = Line(grpc_clients, app, session="2")
    other.tell("where is my order 4711", will_continue=True)
    assert other.rest()[0].session_output.tool_calls


def test_the_history_of_the_config_is_for_the_first_turn(grpc_clients, backend):
    app = grpc_clients.make_shop(backend)
    transfer = {"agent_transfer": {"target_agent": f"{app}/agents/returns"}}
    line = Line(grpc_clients, app, historical_contexts=[{"role": "agent", "chunks": [transfer]}])
    line.tell("hello")
    assert line.hear()[-1].diagnostic_info.messages[-1].role == "Returns"
    line.tell("thanks")
    line.hear()
    line.rest()
    assert grpc_clients.agent.get_conversation(name=f"{app}/conversations/s").turn_count == 2


def test_what_is_wrong_ends_the_stream_with_its_code(grpc_clients, backend):
    app = grpc_clients.make_shop(backend)
    config = {"config": {"session": f"{app}/sessions/s"}}
    text = {"realtime_input": {"text": "hello"}}
    audio_config = {"audio_encoding": "LINEAR16", "sample_rate_hertz": 16_000}
    for messages, code, words in (
        ([text], 400, "config: is missing"),
        ([config, config], 400, "config: is in a later message"),
        ([config, {}], 400, "realtime_input: is missing"),
        ([{"config": {"session": "x"}}], 400, "config.session"),
        ([config, {"realtime_input": {"text": "x" * 10_001}}], 400, "realtime_input.text"),
        ([config, {"realtime_input": {"audio": b"x"}}], 501, "realtime_input.audio"),
        (
            [{"config": {**config["config"], "output_audio_config": audio_config}}],
            501,
            "config.output_audio_config",
        ),
        (
            [config, *[{"realtime_input": {"text": "x", "will_continue": True}}] * 101],
            400,
            "at most 100 are allowed",
        ),
    ):
        refused(lambda messages=messages: sent(grpc_clients, *messages), code, words)
