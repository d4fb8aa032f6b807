import pytest

from tests.server.conftest import request
from toulmin.callers import Role
from toulmin.ingestion.progress import IMPORTS
from toulmin.server import about
from toulmin.settings import SETTINGS, load_settings
from toulmin.stores.records import editing_keys

CALLER = "/v1/toulmin/caller"
STATUS = "/v1/toulmin/status"


def test_an_open_server_says_that_it_is_open(server):
    said = request(server, "GET", CALLER).json
    assert said["open"] is True
    assert (said["id"], said["role"], said["projects"]) == ("local", "admin", None)


def test_the_status_names_every_setting_and_no_secret(serve):
    server = serve(api_keys=("a-long-secret-key",))
    reply = request(server, "GET", STATUS, headers={"x-goog-api-key": "a-long-secret-key"})
    said = reply.json
    assert {row["name"] for row in said["settings"]} == {row.name for row in SETTINGS}
    assert b"a-long-secret-key" not in reply.body
    values = {row["name"]: row["value"] for row in said["settings"]}
    assert values["api_keys"] == "(1 set)"
    assert values["port"] == "0"
    assert said["models"]
    assert said["requestsInFlight"] == 0
    assert said["openConnections"] >= 1
    assert said["uptimeSeconds"] >= 0


def test_the_models_files_are_hashed_once(server, monkeypatch):
    asked = []
    monkeypatch.setattr(about, "reader_versions", lambda _settings: asked.append(1) or {"r": "1"})
    said = [request(server, "GET", STATUS).json for _ in range(2)]
    assert [one["readers"] for one in said] == [{"r": "1"}] * 2
    assert asked == [1]


def test_other_methods_and_paths_are_not_found(server):
    assert request(server, "POST", STATUS, b"{}").status == 404
    assert request(server, "GET", "/v1/toulmin/else").status == 404


@pytest.mark.parametrize(
    ("role", "projects", "reason"),
    [
        (Role.VIEWER, None, "ROLE_INSUFFICIENT"),
        (Role.EDITOR, None, "ROLE_INSUFFICIENT"),
        (Role.ADMIN, ["shop"], "PROJECT_DENIED"),
        (Role.ADMIN, None, ""),
    ],
)
def test_the_status_is_for_admins_of_all_projects(keyed_server, role, projects, reason):
    server, data_dir = keyed_server
    with_key = {"x-goog-api-key": make_key(data_dir, role, projects)}
    assert request(server, "GET", STATUS).status == 401
    said = request(server, "GET", CALLER, headers=with_key).json
    assert (said["role"], said["projects"], said["open"]) == (role, projects, False)
    reply = request(server, "GET", STATUS, headers=with_key)
    if reason:
        assert reply.status == 403
        assert reply.error["details"][0]["reason"] == reason
        return
    (key,) = reply.json["keys"]
    assert (key["displayName"], key["role"], key["state"]) == ("test", "admin", "active")
    assert with_key["x-goog-api-key"].encode() not in reply.body


def test_an_import_says_how_far_it_is_to_who_may_use_its_project(keyed_server):
    server, data_dir = keyed_server
    name = "projects/shop/locations/global/collections/c/dataStores/d/branches/0/operations/o"
    keys = {
        project: {"x-goog-api-key": make_key(data_dir, Role.VIEWER, [project])}
        for project in ("shop", "other")
    }
    path = f"/v1/toulmin/imports/{name}"
    assert request(server, "GET", path).status == 401
    assert request(server, "GET", path, headers=keys["shop"]).json == {}
    IMPORTS.say(name, 32, 90)
    try:
        said = request(server, "GET", path, headers=keys["shop"]).json
        assert said == {"embeddedTexts": 32, "totalTexts": 90}
        reply = request(server, "GET", path, headers=keys["other"])
        assert reply.status == 403
        assert reply.error["details"][0]["reason"] == "PROJECT_DENIED"
    finally:
        IMPORTS.forget(name)


def make_key(data_dir, role, projects):
    """Make a key as `toulmin keys` does, beside a running server that nobody has asked yet.

    It reads the keys when it is first asked; one that is made later may count a second later.
    """
    settings = load_settings(flags={"data_dir": data_dir}, environment={})
    with editing_keys(settings) as keys:
        _, key = keys.create(display_name="test", role=role, projects=projects)
    return key
