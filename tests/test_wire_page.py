"""docs/wire.md names tests that are there."""

import ast
import re
from functools import cache
from pathlib import Path

TESTS = Path(__file__).parent
PAGE = (TESTS.parent / "docs" / "wire.md").read_text("utf-8")
NAMED = re.findall(r"`([\w/]+\.py)::(\w+)`", PAGE)
STATES = ("yes", "partly", "no")


@cache
def functions(file):
    tree = ast.parse((TESTS / file).read_text("utf-8"))
    return {node.name for node in ast.walk(tree) if isinstance(node, ast.FunctionDef)}


def test_every_test_that_is_named_is_there():
    assert len(NAMED) > 50
    assert [f"{file}::{name}" for file, name in NAMED if name not in functions(file)] == []


def test_every_row_says_whether_it_is_there():
    rows = [line.strip("| ").split(" | ") for line in PAGE.splitlines() if line.startswith("| ")]
    states = [row[1] for row in rows if row[1] != "there"]
    assert len(states) > 40
    assert [state for state in states if re.match(r"\w+", state)[0] not in STATES] == []


def test_what_is_whole_has_a_test():
    for line in PAGE.splitlines():
        if " | yes | " in line:
            assert "::" in line, line
