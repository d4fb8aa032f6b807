"""How a verb reaches data stores: in this process, or through a server's public REST API.

Both ways take an HTTP method, a path and JSON and return JSON, so a verb is written once and a
search in the terminal gives what the API gives.
"""

from __future__ import annotations

import argparse
import contextlib
import secrets
import time
from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any, Final, Protocol
from urllib.parse import urlencode

import orjson

from toulmin.callers import LOCAL
from toulmin.cli.addresses import COLLECTION, VERSION
from toulmin.errors import FailedPrecondition, InvalidArgument, NotFound

if TYPE_CHECKING:
    from toulmin.apis.aip.registry import Registry
    from toulmin.cli.server_client import ServerApi
    from toulmin.settings import Settings

_LONGEST_CALL_S: Final = 600.0


class Api(Protocol):
    """The public API, wherever it is answered."""

    def call(
        self,
        method: str,
        path: str,
        body: Mapping[str, Any] | None = None,
        query: Mapping[str, Any] | None = None,
        *,
        version: str = VERSION,
    ) -> dict[str, Any]:
        """Return the response's JSON.

        Args:
            method: "GET", "POST", "PATCH", "DELETE".
            path: What comes after the version, such as "projects/p/.../dataStores/d".
            body: The request's JSON; None: no body.
            query: Parameters of the query string.
            version: Version of the API.

        Raises:
            ToulminError: As the API answers.
        """

    def stream(self, path: str, body: Mapping[str, Any]) -> Iterator[dict[str, Any]]:
        """Yield the JSON of each response of a streaming method as soon as it is there.

        Closing the iterator ends the work.

        Args:
            path: What comes after the version, such as "projects/p/...:streamAnswer".
            body: The request's JSON.

        Raises:
            ToulminError: As the API answers; also after some responses.
        """


class LocalApi:
    """The handlers of this process, asked as the server asks them.

    Args:
        registry: The handlers.
    """

    def __init__(self, registry: Registry) -> None:
        from toulmin.apis.aip.routing import Router

        self._registry = registry
        self._router = Router(registry.schema)

    def call(
        self,
        method: str,
        path: str,
        body: Mapping[str, Any] | None = None,
        query: Mapping[str, Any] | None = None,
        *,
        version: str = VERSION,
    ) -> dict[str, Any]:
        """Return the response's JSON; see `Api`."""
        return _json(self._answer(method, f"/{version}/{path}", body, query))

    def stream(self, path: str, body: Mapping[str, Any]) -> Iterator[dict[str, Any]]:
        """Yield the JSON of each response; see `Api`."""
        for response in self._answer("POST", f"/{VERSION}/{path}", body, None):
            yield _json(response)

    def _answer(
        self,
        method: str,
        path: str,
        body: Mapping[str, Any] | None,
        query: Mapping[str, Any] | None,
    ) -> Any:
        """Return what the handler returns: a response, or an iterable of them."""
        from toulmin.apis.aip.registry import CallContext
        from toulmin.apis.aip.transcoding import parse_request

        match = self._router.match(method, path)
        if match is None:
            raise NotFound(f"{path} does not exist.")
        schema = self._registry.schema
        content = b"" if body is None else orjson.dumps(body)
        request = parse_request(match, urlencode(query or {}), content, schema)
        context = CallContext(
            rpc=match.rpc,
            deadline=time.monotonic() + _LONGEST_CALL_S,
            is_cancelled=lambda: False,
            request_id=secrets.token_hex(8),
            timings={},
            new_message=schema.message_class(match.rpc.output_type),
            caller=LOCAL,
        )
        return self._registry.handler(match.rpc)(request, context)


def _json(response: Any) -> dict[str, Any]:
    from toulmin.apis.aip.json_dump import to_json_value

    value: dict[str, Any] = to_json_value(response, enums_as_ints=False)
    return value


def add_server_flags(group: argparse._ArgumentGroup) -> None:
    """Add the flags that say which server is asked."""
    group.add_argument(
        "--server", metavar="URL",
        help="ask this server; without it, the data folder is opened by this command itself",
    )  # fmt: skip
    group.add_argument(
        "--api-key", metavar="KEY",
        help="key for that server, which other users of this machine may see in the list of"
        " processes (default: the first of the settings api_keys and api_keys_file)",
    )  # fmt: skip


def add_place_flags(parser: argparse.ArgumentParser) -> None:
    """Add the flags that say where data stores are: server, project, location."""
    group = parser.add_argument_group("place")
    add_server_flags(group)
    group.add_argument("--project", default="default", help="(default: default)")
    group.add_argument("--location", default="global", help="(default: global)")


def collection_of(arguments: argparse.Namespace) -> str:
    """Return the name of the collection that the flags say.

    Raises:
        InvalidArgument: A part of it is no id.
    """
    for flag in ("project", "location"):
        value = getattr(arguments, flag)
        if not value or not all(char.isalnum() or char in "-_.:" for char in value):
            raise InvalidArgument.of_field(f"--{flag}", f"{value!r} is not an id")
    return COLLECTION.format(project=arguments.project, location=arguments.location)


def store_name(collection: str, id_: str, *, flag: str = "--store") -> str:
    """Return the name of a data store.

    Raises:
        InvalidArgument: `id_` is not one that a data store can have.
    """
    from toulmin.apis.discoveryengine.names import check_id

    return f"{collection}/dataStores/{check_id(id_, field=flag)}"


def server_api(arguments: argparse.Namespace, settings: Settings) -> ServerApi:
    """Return the API of the server that `--server` names.

    Raises:
        InvalidArgument: It is no address.
    """
    from toulmin.cli.server_client import ServerApi

    key = arguments.api_key or next(iter(settings.api_keys), "")
    return ServerApi(arguments.server, api_key=key)


@contextlib.contextmanager
def naming_the_server(settings: Settings) -> Iterator[None]:
    """Say how to go on when the data folder is in use: by the server that has it, if one has.

    Raises:
        FailedPrecondition: It is; the message names the server's address.
    """
    from toulmin.stores.records.folder_lock import served_at

    try:
        yield
    except FailedPrecondition as error:
        if error.reason != "DATA_FOLDER_IN_USE":
            raise
        holder = error.message.partition(". ")[0]
        url = served_at(settings.data_dir)
        how = (
            f"It serves the folder, so go through it: --server {url}"
            if url
            else "It does not serve the folder; wait until it has ended, or stop it."
        )
        raise FailedPrecondition(f"{holder}. {how}", reason=error.reason) from error


@contextlib.contextmanager
def opened_api(arguments: argparse.Namespace, settings: Settings) -> Iterator[Api]:
    """Yield the whole API: a server's, or that of the data folder, which is open meanwhile.

    Raises:
        FailedPrecondition: Another process has the folder open.
        InvalidArgument: `--server` is no address.
    """
    if arguments.server:
        yield server_api(arguments, settings)
        return
    from toulmin.apis.handlers import build_registry
    from toulmin.services import build_services

    services = build_services(settings, run_operations=False)
    try:
        with naming_the_server(settings):
            services.records()
        yield LocalApi(build_registry(services))
    finally:
        services.close()
