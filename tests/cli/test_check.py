import io
import json
import sys

import pytest

from tests.ingestion.files import pdf, text_at
from toulmin import check_grounding
from toulmin.cli import main
from toulmin.cli.check import read_facts, split_paragraphs
from toulmin.cli.field_names import in_own_words
from toulmin.errors import InvalidArgument

FACT = "The Elbe Bridge opened on 4 May 1998 and is 312 metres long."
TRUE = "The Elbe Bridge opened in 1998."
FALSE = "The Elbe Bridge opened in 1973."


@pytest.fixture
def files(tmp_path):
    (tmp_path / "facts.txt").write_text(FACT)
    (tmp_path / "true.txt").write_text(TRUE)
    (tmp_path / "false.txt").write_text(FALSE)
    return tmp_path


def check(files, answer, *more, facts="facts.txt"):
    return main(["check", "--answer", str(files / answer), "--facts", str(files / facts), *more])


@pytest.mark.model
def test_a_supported_answer_shows_its_source(files, capsys):
    assert check(files, "true.txt", "--min-support", "0.5") == 0
    out = capsys.readouterr().out
    assert TRUE in out
    assert "✓" in out
    assert f"[1] {files / 'facts.txt'}: The Elbe Bridge" in " ".join(out.split())
    assert "\x1b" not in out, "no colours in a pipe"


@pytest.mark.model
def test_files_are_named_by_place_and_facts_by_file_and_number(files, capsys, monkeypatch):
    monkeypatch.chdir(files)
    (files / "notes.md").write_text(f"Nothing about bridges.\n\n{FACT}\n")
    assert main(["check", "true.txt", "notes.md"]) == 0
    assert "[1] notes.md, fact 2: The Elbe Bridge" in capsys.readouterr().out
    assert main(["check", "--answer", "true.txt", "notes.md", "facts.txt", "--json"]) == 0
    report = json.loads(capsys.readouterr().out)
    assert report["facts"] == ["notes.md, fact 1", "notes.md, fact 2", "facts.txt"]


