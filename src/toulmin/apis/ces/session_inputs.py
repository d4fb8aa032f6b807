"""`SessionInput` messages -> what the runtime takes in. Images are known by their content."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any, Final

from toulmin.apis.ces.convert import to_json
from toulmin.apis.ces.images import image_type
from toulmin.apis.ces.names import parse_in_app
from toulmin.apis.schema import ces_pb2 as pb
from toulmin.conversation.dates import zone_problem
from toulmin.conversation.inputs import Inputs
from toulmin.conversation.kept_values import unkept
from toulmin.domain import JsonObject
from toulmin.errors import InvalidArgument, Unimplemented

MOST_INPUTS: Final = 100
LONGEST_TEXT: Final = 10_000
LARGEST_BLOB: Final = 10 * 1024 * 1024
MOST_RESPONSE_BYTES: Final = 1024 * 1024
_MIME: Final = re.compile(r"[a-z]+/[a-z0-9][a-z0-9.+-]*\Z")
_EVENT: Final = re.compile(r"\s*<event>\s*([^<>]+?)\s*</event>\s*\Z")
_BEGINNING: Final = "session start"
_DTMF: Final = re.compile(r"[0-9A-D*#]+\Z")
_KINDS: Final = {
    "text": "INPUT_TYPE_TEXT",
    "dtmf": "INPUT_TYPE_TEXT",
    "tool_responses": "INPUT_TYPE_TOOL_RESPONSE",
    "image": "INPUT_TYPE_IMAGE",
    "blob": "INPUT_TYPE_BLOB",
    "variables": "INPUT_TYPE_VARIABLES",
    "event": "INPUT_TYPE_EVENT",
}


def inputs_of(
    items: Sequence[pb.SessionInput],
    *,
    app: str,
    entry_agent: str,
    use_fakes: bool = False,
    time_zone: str = "",
    field: str = "",
) -> Inputs:
    """Return what `SessionInput`s of any version hold.

    Args:
        items: The inputs, in order.
        app: Name of the app.
        entry_agent: Name of the agent to begin with; empty: the root agent.
        use_fakes: Whether fakes stand in for tools that have one.
        time_zone: Name of the user's time zone; empty: the app's.
        field: Path of each input, for errors; empty: they are the request's `inputs`.

    Raises:
        InvalidArgument: A value is wrong; names the field, the limit and the value.
        Unimplemented: There is audio.
    """
    if not items:
        raise InvalidArgument.of_field("inputs", "is empty; send one or more")
    if len(items) > MOST_INPUTS:
        raise InvalidArgument.of_field(
            "inputs", f"has {len(items)} entries; at most {MOST_INPUTS} are allowed"
        )
    if entry_agent:
        _check_agent(entry_agent, app)
    if problem := zone_problem(time_zone):
        raise InvalidArgument.of_field("config.time_zone", problem)
    reading = _Reading(app)
    for number, item in enumerate(items):
        reading.take(item, field or f"inputs[{number}]")
    return Inputs(
        text="\n".join(reading.texts),
        event=reading.event,
        variables=reading.variables,
        responses=tuple(reading.responses),
        response_fields=tuple(reading.response_fields),
        parts=tuple(reading.parts),
        entry_agent=entry_agent,
        kinds=tuple(dict.fromkeys(reading.kinds)),
        use_fakes=use_fakes,
        time_zone=time_zone,
    )


class _Reading:
    """The inputs read so far."""

    def __init__(self, app: str) -> None:
        self._app = app
        self.texts: list[str] = []
        self.event = ""
        self.variables: dict[str, tuple[Any, str]] = {}
        self.responses: list[JsonObject] = []
        self.response_fields: list[str] = []
        self.parts: list[JsonObject] = []
        self.kinds: list[str] = []

    def take(self, item: pb.SessionInput, field: str) -> None:
        """Read one input."""
        kind = item.WhichOneof("input_type")
        if kind is None:
            raise InvalidArgument.of_field(field, "has no input; set text or another one")
        if kind == "audio":
            raise Unimplemented(
                f"{field}.audio is not implemented in this version of Toulmin; send text"
            )
        self.kinds.append(_KINDS[kind])
        {
            "text": self._text,
            "dtmf": self._dtmf,
            "tool_responses": self._tool_responses,
            "image": self._image,
            "blob": self._blob,
            "variables": self._variables,
            "event": self._event,
        }[kind](item, f"{field}.{kind}")

    def _text(self, item: pb.SessionInput, field: str) -> None:
        if len(item.text) > LONGEST_TEXT:
            raise InvalidArgument.of_field(
                field, f"has {len(item.text):,} characters; at most {LONGEST_TEXT:,} are allowed"
            )
        event = _EVENT.match(item.text)
        if event and not self.event:  # as the makers' tool kit sends events
            self._begin(event[1])
            return
        if item.text.strip():
            self.texts.append(item.text)
        self.parts.append({"text": item.text})

    def _begin(self, event: str) -> None:
        """Note an event; "welcome" is shown as the service shows it, which callbacks look for."""
        self.event = event
        shown = _BEGINNING if event == "welcome" else event
        self.parts.append({"text": f"<event>{shown}</event>"})

    def _dtmf(self, item: pb.SessionInput, field: str) -> None:
        if not _DTMF.match(item.dtmf):
            raise InvalidArgument.of_field(
                field, f'"{item.dtmf[:100]}" must be of the digits 0-9, A-D, "*" and "#"'
            )
        self.texts.append(item.dtmf)
        self.parts.append({"text": item.dtmf})

    def _event(self, item: pb.SessionInput, field: str) -> None:
        if not item.event.event.strip():
            raise InvalidArgument.of_field(f"{field}.event", "is empty; it is required")
        if self.event:
            raise InvalidArgument.of_field(field, "is the second event; send one at a time")
        self._begin(item.event.event)

    def _variables(self, item: pb.SessionInput, field: str) -> None:
        value = to_json(item.variables)
        for name, inside in value.items():
            if problem := unkept(inside):
                raise InvalidArgument.of_field(f"{field}.{name}", problem)
        self.variables |= {name: (inside, field) for name, inside in value.items()}

    def _tool_responses(self, item: pb.SessionInput, field: str) -> None:
        if not item.tool_responses.tool_responses:
            raise InvalidArgument.of_field(f"{field}.tool_responses", "is empty; send one or more")
        for number, response in enumerate(item.tool_responses.tool_responses):
            path = f"{field}.tool_responses[{number}]"
            if not response.id:
                raise InvalidArgument.of_field(f"{path}.id", "is empty; it names the tool call")
            size = response.response.ByteSize()
            if size > MOST_RESPONSE_BYTES:
                raise InvalidArgument.of_field(
                    f"{path}.response",
                    f"has {size:,} bytes; at most {MOST_RESPONSE_BYTES:,} are allowed",
                )
            if not response.HasField("response"):
                raise InvalidArgument.of_field(f"{path}.response", "is missing; it is required")
            found = to_json(response)
            if problem := unkept(found["response"]):
                raise InvalidArgument.of_field(f"{path}.response", problem)
            self.responses.append(found)
            self.response_fields.append(path)

    def _image(self, item: pb.SessionInput, field: str) -> None:
        _check_size(item.image.data, field)
        found = image_type(item.image.data)
        if not found:
            raise InvalidArgument.of_field(
                f"{field}.data", "is no whole PNG, JPEG or WebP image, judged by its bytes"
            )
        if item.image.mime_type != found:
            raise InvalidArgument.of_field(
                f"{field}.mime_type",
                f'"{item.image.mime_type[:100]}" is wrong: the data are {found}',
            )
        self.parts.append({"image": to_json(item.image)})

    def _blob(self, item: pb.SessionInput, field: str) -> None:
        if not _MIME.match(item.blob.mime_type):
            raise InvalidArgument.of_field(
                f"{field}.mime_type", f'"{item.blob.mime_type[:100]}" is no MIME type'
            )
        if not item.blob.data:
            raise InvalidArgument.of_field(f"{field}.data", "is empty; it is required")
        _check_size(item.blob.data, field)
        self.parts.append({"blob": to_json(item.blob)})


def _check_size(data: bytes, field: str) -> None:
    if len(data) > LARGEST_BLOB:
        raise InvalidArgument.of_field(
            f"{field}.data", f"has {len(data):,} bytes; at most {LARGEST_BLOB:,} are allowed"
        )


def _check_agent(name: str, app: str) -> None:
    found = parse_in_app(name, "agents", field="config.entry_agent")
    if found.app != app:
        raise InvalidArgument.of_field("config.entry_agent", f'"{name[:200]}" is not of {app}')
