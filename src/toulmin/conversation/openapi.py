"""Tools that a server describes with OpenAPI 3: the description read, and an operation called.

A description is JSON, or YAML where PyYAML is installed (extra `agents`). Parameters in path, query
and header and the properties of a JSON body are the tool's arguments. `$ref` is followed within the
description.
"""

from __future__ import annotations

import http.client
import json
import re
import time
import urllib.parse
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from itertools import chain
from typing import Any, Final

from toulmin.conversation.description_files import loaded
from toulmin.conversation.json_schemas import Parts, api_schema, resolved
from toulmin.conversation.outgoing import (
    LARGEST_ANSWER,
    Credentials,
    check_host,
    header_value,
    whole_numbers,
)
from toulmin.domain import JsonObject
from toulmin.errors import InvalidArgument
from toulmin.work import UNLIMITED, Work

_METHODS: Final = ("get", "put", "post", "delete", "patch")
MOST_PARTS: Final = 50_000
"""Operations, parameters and parts of schemas of one description."""
_PIECE: Final = 64 * 1024


@dataclass(frozen=True, slots=True, kw_only=True)
class Operation:
    """An operation of a server.

    Attributes:
        id: Its operationId, or one made of method and path.
        description: What it does.
        method: "GET", "POST", ...
        url: Of the server with the path, `{name}` for what the arguments fill in.
        places: Where each argument goes: "path", "query", "header" or "body".
        parameters: Schema of the arguments, the API's.
    """

    id: str
    description: str
    method: str
    url: str
    places: Mapping[str, str]
    parameters: JsonObject


def operations_of(text: str, *, url: str = "", field_name: str) -> tuple[Operation, ...]:
    """Return the operations of a description, in its order.

    Args:
        text: The description.
        url: Takes the place of the server in the description.
        field_name: Path of the description in the request, for errors.

    Raises:
        InvalidArgument: It is no description of OpenAPI 3, or says no server.
    """
    whole = loaded(text, field_name)
    paths = whole.get("paths")
    if not isinstance(paths, Mapping) or not str(whole.get("openapi", "")).startswith("3"):
        raise InvalidArgument.of_field(field_name, "is no OpenAPI 3 description with `paths`")
    base = url or str(_object(next(iter(_list(whole.get("servers"))), {})).get("url", ""))
    if not _is_address(base):
        raise InvalidArgument.of_field(
            field_name, f'names the server "{base[:200]}"; it must be an http or https URL'
        )
    parts = Parts(MOST_PARTS)
    found = tuple(_operations(whole, paths, base.rstrip("/"), parts))
    if parts.left < 0:
        raise InvalidArgument.of_field(
            field_name,
            f"has over {MOST_PARTS:,} parameters and parts of schemas, references followed",
        )
    return found


def call_operation(
    operation: Operation,
    args: JsonObject,
    *,
    credentials: Credentials,
    allowed_hosts: frozenset[str],
    timeout_s: float,
    work: Work = UNLIMITED,
) -> JsonObject:
    """Call an operation and return {"result": ...} or {"error": ...}.

    Args:
        operation: The operation.
        args: Its arguments.
        credentials: What lets the call in.
        allowed_hosts: "host" or "host:port" that the operator lets tools call.
        timeout_s: Longest time for the whole call.
        work: Asked between the pieces of the answer.

    Raises:
        FailedPrecondition: The operator does not allow the host.
        Cancelled: Nobody waits any more.
    """
    target, headers, body = _request(operation, args, credentials)
    check_host(target, allowed_hosts, operation.id)
    parts = urllib.parse.urlsplit(target)
    end = time.monotonic() + timeout_s
    kind = http.client.HTTPSConnection if parts.scheme == "https" else http.client.HTTPConnection
    connection = kind(parts.netloc, timeout=timeout_s)
    try:
        where = urllib.parse.urlunsplit(("", "", parts.path or "/", parts.query, ""))
        connection.request(operation.method, where, body=body, headers=headers)
        response = connection.getresponse()
        content = b""
        while len(content) <= LARGEST_ANSWER and (piece := response.read1(_PIECE)):
            content += piece
            work.check()
            if time.monotonic() > end:
                return {"error": f"there was no whole answer within {timeout_s:g} s"}
    except TimeoutError:
        return {"error": f"there was no answer within {timeout_s:g} s"}
    except (OSError, http.client.HTTPException, ValueError) as error:
        return {"error": f"{parts.netloc} cannot be called: {str(error) or type(error).__name__}"}
    finally:
        connection.close()
    return _answer(response.status, content)


