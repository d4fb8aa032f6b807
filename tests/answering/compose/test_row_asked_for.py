"""Which row of a table is asked for by what it says."""

from __future__ import annotations

import pytest

from toulmin.answering.compose.row_asked_for import row_asked_for
from toulmin.answering.compose.sentences import pieces_of
from toulmin.answering.passages import Passage

TABLES = """| Option | Default | Effect |
| --- | --- | --- |
| `--zip` | off | switches compression on |
| `--deep` | off | reads subfolders, too |
| `--dry` | off | shows what would be done |

Roles

| Role | Reads | Manages users |
| --- | --- | --- |
| guest | yes | no |
| editor | yes | no |
| admin | yes | yes |
"""


def first_cell(question: str, text: str = TABLES) -> str:
    pieces = pieces_of([Passage(text=text, title="Vault")])
    found = row_asked_for(question, pieces)
    return "" if found is None else pieces[found].cells[0][1]


CURRENCIES = (
    "|  | Indonesia | Peru |\n|---|---|---|\n| Currency | rupiah | sol |\n| Code | IDR | PEN |"
)


def test_a_column_of_the_question_is_not_what_is_asked_for():
    assert first_cell("Which currency does Indonesia use?", CURRENCIES) == ""


@pytest.mark.parametrize(
    ("question", "answer"),
    [
        ("Which option switches on compression?", "--zip"),
        ("Which role manages users in Vault?", "admin"),
        ("What option reads subfolders?", "--deep"),
        ("Which role reads?", ""),  # all do
        ("Which option switches on encryption?", ""),
        ("Which role manages printers?", ""),
        ("Which colour switches on compression?", ""),
        ("How do I switch on compression?", ""),
    ],
)
def test_the_row_that_says_so(question, answer):
    assert first_cell(question) == answer
