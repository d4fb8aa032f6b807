"""GenerateChatToken by the official client, and what the token is good for."""

from __future__ import annotations

import json
from datetime import UTC, datetime, timedelta

import pytest
from google.api_core.exceptions import GoogleAPICallError

from tests.apis.ces.clients import Clients, texts
from tests.patience import PATIENCE_S, wait_for
from tests.server.conftest import request as http
from toulmin.apis.handlers import build_registry
from toulmin.callers import Role
from toulmin.server.lifecycle import create_server
from toulmin.server.websocket import library
from toulmin.services import build_services
from toulmin.settings import load_settings

pytestmark = [pytest.mark.client, pytest.mark.model]


class Keyed:
    """A server that asks for keys, and its official clients."""

    def __init__(self, folder):
        settings = load_settings(
            flags={"port": 0, "data_dir": folder, "api_keys": "correct-horse"}, environment={}
        )
        self.folder = folder
        self.services = build_services(settings)
        self.server = create_server(
            build_registry(self.services), settings, lambda: True, self.services.records
        )
        self.server.start()

    def key(self, *, role=Role.VIEWER, projects=("p",)):
        """Make a key; return it as it is kept and itself once the server knows it."""
        with self.services.records().write() as transaction:
            made = transaction.api_keys.create(display_name="t", role=role, projects=projects)
        headers = {"x-goog-api-key": made[1]}
        wait_for(
            lambda: http(self.server, "GET", "/v1/toulmin/caller", None, headers).status == 200
        )
        return made

    def close(self):
        self.server.stop(timeout_s=0.2)
        self.services.close()


@pytest.fixture(scope="module")
def keyed(tmp_path_factory):
    made = Keyed(tmp_path_factory.mktemp("keyed"))
    yield made
    made.close()


@pytest.fixture(scope="module", params=["v1-rest", "v1-grpc", "v1beta-rest", "v1beta-grpc"])
def locked(request, keyed):
    made = Clients(*request.param.split("-"), keyed.server.port, key="correct-horse")
    yield made
    made.close()


def bearer(token):
    return {"metadata": [("authorization", f"Bearer {token}")]}


def deploy(clients, app, id_="web", **profile):
    deployment = {"display_name": "Web", "channel_profile": {"channel_type": "WEB_UI", **profile}}
    return clients.agent.create_deployment(
        parent=app, deployment_id=id_, deployment=deployment
    ).name


def make_app(clients):
    app = clients.make_app()
    root = clients.make_agent(app, "root", display_name="Root")
    clients.agent.update_app(
        app={"name": app, "root_agent": root}, update_mask={"paths": ["root_agent"]}
    )
    return app, deploy(clients, app)


def token_of(clients, app, deployment, session="s", **options):
    request = {"name": f"{app}/sessions/{session}", "deployment": deployment}
    return clients.widget.generate_chat_token(request=request, **options)


def hello(clients, app, session="s", **config):
    return {
        "config": {"session": f"{app}/sessions/{session}", **config},
        "inputs": [{"text": "hi"}],
    }


def reason_of(call):
    with pytest.raises(GoogleAPICallError) as caught:
        call()
    return caught.value.code, caught.value.reason


@pytest.fixture
def stranger(locked, keyed):
    """The same client without a key."""
    made = Clients(locked.version, locked.transport, keyed.server.port)
    yield made
    made.close()


def test_the_holder_of_a_token_talks_in_its_session(locked, stranger):
    app, deployment = make_app(locked)
    made = token_of(locked, app, deployment)
    left = made.expire_time - datetime.now(UTC)
    assert timedelta(minutes=59) < left <= timedelta(hours=1)
    run = stranger.session.run_session(request=hello(locked, app), **bearer(made.chat_token))
    assert texts(run.outputs)
    streamed = stranger.session.stream_run_session(
        request=hello(locked, app), **bearer(made.chat_token)
    )
    assert texts(item.outputs[0] for item in streamed)
    kept = locked.agent.get_conversation(name=f"{app}/conversations/s")
    assert kept.turn_count == 2
    assert kept.deployment == deployment  # the token's, though the requests named none


def test_bidi_takes_the_token_too(keyed, stranger, locked):
    if locked.transport == "rest":
        return
    app, deployment = make_app(locked)
    token = token_of(locked, app, deployment).chat_token
    denied = "CHAT_TOKEN_SCOPE"
    for session, fakes, wanted in (
        ("s", False, None),
        ("s", True, denied),
        ("other", False, denied),
    ):
        messages = [
            {"config": {"session": f"{app}/sessions/{session}", "use_tool_fakes": fakes}},
            {"realtime_input": {"text": "hi"}},
        ]

        def talk(messages=messages):
            return list(stranger.session.bidi_run_session(requests=iter(messages), **bearer(token)))

        if wanted:
            assert reason_of(talk) == (403, wanted)
        else:
            assert talk()[-1].session_output.turn_completed


