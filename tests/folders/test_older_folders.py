"""This version opens the data folders of those before it, and answers from them.

The folders are archives beside this file; `make.py` made them with the versions in question. One
is kept for each revision of the tables that a released state of the code has had.
"""

import contextlib
import dataclasses
import json
import shutil
import tarfile
from pathlib import Path

import pytest

from tests.folders.make import APP, COLLECTION, CONFIG, CORPUS, QUESTION, STORE
from toulmin.apis.handlers import build_registry
from toulmin.cli import main
from toulmin.cli.access import LocalApi
from toulmin.errors import FailedPrecondition
from toulmin.services import build_services
from toulmin.settings import load_settings
from toulmin.stores.records.migrate import current_revision, newest_revision

pytestmark = [pytest.mark.model, pytest.mark.slow, pytest.mark.timeout(600)]
THOROUGH = pytest.mark.thorough

HERE = Path(__file__).parent
ARCHIVES = sorted(path.name.removesuffix(".tar.xz") for path in HERE.glob("*.tar.xz"))


def unpacked(revision, folder):
    with tarfile.open(HERE / f"{revision}.tar.xz") as archive:
        archive.extractall(folder, filter="data")
    return folder


@contextlib.contextmanager
def opened(folder):
    settings = dataclasses.replace(load_settings(environment={}), data_dir=folder)
    services = build_services(settings, run_operations=False)
    try:
        services.records()
        yield services
    finally:
        services.close()


BETWEEN = [
    pytest.param(revision, marks=[] if revision in (ARCHIVES[0], ARCHIVES[-1]) else THOROUGH)
    for revision in ARCHIVES
]
"""All revisions; `make test` tries the oldest and the newest."""


@pytest.fixture(scope="module", params=BETWEEN)
def older(request, tmp_path_factory):
    """Yield what a kept folder has, its services and their API."""
    folder = unpacked(request.param, tmp_path_factory.mktemp("older"))
    parts = json.loads((folder / "contents.json").read_text("utf-8"))
    with opened(folder) as services:
        yield set(parts), services, LocalApi(build_registry(services))


def skip_without(part, older):
    parts, services, api = older
    if part not in parts:
        pytest.skip(f"that version had no {part}")
    return services, api


def test_there_is_a_folder_of_the_newest_tables():
    """A migration comes with a folder, so that the next one is tried on it."""
    assert newest_revision() in ARCHIVES, "run: python tests/folders/make.py"


def test_the_tables_are_brought_up_to_date(older):
    _, services, _ = older
    with services.records().database.write() as connection:
        assert current_revision(connection) == newest_revision()


def test_user_events_are_kept(older):
    skip_without("user_event", older)
    _, services, _ = older
    with services.records().read() as transaction:
        assert list(transaction.user_events.searches(STORE)) == [("somebody", "bridges")]


def test_documents_are_read_and_found(older):
    _, api = skip_without("documents", older)
    listed = api.call("GET", f"{STORE}/branches/0/documents")["documents"]
    assert {item["id"] for item in listed} == {"elbe", "tower"}
    query = {"query": "battery bridge length", "filter": 'kind: ANY("bridge")'}
    found = api.call("POST", f"{CONFIG}:search", query)["results"]
    assert [item["document"]["id"] for item in found] == ["elbe"]


def test_a_question_is_answered_from_them(older):
    _, api = skip_without("documents", older)
    answer = api.call("POST", f"{CONFIG}:answer", {"query": {"text": QUESTION}})["answer"]
    assert "312 metres" in answer["answerText"]


def test_documents_are_written_beside_the_old(older):
    _, api = skip_without("documents", older)
    body = {"structData": {"title": "Ferry"}, "content": {"mimeType": "text/plain", "rawBytes": ""}}
    body["content"]["rawBytes"] = "VGhlIGZlcnJ5IGNyb3NzZXMgaW4gdGVuIG1pbnV0ZXMu"
    api.call("POST", f"{STORE}/branches/0/documents", body, {"documentId": "ferry"})
    found = api.call("POST", f"{CONFIG}:search", {"query": "How fast is the ferry?"})["results"]
    assert found[0]["document"]["id"] == "ferry"
    api.call("DELETE", f"{STORE}/branches/0/documents/ferry")


def test_an_engine_searches_them(older):
    _, api = skip_without("engine", older)
    config = f"{COLLECTION}/engines/old/servingConfigs/default_search"
    found = api.call("POST", f"{config}:search", {"query": "Eiffel Tower"})["results"]
    assert found[0]["document"]["id"] == "tower"


def test_a_session_goes_on(older):
    _, api = skip_without("session", older)
    (session,) = api.call("GET", f"{STORE}/sessions")["sessions"]
    assert session["userPseudoId"] == "anna"
    assert session["turns"][0]["query"]["text"] == QUESTION
    kept = api.call("GET", session["turns"][0]["answer"])
    assert "312 metres" in kept["answerText"]
    again = {"query": {"text": "When did it open?"}, "session": session["name"]}
    assert "1998" in api.call("POST", f"{CONFIG}:answer", again)["answer"]["answerText"]


def test_a_corpus_is_queried(older):
    _, api = skip_without("corpus", older)
    query = {"query": "How long does the battery last?"}
    found = api.call("POST", f"{CORPUS}:query", query, version="v1beta")
    assert "forty hours" in found["relevantChunks"][0]["chunk"]["data"]["stringValue"]


def test_a_talk_goes_on(older):
    _, api = skip_without("app", older)
    body = {
        "config": {"session": f"{APP}/sessions/parcel"},
        "inputs": [{"text": "it is number 4711"}],
    }
    (call,) = api.call("POST", f"{APP}/sessions/parcel:runSession", body)["outputs"][0][
        "toolCalls"
    ]["toolCalls"]
    assert call["args"] == {"order_id": "4711"}
    (kept,) = api.call("GET", f"{APP}/conversations")["conversations"]
    assert kept["turnCount"] == 2


def test_a_key_is_still_known(older):
    services, _ = skip_without("key", older)
    with services.records().read() as transaction:
        assert [key.display_name for key in transaction.api_keys.list()] == ["old"]


@pytest.mark.parametrize("revision", BETWEEN)
def test_the_index_is_built_anew_where_it_is_gone(revision, tmp_path):
    folder = unpacked(revision, tmp_path)
    shutil.rmtree(folder / "index")
    with opened(folder) as services:
        api = LocalApi(build_registry(services))
        found = api.call("POST", f"{CONFIG}:search", {"query": "Eiffel Tower"})["results"]
        assert found[0]["document"]["id"] == "tower"


@pytest.mark.parametrize("revision", BETWEEN)
def test_a_copy_that_an_older_version_made_is_restored(revision, tmp_path, capsys):
    folder = unpacked(revision, tmp_path / "old")
    new = tmp_path / "new"
    assert main(["restore", str(folder / "records.db"), "--data-dir", str(new)]) == 0
    with opened(new) as services:
        api = LocalApi(build_registry(services))
        assert len(api.call("GET", f"{STORE}/branches/0/documents")["documents"]) == 2


def test_a_folder_of_a_newer_version_is_left_alone(tmp_path):
    folder = unpacked(ARCHIVES[-1], tmp_path)
    with opened(folder) as services, services.records().database.write() as connection:
        connection.exec_driver_sql("UPDATE alembic_version SET version_num = '9999'")
    before = (folder / "records.db").read_bytes()
    with pytest.raises(FailedPrecondition, match="'9999' of a newer version"), opened(folder):
        pass
    assert (folder / "records.db").read_bytes() == before
