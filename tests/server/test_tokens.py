"""Tokens of an issuer that runs in the test, over both transports."""

import base64
import hashlib
import hmac
import json
import threading
import time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import grpc
import jwt
import pytest
from cryptography.hazmat.primitives import serialization
from cryptography.hazmat.primitives.asymmetric import ec, rsa
from google.oauth2.credentials import Credentials
from jwt.algorithms import ECAlgorithm, RSAAlgorithm

from tests.patience import PATIENCE_S, POLL_S
from tests.server.conftest import check, request
from toulmin.callers import Role
from toulmin.errors import FailedPrecondition, InvalidArgument
from toulmin.server import tokens
from toulmin.server.auth import require_safe_address
from toulmin.server.tokens import TokenVerifier, _values
from toulmin.settings import load_settings

RSA_KEY = rsa.generate_private_key(public_exponent=65537, key_size=2048)
EC_KEY = ec.generate_private_key(ec.SECP256R1())
OTHER_KEY = ec.generate_private_key(ec.SECP256R1())
GRPC_CHECK = "/google.cloud.discoveryengine.v1.GroundedGenerationService/CheckGrounding"


def public(key, kid):
    algorithm = RSAAlgorithm if isinstance(key, rsa.RSAPrivateKey) else ECAlgorithm
    return json.loads(algorithm.to_jwk(key.public_key())) | {"kid": kid, "use": "sig"}


class Issuer:
    """An issuer on loopback, with keys that can be changed, and a count of what it was asked."""

    def __init__(self):
        self.keys = [public(RSA_KEY, "r"), public(EC_KEY, "e")]
        self.asked = []
        self.says = None
        issuer = self

        class Handler(BaseHTTPRequestHandler):
            def do_GET(self):
                issuer.asked.append(self.path)
                document = {"keys": issuer.keys}
                if self.path == "/.well-known/openid-configuration":
                    said = issuer.says or issuer.url
                    document = {"issuer": said, "jwks_uri": f"{issuer.url}/keys"}
                body = json.dumps(document).encode()
                self.send_response(200)
                self.send_header("content-length", str(len(body)))
                self.end_headers()
                self.wfile.write(body)

            def log_message(self, *_):
                pass

        self.server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.url = f"http://127.0.0.1:{self.server.server_port}"
        threading.Thread(target=self.server.serve_forever, args=(POLL_S,), daemon=True).start()

    def token(self, key=EC_KEY, kid="e", algorithm="ES256", **claims):
        now = int(time.time())
        content = {
            "iss": self.url,
            "aud": "toulmin",
            "sub": "ann@example.org",
            "exp": now + 600,
            "roles": ["viewer"],
            "projects": ["p"],
        } | claims
        content = {name: value for name, value in content.items() if value is not None}
        return jwt.encode(content, key, algorithm, headers={"kid": kid})

    def close(self):
        self.server.shutdown()
        self.server.server_close()


@pytest.fixture
def issuer():
    made = Issuer()
    yield made
    made.close()


@pytest.fixture
def served(serve, issuer):
    return serve(oidc_issuer=issuer.url, oidc_audience="toulmin,other", api_keys="the-static-key")


def ask(server, token):
    reply = check(server, "hello", headers={"authorization": f"Bearer {token}"})
    return reply.status, "" if reply.status == 200 else reply.error["details"][0]["reason"]


