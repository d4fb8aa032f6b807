import io
import json

import pytest

from tests.cli.answering_server import fill, serving
from toulmin.cli import chat, main
from toulmin.errors import InvalidArgument

LINES = """\
When was Albatross House built?

When was its lift added?
/sources
/nonsense
"""


@pytest.fixture(scope="module")
def served(tmp_path_factory):
    made = tmp_path_factory.mktemp("chat")
    fill(made, made / "data")
    with serving(made / "data") as server:
        yield ["--server", server.url]


@pytest.fixture
def talk(monkeypatch, served, capsys):
    """Return a function that pipes lines into a chat and returns exit code, output and errors."""

    def run(lines, *flags):
        monkeypatch.setattr("sys.stdin", io.StringIO(lines))
        code = main(["chat", "--store", "houses", *flags, *served])
        said = capsys.readouterr()
        return code, said.out, said.err

    return run


def test_a_question_is_understood_in_the_light_of_those_before(talk):
    code, out, err = talk(LINES)
    assert code == 0
    assert "toulmin chat:" not in err
    first, second, sources, help_ = out.split("> ")[1:]
    assert first.startswith("When was Albatross House built?\n")
    assert "1911" in first
    assert "[1] Albatross House (/sources shows more)" in first
    assert "1934" in second
    assert "“The lift of Albatross House was added in 1934 by a Swedish firm.”" in sources
    assert "/new" in help_


def test_a_new_conversation_forgets(talk):
    _, out, _ = talk("When was Albatross House built?\n/new\n/sources\n")
    assert "A new conversation." in out
    assert "There are no sources." in out


def test_quit_ends_it(talk):
    code, out, _ = talk("/quit\nWhen was Albatross House built?\n")
    assert code == 0
    assert "1911" not in out


@pytest.mark.parametrize("word", ["help", "Help", "?", "/help"])
def test_help_shows_the_commands(talk, word):
    code, out, _ = talk(f"{word}\n")
    assert code == 0
    assert "/sources" in out
    assert "No answer" not in out


def test_exit_ends_it(talk):
    _, out, _ = talk("exit\nWhen was Albatross House built?\n")
    assert "1911" not in out


def test_answers_are_one_json_a_line(talk):
    lines = "help\nWhen was Albatross House built?\nWhen was its lift added?\n"
    code, out, err = talk(lines, "--json")
    assert code == 0
    assert "/sources" in err
    first, second = map(json.loads, out.splitlines())
    assert "1911" in first["answer"]["answerText"]
    assert "1934" in second["answer"]["answerText"]
    assert first["session"]["name"] == second["session"]["name"]


def test_a_session_is_taken_up_again(talk, served, capsys):
    talk("When was Albatross House built?\n", "--session", "evening")
    _, out, _ = talk("When was its lift added?\n", "--session", "evening")
    assert "1934" in out
    flags = ["--store", "houses", "--session", "evening", "--json", *served]
    assert main(["ask", "Who added the lift?", *flags]) == 0
    turns = json.loads(capsys.readouterr().out)["session"]["turns"]
    assert [turn["query"]["text"] for turn in turns] == [
        "When was Albatross House built?",
        "When was its lift added?",
        "Who added the lift?",
    ]


def test_an_error_does_not_end_the_conversation(talk, monkeypatch):
    calls = []
    real = chat.tell

    def tell(*arguments):
        calls.append(arguments)
        if len(calls) == 1:
            raise InvalidArgument("the first one is refused")
        return real(*arguments)

    monkeypatch.setattr(chat, "tell", tell)
    code, out, err = talk("What?\nWhen was Albatross House built?\n")
    assert code == 1
    assert "the first one is refused" in err
    assert "1911" in out


def test_control_c_stops_the_answer_only(talk, monkeypatch):
    calls = []
    real = chat.tell

    def tell(*arguments):
        calls.append(arguments)
        if len(calls) == 1:
            raise KeyboardInterrupt
        return real(*arguments)

    monkeypatch.setattr(chat, "tell", tell)
    code, out, _ = talk("What?\nWhen was Albatross House built?\n")
    assert code == 0
    assert "(stopped)" in out
    assert "1911" in out


def test_on_a_terminal_it_prompts_until_the_input_ends(served, monkeypatch, capsys):
    class Terminal(io.StringIO):
        def isatty(self):
            return True

    lines = iter(["When was Albatross House built?"])

    def typed(prompt):
        assert prompt == "> "
        try:
            return next(lines)
        except StopIteration:
            raise EOFError from None

    monkeypatch.setattr("sys.stdin", Terminal())
    monkeypatch.setattr("builtins.input", typed)
    assert main(["chat", "--store", "houses", *served]) == 0
    assert "1911" in capsys.readouterr().out


def test_what_is_not_there_is_said_before_the_first_question(served, monkeypatch, capsys):
    monkeypatch.setattr("sys.stdin", io.StringIO("What?\n"))
    assert main(["chat", "--store", "nowhere", *served]) == 2
    assert "nowhere" in capsys.readouterr().err


@pytest.mark.parametrize("flags", [["--store", "a", "--store", "b"], ["--limit", "99"]])
def test_wrong_usage_is_refused(flags, data, capsys):
    assert main(["chat", *flags, *data]) == 2
    assert flags[0] in capsys.readouterr().err
