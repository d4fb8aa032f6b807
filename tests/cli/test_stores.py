import json

import pytest

from toulmin.cli import main

COLLECTION = "projects/default/locations/global/collections/default_collection"


def test_a_data_store_is_made_listed_shown_and_deleted(data, capsys):
    assert main(["stores", *data]) == 0
    assert "no data stores" in capsys.readouterr().out
    assert main(["stores", "--json", *data]) == 0
    assert json.loads(capsys.readouterr().out) == []
    assert main(["stores", "create", "notes", "--display-name", "My notes", *data]) == 0
    assert main(["stores", "create", "rows", "--holds", "data", *data]) == 0
    capsys.readouterr()
    assert main(["stores", "list", *data]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert [line.split()[0] for line in lines] == ["ID", "notes", "rows"]
    assert lines[1].split()[1:] == ["0", "0", "0", "never"]
    assert main(["stores", "show", "rows", *data]) == 0
    shown = capsys.readouterr().out
    assert f"{COLLECTION}/dataStores/rows\n" in shown
    assert "NO_CONTENT" in shown
    assert main(["stores", "delete", "notes", *data]) == 2
    assert "say --yes" in capsys.readouterr().err
    assert main(["stores", "delete", "notes", "--yes", *data]) == 0
    assert main(["stores", "show", "notes", *data]) == 2


def test_more_than_a_page_is_listed(data, capsys):
    from toulmin.domain import DataStore
    from toulmin.settings import load_settings
    from toulmin.stores.records import RecordStore

    settings = load_settings(flags={"data_dir": data[1]}, environment={})
    records = RecordStore.from_settings(settings)
    with records.write() as transaction:
        for number in range(60):
            transaction.resources.create(DataStore(parent=COLLECTION, id=f"s{number:02}"))
    records.close()
    assert main(["stores", *data]) == 0
    assert len(capsys.readouterr().out.splitlines()) == 61


@pytest.mark.usefixtures("fake_embedder")
def test_counts_and_the_last_import_are_those_of_the_records(files, data, capsys):
    (files / "broken.pdf").write_bytes(b"no PDF at all \x00\xff\xfe")
    assert main(["ingest", str(files), "--quiet", "--parser-processes", "1", *data]) == 1
    capsys.readouterr()
    assert main(["stores", *data]) == 0
    row = capsys.readouterr().out.splitlines()[1].split()
    assert row[:3] == ["default", "3", "3"]
    assert int(row[3]) > 80
    assert row[-4:] == ["3", "done,", "1", "failed"]
    assert main(["stores", "show", "default", "--json", *data]) == 0
    shown = json.loads(capsys.readouterr().out)
    assert (shown["id"], shown["documents"], shown["chunks"]) == ("default", 3, 3)


def test_a_server_is_asked_for_its_own(server, files, capsys):
    place = ["--server", server().url]
    assert main(["stores", "create", "sent", *place]) == 0
    assert main(["ingest", str(files), "--quiet", "--store", "sent", *place]) == 0
    capsys.readouterr()
    assert main(["stores", "show", "sent", *place]) == 0
    shown = capsys.readouterr().out
    assert "documents     3\n" in shown
    assert "3 done, 0 failed" in shown
    assert "chunks" not in shown
    assert main(["stores", *place]) == 0
    head, row = capsys.readouterr().out.splitlines()
    assert head.split() == ["ID", "DOCUMENTS", "LAST", "IMPORT"]
    assert row.split()[:2] == ["sent", "3"]
    assert "-" not in row.split()
    assert main(["stores", "--json", *place]) == 0
    (listed,) = json.loads(capsys.readouterr().out)
    assert listed["documents"] == 3
    assert "chunks" not in listed
    assert main(["stores", "delete", "sent", "--yes", *place]) == 0
    assert main(["stores", *place]) == 0
    assert "no data stores" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("words", "message"),
    [(["show"], "needs an ID"), (["list", "x"], "needs no ID"), (["create", "A b"], "ID")],
)
def test_wrong_usage_is_said(words, message, data, capsys):
    assert main(["stores", *words, *data]) == 2
    assert message in capsys.readouterr().err
