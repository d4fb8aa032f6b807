"""Rows of SQLite, PostgreSQL and MySQL as documents."""

import base64
import datetime
import decimal
import os
import sqlite3
import uuid

import pytest

from tests.stores.records.postgresql import NoPostgresqlError, run_statement, running_server
from toulmin.errors import FailedPrecondition, InvalidArgument, Unavailable
from toulmin.ingestion.sources.database import Rows, query_rows, shown
from toulmin.ingestion.sources.table_rows import RowShape, documents_of_rows

_TABLE = (
    "CREATE TABLE products (sku VARCHAR(40) PRIMARY KEY, name VARCHAR(80), price DECIMAL(12,2),"
    " stock BIGINT, made DATE)"
)
_ROWS = (
    "INSERT INTO products VALUES ('a-1', 'Größe 東京 😀', 9.50, 3, '2024-02-01'),"
    " ('b 2', 'Odd % :name', 100, 12345678901234567, NULL)"
)


def documents(url, query, **shape):
    with query_rows(url, query) as rows:
        return list(documents_of_rows(rows, RowShape(**shape)))


@pytest.fixture(scope="module")
def sqlite_url(tmp_path_factory):
    path = tmp_path_factory.mktemp("sql") / "a shop #1.db"
    with sqlite3.connect(path) as connection:
        connection.execute(_TABLE)
        connection.execute(_ROWS)
    connection.close()
    return f"sqlite:///{path}"


@pytest.fixture(scope="module")
def postgresql_url():
    try:
        with running_server() as url:
            run_statement(url, _TABLE)
            run_statement(url, _ROWS)
            yield url
    except NoPostgresqlError as error:
        if os.environ.get("CI"):
            raise
        pytest.skip(str(error))


@pytest.fixture(scope="module")
def mysql_url():
    pytest.importorskip("pymysql", reason="the extra mysql is not installed")
    from tests.ingestion.sources.mysql_server import NoMysqlError, run_mysql, running_mysql

    try:
        with running_mysql() as url:
            run_mysql(url, _TABLE, _ROWS)
            yield url
    except NoMysqlError as error:
        pytest.skip(str(error))


@pytest.fixture(params=["sqlite", "postgresql", "mysql"])
def url(request):
    return request.getfixturevalue(f"{request.param}_url")


def test_rows_become_data(url):
    query = (
        "SELECT sku, name, price, stock, made FROM products WHERE name NOT LIKE '%:x' ORDER BY 1;"
    )
    first, second = documents(url, query, id_column="sku")
    made = first["structData"].pop("made")
    assert made == "2024-02-01"
    assert first == {
        "id": "a-1",
        "structData": {"sku": "a-1", "name": "Größe 東京 😀", "price": 9.5, "stock": 3},
    }
    assert second == {
        "id": "b-2-37ade19274fe0a50",
        "structData": {
            "sku": "b 2",
            "name": "Odd % :name",
            "price": 100,
            "stock": "12345678901234567",
        },
    }


def test_rows_become_texts_with_data(url):
    query = "SELECT sku, name, price FROM products WHERE stock = 3"
    (found,) = documents(url, query, id_column="sku", text_column="name", mime_type="text/markdown")
    assert found["structData"] == {"sku": "a-1", "price": 9.5}
    assert found["content"]["mimeType"] == "text/markdown"
    assert base64.b64decode(found["content"]["rawBytes"]).decode() == "Größe 東京 😀"


@pytest.mark.parametrize(
    ("query", "field", "words"),
    [
        ("SELECT sku FROM nothing_here", "--query", "nothing_here"),
        ("SELEC sku", "--query", "the database says: "),
        ("SELECT name AS x FROM products", "--id-field", "the query gives no column 'sku'"),
        ("SELECT sku, sku FROM products", "--query", "gives two columns 'sku'"),
        ("SELECT NULL AS sku", "--id-field", "row 1 has no value in column 'sku'"),
        ("SELECT 'x' AS sku FROM products", "--id-field", "several rows: 'x' (rows 1 and 2)"),
        ("DELETE FROM products", "--query", "the database says: "),
        ("  ", "--query", "is empty"),
    ],
)
def test_a_wrong_query_is_told(url, query, field, words):
    with pytest.raises(InvalidArgument) as caught:
        documents(url, query, id_column="sku")
    assert [violation.field for violation in caught.value.violations] == [field]
    assert words in caught.value.message
    assert len(documents(url, "SELECT sku FROM products", id_column="sku")) == 2


def test_the_database_is_read_at_one_moment_and_nothing_is_locked(sqlite_url, tmp_path):
    path = tmp_path / "b.db"
    with sqlite3.connect(path) as connection:
        connection.execute(_TABLE)
    connection.close()
    before = path.read_bytes()
    assert documents(f"sqlite:///{path}", "SELECT * FROM products", id_column="sku") == []
    assert path.read_bytes() == before
    assert not list(tmp_path.glob("b.db-*"))


