import json

import pytest

from toulmin.cli import main
from toulmin.cli.search import describe, merged, relevant
from toulmin.cli.terminal import Paint

PLAIN = Paint(False)


def document(title, score, **derived):
    return {
        "id": title.lower(),
        "document": {"id": title.lower(), "derivedStructData": {"title": title, **derived}},
        "modelScores": {"relevance_score": {"values": [score]}},
    }


def test_a_document_has_title_place_page_and_snippet():
    response = {
        "results": [
            document(
                "Otters",
                0.91,
                link="https://example.org/a b.pdf",
                extractive_answers=[{"content": "Otters eat fish.", "pageNumber": "7"}],
                snippets=[{"snippet": "R&amp;D: <b>otters</b> eat", "snippet_status": "SUCCESS"}],
            )
        ],
        "totalSize": 12,
    }
    assert list(describe(response, PLAIN)) == [
        " 1. Otters  0.91",
        "    https://example.org/a b.pdf, page 7",
        "    R&D: otters eat",
        "",
        "1 of 12 results",
    ]


def test_matched_words_are_bold_also_where_a_line_breaks():
    words = " ".join(["<b>long</b>"] * 60)
    snippets = [{"snippet": words, "snippet_status": "SUCCESS"}]
    lines = list(describe({"results": [document("T", 0.5, snippets=snippets)]}, Paint(True)))
    text = "\n".join(lines)
    assert text.count("long") == 60
    for line in text.split("\n")[2:-2]:
        assert line.startswith("    \x1b[1mlong")
        assert line.endswith("long\x1b[0m")
    assert "<b>" not in text


def test_a_bold_phrase_is_bold_in_both_lines(monkeypatch):
    monkeypatch.setenv("COLUMNS", "96")
    snippet = f"{'word ' * 16}<b>{'bold ' * 8}</b>"
    shown = [{"snippet": snippet, "snippet_status": "SUCCESS"}]
    lines = list(describe({"results": [document("T", 0.5, snippets=shown)]}, Paint(True)))
    bold = [line for line in lines[2:] if "bold" in line]
    assert len(bold) == 2
    for line in bold:
        assert line.count("\x1b[1m") == line.count("\x1b[0m") == 1


def test_without_a_snippet_there_is_the_passage_and_without_a_title_the_id():
    result = document("", 0.2, extractive_segments=[{"content": "Some   words\nhere."}])
    result["document"] = {"id": "d7", **result["document"]} | {"id": "d7"}
    lines = list(describe({"results": [result], "totalSize": 1}, PLAIN))
    assert lines == [" 1. d7  0.20", "    d7", "    Some words here.", "", "1 of 1 result"]


def test_a_chunk_has_its_pages():
    chunk = {
        "name": "x/documents/d/chunks/c3",
        "content": "Words.",
        "pageSpan": {"pageStart": 2, "pageEnd": 3},
        "documentMetadata": {"title": "T", "uri": "gs://b/t.pdf"},
    }
    lines = list(describe({"results": [{"chunk": chunk}]}, PLAIN))
    assert lines[:3] == [" 1. T  0.00", "    gs://b/t.pdf, page 2-3", "    Words."]


def test_a_corrected_query_is_said_and_nothing_too():
    lines = list(describe({"correctedQuery": "otters"}, PLAIN))
    assert lines == ["searched for: otters", "", "nothing found"]


def test_several_stores_are_merged_by_relevance():
    first = {"results": [document("A", 0.9), document("B", 0.1)], "totalSize": 5}
    second = {"results": [document("C", 0.5)], "totalSize": 1}
    found = merged([first, second], 2)
    assert [result["id"] for result in found["results"]] == ["a", "c"]
    assert found["totalSize"] == 6


def test_what_is_only_the_nearest_there_is_is_not_found():
    response = {"results": [document("A", 0.4), document("B", 0.019)], "totalSize": 80}
    assert relevant(response) == {"results": [document("A", 0.4)], "totalSize": 1}
    assert relevant({"results": [document("A", 0.4)], "totalSize": 80})["totalSize"] == 80
    assert relevant({"totalSize": 0}) == {"totalSize": 0}


def test_lines_are_no_wider_than_the_terminal(monkeypatch):
    monkeypatch.setenv("COLUMNS", "40")
    snippet = f"{'a few <b>long</b> words and ' * 9}"
    shown = [{"snippet": snippet, "snippet_status": "SUCCESS"}]
    title = "A title that is itself wider than a narrow terminal"
    lines = list(describe({"results": [document(title, 0.5, snippets=shown)]}, PLAIN))
    assert max(map(len, lines)) <= 40
    assert " ".join("".join(lines).split()).count("long") == 9