def test_a_token_does_nothing_else(locked, stranger):
    app, deployment = make_app(locked)
    other_app, other_deployment = make_app(locked)
    draft = deploy(locked, app, "draft")
    as_holder = bearer(token_of(locked, app, deployment).chat_token)
    denied = (403, "CHAT_TOKEN_SCOPE")

    def run(*arguments, **config):
        request = hello(locked, *arguments, **config)
        return lambda: stranger.session.run_session(request=request, **as_holder)

    assert reason_of(run(app, "t")) == denied
    assert reason_of(run(other_app)) == denied
    assert reason_of(run(app, deployment=draft)) == denied
    assert reason_of(run(app, entry_agent=f"{other_app}/agents/root")) == denied
    assert reason_of(run(app, use_tool_fakes=True)) == denied
    for call in (
        lambda: token_of(stranger, app, deployment, **as_holder),
        lambda: token_of(stranger, other_app, other_deployment, **as_holder),
        lambda: stranger.agent.get_app(name=app, **as_holder),
        lambda: stranger.agent.get_conversation(name=f"{app}/conversations/s", **as_holder),
        lambda: stranger.agent.delete_app(name=app, **as_holder),
    ):
        assert reason_of(call) == denied
    assert texts(stranger.session.run_session(request=hello(locked, app), **as_holder).outputs)


@pytest.mark.parametrize(
    ("path", "body", "reason"),
    [
        ("/v1/toulmin/caller", None, "CHAT_TOKEN_SCOPE"),
        ("/v1/toulmin/status", None, "CHAT_TOKEN_SCOPE"),
        ("/v1/toulmin/imports/projects/p/x", None, "CHAT_TOKEN_SCOPE"),
        ("/metrics", None, "PROJECT_DENIED"),
        (
            "/v1/chat/completions",
            {"model": "m", "messages": [{"role": "user", "content": "hi"}]},
            "CHAT_TOKEN_SCOPE",
        ),
    ],
)
def test_what_is_no_rpc_is_not_for_holders_of_tokens(keyed, path, body, reason):
    owner = Clients("v1", "rest", keyed.server.port, key="correct-horse")
    token = token_of(owner, *make_app(owner)).chat_token
    owner.close()
    content = None if body is None else json.dumps(body)
    reply = http(
        keyed.server,
        "GET" if body is None else "POST",
        path,
        content,
        {"authorization": f"Bearer {token}", "content-type": "application/json"},
    )
    assert (reply.status, reply.error["details"][0]["reason"]) == (403, reason)


@pytest.fixture
def owner(keyed):
    made = Clients("v1", "grpc", keyed.server.port, key="correct-horse")
    yield made
    made.close()


@pytest.fixture
def nobody(keyed):
    made = Clients("v1", "grpc", keyed.server.port)
    yield made
    made.close()


def test_a_token_is_worth_what_the_key_is_that_made_it(keyed, owner, nobody):
    app, deployment = make_app(owner)
    kept, key = keyed.key()
    viewer = Clients("v1", "grpc", keyed.server.port, key=key)
    token = token_of(viewer, app, deployment).chat_token
    viewer.close()
    run = nobody.session.run_session
    assert texts(run(request=hello(owner, app), **bearer(token)).outputs)
    with keyed.services.records().write() as transaction:
        transaction.api_keys.revoke(kept.id)

    def refused():
        try:
            run(request=hello(owner, app), **bearer(token))
        except GoogleAPICallError as error:
            return error.code, error.reason
        return None

    assert wait_for(refused) == (401, "API_KEY_REVOKED")


def test_a_key_of_another_project_makes_no_token(keyed, owner):
    app, deployment = make_app(owner)
    _, key = keyed.key(role=Role.ADMIN, projects=("q",))
    other = Clients("v1", "grpc", keyed.server.port, key=key)
    assert reason_of(lambda: token_of(other, app, deployment)) == (403, "PROJECT_DENIED")
    other.close()


def test_what_a_token_cannot_be_made_for(owner):
    app, deployment = make_app(owner)
    _, other = make_app(owner)
    guarded = deploy(
        owner,
        app,
        "guarded",
        web_widget_config={"security_settings": {"enable_recaptcha": True}},
    )
    session = f"{app}/sessions/s"
    for request, code, words in (
        ({"name": app, "deployment": deployment}, 400, "name"),
        ({"name": f"{session} 2", "deployment": deployment}, 400, "63 characters"),
        ({"name": session}, 400, "deployment"),
        ({"name": session, "deployment": other}, 400, f"is not of {app}"),
        ({"name": session, "deployment": f"{app}/deployments/none"}, 404, "deployments/none"),
        ({"name": session, "deployment": guarded}, 501, "enableRecaptcha"),
        (
            {"name": session, "deployment": deployment, "live_handoff_enabled": True},
            501,
            "live_handoff_enabled",
        ),
    ):
        with pytest.raises(GoogleAPICallError) as caught:
            owner.widget.generate_chat_token(request=request)
        assert caught.value.code == code
        assert words in caught.value.message


