"""`toulmin ingest --sql`, into a folder and to a server."""

import sqlite3
import threading
from contextlib import nullcontext

import pytest

from tests.cli.test_ingest import ingest, stored
from toulmin.cli import main
from toulmin.cli.importing.from_sql import with_rows_named
from toulmin.cli.importing.job import ImportJob
from toulmin.cli.importing.status import ImportStatus

QUERY = "SELECT id, name, price FROM products"


@pytest.fixture
def shop(tmp_path):
    """A database, and what runs statements in it."""

    def run(*statements):
        with sqlite3.connect(tmp_path / "shop.db") as connection:
            for statement in statements:
                connection.execute(statement)
        connection.close()
        return f"sqlite:///{tmp_path}/shop.db"

    run(
        "CREATE TABLE products (id INTEGER, name TEXT, price REAL)",
        "INSERT INTO products VALUES (1, 'Lamp', 9.5), (2, 'Table', 100), (3, 'Chair', NULL)",
    )
    return run


@pytest.mark.usefixtures("fake_embedder")
def test_rows_are_imported_once_and_full_deletes_those_that_are_gone(shop, data, tmp_path, capsys):
    assert ingest("--sql", shop(), "--query", QUERY, *data) == 0
    assert capsys.readouterr().out.startswith("default: 3 documents, in ")
    before = stored(tmp_path)
    assert before["1"].struct_data == {"id": 1, "name": "Lamp", "price": 9.5}
    assert before["3"].struct_data == {"id": 3, "name": "Chair"}
    assert ingest("--sql", shop(), "--query", QUERY, *data) == 0
    assert "3 documents, 3 of them unchanged" in capsys.readouterr().out
    changed = shop(
        "DELETE FROM products WHERE id = 1", "UPDATE products SET price = 5 WHERE id = 3"
    )
    assert ingest("--sql", changed, "--query", QUERY, *data, "--full") == 0
    assert "2 documents, 1 of them unchanged, 1 deleted" in capsys.readouterr().out
    after = stored(tmp_path)
    assert {id_: document.generation for id_, document in after.items()} == {"2": 1, "3": 2}


@pytest.mark.usefixtures("fake_embedder")
def test_rows_may_be_texts_and_the_query_a_file(shop, data, tmp_path, monkeypatch, capsys):
    monkeypatch.setenv("SHOP_URL", shop())
    (tmp_path / "q.sql").write_text(f"-- all\n{QUERY}\n")
    flags = [
        "--query",
        f"@{tmp_path}/q.sql",
        "--text-field",
        "name",
        "--text-type",
        "text/markdown",
    ]
    assert ingest("--sql", "env:SHOP_URL", *flags, *data) == 0
    document = stored(tmp_path)["1"]
    assert document.struct_data == {"id": 1, "price": 9.5}
    assert document.content.mime_type == "text/markdown"
    assert main(["search", "Lamp", *data]) == 0
    assert "Lamp" in capsys.readouterr().out


def test_errors_name_rows_and_not_the_file_between():
    job = ImportJob(uris=("file:///tmp/x/rows.jsonl",), store="s", schema="document")
    item = "file:///tmp/x/rows.jsonl line 12"
    status = with_rows_named(ImportStatus(samples=((item, f"{item}: is wrong"),)), job)
    assert status.samples == (("row 12", "row 12: is wrong"),)


def test_to_a_server(shop, server, capsys):
    served = server()
    flags = ["--query", QUERY, "--server", served.url]
    assert ingest("--sql", shop(), *flags) == 0
    assert "3 documents" in capsys.readouterr().out
    assert ingest("--sql", shop("DELETE FROM products WHERE id = 2"), *flags, "--full") == 0
    assert "2 documents, 1 deleted" in capsys.readouterr().out
    assert main(["search", "Lamp", "--store", "default", "--server", served.url]) == 0
    assert "Lamp" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("flags", "words"),
    [
        (["--sql", "sqlite:///x.db"], "--sql: needs --query"),
        (["--query", "SELECT 1"], "--query: needs --sql"),
        (["--text-field", "x", "somewhere"], "--text-field: needs --sql"),
        (["--sql", "x", "--query", "y", "somewhere"], "--sql: is given with paths"),
        (["--sql", "x", "--query", "y", "--schema", "csv"], "--schema: does not go with --sql"),
        (["--sql", "x", "--query", "y", "--watch"], "--watch: does not go with --sql"),
        (["--sql", "x", "--query", "y", "--generate-ids"], "--generate-ids: does not go with"),
        (["--sql", "x", "--query", "y", "--text-type", "text/html"], "--text-type: needs"),
        (["--sql", "env:NOWHERE", "--query", "y"], "the environment has no variable NOWHERE"),
        (["--sql", "x", "--query", "@nowhere.sql"], "--query: nowhere.sql: No such file"),
        ([], "name what to import"),
    ],
)
def test_flags_that_contradict_each_other(flags, words, data, capsys):
    assert main(["ingest", *flags, *data]) == 2
    assert words in capsys.readouterr().err


def test_ctrl_c_while_rows_are_read_imports_nothing(shop, data, monkeypatch, capsys, tmp_path):
    monkeypatch.setattr("toulmin.cli.ingest.interruptible", lambda: nullcontext(stopped()))
    assert ingest("--sql", shop(), "--query", QUERY, *data) == 130
    assert "interrupted; nothing was imported" in capsys.readouterr().err
    assert not (tmp_path / "data").exists()


def stopped():
    event = threading.Event()
    event.set()
    return event
