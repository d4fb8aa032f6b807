import json

import pytest

from toulmin.cli import main


@pytest.fixture
def filled(data, capsys):
    assert main(["stores", "create", "notes", *data]) == 0
    capsys.readouterr()
    return data


def test_a_copy_is_put_back(filled, tmp_path, capsys):
    copy = tmp_path / "copy.db"
    assert main(["backup", str(copy), *filled]) == 0
    assert "every page and reference checked" in capsys.readouterr().out
    assert main(["stores", "delete", "notes", "--yes", *filled]) == 0
    assert main(["restore", str(copy), *filled]) == 2
    assert "say --yes" in capsys.readouterr().err
    assert main(["restore", str(copy), "--yes", *filled]) == 0
    out = capsys.readouterr().out
    kept = tmp_path / "data" / "records.db.replaced"
    assert f"kept as {kept}\n" in out
    assert kept.exists()
    assert main(["stores", *filled]) == 0
    assert "notes" in capsys.readouterr().out


def test_into_an_empty_folder_no_yes_is_needed(filled, tmp_path, capsys):
    copy = tmp_path / "copy.db"
    assert main(["backup", str(copy), *filled]) == 0
    other = ["--data-dir", str(tmp_path / "other")]
    assert main(["restore", str(copy), *other]) == 0
    assert "kept as" not in capsys.readouterr().out
    assert main(["stores", *other]) == 0
    assert "notes" in capsys.readouterr().out


def test_what_a_copy_holds_as_json(filled, tmp_path, capsys):
    copy = tmp_path / "copy.db"
    assert main(["backup", str(copy), "--json", *filled]) == 0
    held = json.loads(capsys.readouterr().out)
    assert (held["path"], held["resources"], held["documents"]) == (str(copy), 1, 0)
    assert held["bytes"] == copy.stat().st_size
    assert main(["restore", str(copy), "--json", "--data-dir", str(tmp_path / "other")]) == 0
    assert json.loads(capsys.readouterr().out)["resources"] == 1


def test_a_folder_gets_a_file_named_by_the_time(filled, tmp_path):
    target = tmp_path / "backups"
    target.mkdir()
    assert main(["backup", str(target), *filled]) == 0
    (made,) = target.iterdir()
    assert made.name.startswith("toulmin-20")
    assert made.suffix == ".db"


def test_a_copy_is_made_beside_a_server_and_not_put_back(server, tmp_path, capsys):
    served = server()
    assert main(["stores", "create", "notes", "--server", served.url]) == 0
    copy = tmp_path / "copy.db"
    place = ["--data-dir", str(tmp_path / "served")]
    assert main(["backup", str(copy), *place]) == 0
    capsys.readouterr()
    assert main(["restore", str(copy), "--yes", *place]) == 2
    message = capsys.readouterr().err
    assert "is in use by process" in message
    assert "Stop it, then restore." in message


def test_what_cannot_be_done_is_said(filled, tmp_path, capsys):
    copy = tmp_path / "copy.db"
    assert main(["backup", str(copy), *filled]) == 0
    assert main(["backup", str(copy), *filled]) == 2
    assert "exists already" in capsys.readouterr().err
    assert main(["backup", str(tmp_path / "no" / "x.db"), *filled]) == 2
    assert "a folder that does not exist" in capsys.readouterr().err
    assert main(["backup", str(tmp_path / "y.db"), "--data-dir", str(tmp_path / "empty")]) == 2
    assert "There are no records" in capsys.readouterr().err
    other = tmp_path / "notes.txt"
    other.write_bytes(b"not a database")
    for what in (other, tmp_path):
        assert main(["restore", str(what), "--yes", *filled]) == 2
        message = capsys.readouterr().err
        assert message == f"toulmin restore: {what} is no backup of Toulmin's records.\n"
    damaged = tmp_path / "damaged.db"
    damaged.write_bytes(copy.read_bytes()[:5000])
    assert main(["restore", str(damaged), "--yes", *filled]) == 2
    assert f"{damaged} is damaged" in capsys.readouterr().err
    assert main(["stores", *filled]) == 0
    assert "notes" in capsys.readouterr().out


def test_postgresql_has_its_own_tools(tmp_path, capsys):
    flags = ["--database-url", "postgresql://u@localhost/x"]
    assert main(["backup", str(tmp_path / "x.db"), *flags]) == 2
    assert "pg_dump" in capsys.readouterr().err
    assert main(["restore", str(tmp_path / "x.db"), *flags]) == 2
    assert "pg_restore" in capsys.readouterr().err
