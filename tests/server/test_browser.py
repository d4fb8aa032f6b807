"""A page of somebody else's site must not reach the server through a browser."""

import pytest

from tests.server.conftest import CHECK, check, request


def test_a_page_of_another_site_is_refused(server):
    reply = check(server, "hello", headers={"origin": "https://evil.example"})
    assert (reply.status, reply.error["status"]) == (403, "PERMISSION_DENIED")
    assert "access-control-allow-origin" not in reply.headers
    assert check(server, "hello", headers={"origin": "null"}).status == 403


def test_the_servers_own_pages_may_call(server):
    headers = {"origin": f"http://127.0.0.1:{server.port}"}
    assert check(server, "hello", headers=headers).status == 200


def test_a_strange_host_name_is_refused_when_nobody_needs_a_key(server):
    """A page can let its own name point to 127.0.0.1; then origin and host are equal."""
    headers = {"host": "evil.example", "origin": "http://evil.example"}
    assert check(server, "hello", headers=headers).status == 403


@pytest.mark.parametrize(
    "host", ["localhost", "LOCALHOST:8080", "127.0.0.1:1", "[::1]:8080", "ces.localhost:9"]
)
def test_names_of_this_machine_pass(server, host):
    assert check(server, "hello", headers={"host": host}).status == 200


@pytest.mark.parametrize("flags", [{"allow_unauthenticated": True}, {"api_keys": "long-enough"}])
def test_any_host_name_passes_with_keys_or_the_word(serve, flags):
    headers = {"host": "toulmin.example", "x-goog-api-key": "long-enough"}
    assert check(serve(**flags), "hello", headers=headers).status == 200


def test_a_listed_page_may_call_and_read(serve):
    server = serve(cors_origins="https://good.example,https://fine.example/")
    for origin in ("https://good.example", "https://fine.example"):
        reply = check(server, "hello", headers={"origin": origin})
        assert reply.status == 200
        assert reply.headers["access-control-allow-origin"] == origin
        assert reply.headers["vary"] == "Origin"
    assert check(server, "hello", headers={"origin": "https://evil.example"}).status == 403


def test_a_preflight_is_answered_for_listed_pages_only(serve):
    server = serve(cors_origins="https://good.example", api_keys="long-enough")
    asks = {
        "access-control-request-method": "POST",
        "access-control-request-headers": "x-goog-api-key",
    }
    good = request(server, "OPTIONS", CHECK, None, asks | {"origin": "https://good.example"})
    assert good.status == 204
    assert "POST" in good.headers["access-control-allow-methods"]
    assert "x-goog-api-key" in good.headers["access-control-allow-headers"]
    evil = request(server, "OPTIONS", CHECK, None, asks | {"origin": "https://evil.example"})
    assert evil.status == 403
    assert "access-control-allow-methods" not in evil.headers


def test_an_image_of_another_site_is_refused_while_no_key_is_needed(serve):
    image = {"sec-fetch-site": "cross-site", "sec-fetch-mode": "no-cors"}
    link = {"sec-fetch-site": "cross-site", "sec-fetch-mode": "navigate"}
    server = serve()
    refused = check(server, "hello", headers=image)
    assert refused.status == 403
    assert b"ORIGIN_NOT_ALLOWED" in refused.body
    assert check(server, "hello", headers=link).status == 200
    assert check(server, "hello", headers=image | {"sec-fetch-site": "same-site"}).status == 200
    keyed = serve(api_keys="long-enough")
    assert check(keyed, "hello", headers=image | {"x-goog-api-key": "long-enough"}).status == 200
