import grpc
import pytest

from tests.patience import PATIENCE_S
from tests.server.conftest import CHECK, check, request
from toulmin.errors import FailedPrecondition
from toulmin.server.auth import is_loopback, require_safe_address
from toulmin.settings import load_settings

KEY = "correct-horse"
BODY = b'{"answerCandidate": "hello"}'
GRPC_CHECK = "/google.cloud.discoveryengine.v1.GroundedGenerationService/CheckGrounding"


@pytest.fixture
def locked(serve):
    return serve(api_keys=f"another-key,{KEY}")


@pytest.mark.parametrize(
    ("query", "headers"),
    [
        ("", {"x-goog-api-key": KEY}),
        ("", {"X-Goog-Api-Key": "another-key"}),
        ("?key=" + KEY, {}),
        ("?prettyPrint=true&key=correct%2Dhorse", {}),
        ("", {"authorization": "Bearer " + KEY}),
        ("", {"authorization": "bearer   " + KEY}),
        ("", {"authorization": "Bearer wrong-one", "x-goog-api-key": KEY}),
    ],
)
def test_a_right_key_passes_in_every_place(locked, query, headers):
    assert request(locked, "POST", CHECK + query, BODY, headers).status == 200


@pytest.mark.parametrize(
    ("query", "headers", "reason"),
    [
        ("", {}, "CREDENTIALS_MISSING"),
        ("?key=", {}, "CREDENTIALS_MISSING"),
        ("", {"authorization": "Basic " + KEY}, "CREDENTIALS_MISSING"),
        ("", {"x-goog-api-key": "wrong-one"}, "API_KEY_INVALID"),
        ("?key=" + KEY[:-1], {}, "API_KEY_INVALID"),
        ("?key=" + KEY.upper(), {}, "API_KEY_INVALID"),
        ("", {"authorization": f"Bearer {KEY}x"}, "API_KEY_INVALID"),
        ("", {"x-goog-api-key": f"another-key,{KEY}"}, "API_KEY_INVALID"),
        ("", {"x-goog-api-key": "schl\xfcssel"}, "API_KEY_INVALID"),
    ],
)
def test_no_key_or_a_wrong_one_is_unauthenticated(locked, query, headers, reason):
    reply = request(locked, "POST", CHECK + query, BODY, headers)
    assert (reply.status, reply.error["status"]) == (401, "UNAUTHENTICATED")
    assert reply.error["details"][0]["reason"] == reason
    assert reply.headers["www-authenticate"] == "Bearer"
    assert KEY.encode() not in reply.body


def test_an_unknown_path_needs_a_key_too_and_health_does_not(locked):
    assert request(locked, "GET", "/nowhere").status == 401
    assert request(locked, "GET", "/healthz").status == 200
    assert request(locked, "GET", "/readyz").status == 200


def test_a_body_without_a_key_is_not_kept(locked):
    assert request(locked, "POST", CHECK, b" " * 10_000_000).status == 401


def test_without_configured_keys_credentials_are_ignored(server):
    assert check(server, "hello", headers={"authorization": "Bearer anything"}).status == 200


@pytest.mark.parametrize(
    ("metadata", "passes"),
    [
        ([("x-goog-api-key", KEY)], True),
        ([("authorization", "Bearer " + KEY)], True),
        ([("x-goog-api-key", "wrong-one")], False),
        ([], False),
    ],
)
def test_grpc_asks_for_the_same_keys(locked, metadata, passes):
    with grpc.insecure_channel(f"127.0.0.1:{locked.port}") as channel:
        call = channel.unary_unary(GRPC_CHECK)
        if passes:
            assert call(b"", timeout=PATIENCE_S, metadata=metadata)
            return
        with pytest.raises(grpc.RpcError) as caught:
            call(b"", timeout=PATIENCE_S, metadata=metadata)
    assert caught.value.code() == grpc.StatusCode.UNAUTHENTICATED


@pytest.mark.parametrize("host", ["127.0.0.1", "127.9.9.9", "::1", "localhost", "ces.localhost"])
def test_loopback_needs_nothing(host):
    assert is_loopback(host)
    require_safe_address(load_settings(flags={"host": host}, environment={}))


@pytest.mark.parametrize("host", ["0.0.0.0", "::", "10.0.0.1", "example.org", "", "localhost.evil"])
def test_other_addresses_need_keys_or_the_word(host):
    flags = {"host": host}
    with pytest.raises(FailedPrecondition) as caught:
        require_safe_address(load_settings(flags=flags, environment={}))
    assert "TOULMIN_API_KEYS" in caught.value.message
    assert "--allow-unauthenticated" in caught.value.message
    for way_out in ({"api_keys": KEY}, {"allow_unauthenticated": True}):
        require_safe_address(load_settings(flags=flags | way_out, environment={}))


def test_the_server_itself_refuses_an_unsafe_address(serve):
    with pytest.raises(FailedPrecondition):
        serve(host="0.0.0.0")
    server = serve(host="0.0.0.0", allow_unauthenticated=True)
    assert check(server, "hello").status == 200
