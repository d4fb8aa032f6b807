"""Manuals with questions: marks become spans of what an import makes of them."""

import random
from pathlib import Path

import pytest
from manuals import FOLDER, Manual, chunks_of, packs_of, read_manual, unmarked
from packs import NO, NONE, SPAN

GIVEN = """# Lumo guide

Lumo stores lamps.

## Tokens

⟦3:A token lives for ⟦1:180 days⟧ at most.⟧ To make one:

```
⟦2:lumo token new --days 90⟧
```

???
1 value: How long is a token good for?
2 how: How do I get myself a token?
3 no: Can I have a token that never runs out?
0 how: How do I take a token back?

## Plans

| Plan | Lamps |
|--|--|
| ⟦1:Sun⟧ | 40 |
| Moon | 3 |

???
1 most: Which plan has most lamps?
"""


def read(tmp_path: Path, text: str) -> Manual:
    (tmp_path / "a.md").write_text(text, encoding="utf-8")
    return read_manual(tmp_path / "a.md")


def test_marks_may_stand_inside_one_another() -> None:
    text, spans = unmarked("⟦3:It lives for ⟦1:180 days⟧.⟧ ⟦2:Next")
    assert text == "It lives for 180 days. Next"
    assert {number: text[start:end] for number, (start, end) in spans.items()} == {
        1: "180 days",
        3: "It lives for 180 days.",
    }


def test_what_is_asked_meets_the_chunk_that_answers_and_others(tmp_path: Path) -> None:
    manual = read(tmp_path, GIVEN)
    assert not manual.faults
    packs = list(packs_of(manual, random.Random(1)))
    assert all("⟦" not in pack.evidence and "???" not in pack.evidence for pack in packs)
    told = {
        (query.text, query.answer, *(pack.evidence[a:b] for a, b in query.spans))
        for pack in packs
        for query in pack.queries
    }
    assert {
        ("How long is a token good for?", SPAN, "180 days"),
        ("How do I get myself a token?", SPAN, "lumo token new --days 90"),
        ("Can I have a token that never runs out?", NO, "A token lives for 180 days at most."),
        ("How do I take a token back?", NONE),
        ("Which plan has most lamps?", SPAN, "Sun"),
    } <= told


def test_code_and_tables_stand_as_an_import_has_them(tmp_path: Path) -> None:
    text = "\n".join(text for text, _ in chunks_of(read(tmp_path, GIVEN), 500))
    assert "```\nlumo token new --days 90\n```" in text
    assert "| Sun | 40 |" in text


@pytest.mark.parametrize(
    "broken",
    [
        GIVEN.replace("1 value: ", "value: "),
        GIVEN.replace("1 value: ", "1 price: "),
        GIVEN.replace("2 how: ", "1 how: "),
        GIVEN.replace("⟦1:180 days⟧", "180 days"),
    ],
)
def test_what_breaks_the_form_is_named(tmp_path: Path, broken: str) -> None:
    assert read(tmp_path, broken).faults


def test_the_manuals_keep_to_the_form() -> None:
    manuals = [read_manual(path) for path in FOLDER.glob("*.md") if path.stem != "README"]
    assert [fault for manual in manuals for fault in manual.faults] == []
    asked = [question for manual in manuals for question in manual.asked]
    unanswered = sum(not question.mark for question in asked)
    assert 0.25 < unanswered / len(asked) < 0.4
    assert 0 < sum(manual.is_kept_out for manual in manuals) < len(manuals) / 4