def test_a_document_cannot_steer_the_terminal():
    result = document("T\x1b[2J", 0.5, extractive_segments=[{"content": "a\x1b]0;x\x07b"}])
    assert "\x1b" not in "\n".join(describe({"results": [result]}, PLAIN))


@pytest.mark.parametrize(
    ("flags", "message"),
    [
        (["--limit", "0"], "--limit"),
        (["--limit", "101"], "--limit"),
        (["--store", "a", "--engine", "b"], "choose one"),
        (["--store", "a", "--store", "b", "--order-by", "x"], "--order-by"),
        (["--store", "A"], "--store"),
    ],
)
def test_wrong_usage_is_refused_before_anything_is_opened(flags, message, data, tmp_path, capsys):
    assert main(["search", "x", *flags, *data]) == 2
    assert message in capsys.readouterr().err
    assert not (tmp_path / "data").exists()


@pytest.mark.usefixtures("fake_embedder")
class TestSearch:
    @pytest.fixture
    def filled(self, files, data, capsys):
        assert main(["ingest", str(files), "--parser-processes", "1", *data]) == 0
        capsys.readouterr()
        return data

    def test_the_json_is_the_apis(self, filled, server, files, capsys):
        assert main(["search", "otters", "--json", *filled]) == 0
        here = json.loads(capsys.readouterr().out)
        assert here["results"][0]["document"]["derivedStructData"]["title"] == "Otters"
        served = server(import_roots=str(files))
        by_server = ["--server", served.url]
        assert main(["ingest", str(files), "--quiet", *by_server]) == 0
        capsys.readouterr()
        assert main(["search", "otters", "--json", *by_server]) == 0
        there = json.loads(capsys.readouterr().out)
        assert there.keys() == here.keys()
        assert [item["id"] for item in there["results"]] == [item["id"] for item in here["results"]]
        assert there["attributionToken"] == here["attributionToken"]

    def test_a_person_reads_documents_and_chunks(self, filled, capsys):
        assert main(["search", "otters fish", "--limit", "1", "--color", "always", *filled]) == 0
        out = capsys.readouterr().out
        assert "\x1b[1mOtters\x1b[0m" in out
        assert "\x1b[1mfish\x1b[0m" in out
        assert main(["search", "otters", "--limit", "1", "--chunks", *filled]) == 0
        out = capsys.readouterr().out
        assert out.startswith(" 1. Otters  ")
        assert "Otters eat fish and live by rivers." in out

    def test_two_stores_are_searched_together(self, filled, files, capsys):
        more = str(files / "birds")
        flags = ["--store", "birds", "--quiet", "--parser-processes", "1"]
        assert main(["ingest", more, *flags, *filled]) == 0
        both = ["--store", "default", "--store", "birds", "--json"]
        assert main(["search", "herons", *both, *filled]) == 0
        found = json.loads(capsys.readouterr().out)["results"]
        stores = {item["document"]["name"].split("/")[7] for item in found[:2]}
        assert stores == {"default", "birds"}

    def test_words_that_mean_nothing_find_nothing(self, filled, capsys, monkeypatch):
        monkeypatch.setattr("toulmin.cli.search.relevance_of", lambda _result: 0.004)
        assert main(["search", "zzzz", *filled]) == 1
        assert capsys.readouterr().out == (
            "nothing found: the nearest has a relevance of 0.0040, and less than 0.02 is not shown\n"
        )
        assert main(["search", "zzzz", "--json", *filled]) == 1
        assert json.loads(capsys.readouterr().out)["results"] == []

    def test_a_filter_that_nothing_meets_finds_nothing_at_all(self, filled, capsys):
        assert main(["search", "otters", "--filter", 'kind: ANY("none")', *filled]) == 1
        assert capsys.readouterr().out == "nothing found\n"

    def test_a_store_that_is_not_there_is_an_error(self, filled, capsys):
        assert main(["search", "x", "--store", "nowhere", *filled]) == 2
        assert "nowhere" in capsys.readouterr().err

    def test_a_wrong_filter_says_where(self, filled, capsys):
        assert main(["search", "x", "--filter", "a ==", *filled]) == 2
        assert "filter" in capsys.readouterr().err
