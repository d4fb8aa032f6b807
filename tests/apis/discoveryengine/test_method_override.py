"""Any method in a POST, for clients and proxies that let only GET and POST through."""

from __future__ import annotations

import http.client
import json
from urllib.parse import urlencode

import pytest

from tests.apis.discoveryengine.clients import COLLECTION, new_id
from tests.patience import PATIENCE_S

pytestmark = pytest.mark.client

FORM = "application/x-www-form-urlencoded"


@pytest.fixture
def send(resource_server):
    """Return a function that sends a request; `meant` is the header's value."""

    def sent(path, body="", meant="", method="POST", content_type="application/json"):
        connection = http.client.HTTPConnection(
            "127.0.0.1", resource_server.port, timeout=PATIENCE_S
        )
        headers = {"Content-Type": content_type}
        if meant:
            headers["X-HTTP-Method-Override"] = meant
        connection.request(method, f"/v1/{path}", body, headers)
        response = connection.getresponse()
        found = response.status, json.loads(response.read() or b"{}")
        connection.close()
        return found

    return sent


@pytest.fixture
def store(beta):
    return beta.make_data_store(display_name="Before").name


def test_read_change_and_delete(send, store):
    assert send(store, meant="get")[1]["name"] == store
    body = json.dumps({"displayName": "After"})
    status, changed = send(f"{store}?updateMask=displayName", body, "PATCH")
    assert (status, changed["displayName"]) == (200, "After")
    assert send(store, meant="DELETE")[0] == 200
    assert send(store, method="GET")[0] == 404


def test_a_form_stands_for_the_query(send, beta):
    project = new_id("form")
    parent = COLLECTION.replace("projects/p", f"projects/{project}")
    for id_ in ("a", "b"):
        beta.make_data_store(id_, parent)
    form = {"pageSize": 1, "fields": "dataStores/name,nextPageToken"}
    kind = f"{FORM}; charset=UTF-8"
    status, first = send(f"{parent}/dataStores", urlencode(form), "GET", content_type=kind)
    assert (status, first["dataStores"]) == (200, [{"name": f"{parent}/dataStores/a"}])
    form = {"pageToken": first["nextPageToken"]}
    path = f"{parent}/dataStores?fields=dataStores.name&pageSize=1"
    assert send(path, urlencode(form), "GET", content_type=FORM)[1] == {
        "dataStores": [{"name": f"{parent}/dataStores/b"}]
    }
    status, refused = send(f"{parent}/dataStores", "colour=red", "GET", content_type=FORM)
    assert (status, refused["error"]["status"]) == (400, "INVALID_ARGUMENT")
    assert "colour" in refused["error"]["message"]


def test_only_a_post_means_another_method(send, store):
    assert send(store, meant="DELETE", method="GET")[1]["name"] == store
    assert send(store, method="GET")[0] == 200


def test_what_cannot_be_meant(send, store):
    status, refused = send(store, meant="BREW")
    assert (status, refused["error"]["status"]) == (400, "INVALID_ARGUMENT")
    assert "X-HTTP-Method-Override is 'BREW'" in refused["error"]["message"]
    status, refused = send(store, meant="PUT")
    assert status == 404
    assert "PUT /v1/" in refused["error"]["message"]
    assert "DELETE, GET, PATCH" in refused["error"]["message"]


def test_a_form_is_no_body_otherwise(send):
    status, refused = send(f"{COLLECTION}/dataStores", "dataStoreId=x", content_type=FORM)
    assert (status, refused["error"]["status"]) == (400, "INVALID_ARGUMENT")
