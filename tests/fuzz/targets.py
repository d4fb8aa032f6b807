"""What is called with any bytes, and what must hold then.

A target raises for a finding, and for nothing else: the errors that callers are meant to get are
caught here.
"""

from __future__ import annotations

import asyncio
import json
import time
import zlib
from collections.abc import Callable
from functools import cache

from google.protobuf.message import Message

from tests.fuzz import agents, connections, documents, records
from toulmin.apis.aip.json_dump import dump_json
from toulmin.apis.aip.json_parse import json_parser
from toulmin.apis.aip.list_filter import parse_list_filter
from toulmin.apis.aip.names import parse_name
from toulmin.apis.aip.response_mask import response_mask
from toulmin.apis.aip.routing import Router
from toulmin.apis.aip.status import error_body, to_status
from toulmin.apis.aip.transcoding import parse_request, response_options
from toulmin.apis.discoveryengine.convert.offsets import ByteOffsets
from toulmin.apis.schema import Schema, load_schema
from toulmin.errors import InvalidArgument, ResourceExhausted, ToulminError
from toulmin.grounding.claims import split_claims
from toulmin.retrieval.filters import parse_filter
from toulmin.retrieval.ordering import parse_order_by
from toulmin.server.body import BodyReader
from toulmin.server.limits import Allowance, ByteBudget
from toulmin.text.sentences import split_sentences

_V1 = "google.cloud.discoveryengine.v1."
_TYPES = (
    _V1 + "CheckGroundingRequest",
    _V1 + "Document",
    _V1 + "UserEvent",
    _V1 + "SearchRequest",
    _V1 + "ImportDocumentsRequest",
    "google.cloud.ces.v1.RunSessionRequest",
    "google.ai.generativelanguage.v1beta.GenerateContentRequest",
    "google.rpc.Status",
)
_PATTERNS = (
    "projects/{project}/locations/{location}/collections/{collection}/dataStores/{data_store}",
    "projects/{project}/locations/{location}/dataStores/{data_store}/branches/{branch}/documents/{document}",
)
_MOST_BYTES = 1_000_000


@cache
def _schema() -> Schema:
    return load_schema()


@cache
def _router() -> Router:
    return Router(_schema())


def _refused(error: ToulminError) -> None:
    """Check that an error can be sent, and tells what is wrong."""
    assert error.message
    assert json.loads(error_body(to_status(error)))["error"]["code"] in (400, 404, 429)


def json_messages(data: bytes) -> None:
    """JSON of a request: a message, which survives being written and read again, or a refusal."""
    if not data:
        return
    message_class = _schema().message_class(_TYPES[data[0] % len(_TYPES)])
    parser = json_parser(_schema())
    try:
        message = parser.parse(data[1:], message_class)
    except InvalidArgument as error:
        assert error.violations
        _refused(error)
        return
    _round_trip(message, message_class)


def _round_trip(message: Message, message_class: type[Message]) -> None:
    again = json_parser(_schema()).parse(dump_json(message, enums_as_ints=True), message_class)
    assert str(again) == str(message)


def requests(data: bytes) -> None:
    """A whole request: method and path in the first line, query in the second, then the body."""
    first, _, rest = data.partition(b"\n")
    query, _, body = rest.partition(b"\n")
    verb, _, path = first.decode("latin-1").partition(" ")
    try:
        match = _router().match(verb, path)
        if match is None:
            _router().allowed_methods(path)
            return
        response_options(query.decode("latin-1"))
        parse_request(match, query.decode("latin-1"), body, _schema())
    except InvalidArgument as error:
        _refused(error)


def filters(data: bytes) -> None:
    """A filter of a search, one of a list, and an order."""
    text = data.decode("utf-8", "surrogateescape" if data[:1] == b"\0" else "ignore")
    for parse in (parse_filter, _list_filter, parse_order_by):
        try:
            parse(text)
        except InvalidArgument as error:
            _refused(error)


def _list_filter(text: str) -> None:
    parse_list_filter(text, {"name": str, "done": bool, "metadata": int})


def names(data: bytes) -> None:
    """A resource's name: what is taken apart is the same when it is put together."""
    text = data.decode("utf-8", "ignore")
    try:
        name = parse_name(text, _PATTERNS, field="name")
    except InvalidArgument as error:
        _refused(error)
        return
    assert text == str(name) or "-" in text, (text, name)