def test_a_right_token_passes_over_rest_and_grpc(served, issuer, log):
    assert ask(served, issuer.token()) == (200, "")
    assert ask(served, issuer.token(RSA_KEY, "r", "RS256", aud=["x", "other"])) == (200, "")
    credentials = Credentials(issuer.token())  # as Google's clients hold one
    headers = {}
    credentials.apply(headers)
    assert check(served, "hello", headers=headers).status == 200
    with grpc.insecure_channel(f"127.0.0.1:{served.port}") as channel:
        metadata = [("authorization", f"Bearer {issuer.token()}")]
        assert channel.unary_unary(GRPC_CHECK)(b"", timeout=PATIENCE_S, metadata=metadata)
        metadata = [("authorization", f"Bearer {issuer.token(exp=1)}")]
        with pytest.raises(grpc.RpcError) as caught:
            channel.unary_unary(GRPC_CHECK)(b"", timeout=PATIENCE_S, metadata=metadata)
    assert caught.value.code() == grpc.StatusCode.UNAUTHENTICATED
    assert log.requests(5)[0]["caller"] == "token:ann@example.org"
    assert issuer.asked == ["/.well-known/openid-configuration", "/keys"]


def test_what_is_wrong_with_a_token_is_unauthenticated(served, issuer):
    hour_ago = int(time.time()) - 3600
    for wrong, reason in (
        ({"exp": hour_ago}, "TOKEN_EXPIRED"),
        ({"exp": None}, "TOKEN_INVALID"),
        ({"aud": "somebody-else"}, "TOKEN_INVALID"),
        ({"aud": None}, "TOKEN_INVALID"),
        ({"iss": "https://evil.example"}, "TOKEN_INVALID"),
        ({"sub": None}, "TOKEN_INVALID"),
        ({"nbf": int(time.time()) + 3600}, "TOKEN_INVALID"),
        ({"key": OTHER_KEY}, "TOKEN_INVALID"),
        ({"kid": "unknown"}, "TOKEN_INVALID"),
    ):
        assert ask(served, issuer.token(**wrong)) == (401, reason), wrong
    for text in ("a.b.c", "..", issuer.token()[:-5] + "AAAAA", issuer.token() + "A"):
        assert ask(served, text)[0] == 401
    assert ask(served, "the-static-key") == (200, "")


def test_no_algorithm_with_a_shared_secret_or_none_is_taken(served, issuer):
    """Whoever has the public key could sign with it."""
    pem = RSA_KEY.public_key().public_bytes(
        serialization.Encoding.PEM, serialization.PublicFormat.SubjectPublicKeyInfo
    )
    claims = issuer.token().split(".")[1]

    def part(value):
        return base64.urlsafe_b64encode(json.dumps(value).encode()).rstrip(b"=").decode()

    signed = f"{part({'alg': 'HS256', 'kid': 'r'})}.{claims}"
    mac = hmac.new(pem, signed.encode(), hashlib.sha256).digest()
    forged = f"{signed}.{base64.urlsafe_b64encode(mac).rstrip(b'=').decode()}"
    assert ask(served, forged) == (401, "TOKEN_INVALID")
    for algorithm in ("none", "None", ""):
        unsigned = f"{part({'alg': algorithm, 'kid': 'r'})}.{claims}."
        assert ask(served, unsigned) == (401, "TOKEN_INVALID")


def test_a_right_token_of_somebody_without_rights_is_forbidden(served, issuer):
    for claims, reason in (
        ({"roles": None}, "TOKEN_WITHOUT_ROLE"),
        ({"roles": ["boss"]}, "TOKEN_WITHOUT_ROLE"),
        ({"roles": [1, None]}, "TOKEN_WITHOUT_ROLE"),
        ({"projects": []}, "TOKEN_WITHOUT_PROJECT"),
        ({"projects": ["q"]}, "PROJECT_DENIED"),
    ):
        assert ask(served, issuer.token(**claims)) == (403, reason)


def test_a_new_key_of_the_issuer_is_found_and_unknown_ones_do_not_flood_it(
    served, issuer, monkeypatch
):
    assert ask(served, issuer.token()) == (200, "")
    for _ in range(5):
        assert ask(served, issuer.token(OTHER_KEY, "new")) == (401, "TOKEN_INVALID")
    assert issuer.asked.count("/keys") == 1
    issuer.keys = [public(OTHER_KEY, "new")]
    clock = time.monotonic
    monkeypatch.setattr(time, "monotonic", lambda: clock() + tokens.REFETCH_S + 1)
    assert ask(served, issuer.token(OTHER_KEY, "new")) == (200, "")
    assert ask(served, issuer.token()) == (401, "TOKEN_INVALID")
    assert issuer.asked.count("/keys") == 2


