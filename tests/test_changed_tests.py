"""Which tests `make quick` runs."""

from pathlib import Path

import pytest

from tools.changed_tests import chosen_tests


@pytest.mark.parametrize(
    ("changed", "expected"),
    [
        ("src/toulmin/text/sentences.py", ["tests/text/test_sentences.py"]),
        ("src/toulmin/server/quotas.py", ["tests/server/test_quotas.py"]),
        ("src/toulmin/settings/server.py", ["tests/settings"]),
        ("src/toulmin/safety/__init__.py", ["tests/safety"]),
        ("src/toulmin/retrieval/data/x.json", ["tests/retrieval"]),
        ("tests/server/handlers.py", ["tests/server"]),
        ("benchmarks/measurement.py", ["tests/benchmarks"]),
        ("docs/server.md", []),
        ("README.md", []),
        ("tests/conftest.py", []),
    ],
)
def test_a_change_has_the_chosen_tests_its_room(changed, expected):
    assert list(map(str, chosen_tests([Path(changed)]))) == expected


def test_a_folder_takes_in_its_files():
    files = [Path("tests/safety/conftest.py"), Path("tests/safety/test_ratings.py")]
    assert list(map(str, chosen_tests(files))) == ["tests/safety"]
