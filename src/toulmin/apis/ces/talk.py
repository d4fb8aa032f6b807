"""A talk that comes in JSON messages, a turn at a time: BidiRunSession where there is no stream.

Each turn is the handler's: it is given the config again and what the turn consists of. So what a
talk may do and what it answers are those of the stream over gRPC, and between two turns nothing
waits for the client.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, cast

from google.protobuf.message import Message

from toulmin.apis.aip.json_parse import json_parser
from toulmin.apis.aip.registry import CallContext, Registry
from toulmin.apis.aip.transcoding import dump_json
from toulmin.apis.ces.names import location_of, parse_session
from toulmin.apis.ces.session_inputs import MOST_INPUTS
from toulmin.apis.schema import Rpc
from toulmin.apis.schema import ces_pb2 as pb
from toulmin.errors import InvalidArgument


class Talk:
    """What was said in a talk that no turn was made of yet; one message at a time.

    Args:
        registry: Has the handler.
        rpc: BidiRunSession, of one version.
        location: Id of the location that the talk was addressed to.
    """

    def __init__(self, registry: Registry, rpc: Rpc, location: str) -> None:
        self._handler = registry.handler(rpc)
        self._parser = json_parser(registry.schema)
        self._message_class = registry.schema.message_class(rpc.input_type)
        self._location = location
        self._config: pb.BidiSessionClientMessage | None = None
        self._given: list[pb.BidiSessionClientMessage] = []

    def answers(self, content: bytes, context: CallContext) -> Iterator[bytes]:
        """Yield what the server says to a message, as JSON; nothing where the turn goes on.

        Args:
            content: A `BidiSessionClientMessage` as JSON.
            context: That of the message, or of the turn that it ends.

        Raises:
            InvalidArgument: It is no such message, or not one that may come now.
            ToulminError: Whatever the turn raises.
        """
        message = cast(
            "pb.BidiSessionClientMessage", self._parser.parse(content, self._message_class)
        )
        if self._config is None:
            yield from self._said([message], context)
            self._check_location(message.config.session)
            self._config = message
            return
        self._given.append(message)
        goes_on = message.WhichOneof("message_type") == "realtime_input" and (
            message.realtime_input.will_continue and len(self._given) <= MOST_INPUTS
        )
        if goes_on:
            return
        given, self._given = self._given, []
        yield from self._said([self._config, *given], context)
        self._config.config.ClearField("historical_contexts")  # the session goes on by itself now

    def _said(self, messages: Sequence[Message], context: CallContext) -> Iterator[bytes]:
        answers: Any = self._handler(iter(messages), context)
        for answer in answers:
            yield dump_json(answer, enums_as_ints=False)

    def _check_location(self, session: str) -> None:
        app = parse_session(session, field="config.session").app
        found = location_of(app).rpartition("/")[2]
        if found != self._location:
            raise InvalidArgument.of_field(
                "config.session",
                f"is in location {found[:100]!r}; this address is that of {self._location[:100]!r}",
            )