@pytest.mark.parametrize(
    ("url", "words"),
    [
        ("shop.db", "is no URL of a database"),
        ("http://x:pass-word@y", "names http://, which is not read"),
        ("mysql+mysqldb://u:pass-word@h/d", "names mysql+mysqldb://, which is not read"),
        ("sqlite://", "names no file"),
        ("sqlite:///:memory:", "names no file"),
        ("sqlite:////nowhere/at/all.db", "there is no file /nowhere/at/all.db"),
        ("mysql://u:pass-word@h/d?odd=1", "has the parameter 'odd'"),
        ("mysql://u:pass-word@h", "names no database"),
        ("postgresql://u:pass-word@h/d?odd=1", "--sql has the parameter 'odd'"),
        ("postgresql://u:pass-word@h/d?sslmode=odd", "--sql has sslmode=odd"),
    ],
)
def test_a_wrong_url_is_told_without_its_password(url, words):
    with pytest.raises(InvalidArgument) as caught:
        documents(url, "SELECT 1 AS id")
    assert words in caught.value.message
    assert "pass-word" not in caught.value.message


def test_a_file_that_is_no_database(tmp_path):
    (tmp_path / "a.db").write_text("no database " * 100)
    with pytest.raises(InvalidArgument, match="file is not a database"):
        documents(f"sqlite:///{tmp_path}/a.db", "SELECT 1 AS id")


def test_a_server_that_is_not_there():
    for kind in ("postgresql", "mysql"):
        if kind == "mysql":
            pytest.importorskip("pymysql", reason="the extra mysql is not installed")
        with pytest.raises(Unavailable) as caught:
            documents(f"{kind}://u:pass-word@127.0.0.1:1/d", "SELECT 1 AS id")
        assert caught.value.message.startswith(f"{kind}://u:***@127.0.0.1:1/d cannot be reached: ")
        assert "pass-word" not in caught.value.message


def test_a_wrong_password_is_told_and_not_shown(mysql_url):
    from tests.ingestion.sources.mysql_server import PASSWORD

    assert PASSWORD not in shown(mysql_url)
    with pytest.raises(InvalidArgument, match="Access denied for user 'reader'") as caught:
        documents(mysql_url.replace("s3cret", "other"), "SELECT 1 AS id")
    assert "w/rd" not in caught.value.message
    with pytest.raises(InvalidArgument, match="nowhere") as caught:
        documents(mysql_url.replace("/shop?", "/nowhere?"), "SELECT 1 AS id")
    assert PASSWORD not in caught.value.message


def test_without_the_driver_the_extra_is_named(monkeypatch):
    monkeypatch.setitem(__import__("sys").modules, "pymysql", None)
    with pytest.raises(
        FailedPrecondition, match=r"install the package pymysql \(the extra mysql\)"
    ):
        documents("mysql://u@h/d", "SELECT 1 AS id")


@pytest.mark.parametrize(
    ("value", "found"),
    [
        (True, True),
        (10**15 - 1, 10**15 - 1),
        (10**15, "1000000000000000"),
        (decimal.Decimal("1.50"), 1.5),
        (decimal.Decimal("2.00"), 2),
        (decimal.Decimal("1234567890.1234567"), "1234567890.1234567"),
        (decimal.Decimal("1E+30"), "1E+30"),
        (datetime.datetime(2024, 2, 1, 9, 5, tzinfo=datetime.UTC), "2024-02-01T09:05:00+00:00"),
        (datetime.timedelta(hours=-30, minutes=-5), "-30:05:00"),
        (datetime.timedelta(seconds=1, microseconds=5), "00:00:01.000005"),
        (uuid.UUID(int=1), "00000000-0000-0000-0000-000000000001"),
        ([1, None, {"a": decimal.Decimal(1)}], [1, None, {"a": 1}]),
        ("half \ud800", "half ?"),
    ],
)
def test_values(value, found):
    rows = Rows(("id", "v"), iter([(7, value)]))
    assert list(documents_of_rows(rows, RowShape())) == [
        {"id": "7", "structData": {"id": 7, "v": found}}
    ]


@pytest.mark.parametrize(
    ("value", "words"),
    [
        (b"x", "row 1 has bytes in column 'v'"),
        (memoryview(b"x"), "row 1 has bytes in column 'v'"),
        (float("nan"), "row 1 has nan in column 'v'"),
        ({"a": [b"x"]}, "row 1 has bytes in column 'v'"),
        (object, "row 1 has <class 'object'> in column 'v'"),
    ],
)
def test_values_that_json_does_not_hold(value, words):
    with pytest.raises(InvalidArgument, match=words):
        list(documents_of_rows(Rows(("id", "v"), iter([(7, value)])), RowShape()))


def test_ids_that_come_twice_are_counted_to_five():
    rows = Rows(("id",), iter([(n % 3,) for n in range(100)]))
    with pytest.raises(InvalidArgument) as caught:
        list(documents_of_rows(rows, RowShape()))
    assert caught.value.message.count("(rows ") == 5
    assert "0 (rows 1 and 4), 1 (rows 2 and 5)" in caught.value.message
