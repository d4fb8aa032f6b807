"""Versions, deployments and archives of apps."""

from __future__ import annotations

import io
import zipfile

import pytest

from tests.apis.ces.clients import LOCATION, WAIT_S, new_id, texts
from tests.apis.ces.test_guardrails import filter_of, make_guard
from tests.apis.ces.test_import import FILES, import_app
from tests.apis.ces.test_resources import NOT_FOUND, refused

pytestmark = pytest.mark.client

WEB = {"channel_type": "API"}
UNIMPLEMENTED = 501


def export(clients, app, **fields):
    request = {"name": app, "export_format": "JSON", **fields}
    return clients.agent.export_app(request=request).result(timeout=WAIT_S).app_content


def contents(clients, app):
    """Return everything in an app without what no two apps share."""
    found = [clients.agent.get_app(name=app)]
    for kind in ("agents", "tools", "toolsets", "examples", "guardrails"):
        found += list(getattr(clients.agent, f"list_{kind}")(parent=app))
    dicts = [type(item).to_dict(item) for item in found]
    for item in dicts:
        for key in ("create_time", "update_time", "etag"):
            item.pop(key, None)
    return [str(item).replace(f"{app}/", "APP/").replace(f"{app}'", "APP'") for item in dicts]


def make_shop(clients, backend):
    app = clients.make_shop(backend)
    make_guard(
        clients,
        app,
        filter_of("secret sauce")
        | {"action": {"transfer_agent": {"agent": f"{app}/agents/returns"}}},
    )
    if clients.version == "v1beta":  # v1 has no tool that is an agent
        clients.make_tool(app, "ask", agent_tool={"name": "ask", "agent": f"{app}/agents/returns"})
    clients.agent.create_toolset(
        parent=app,
        toolset_id="pets",
        toolset={
            "display_name": "Pets",
            "open_api_toolset": {
                "open_api_schema": '{"openapi": "3.0.0", "servers": [{"url": "http://127.0.0.1:9"}],'
                ' "paths": {"/pets": {"get": {"operationId": "pets"}}}}'
            },
        },
    )
    clients.make_agent(
        app,
        "keeper",
        display_name="Keeper",
        instruction="Feed them.\nTwice.",
        toolsets=[{"toolset": f"{app}/toolsets/pets"}],
        before_model_callbacks=[
            {"python_code": "def before_model_callback(a, b):\n    return None\n"},
            {"python_code": "def before_model_callback(a, b):\n    pass\n"},
        ],
    )
    return app


def test_an_archive_is_taken_back_as_it_was(clients, backend):
    app = make_shop(clients, backend)
    content = export(clients, app)
    assert export(clients, app) == content
    request = {"parent": LOCATION, "app_id": new_id("app"), "app_content": content}
    done = clients.agent.import_app(request=request).result(timeout=WAIT_S)
    assert list(done.warnings) == []
    assert contents(clients, done.name) == contents(clients, app)
    with zipfile.ZipFile(io.BytesIO(content)) as archive:
        names = archive.namelist()
        top = app.rpartition("/")[2]
        path = f"{top}/agents/keeper/before_model_callbacks/2/python_code.py"
        assert path in names
        assert archive.read(f"{top}/agents/keeper/instruction.txt") == b"Feed them.\nTwice."


def test_what_cannot_be_exported_is_said(beta):
    app = beta.make_app()
    for fields, field in (
        ({"export_format": "YAML"}, "YAML"),
        ({"gcs_uri": "gs://b/o"}, "gcs_uri"),
    ):
        refused(lambda fields=fields: export(beta, app, **fields), UNIMPLEMENTED, field)
    refused(lambda: export(beta, f"{app}x"), NOT_FOUND, app)
    other = f"{beta.make_app()}/versions/1"
    refused(lambda: export(beta, app, app_version=other), 400, "app_version")
    refused(lambda: export(beta, app, app_version=f"{app}/versions/1"), NOT_FOUND, "versions/1")


def test_a_version_is_the_app_as_it_was_and_is_put_back(clients, backend):
    app = make_shop(clients, backend)
    before = contents(clients, app)
    version = clients.agent.create_app_version(
        parent=app, app_version={"display_name": "One"}, app_version_id="one"
    )
    assert version.name == f"{app}/versions/one"
    assert version.snapshot.app.display_name == "Shop"
    assert len(version.snapshot.agents) == 3
    assert list(clients.agent.list_app_versions(parent=app)) == [version]
    assert clients.agent.get_app_version(name=version.name) == version
    clients.agent.delete_agent(request={"name": f"{app}/agents/keeper"})
    clients.make_agent(app, "late")
    assert contents(clients, app) != before
    clients.agent.restore_app_version(request={"name": version.name}).result(timeout=WAIT_S)
    assert contents(clients, app) == before
    assert [item.name for item in clients.agent.list_app_versions(parent=app)] == [version.name]
    clients.agent.delete_app_version(request={"name": version.name})
    refused(lambda: clients.agent.get_app_version(name=version.name), NOT_FOUND, "one")


@pytest.mark.model
def test_a_deployment_runs_its_version(clients):
    app = import_app(clients, FILES).name
    version = clients.agent.create_app_version(parent=app, app_version={}, app_version_id="v1")
    deployment = clients.agent.create_deployment(
        parent=app,
        deployment_id="live",
        deployment={
            "display_name": "Live",
            "app_version": version.name,
            "channel_profile": WEB,
        },
    )
    assert clients.agent.get_deployment(name=deployment.name) == deployment
    assert list(clients.agent.list_deployments(parent=app)) == [deployment]
    clients.agent.delete_example(name=f"{app}/examples/one")
    clients.agent.delete_agent(request={"name": f"{app}/agents/returns", "force": True})
    said = "please take it back"
    deployed = clients.run(app, said, session="d", deployment=deployment.name)
    assert texts(deployed)[0] == "You are talking to Returns now."
    assert texts(clients.run(app, said, session="n"))[0] != "You are talking to Returns now."
    kept = clients.agent.get_conversation(name=f"{app}/conversations/d")
    assert (kept.deployment, kept.app_version) == (deployment.name, version.name)
    delete = {"name": version.name}
    refused(lambda: clients.agent.delete_app_version(request=delete), 400, "deployed by")
    clients.agent.update_deployment(
        request={
            "deployment": {"name": deployment.name, "app_version": f"{app}/versions/-"},
            "update_mask": {"paths": ["app_version"]},
        }
    )
    clients.agent.delete_app_version(request=delete)
    clients.agent.delete_deployment(name=deployment.name)
    refused(lambda: clients.run(app, "hi", deployment=deployment.name), NOT_FOUND, "live")


@pytest.mark.parametrize(
    ("fields", "code", "field"),
    [
        ({}, 400, "channel_profile"),
        ({"channel_profile": WEB, "app_version": "x"}, 400, "deployment.app_version"),
        ({"channel_profile": WEB, "app_version": "{app}/versions/no"}, 400, "versions/no"),
        ({"channel_profile": WEB, "experiment_config": {"version_release": {}}}, 501, "experiment"),
    ],
)
def test_a_wrong_deployment_is_refused(beta, fields, code, field):
    app = beta.make_app()
    if "app_version" in fields:
        fields = fields | {"app_version": fields["app_version"].format(app=app)}
    deployment = {"display_name": "Live", **fields}
    refused(lambda: beta.agent.create_deployment(parent=app, deployment=deployment), code, field)
