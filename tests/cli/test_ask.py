import json
import threading
from http.server import BaseHTTPRequestHandler, HTTPServer

import pytest

from tests.cli.answering_server import fill, serving
from tests.patience import PATIENCE_S, POLL_S
from toulmin.answering.answer import SkippedReason
from toulmin.cli import main
from toulmin.cli.answer_view import Told, source_lines, why_not
from toulmin.cli.ask import tell
from toulmin.cli.server_client import ServerApi
from toulmin.cli.terminal import Paint
from toulmin.errors import NotFound, Unavailable

PLAIN = Paint(False)


def part(text="", supports=(), state="STREAMING", **more):
    """A response of a stream."""
    claims = [
        {
            "startIndex": str(start),
            "endIndex": str(end),
            "groundingCheckRequired": needs,
            "sources": [{"referenceId": str(number)} for number in numbers],
        }
        for start, end, needs, numbers in supports
    ]
    return {"answer": {"answerText": text, "groundingSupports": claims, "state": state, **more}}


def chunk(title="Otters", text="Otters eat fish. They sleep a lot.", page="7"):
    metadata = {"title": title, "pageIdentifier": page, "uri": "https://example.org/o.pdf"}
    return {"chunkInfo": {"content": text, "documentMetadata": metadata}}


class Script:
    """An API whose stream gives what it is told to give."""

    def __init__(self, *parts):
        self.parts, self.closed = parts, False

    def stream(self, _path, _body):
        try:
            for item in self.parts:
                if isinstance(item, Exception):
                    raise item
                yield item() if callable(item) else item
        finally:
            self.closed = True


class TestMarks:
    def test_each_sentence_has_its_numbers_behind_it(self):
        told = Told()
        shown = told.add(part("Übung ist gut.", [(0, 15, True, [0, 2])]), PLAIN)
        shown += told.add(part(" Mehr – ist besser.", [(15, 36, True, [1])]), PLAIN)
        assert shown == "Übung ist gut. [1][3] Mehr – ist besser. [2]"
        assert told.text == "Übung ist gut. Mehr – ist besser."

    def test_what_is_not_borne_out_is_said_and_what_states_nothing_is_left_alone(self):
        text = "Here it is. Otters fly. Otters eat."
        claims = [(0, 11, False, []), (12, 23, True, []), (24, 35, True, [0])]
        shown = Told().add(part(text, claims), PLAIN)
        assert shown == "Here it is. Otters fly. (not supported) Otters eat. [1]"
        coloured = Told().add(part(text, claims), Paint(True))
        assert "\x1b[33m(not supported)\x1b[0m" in coloured
        assert "\x1b[36m[1]\x1b[0m" in coloured

    def test_citations_serve_where_there_are_no_supports(self):
        response = part("Otters eat.")
        del response["answer"]["groundingSupports"]
        cited = {"endIndex": "11", "sources": [{"referenceId": "0"}, {"referenceId": "0"}]}
        response["answer"]["citations"] = [cited]
        assert Told().add(response, PLAIN) == "Otters eat. [1]"

    def test_a_document_cannot_steer_the_terminal(self):
        told = Told()
        evil = "Otters\x1b]0;owned\x07 eat."
        source = chunk(title="T\x1b[31m", text=evil)
        shown = told.add(part(evil, [(0, len(evil), True, [0])], references=[source]), PLAIN)
        assert shown == "Otters]0;owned eat. [1]"
        assert "\x1b" not in "".join(source_lines(told, PLAIN))

    def test_marks_that_come_behind_their_sentence_are_put_there(self):
        told = Told()
        shown = told.add(part("Otters eat."), PLAIN)
        shown += told.add(part("", [(0, 11, True, [0])]), PLAIN)
        shown += told.add(part(" Otters fly."), PLAIN)
        shown += told.add(part("", [(12, 23, True, [])]), PLAIN)
        assert shown == "Otters eat. [1] Otters fly. (not supported)"

    def test_a_corrected_answer_is_shown_whole(self):
        told = Told()
        told.add(part("Otters fly."), PLAIN)
        last = part("Otters swim.", [(0, 12, True, [0])], state="SUCCEEDED")
        assert told.add(last, PLAIN) == "\n\nCorrected: Otters swim. [1]"
        assert told.text == "Otters swim."

    def test_a_claim_outside_the_text_does_no_harm(self):
        assert Told().add(part("Yes.", [(0, 99, True, [0])]), PLAIN) == "Yes."