@pytest.mark.model
def test_fix_shows_both_lines_and_the_text(files, capsys, monkeypatch):
    monkeypatch.chdir(files)
    assert main(["check", "false.txt", "facts.txt", "--fix"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert "- The Elbe Bridge opened in [-1973-]." in lines
    assert "+ The Elbe Bridge opened in {+1998+}." in lines
    assert lines[-3].endswith(", from facts.txt")
    assert lines[-1] == TRUE
    assert main(["check", "false.txt", "facts.txt", "--fix", "--color", "always"]) == 0
    assert "\x1b[4;32m1998\x1b[0m" in capsys.readouterr().out
    assert main(["check", "false.txt", "facts.txt", "--fix", "--json"]) == 0
    report = json.loads(capsys.readouterr().out)
    assert report["corrected"] == TRUE
    assert report["claims"][0]["correction"]["text"] == TRUE


@pytest.mark.model
def test_conflicts_show_both_facts_and_the_claim_that_rests_on_one(files, capsys, monkeypatch):
    monkeypatch.chdir(files)
    (files / "old.txt").write_text("The Elbe Bridge opened in 1973.")
    assert main(["check", "true.txt", "facts.txt", "old.txt", "--conflicts"]) == 0
    assert "No two facts are found" in capsys.readouterr().out, "the rest is not the same"
    (files / "new.txt").write_text(TRUE)
    assert main(["check", "true.txt", "new.txt", "old.txt", "--conflicts"]) == 0
    assert capsys.readouterr().out.splitlines()[-4:] == [
        "Two facts differ in a date:",
        "    new.txt: The Elbe Bridge opened in [1998].",
        "    old.txt: The Elbe Bridge opened in [1973].",
        f"    rests on one of them: {TRUE}",
    ]
    assert main(["check", "true.txt", "new.txt", "old.txt", "--conflicts", "--json"]) == 0
    report = json.loads(capsys.readouterr().out)
    (conflict,) = report["conflicts"]
    assert (conflict["kind"], conflict["one"]["text"], conflict["other"]["text"]) == (
        "date",
        "1998",
        "1973",
    )
    assert report["claims"][0]["conflicts"] == [0]


@pytest.mark.model
def test_without_a_proven_correction_fix_says_so(files, capsys, monkeypatch):
    monkeypatch.chdir(files)
    assert main(["check", "true.txt", "facts.txt", "--fix"]) == 0
    assert capsys.readouterr().out.endswith("No correction is proven by the check.\n")


def test_errors_name_files_and_flags_and_no_fields_of_the_api(files, capsys, monkeypatch):
    monkeypatch.chdir(files)
    (files / "empty.txt").write_text(" ")
    (files / "long.jsonl").write_text('"One."\n' + json.dumps("x" * 10_001))
    for arguments, message in (
        (["empty.txt", "facts.txt"], "empty.txt: is empty; send the text to check"),
        (["true.txt", "long.jsonl"], "long.jsonl, fact 2: has 10,001 characters; at most"),
        (["true.txt", "facts.txt", "--citation-threshold", "2"], "--citation-threshold: is 2;"),
        (["true.txt", "facts.txt", "--prompt", " "], "--prompt: is empty;"),
    ):
        assert main(["check", *arguments]) == 2
        assert capsys.readouterr().err.startswith(f"toulmin check: {message}")


@pytest.mark.parametrize(
    ("message", "said"),
    [
        ("filter: expected a value", "--filter: expected a value"),
        ("search_spec.search_params.filter: x", "--filter: x"),
        ("gcs_source.input_uris[3]: x", "PATH: x"),
        ("projects/p: does not exist", "projects/p: does not exist"),
        ("no field at all", "no field at all"),
    ],
)
def test_fields_become_flags(message, said):
    assert in_own_words(message) == said


def test_one_text_is_no_list_of_facts():
    for facts in (FACT, {"text": FACT}):
        with pytest.raises(InvalidArgument, match=r"^facts: is a \w+; it must be a list of facts"):
            check_grounding(TRUE, facts)


@pytest.mark.model
def test_no_line_is_wider_than_the_terminal(files, capsys, monkeypatch):
    monkeypatch.setenv("COLUMNS", "34")
    monkeypatch.chdir(files)
    assert main(["check", "true.txt", "facts.txt"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert max(map(len, lines)) <= 34
    assert TRUE in " ".join(" ".join(lines).split())


@pytest.mark.parametrize(
    ("named", "complaint"),
    [([], "name the text"), (["true.txt"], "name what to check true.txt against")],
)
def test_what_is_not_named_is_said(files, capsys, monkeypatch, named, complaint):
    monkeypatch.chdir(files)
    assert main(["check", *named]) == 2
    assert complaint in capsys.readouterr().err


@pytest.mark.model
def test_an_unsupported_answer_fails_a_script_that_asked_for_support(files, capsys):
    assert check(files, "false.txt", "--min-support", "0.5") == 1
    assert "✓" not in capsys.readouterr().out
    assert check(files, "false.txt") == 0, "without --min-support there is nothing to fail"


@pytest.mark.model
def test_json_is_the_whole_report(files, capsys):
    assert check(files, "true.txt", "--json") == 0
    report = json.loads(capsys.readouterr().out)
    assert report["claims"][0]["text"] == TRUE
    assert report["cited_chunks"][0]["text"] in FACT
    assert 0 <= report["contradiction_score"] <= 1


@pytest.mark.model
def test_colours_when_forced(files, capsys):
    check(files, "true.txt", "--color", "always")
    assert "\x1b[32m" in capsys.readouterr().out


@pytest.mark.model
def test_standard_input_is_read_once(files, capsys, monkeypatch):
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(TRUE.encode())))
    assert main(["check", "--answer", "-", "--facts", str(files / "facts.txt")]) == 0
    assert TRUE in capsys.readouterr().out
    assert main(["check", "--answer", "-", "--facts", "-"]) == 2
    assert "standard input" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("name", "content", "complaint"),
    [
        ("none.txt", "  \n\n ", "holds no fact"),
        ("bad.jsonl", '"good"\n{"text": 3}\n', "bad.jsonl:2.text"),
        ("bad.jsonl", '"good"\n{oops\n', "bad.jsonl:2 is not JSON"),
        ("bad.json", "[1]", "bad.json[0]: is a int"),
        ("attributes.jsonl", '{"text": "a b", "attributes": {"n": 3}}', "attributes"),
        ("latin.txt", b"caf\xe9", "is not UTF-8 text (byte 3)"),
    ],
)
def test_wrong_facts_name_file_line_and_fault(files, capsys, name, content, complaint):
    path = files / name
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    assert check(files, "true.txt", facts=name) == 2
    assert complaint in capsys.readouterr().err


def test_a_missing_file_is_named(files, capsys):
    assert check(files, "nowhere.txt") == 2
    assert "nowhere.txt" in capsys.readouterr().err


def test_a_threshold_out_of_range_is_refused(files, capsys):
    assert check(files, "true.txt", "--min-support", "1.5") == 2
    assert "1.5" in capsys.readouterr().err


def test_facts_come_from_text_json_and_json_lines(files):
    (files / "a.txt").write_text("One.\n\nTwo\nlines.\r\n\r\nThree.")
    assert [f.text for f in read_facts(str(files / "a.txt"))] == ["One.", "Two\nlines.", "Three."]
    (files / "b.json").write_text('["x", {"text": "y", "attributes": {"author": "z"}}]')
    facts = read_facts(str(files / "b.json"))
    assert [f.text for f in facts] == ["x", "y"]
    assert dict(facts[1].attributes) == {"author": "z"}
    (files / "c.jsonl").write_text('"x"\n\n{"factText": "y"}\n')
    assert [f.text for f in read_facts(str(files / "c.jsonl"))] == ["x", "y"]
    with pytest.raises(InvalidArgument, match="cannot read"):
        read_facts(str(files / "nowhere.txt"))


def test_facts_come_from_documents_too(files):
    (files / "a.pdf").write_bytes(pdf([text_at(60, 700, "The Elbe Bridge opened in 1998.")]))
    assert [fact.text for fact in read_facts(str(files / "a.pdf"))] == [TRUE]
    (files / "b.pdf").write_bytes(b"no PDF")
    with pytest.raises(InvalidArgument, match=r"b\.pdf"):
        read_facts(str(files / "b.pdf"))


def test_a_long_paragraph_is_cut_at_spaces_and_loses_nothing():
    text = "word " * 5000
    parts = list(split_paragraphs(text))
    assert all(len(part) <= 10_000 for part in parts)
    assert " ".join(parts).split() == text.split()
    assert "".join(split_paragraphs("x" * 25_000)) == "x" * 25_000