def test_an_issuer_that_cannot_be_reached_stops_tokens_and_nobody_else(serve):
    issuer = Issuer()
    server = serve(oidc_issuer=issuer.url, oidc_audience="toulmin", api_keys="the-static-key")
    token = issuer.token()
    issuer.close()
    for _ in range(3):
        assert ask(server, token) == (503, "ISSUER_UNREACHABLE")
    assert ask(server, "the-static-key") == (200, "")


def test_a_document_of_another_issuer_is_not_believed(serve, issuer):
    issuer.says = "https://evil.example"
    server = serve(oidc_issuer=issuer.url, oidc_audience="toulmin")
    assert ask(server, issuer.token()) == (503, "ISSUER_UNREACHABLE")


def test_with_an_issuer_nobody_gets_in_without_a_token(serve, issuer):
    server = serve(oidc_issuer=issuer.url, oidc_audience="toulmin")
    assert request(server, "GET", "/nowhere").error["details"][0]["reason"] == "CREDENTIALS_MISSING"
    require_safe_address(
        load_settings(flags={"host": "0.0.0.0", "oidc_issuer": "https://i.example"}, environment={})
    )


def verifier(**flags):
    values = {"oidc_issuer": "https://i.example", "oidc_audience": "toulmin"} | flags
    return TokenVerifier.from_settings(load_settings(flags=values, environment={}))


def test_claims_are_mapped_to_roles_and_projects():
    made = verifier(
        oidc_role_claim="realm_access.roles",
        oidc_roles="tm-admins=admin,staff=viewer,a=b@x=editor",
        oidc_project_claim="groups",
        oidc_projects="sales=shop,it=*",
    )
    claims = {
        "sub": "s",
        "realm_access": {"roles": ["staff", "tm-admins"]},
        "groups": "sales other",
    }
    caller = made._caller(claims)
    assert (caller.role, caller.projects) == (Role.ADMIN, {"shop"})
    claims = {"sub": "s", "realm_access": {"roles": "a=b@x"}, "groups": ["it"]}
    caller = made._caller(claims)
    assert (caller.role, caller.projects) == (Role.EDITOR, None)
    made.close()


def test_a_claim_may_have_dots_in_its_name():
    assert _values({"https://x.example/roles": ["viewer"]}, "https://x.example/roles") == ["viewer"]
    assert _values({"a": {"b": "x y"}}, "a.b") == ["x", "y"]
    assert _values({"a": "b"}, "a.b") == _values({}, "a") == _values({"a": 3}, "a") == []


@pytest.mark.parametrize(
    ("flags", "name"),
    [
        ({"oidc_issuer": "http://i.example"}, "oidc_issuer"),
        ({"oidc_issuer": "i.example"}, "oidc_issuer"),
        ({"oidc_issuer": "file:///etc/passwd"}, "oidc_issuer"),
        ({"oidc_audience": ""}, "oidc_audience"),
        ({"oidc_roles": "staff"}, "oidc_roles"),
        ({"oidc_roles": "staff=boss"}, "oidc_roles"),
        ({"oidc_projects": "=shop"}, "oidc_projects"),
    ],
)
def test_settings_that_make_no_sense_are_refused(flags, name):
    with pytest.raises(InvalidArgument, match=name):
        verifier(**flags)


def test_without_the_extra_the_server_says_how_to_get_it(monkeypatch):
    monkeypatch.setitem(__import__("sys").modules, "jwt", None)
    with pytest.raises(FailedPrecondition, match=r"toulmin\[oidc\]"):
        verifier()
