"""What fuzzing begins with, and what it once found: nothing of it may break again."""

from pathlib import Path

import pytest

from tests.fuzz.run import NAMES
from tests.fuzz.targets import TARGETS, tried

CORPUS = Path(__file__).parent / "corpus"
SLOWEST_S = 10.0
"""Five times what is found slow: the suite also runs on machines that are slow or busy."""


@pytest.mark.parametrize("target", TARGETS)
def test_the_corpus_holds(target):
    files = sorted((CORPUS / target).iterdir())
    assert files
    for file in files:
        try:
            tried(target, file.read_bytes(), SLOWEST_S)
        except AssertionError as error:
            pytest.fail(f"{file.name}: {error}")


def test_every_folder_has_a_target():
    assert {folder.name for folder in CORPUS.iterdir()} == set(TARGETS)


def test_every_target_is_run():
    assert sorted(NAMES) == sorted(TARGETS)
