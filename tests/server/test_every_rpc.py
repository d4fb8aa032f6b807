"""Every RPC of the contract is routable over both transports; here none of them is built."""

from __future__ import annotations

import http.client
import json
import re

import grpc
import pytest

from tests.patience import PATIENCE_S
from toulmin.apis.aip.registry import Registry
from toulmin.apis.schema import load_schema
from toulmin.server.lifecycle import create_server
from toulmin.settings import load_settings

RPCS = sorted(load_schema().rpcs.values(), key=lambda rpc: rpc.full_name)
SERVICES = sorted({rpc.service for rpc in RPCS})


@pytest.fixture(scope="module")
def bare_server():
    settings = load_settings(flags={"port": 0}, environment={})
    server = create_server(Registry(load_schema()), settings, lambda: True)
    server.start()
    yield server
    server.stop(timeout_s=0.2)


@pytest.fixture(scope="module")
def channel(bare_server):
    with grpc.insecure_channel(f"127.0.0.1:{bare_server.port}") as opened:
        yield opened


@pytest.fixture(scope="module")
def connection(bare_server):
    opened = http.client.HTTPConnection("127.0.0.1", bare_server.port, timeout=PATIENCE_S)
    yield opened
    opened.close()


def call(channel, rpc):
    if rpc.kind == "unary":
        return channel.unary_unary(rpc.grpc_path)(b"", timeout=PATIENCE_S)
    if rpc.kind == "server_stream":
        return list(channel.unary_stream(rpc.grpc_path)(b"", timeout=PATIENCE_S))
    return list(channel.stream_stream(rpc.grpc_path)(iter([b""]), timeout=PATIENCE_S))


@pytest.mark.parametrize("service", SERVICES)
def test_every_rpc_answers_unimplemented_over_grpc(channel, service):
    rpcs = [rpc for rpc in RPCS if rpc.service == service]
    assert rpcs
    for rpc in rpcs:
        with pytest.raises(grpc.RpcError) as caught:
            call(channel, rpc)
        assert caught.value.code() == grpc.StatusCode.UNIMPLEMENTED, rpc.full_name
        assert rpc.full_name in caught.value.details()
        assert "grpc-status-details-bin" in dict(caught.value.trailing_metadata())


def path_of(template):
    """Return a path that the template matches: every `*` becomes a word, `**` two."""
    filled = re.sub(r"\{[^=}]+=([^}]+)\}", r"\1", template)
    filled = re.sub(r"\{[^}]+\}", "word", filled)
    return filled.replace("**", "many/words").replace("*", "word")


@pytest.mark.parametrize("service", SERVICES)
def test_every_http_rule_answers_unimplemented_over_rest(connection, service):
    rules = [(rpc, rule) for rpc in RPCS if rpc.service == service for rule in rpc.rules]
    for rpc, rule in rules:
        body = "{}" if rule.body else None
        connection.request(rule.verb, path_of(rule.template), body)
        response = connection.getresponse()
        content = response.read()
        where = f"{rpc.full_name} {rule}"
        assert response.status == 501, where
        error = json.loads(content)["error"]
        assert (error["code"], error["status"]) == (501, "UNIMPLEMENTED"), where
        assert error["details"][0]["@type"] == "type.googleapis.com/google.rpc.ErrorInfo"
        assert names_it(rpc, error["message"]), f"{where} answered {error['message']}"


def names_it(rpc, text):
    """Return whether the text names the RPC, or one that has the very same method and path."""
    same = [
        other.full_name
        for other in RPCS
        if {(r.verb, r.template) for r in other.rules} & {(r.verb, r.template) for r in rpc.rules}
    ]
    return any(name in text for name in same)