class TestSources:
    def test_title_page_link_and_the_sentence_that_was_used(self):
        told = Told()
        told.add(part("They sleep a lot.", [(0, 17, True, [0])], references=[chunk()]), PLAIN)
        assert list(source_lines(told, PLAIN)) == [
            "[1] Otters, page 7",
            "    https://example.org/o.pdf",
            "    “They sleep a lot.”",
        ]
        assert told.titles == ["[1] Otters, page 7"]

    def test_a_table_is_quoted_by_the_row_that_was_used(self):
        table = "| Country | Capital |\n|---|---|\n| France | Paris |\n| Japan | Tokyo |"
        told = Told()
        reference = {"chunkInfo": chunk()["chunkInfo"] | {"content": table}}
        said = "Country: Japan, Capital: Tokyo."
        told.add(part(said, [(0, len(said), True, [0])], references=[reference]), PLAIN)
        assert list(source_lines(told, PLAIN))[-1] == "    “Japan | Tokyo”"

    def test_documents_and_rows(self):
        references = [
            {
                "unstructuredDocumentInfo": {
                    "document": "x/documents/d1",
                    "chunkContents": [{"content": "Words.", "pageIdentifier": "2"}],
                }
            },
            {
                "structuredDocumentInfo": {
                    "document": "x/documents/d2",
                    "structData": {"name": "Ferry", "minutes": 10},
                }
            },
        ]
        told = Told()
        told.add(part("Words.", references=references), PLAIN)
        assert list(source_lines(told, PLAIN)) == [
            "[1] d1, page 2",
            "    “Words.”",
            "[2] d2",
            "    “name: Ferry; minutes: 10”",
        ]

    def test_every_reason_has_its_words(self):
        said = {why_not([reason.value]) for reason in SkippedReason}
        assert len(said) == len(SkippedReason)
        for reason in SkippedReason:
            assert reason.value not in why_not([reason.value])
        assert why_not(["NEW_REASON"]) == "No answer: NEW_REASON."


class TestStream:
    def test_a_sentence_is_printed_before_the_next_is_there(self, capsys):
        seen = []

        def second():
            seen.append(capsys.readouterr().out)
            claims = [(0, 4, True, [0]), (4, 9, True, [0])]
            return part("One. Two.", claims, state="SUCCEEDED")

        api = Script(part("One.", [(0, 4, True, [0])]), second)
        told = tell(api, "owner", {}, PLAIN)
        assert seen == ["One. [1]"]
        assert capsys.readouterr().out == " Two. [1]\n"
        assert told.is_answer
        assert api.closed

    def test_lines_are_broken_between_words(self, monkeypatch, capsys):
        monkeypatch.setenv("COLUMNS", "20")
        words = "Otters eat fish and live by rivers."
        end = len(words)
        first, second = (part(words, [(0, end, True, [0])]), part(f" {words}"))
        told = tell(
            Script(first, second, part(f"{words} {words}", state="SUCCEEDED")), "", {}, PLAIN
        )
        lines = capsys.readouterr().out.splitlines()
        assert max(map(len, lines)) <= 20
        assert " ".join(lines) == f"{words} [1] {words}"
        assert told.text == f"{words} {words}"

    def test_a_skipped_answer_prints_no_text(self, capsys):
        skipped = ["NO_RELEVANT_CONTENT"]
        api = Script(part("Sorry.", state="SUCCEEDED", answerSkippedReasons=skipped))
        told = tell(api, "owner", {}, PLAIN)
        assert capsys.readouterr().out == ""
        assert not told.is_answer

    @pytest.mark.parametrize(
        ("last", "message"),
        [
            (part("One."), "cut off"),
            (part("One.", state="FAILED"), "failed"),
            (Unavailable("gone"), "gone"),
        ],
    )
    def test_an_answer_without_an_end_is_an_error_and_what_came_stays(self, last, message, capsys):
        with pytest.raises(Unavailable, match=message):
            tell(Script(part("First."), last), "owner", {}, PLAIN)
        assert capsys.readouterr().out.startswith("First.")


@pytest.fixture
def events():
    """Return a function that serves parts of an event stream, and the sent parts."""
    servers = []

    def start(*parts, status=200, content_type="text/event-stream"):
        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def do_POST(self):
                self.rfile.read(int(self.headers["Content-Length"]))
                self.send_response(status)
                self.send_header("Content-Type", content_type)
                self.send_header("Transfer-Encoding", "chunked")
                self.end_headers()
                for item in parts:
                    content = item() if callable(item) else item
                    self.wfile.write(f"{len(content):x}\r\n".encode() + content + b"\r\n")
                    self.wfile.flush()
                self.wfile.write(b"0\r\n\r\n")

            def log_message(self, *_):
                pass

        server = HTTPServer(("127.0.0.1", 0), Handler)
        threading.Thread(target=server.serve_forever, args=(POLL_S,)).start()
        servers.append(server)
        return ServerApi(f"http://127.0.0.1:{server.server_port}", timeout_s=PATIENCE_S)

    yield start
    for server in servers:
        server.shutdown()
        server.server_close()