def masks(data: bytes) -> None:
    """The parameter `fields`."""
    text = data.decode("utf-8", "ignore")
    descriptor = _schema().message_descriptor(_V1 + "SearchResponse")
    try:
        response_mask(query=text, headers={}, descriptor=descriptor)
    except InvalidArgument as error:
        _refused(error)


def bodies(data: bytes) -> None:
    """A body as it arrives: in parts, perhaps as gzip; what is read is what was sent.

    The first byte says how: its lowest bit gzip, its second the gzip of the rest, its others into
    how many bytes the parts are cut.
    """
    if not data:
        return
    how, payload = data[0], data[1:]
    is_packed, is_made = bool(how & 1), bool(how & 2)
    sent = _gzip(payload) if is_packed and is_made else payload
    size = max(1, how >> 2)
    parts = [sent[start : start + size] for start in range(0, len(sent), size)] or [b""]
    headers = {"content-encoding": "gzip"} if is_packed else {}
    budget = ByteBudget(2 * _MOST_BYTES)
    allowance = Allowance(_MOST_BYTES, budget)
    try:
        found = asyncio.run(_read(parts, headers, allowance))
    except (InvalidArgument, ResourceExhausted) as error:
        _refused(error)
        assert (is_packed and not (is_made and len(payload) <= _MOST_BYTES)) or (
            len(payload) > _MOST_BYTES
        ), error.message
    else:
        assert len(found) == allowance.held
        if is_made or not is_packed:
            assert found == payload
    allowance.give_back()
    assert not budget.held


def _gzip(data: bytes) -> bytes:
    pack = zlib.compressobj(1, zlib.DEFLATED, 16 + zlib.MAX_WBITS)
    return pack.compress(data) + pack.flush()


async def _read(parts: list[bytes], headers: dict[str, str], allowance: Allowance) -> bytes:
    left = iter(enumerate(parts, 1))

    async def receive() -> dict[str, object]:
        number, part = next(left)
        return {"type": "http.request", "body": part, "more_body": number < len(parts)}

    return await BodyReader(receive, headers, allowance).read()


def sentences(data: bytes) -> None:
    """Text into sentences: in order, apart, and nothing but white space is left out."""
    text = data.decode("utf-8", "ignore")
    end = 0
    for start, stop in split_sentences(text):
        assert end <= start < stop <= len(text)
        assert not text[end:start].strip(), (text, end, start)
        end = stop
    assert not text[end:].strip()


def claims(data: bytes) -> None:
    """An answer into claims, whose offsets in bytes of UTF-8 cut them out of the answer."""
    answer = data.decode("utf-8", "ignore")
    offsets, encoded, end = ByteOffsets(answer), answer.encode(), 0
    for claim in split_claims(answer):
        start, stop = offsets.at(claim.start), offsets.at(claim.end)
        assert end <= start < stop <= len(encoded)
        assert encoded[start:stop].decode() == claim.text
        assert not encoded[end:start].decode().strip()
        claim.context.encode()
        end = stop
    assert not encoded[end:].decode().strip()


TARGETS: dict[str, Callable[[bytes], None]] = {
    "json": json_messages,
    "requests": requests,
    "filters": filters,
    "names": names,
    "masks": masks,
    "bodies": bodies,
    "sentences": sentences,
    "claims": claims,
    "wire": records.wire,
    "updates": records.updates,
    "imported": records.imported,
    "http1": connections.http1,
    "http2": connections.http2,
    "websocket": connections.websocket,
    "apps": agents.apps,
    "conditions": agents.conditions,
    "functions": agents.functions,
    "goldens": agents.goldens,
    "tools": agents.tools,
    "mcp": agents.mcp,
    "replies": agents.replies,
    "documents": documents.any_file,
    "markup": documents.markup,
    "office": documents.office,
    "mail": documents.mail,
}
"""Name -> what is called; the seeds of each are in the folder of its name under corpus/."""
SLOWEST_S = 2.0
"""Longest time on a processor for one input, which has at most 64 KiB."""


def tried(name: str, data: bytes, slowest_s: float = SLOWEST_S) -> None:
    """Give bytes to a target, and wait for it `slowest_s` seconds of a processor at most.

    Raises:
        AssertionError: Something that must hold does not, or it takes too long.
        Exception: A defect.
    """
    began = time.process_time()
    TARGETS[name](data)
    took = time.process_time() - began
    assert took < slowest_s, f"{took:.1f} s for {len(data)} bytes"