def test_a_deployment_that_is_gone_is_not_talked_to(owner, nobody):
    app, deployment = make_app(owner)
    token = token_of(owner, app, deployment).chat_token
    owner.agent.delete_deployment(name=deployment)
    with pytest.raises(GoogleAPICallError) as caught:
        nobody.session.run_session(request=hello(owner, app), **bearer(token))
    assert caught.value.code == 404


def test_an_open_server_holds_a_token_to_its_session_as_a_locked_one_does(backend, beta):
    app, deployment = make_app(beta)
    token = token_of(beta, app, deployment).chat_token
    run = beta.session.run_session
    assert texts(run(request=hello(beta, app), **bearer(token)).outputs)
    assert reason_of(lambda: run(request=hello(beta, app, "t"), **bearer(token))) == (
        403,
        "CHAT_TOKEN_SCOPE",
    )
    for wrong in (f"{token}x", "chat1.x.y"):
        assert reason_of(lambda wrong=wrong: run(request=hello(beta, app), **bearer(wrong))) == (
            401,
            "CHAT_TOKEN_INVALID",
        )
    assert texts(run(request=hello(beta, app, "t"), **bearer("anything")).outputs)


def test_a_token_of_the_time_without_keys_ends_with_it(keyed, owner, nobody):
    from toulmin.callers import LOCAL, ChatScope

    app, deployment = make_app(owner)
    scope = ChatScope(f"{app}/sessions/s", deployment)
    token, _ = keyed.services.chat_tokens().make(scope, LOCAL.id)
    run = nobody.session.run_session
    assert reason_of(lambda: run(request=hello(owner, app), **bearer(token))) == (
        401,
        "CHAT_TOKEN_INVALID",
    )


@pytest.mark.skipif(library() is None, reason="the extra websocket is missing")
def test_a_page_talks_over_websocket_with_a_token_in_the_address(keyed, owner):
    from websockets.exceptions import ConnectionClosed, InvalidStatus
    from websockets.sync.client import connect

    app, deployment = make_app(owner)
    token = token_of(owner, app, deployment).chat_token
    address = (
        f"ws://127.0.0.1:{keyed.server.port}/ws/google.cloud.ces.v1.SessionService/"
        f"BidiRunSession/locations/us?access_token={token}"
    )
    with connect(address, compression=None) as talk:
        talk.send(json.dumps({"config": {"session": f"{app}/sessions/s"}}))
        talk.send(json.dumps({"realtimeInput": {"text": "hi"}}))
        output = json.loads(talk.recv(timeout=PATIENCE_S))["sessionOutput"]
        assert output["text"]
        assert output["turnCompleted"]
    kept = owner.agent.get_conversation(name=f"{app}/conversations/s")
    assert kept.deployment == deployment
    with connect(address, compression=None) as talk:
        talk.send(json.dumps({"config": {"session": f"{app}/sessions/other"}}))
        said = json.loads(talk.recv(timeout=PATIENCE_S))
        assert said["error"]["details"][0]["reason"] == "CHAT_TOKEN_SCOPE"
        with pytest.raises(ConnectionClosed) as caught:
            talk.recv(timeout=PATIENCE_S)
        assert caught.value.rcvd.code == 1008
    with pytest.raises(InvalidStatus) as refused, connect(address + "x"):
        pass
    assert refused.value.response.status_code == 401


@pytest.mark.skipif(library() is None, reason="the extra websocket is missing")
def test_audio_is_unimplemented_by_name_over_websocket(keyed, owner):
    from websockets.sync.client import connect

    app, _ = make_app(owner)
    address = (
        f"ws://127.0.0.1:{keyed.server.port}/ws/google.cloud.ces.v1beta.SessionService/"
        "BidiRunSession/locations/us?key=correct-horse"
    )
    with connect(address, compression=None) as talk:
        talk.send(json.dumps({"config": {"session": f"{app}/sessions/s"}}))
        talk.send(json.dumps({"realtimeInput": {"audio": "eA=="}}))
        said = json.loads(talk.recv(timeout=PATIENCE_S))["error"]
        assert (said["status"], "realtime_input.audio" in said["message"]) == (
            "UNIMPLEMENTED",
            True,
        )