class TestServerStream:
    def test_each_part_comes_when_it_is_sent(self, events):
        read_first = threading.Event()

        def second():
            assert read_first.wait(PATIENCE_S)
            return b'\r\n\r\ndata: {"n": 2}\r\n\r\n'

        parts = events(b'data: {"n": 1}\r\n', second).stream("x:streamAnswer", {})
        assert next(parts) == {"n": 1}
        read_first.set()
        assert list(parts) == [{"n": 2}]

    def test_an_error_in_the_middle_is_raised(self, events):
        error = b'{"error": {"code": 503, "message": "the disk is full", "status": "UNAVAILABLE"}}'
        api = events(b'data: {"n": 1}\r\n\r\n', b"data: " + error + b"\r\n\r\n")
        parts = api.stream("x:streamAnswer", {})
        assert next(parts) == {"n": 1}
        with pytest.raises(Unavailable, match="the disk is full"):
            next(parts)

    def test_a_refusal_is_the_servers_own(self, events):
        body = b'[{"error": {"code": 404, "message": "no such store", "status": "NOT_FOUND"}}]'
        api = events(body, status=404, content_type="application/json")
        with pytest.raises(NotFound, match="no such store"):
            list(api.stream("x:streamAnswer", {}))

    def test_something_else_that_answers_is_named(self, events):
        api = events(b"<html>", content_type="text/html")
        with pytest.raises(Unavailable, match="Toulmin"):
            list(api.stream("x:streamAnswer", {}))
        with pytest.raises(Unavailable, match="cannot be reached"):
            list(ServerApi("http://127.0.0.1:1").stream("x:streamAnswer", {}))


@pytest.mark.parametrize(
    ("flags", "message"),
    [
        (["x", "--limit", "0"], "--limit"),
        (["x", "--limit", "26"], "--limit"),
        (["x", "--store", "a", "--engine", "b"], "choose one"),
        (["x", "--store", "A"], "--store"),
        (["x", "--store", "a", "--store", "b", "--session", "s"], "--session"),
        ([" "], "QUESTION"),
    ],
)
def test_wrong_usage_is_refused_before_anything_is_opened(flags, message, data, tmp_path, capsys):
    assert main(["ask", *flags, *data]) == 2
    assert message in capsys.readouterr().err
    assert not (tmp_path / "data").exists()


WHEN = "When was Albatross House built?"
BUILT = "Albatross House was built in 1911 for a shipping company."


@pytest.fixture(scope="module")
def served(tmp_path_factory):
    made = tmp_path_factory.mktemp("ask")
    fill(made, made / "data")
    with serving(made / "data") as server:
        yield ["--server", server.url]


class TestAsk:
    def test_an_answer_has_text_numbers_and_sources(self, served, capsys):
        assert main(["ask", WHEN, "--store", "houses", *served]) == 0
        out = capsys.readouterr().out
        answer, sources = out.split("\n\n")[:2]
        assert "1911" in answer
        assert answer.endswith(" [1]")
        assert "[1] Albatross House\n" in sources
        assert f"“{BUILT}”" in sources

    def test_all_at_once_is_the_same(self, served, capsys):
        assert main(["ask", WHEN, "--store", "houses", *served]) == 0
        streamed = capsys.readouterr().out
        assert main(["ask", WHEN, "--store", "houses", "--no-stream", *served]) == 0
        assert capsys.readouterr().out == streamed

    def test_no_answer_has_its_reason_and_code(self, served, capsys):
        question = "What is the capital of Mongolia?"
        assert main(["ask", question, "--store", "houses", *served]) == 1
        assert capsys.readouterr().out.startswith("No answer: ")
        assert main(["ask", question, "--store", "houses", "--json", *served]) == 1
        assert json.loads(capsys.readouterr().out)["answer"]["answerSkippedReasons"]

    def test_the_json_is_the_apis(self, served, capsys):
        assert main(["ask", WHEN, "--store", "houses", "--json", *served]) == 0
        answer = json.loads(capsys.readouterr().out)["answer"]
        assert answer["state"] == "SUCCEEDED"
        assert "1911" in answer["answerText"]
        assert answer["citations"][0]["sources"]

    def test_a_session_remembers(self, served, capsys):
        flags = ["--store", "houses", "--session", "talk", *served]
        assert main(["ask", WHEN, *flags]) == 0
        capsys.readouterr()
        assert main(["ask", "When was its lift added?", *flags]) == 0
        assert "1934" in capsys.readouterr().out

    @pytest.mark.parametrize(
        ("question", "words"), [(WHEN, "1911"), ("How many eggs does a queen lay?", "two thousand")]
    )
    def test_two_stores_are_asked_together(self, served, capsys, question, words):
        flags = ["--store", "houses", "--store", "bees", *served]
        assert main(["ask", question, *flags]) == 0
        out = capsys.readouterr().out
        assert words in out
        assert "[1]" in out

    def test_a_filter_limits_what_is_read(self, served, capsys):
        flags = ["--store", "houses", "--filter", 'id: ANY("none")', *served]
        assert main(["ask", WHEN, *flags]) == 1
        assert "No answer" in capsys.readouterr().out
        assert main(["ask", WHEN, "--store", "houses", "--filter", "a ==", *served]) == 2
        assert "filter" in capsys.readouterr().err

    def test_a_store_that_is_not_there_is_an_error(self, served, capsys):
        assert main(["ask", WHEN, "--store", "nowhere", *served]) == 2
        assert "nowhere" in capsys.readouterr().err

    def test_the_folder_is_asked_as_the_server_is(self, tmp_path, capsys):
        fill(tmp_path, tmp_path / "data")
        assert main(["ask", WHEN, "--store", "houses", "--data-dir", str(tmp_path / "data")]) == 0
        out = capsys.readouterr().out
        assert "1911" in out
        assert f"“{BUILT}”" in out
