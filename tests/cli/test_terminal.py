"""Lines no wider than the terminal."""

from __future__ import annotations

import re
import subprocess
import sys

import pytest

from tests.patience import PATIENCE_S
from toulmin.cli.terminal import Paint, Wrapper, line_width, printable, wrapped

TEXT = "The lift of the house was added in the year 1934 by a firm from Sweden. [1] It still runs."


def plain(text):
    return re.sub(r"\x1b\[[0-9;]*m", "", text)


@pytest.mark.parametrize("width", [8, 11, 20, 40, 79])
def test_text_is_broken_between_words_and_loses_nothing(width):
    lines = Wrapper(width).add(TEXT).split("\n")
    assert max(map(len, lines)) <= width
    assert " ".join(lines) == TEXT


@pytest.mark.parametrize("width", [8, 11, 20, 40, 79])
def test_it_does_not_matter_in_which_parts_a_text_comes(width):
    whole, parted = Wrapper(width), Wrapper(width)
    parts = re.findall(r"\s*\S+", TEXT)
    assert "".join(map(parted.add, parts)) == whole.add(TEXT)


def test_colours_take_no_room_and_go_on_in_the_next_line():
    paint = Paint(True)
    text = f"one two {paint('31', 'three four five')} {paint('36', '[1]')}"
    lines = Wrapper(10).add(text).split("\n")
    assert list(map(plain, lines)) == ["one two", "three four", "five [1]"]
    assert lines[1] == "\x1b[31mthree four\x1b[0m"
    assert lines[2] == "\x1b[31mfive\x1b[0m \x1b[36m[1]\x1b[0m"


def test_a_long_word_stays_whole_and_lines_of_the_text_stay_lines():
    assert Wrapper(6).add("a https://example.org b\nc").split("\n") == [
        "a",
        "https://example.org",
        "b",
        "c",
    ]


def test_text_without_spaces_is_broken_between_its_letters():
    lines = Wrapper(8).add("これは長い文です。終わり").split("\n")
    assert lines == ["これは長", "い文で", "す。終わ", "り"]


def test_the_next_lines_are_indented(monkeypatch):
    monkeypatch.setenv("COLUMNS", "20")
    assert line_width() == 20
    assert wrapped("  1. one two three four five", "     ") == [
        "  1. one two three",
        "     four five",
    ]
    monkeypatch.setenv("COLUMNS", "300")
    assert line_width() == 96


def test_a_document_cannot_steer_the_terminal():
    assert printable("a\x1b]0;owned\x07b\n\tc") == "a]0;ownedb\n\tc"


def test_a_reader_that_goes_away_is_no_error():
    done = subprocess.run(
        f"{sys.executable} -m toulmin config | head -n 1; echo ${{PIPESTATUS[0]}}",
        shell=True,
        executable="/bin/bash",
        capture_output=True,
        text=True,
        timeout=PATIENCE_S,
        check=True,
    )
    assert done.stderr == ""
    assert done.stdout.splitlines()[-1] in ("0", "141")


def test_a_closed_pipe_ends_a_verb_without_a_traceback():
    code = (
        "import sys, toulmin.cli, toulmin.cli.config as config\n"
        "def run(arguments):\n"
        "    for _ in range(100_000): print('x' * 80)\n"
        "config.run = run\n"
        "sys.exit(toulmin.cli.main(['config']))\n"
    )
    with subprocess.Popen(
        [sys.executable, "-c", code], stdout=subprocess.PIPE, stderr=subprocess.PIPE
    ) as process:
        process.stdout.readline()
        process.stdout.close()
        assert process.stderr.read() == b""
        assert process.wait(timeout=PATIENCE_S) == 141