def _is_address(url: str) -> bool:
    try:
        return urllib.parse.urlsplit(url).scheme in ("http", "https")
    except ValueError:
        return False


def _operations(
    whole: JsonObject, paths: Mapping[str, Any], base: str, parts: Parts
) -> Iterator[Operation]:
    """Yield the operations, until no parts are left."""
    for path, item in paths.items():
        shared = _list(_object(item).get("parameters"))
        for method in _METHODS:
            given = _object(item).get(method)
            if not isinstance(given, Mapping) or not parts.take():
                continue
            places, parameters = _arguments(whole, given, shared, parts)
            made = "_".join(re.findall(r"\w+", f"{method} {path}"))
            yield Operation(
                id=str(given.get("operationId") or made),
                description=str(given.get("description") or given.get("summary") or ""),
                method=method.upper(),
                url=f"{base}{path}",
                places=places,
                parameters=parameters,
            )


def _arguments(
    whole: JsonObject, given: Mapping[str, Any], shared: list[Any], parts: Parts
) -> tuple[dict[str, str], JsonObject]:
    """Return where each argument of an operation goes, and the schema of all of them."""
    properties: dict[str, Any] = {}
    places: dict[str, str] = {}
    required: list[str] = []
    for parameter in chain(shared, _list(given.get("parameters"))):
        if not parts.take():
            break
        found = resolved(whole, parameter)
        name, place = str(found.get("name", "")), str(found.get("in", ""))
        if place in ("path", "query", "header"):
            schema = api_schema(whole, found.get("schema", {}), parts)
            described = {"description": found["description"]} if "description" in found else {}
            properties[name], places[name] = {**schema, **described}, place
            if found.get("required"):
                required.append(name)
    content = _object(resolved(whole, given.get("requestBody", {})).get("content"))
    body = _object(content.get("application/json")).get("schema", {})
    inside = api_schema(whole, body, parts)
    for name, schema in inside.get("properties", {}).items():
        properties[name], places[name] = schema, "body"
    required += inside.get("required", [])
    return places, {"type": "OBJECT", "properties": properties, "required": required}


def _object(value: Any) -> Mapping[str, Any]:
    return value if isinstance(value, Mapping) else {}


def _list(value: Any) -> list[Any]:
    return value if isinstance(value, list) else []


def _request(
    operation: Operation, args: JsonObject, credentials: Credentials
) -> tuple[str, dict[str, str], bytes | None]:
    url, body = operation.url, {}
    query: list[tuple[str, str]] = list(credentials.query.items())
    headers = {"Accept": "application/json", **credentials.headers}
    for name, value in args.items():
        place = operation.places.get(name)
        if place == "path":
            url = url.replace(f"{{{name}}}", urllib.parse.quote(_plain(value), safe=""))
        elif place == "query":
            several = value if isinstance(value, list) else [value]
            query += [(name, _plain(item)) for item in several]
        elif place == "header":
            headers[name] = header_value(_plain(value))
        elif place == "body":
            body[name] = whole_numbers(value)
    if query:
        url += ("&" if "?" in url else "?") + urllib.parse.urlencode(query)
    if "body" not in operation.places.values():
        return url, headers, None
    return url, {**headers, "Content-Type": "application/json"}, json.dumps(body).encode()


def _plain(value: Any) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    return str(int(value)) if isinstance(value, float) and value.is_integer() else str(value)


def _answer(status: int, content: bytes) -> JsonObject:
    if len(content) > LARGEST_ANSWER:
        return {"error": f"the answer is longer than the {LARGEST_ANSWER:,} bytes that are allowed"}
    text = content.decode("utf-8", "replace")
    try:
        value = json.loads(text) if text.strip() else {}
    except ValueError:
        value = text
    if status >= http.client.BAD_REQUEST or status < http.client.OK:
        return {"error": f"HTTP {status}: {text[:500]}".rstrip(": ")}
    return {"result": value}
