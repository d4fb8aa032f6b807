"""What `make audit` says, and with which exit code."""

import json
import stat
import zipfile
from pathlib import Path

import pytest

from tools.audit import main
from tools.auditing.advisories import look_up
from tools.auditing.licences import READ, allows, licences
from tools.auditing.locked import Locked, locked_in

ROOT = Path(__file__).parents[2]


@pytest.fixture
def locks(tmp_path):
    folder = tmp_path / "requirements"
    folder.mkdir()
    (folder / "base.txt").write_text(
        "one_thing==1.2.0 \\\n    --hash=sha256:aa\n"
        "Other.Thing[extra]==2.0 ; sys_platform == 'win32' \\\n    --hash=sha256:bb\n"
    )
    return folder


def program(tmp_path, text, code=0):
    path = tmp_path / "pip-audit"
    path.write_text(f"#!/bin/sh\ncat <<'END'\n{text}\nEND\nexit {code}\n")
    path.chmod(path.stat().st_mode | stat.S_IXUSR)
    return path


def export(tmp_path, *entries):
    path = tmp_path / "all.zip"
    with zipfile.ZipFile(path, "w") as archive:
        for number, entry in enumerate(entries):
            archive.writestr(f"{number}.json", json.dumps(entry))
    return path


def entry(name="one-thing", *, events=(), versions=(), **more):
    affected = {
        "package": {"ecosystem": "PyPI", "name": name},
        "ranges": [{"type": "ECOSYSTEM", "events": list(events)}],
        "versions": list(versions),
    }
    return {"id": "PYSEC-1", "aliases": ["CVE-1"], "affected": [affected], **more}


def test_every_lock_file_is_read(locks):
    assert locked_in([locks / "base.txt"]) == [
        Locked("one-thing", "1.2.0"),
        Locked("other-thing", "2.0"),
    ]
    for file in (ROOT / "requirements").glob("*.txt"):
        blocks = file.read_text("utf-8").split("--hash=")[0::1]
        named = sum("==" in block.split(";")[0] for block in blocks)
        assert len(locked_in([file])) == named, file


def run(locks, *arguments, capsys):
    code = main(["--locks", str(locks), *map(str, arguments)])
    return code, capsys.readouterr().out


def test_nothing_found_is_zero_only_if_all_were_asked_about(tmp_path, locks, capsys):
    rows = [{"name": "one-thing", "version": "1.2.0", "vulns": []}]
    both = [*rows, {"name": "other.thing", "version": "2.0", "vulns": []}]
    code, said = run(
        locks, "--pip-audit", program(tmp_path, json.dumps({"dependencies": both})), capsys=capsys
    )
    assert code == 0
    assert "0 known, of 2 packages" in said
    code, said = run(
        locks, "--pip-audit", program(tmp_path, json.dumps({"dependencies": rows})), capsys=capsys
    )
    assert code == 2
    assert "1 packages that nobody could be asked about" in said


def test_a_vulnerability_is_named_with_its_fix(tmp_path, locks, capsys):
    found = {"id": "PYSEC-1", "aliases": ["CVE-1"], "fix_versions": ["1.3"]}
    rows = [{"name": "one_thing", "version": "1.2.0", "vulns": [found]}]
    asked = program(tmp_path, json.dumps({"dependencies": rows}), code=1)
    code, said = run(locks, "--pip-audit", asked, capsys=capsys)
    assert code == 1
    assert "one-thing 1.2.0: PYSEC-1 (CVE-1), fixed in 1.3" in said
    code, said = run(locks, "--pip-audit", asked, "--ignore", "CVE-1", capsys=capsys)
    assert code == 2
    assert "1 more that --ignore names" in said


@pytest.mark.parametrize(
    "answer",
    [
        "cannot connect",
        json.dumps(
            {
                "dependencies": [
                    {
                        "name": "one-thing",
                        "skip_reason": "Dependency not found on PyPI: one-thing (1.2.0)",
                    }
                ]
            }
        ),
    ],
)
def test_no_network_is_no_clean_bill(tmp_path, locks, capsys, answer):
    code, said = run(locks, "--pip-audit", program(tmp_path, answer), capsys=capsys)
    assert code == 2
    assert "NOT CHECKED" in said
    assert "make audit OSV=FILE.zip" in said


def test_a_program_that_is_not_there(tmp_path, locks, capsys):
    code, said = run(locks, "--pip-audit", tmp_path / "none", capsys=capsys)
    assert code == 2
    assert "pip-audit did not run" in said


