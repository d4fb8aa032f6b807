"""Keys from the command line, beside a running server and without one."""

import json
import re
import urllib.error
import urllib.request

import pytest

from tests.patience import PATIENCE_S, wait_for
from toulmin.cli import main

STORES = "/v1/projects/{}/locations/global/collections/default_collection/dataStores"


@pytest.fixture
def keyed(server, tmp_path):
    """A server that knows the keys of its folder, and the flags that name the folder."""
    served = server()
    return served, ["--data-dir", str(tmp_path / "served")]


def made(capsys, flags, *more):
    assert main(["keys", "create", "--name", "test", *more, *flags]) == 0
    shown = capsys.readouterr()
    key = shown.out.strip()
    return key, re.search(r"key (\w+):", shown.err)[1]


def status(served, project="shop", key="", *, method="GET"):
    request = urllib.request.Request(served.url + STORES.format(project), method=method)
    if key:
        request.add_header("x-goog-api-key", key)
    try:
        with urllib.request.urlopen(request, timeout=PATIENCE_S) as response:
            return response.status, ""
    except urllib.error.HTTPError as error:
        return error.code, json.loads(error.read())["error"]["details"][0]["reason"]


def eventually(ask, wanted):
    wait_for(lambda: ask() == wanted)


def test_a_key_made_beside_a_running_server_opens_its_own_project_only(keyed, capsys):
    served, flags = keyed
    assert status(served) == (200, "")
    key, _ = made(capsys, flags, "--project", "shop")
    eventually(lambda: status(served), (401, "CREDENTIALS_MISSING"))
    assert status(served, key=key) == (200, "")
    assert status(served, "bank", key) == (403, "PROJECT_DENIED")
    assert status(served, key=key + "x") == (401, "API_KEY_INVALID")
    assert served.asks_for_keys


def test_a_revoked_key_is_refused_and_does_not_open_the_server_again(keyed, capsys):
    served, flags = keyed
    key, id_ = made(capsys, flags, "--project", "shop", "--role", "admin")
    eventually(lambda: status(served, key=key + "x"), (401, "API_KEY_INVALID"))
    assert main(["keys", "revoke", id_, *flags]) == 0
    eventually(lambda: status(served, key=key), (401, "API_KEY_REVOKED"))
    assert status(served) == (401, "CREDENTIALS_MISSING")


def test_a_key_ends_with_its_time(keyed, capsys, monkeypatch):
    served, flags = keyed
    key, _ = made(capsys, flags, "--all-projects", "--expires", "2h")
    assert status(served, "any", key) == (200, "")

    from datetime import UTC, datetime, timedelta

    class Later(datetime):
        @classmethod
        def now(cls, _zone):
            return datetime.now(UTC) + timedelta(hours=3)

    monkeypatch.setattr("toulmin.server.auth.datetime", Later)
    assert status(served, "any", key) == (401, "API_KEY_EXPIRED")


def test_keys_are_listed_without_themselves(data, capsys):
    assert main(["keys", *data]) == 0
    assert "no keys" in capsys.readouterr().out
    key, id_ = made(capsys, data, "--project", "b", "--project", "a", "--expires", "2099-01-31")
    assert main(["keys", *data]) == 0
    out = capsys.readouterr().out
    assert re.search(rf"{id_} +active +viewer +\S+ \S+ +2099-01-31 00:00 +a,b +test", out)
    assert key.rpartition("_")[2] not in out


@pytest.mark.parametrize(
    "flags",
    [
        ["create", "--name", "x"],
        ["create", "--name", "x", "--project", "p", "--all-projects"],
        ["create", "--project", "p"],
        ["create", "--name", "x", "--project", "p", "--expires", "soon"],
        ["create", "x", "--name", "x", "--project", "p"],
        ["revoke"],
        ["revoke", "unknown"],
    ],
)
def test_a_wrong_wish_says_what_is_wrong(data, flags, capsys):
    assert main(["keys", *flags, *data]) == 2
    assert "toulmin keys: " in capsys.readouterr().err
    assert main(["keys", *data]) == 0
    assert "no keys" in capsys.readouterr().out


def test_keys_as_json_never_hold_a_key_but_the_new_one(data, capsys):
    new = ["--name", "page", "--project", "shop", "--expires", "9d", "--json"]
    assert main(["keys", "create", *new, *data]) == 0
    made = json.loads(capsys.readouterr().out)
    assert made["key"]
    assert main(["keys", "--json", *data]) == 0
    (listed,) = json.loads(capsys.readouterr().out)
    assert listed == {key: value for key, value in made.items() if key != "key"}
    assert (listed["state"], listed["role"], listed["projects"]) == ("active", "viewer", ["shop"])
    assert main(["keys", "revoke", made["id"], "--json", *data]) == 0
    assert json.loads(capsys.readouterr().out)["state"] == "revoked"
