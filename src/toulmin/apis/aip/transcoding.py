"""HTTP requests to request messages, as google.api.http says (AIP-127).

The body gives the fields that the binding says, the query the rest, and the path has the last word.
Parameters that belong to the protocol (`$alt`, `key`, `prettyPrint`, ...) are no fields.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, Final
from urllib.parse import unquote_plus

from google.protobuf.message import Message

from toulmin.apis.aip.json_dump import dump_json
from toulmin.apis.aip.json_faults import MAX_DEPTH, Faults, Place, below, quote, shorten
from toulmin.apis.aip.json_parse import Field, JsonParser, json_parser
from toulmin.apis.aip.json_text import read_json
from toulmin.apis.aip.routing import RouteMatch, Router
from toulmin.apis.schema import Schema
from toulmin.errors import InvalidArgument, Unimplemented

__all__ = [
    "ResponseOptions",
    "RouteMatch",
    "Router",
    "dump_json",
    "parse_request",
    "response_options",
]

# https://cloud.google.com/apis/docs/system-parameters; any name that starts with $ is one too.
SYSTEM_PARAMETERS: Final = frozenset(
    {
        "access_token",
        "alt",
        "bearer_token",
        "callback",
        "fields",
        "key",
        "oauth_token",
        "pp",
        "prettyPrint",
        "quotaUser",
        "uploadType",
        "upload_protocol",
        "userIp",
    }
)
_ALT_NAMES: Final = ("alt", "$alt")
_PRETTY_NAMES: Final = ("prettyPrint", "$prettyPrint", "pp")
_FIELDS_NAMES: Final = ("fields", "$fields")
_CALLBACK_NAMES: Final = ("callback", "$callback")
_NOT_WRITTEN: Final = ("media", "proto")  # Google writes these, too
_MAX_QUERY_PARAMETERS: Final = 1_000


@dataclass(frozen=True, slots=True)
class ResponseOptions:
    """How the caller wants the response written.

    Attributes:
        enums_as_ints: Enum values as numbers, as Google's own clients ask.
        pretty: Indented JSON.
        sse: Server-sent events instead of a JSON array, for a streaming RPC.
        fields: Mask of the fields that are wanted; empty: all of them.
    """

    enums_as_ints: bool = False
    pretty: bool = False
    sse: bool = False
    fields: str = ""


def response_options(query_string: str) -> ResponseOptions:
    """Return what the query asks of the response; raises nothing.

    `alt` is "json", "sse", or one of them with ";enum-encoding=int". Anything else, and a
    `callback`, is refused by `parse_request`.
    """
    enums_as_ints = pretty = sse = False
    fields = ""
    for name, value in _parameters(query_string):
        if name in _ALT_NAMES:
            kind, *settings = value.lower().split(";")
            sse = sse or kind == "sse"
            enums_as_ints = enums_as_ints or "enum-encoding=int" in settings
        elif name in _PRETTY_NAMES:
            pretty = value.lower() in {"true", "1"}
        elif name in _FIELDS_NAMES:
            fields = value
    return ResponseOptions(enums_as_ints=enums_as_ints, pretty=pretty, sse=sse, fields=fields)


def parse_request(match: RouteMatch, query_string: str, body: bytes, schema: Schema) -> Message:
    """Return the request message from path, query and body.

    Args:
        match: What the router found.
        query_string: As sent, without the question mark.
        body: As sent; empty when there is none.
        schema: The contract the RPC is from.

    Raises:
        InvalidArgument: with Google's wording and the fields at fault, at most 16.
        Unimplemented: It asks for a representation that Google has and Toulmin does not write.
    """
    parser = json_parser(schema)
    message_class = schema.message_class(match.rpc.input_type)
    faults = Faults()
    arguments = _read_body(match, body, parser, faults, schema=schema)
    binder = _Binder(parser, match.rpc.input_type, arguments, faults)
    seen: set[str] = set()
    for name, value in _query_fields(query_string, faults):
        binder.bind_query(name, value, is_first=name not in seen)
        seen.add(name)
    for name, value in match.path_fields.items():
        binder.bind_path(name, value)
    faults.raise_if_any()
    return message_class(**arguments)


def _read_body(
    match: RouteMatch, body: bytes, parser: JsonParser, faults: Faults, *, schema: Schema
) -> dict[str, Any]:
    """Return the arguments of the request message that the body gives."""
    descriptor = schema.message_descriptor(match.rpc.input_type)
    selector = match.rule.body
    if selector == "*":
        return parser.read_root(read_json(body), descriptor, faults)
    if not body or body.isspace():
        return {}
    value = read_json(body)
    if not selector:
        if value != {}:
            message = f"{match.rule.verb} {match.rule.template} takes no body"
            raise InvalidArgument(f"{message}; send the fields in the query string.")
        return {}
    field = parser.fields(match.rpc.input_type)[selector]
    result = field.read(value, below(None, field.name), faults)
    return {} if result is None else {field.name: result}


def _parameters(query_string: str) -> Iterator[tuple[str, str]]:
    """Yield decoded names and values; bytes that are not UTF-8 become lone surrogates."""
    for part in query_string.split("&"):
        if part:
            name, _, value = part.partition("=")
            yield _decode(name), _decode(value)


def _decode(text: str) -> str:
    return unquote_plus(text, errors="surrogateescape")


def _query_fields(query_string: str, faults: Faults) -> Iterator[tuple[str, str]]:
    """Yield the parameters that are fields of the request."""
    for count, (name, value) in enumerate(_parameters(query_string)):
        if count >= _MAX_QUERY_PARAMETERS:
            raise InvalidArgument(
                f"The query string has more than {_MAX_QUERY_PARAMETERS:,} parameters."
            )
        if name in _ALT_NAMES:
            _check_alt(name, value, faults)
        elif name in _CALLBACK_NAMES and value:
            raise Unimplemented(f"{name} (JSONP) is not implemented in this version of Toulmin")
        elif name not in SYSTEM_PARAMETERS and not name.startswith("$"):
            yield name, value


def _check_alt(name: str, value: str, faults: Faults) -> None:
    """Refuse a representation that the server does not write."""
    kind, *settings = value.lower().split(";")
    if kind in _NOT_WRITTEN:
        raise Unimplemented(
            f"{name}={kind} is not implemented in this version of Toulmin; use json or sse"
        )
    if kind not in {"json", "sse"} or any(
        setting not in {"enum-encoding=int", "enum-encoding=string"} for setting in settings
    ):
        faults.wrong_because(
            below(None, name),
            "TYPE_STRING",
            f'only "json" and "sse" are written, not {quote(value)}',
        )


class _Binder:
    """Puts strings from query and path into the arguments of a request message."""

    def __init__(
        self, parser: JsonParser, root_type: str, arguments: dict[str, Any], faults: Faults
    ) -> None:
        self._parser = parser
        self._root_type = root_type
        self._arguments = arguments
        self._faults = faults

    def bind_query(self, name: str, value: str, *, is_first: bool) -> None:
        """Set a field from a query parameter; a repeated one grows."""
        found = self._find(name)
        if isinstance(found, str):
            self._refuse(name, found)
            return
        arguments, field, place = found
        if not field.is_scalar:
            self._refuse(
                name,
                f"'{name}' is a message type. Parameters can only be bound to primitive types.",
            )
        elif not field.is_repeated and not is_first:
            self._refuse(name, f"'{name}' is not repeating and is there more than once.")
        else:
            self._set(arguments, field, value, place)

    def bind_path(self, name: str, value: str) -> None:
        """Set a field from the path, whatever body and query say."""
        found = self._find(name)
        if isinstance(found, str):
            raise TypeError(f"{self._root_type} has no field {name} for its path template")
        arguments, field, place = found
        arguments.pop(field.name, None)
        self._set(arguments, field, value, place)

    def _refuse(self, name: str, reason: str) -> None:
        self._faults.unknown_name(None, name, f"Cannot bind query parameter. {reason}")

    def _set(self, arguments: dict[str, Any], field: Field, value: str, place: Place) -> None:
        if not _is_utf8(value):
            self._faults.wrong_because(place, "TYPE_STRING", "the text must be UTF-8")
            return
        result = field.read_one(value, place, self._faults)
        if result is None:
            return
        if field.is_repeated:
            arguments.setdefault(field.name, []).append(result)
        else:
            arguments[field.name] = result

    def _find(self, path: str) -> tuple[dict[str, Any], Field, Place] | str:
        """Return where a dotted path leads, or why it leads nowhere.

        Messages on the way are created empty.
        """
        *parents, last = path.split(".")
        arguments, place, type_name = self._arguments, None, self._root_type
        if len(parents) >= MAX_DEPTH:
            return f"At most {MAX_DEPTH} levels can be named."
        for parent in parents:
            field = self._parser.fields(type_name).get(parent)
            if field is None or not field.message or field.is_repeated:
                return f"Field '{shorten(parent)}' could not be found in request message."
            place = below(place, field.name)
            arguments = arguments.setdefault(field.name, {})
            type_name = field.message
        field = self._parser.fields(type_name).get(last)
        if field is None:
            return f"Field '{shorten(last)}' could not be found in request message."
        return arguments, field, below(place, field.name)


def _is_utf8(text: str) -> bool:
    try:
        text.encode("utf-8")
    except UnicodeEncodeError:
        return False
    return True