@pytest.mark.parametrize(
    ("events", "versions", "is_affected"),
    [
        ([{"introduced": "0"}], [], True),
        ([{"introduced": "0"}, {"fixed": "1.2.0"}], [], False),
        ([{"introduced": "0"}, {"fixed": "1.2.1"}], [], True),
        ([{"introduced": "1.2.1"}], [], False),
        ([{"introduced": "1.0"}, {"last_affected": "1.2.0"}], [], True),
        ([{"introduced": "1.0"}, {"last_affected": "1.1.9"}], [], False),
        ([{"introduced": "0"}, {"fixed": "1.0"}, {"introduced": "1.2"}], [], True),
        ([{"introduced": "1.2"}, {"fixed": "1.0"}, {"introduced": "0"}], [], True),
        ([{"introduced": "0"}, {"fixed": "1.0rc1"}], [], False),
        ([{"introduced": "gibberish"}, {"fixed": "9"}], [], True),
        ([], ["1.1", "1.2.0"], True),
        ([], ["1.1"], False),
    ],
)
def test_ranges_of_osv(tmp_path, events, versions, is_affected):
    answers = look_up(
        export(tmp_path, entry(events=events, versions=versions)), [Locked("one-thing", "1.2.0")]
    )
    assert bool(answers.advisories) is is_affected


def test_what_an_export_says_of_others_is_left_out(tmp_path):
    packages = [Locked("one-thing", "1.2.0")]
    withdrawn = entry(versions=["1.2.0"], withdrawn="2026-01-01T00:00:00Z")
    elsewhere = entry(versions=["1.2.0"])
    elsewhere["affected"][0]["package"]["ecosystem"] = "npm"
    other = entry("another", versions=["1.2.0"])
    assert not look_up(export(tmp_path, withdrawn, elsewhere, other), packages).advisories


def test_an_export_answers_for_all(tmp_path, locks, capsys):
    zipped = export(tmp_path, entry("Other_Thing", events=[{"introduced": "0"}, {"fixed": "3"}]))
    code, said = run(locks, "--osv", zipped, capsys=capsys)
    assert code == 1
    assert "other-thing 2.0: PYSEC-1 (CVE-1), fixed in 3" in said
    assert "of 2 packages of 2" in said


@pytest.mark.parametrize("content", [b"", b"PK\5\6" + bytes(18)], ids=["no zip", "empty"])
def test_what_is_no_export_is_refused(tmp_path, locks, content):
    path = tmp_path / "all.zip"
    path.write_bytes(content)
    with pytest.raises(SystemExit) as caught:
        main(["--locks", str(locks), "--osv", str(path)])
    assert caught.value.code == 2


@pytest.mark.parametrize(
    ("expression", "is_allowed"),
    [
        ("MIT", True),
        ("mit", True),
        ("GPL-3.0-only", False),
        ("MIT OR GPL-3.0-only", True),
        ("MIT AND GPL-3.0-only", False),
        ("MIT AND (GPL-3.0-only OR Apache-2.0)", True),
        ("(MIT AND GPL-3.0-only) OR Apache-2.0", True),
        ("Apache-2.0 WITH LLVM-exception AND MIT", True),
        ("LGPL-3.0-or-later", False),
        ("", False),
        ("(MIT", False),
        ("MIT, Apache-2.0", False),
        ("Proprietary, see file", False),
    ],
)
def test_expressions(expression, is_allowed):
    assert allows(expression) is is_allowed


def metadata(folder, name, *lines):
    place = folder / f"{name}-1.0.dist-info"
    place.mkdir(parents=True)
    head = ("Metadata-Version: 2.1", f"Name: {name}", "Version: 1.0")
    (place / "METADATA").write_text("\n".join([*head, *lines]) + "\n")


@pytest.mark.parametrize(
    ("lines", "said", "is_allowed"),
    [
        (["License-Expression: MIT OR Apache-2.0"], "MIT OR Apache-2.0", True),
        (["License: BSD"], "BSD-3-Clause", True),
        (["Classifier: License :: OSI Approved :: MIT License"], "MIT", True),
        (
            [
                "License: see file",
                "Classifier: License :: OSI Approved",
                "Classifier: License :: OSI Approved :: Apache Software License",
            ],
            "Apache-2.0",
            True,
        ),
        (
            ["License: GPL", "Classifier: License :: OSI Approved :: GNU GPLv3"],
            "GPL",
            False,
        ),
        ([], "", False),
    ],
)
def test_what_metadata_say(tmp_path, lines, said, is_allowed):
    metadata(tmp_path, "a_b", *lines)
    packages = [Locked("a-b", "1.0"), Locked("gone", "1")]
    (found,), missing = licences(packages, [tmp_path])
    assert (found.said, found.is_allowed) == (said, is_allowed)
    assert missing == [Locked("gone", "1")]


def test_what_was_read_by_hand_is_allowed_and_locked():
    locked = {package.name for package in locked_in((ROOT / "requirements").glob("*.txt"))}
    for name, expression in READ.items():
        assert allows(expression)
        assert name in locked
