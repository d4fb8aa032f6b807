"""Question contrasts: marks become spans, the form is kept, and twins are of the ledger's texts."""

import gzip
import json
from pathlib import Path

import pytest
from asked import (
    FOLDER,
    QuestionSet,
    across_packs,
    read_sets,
    read_translations,
    twin_packs,
    unmarked,
)
from packs import NONE, SPAN, YES

GIVEN = """=== prices | sibling
1: How much is the desk lamp?
2: Is the floor lamp on sale?
---
AY The desk lamp is {1:40 euros}. {2:The floor lamp is reduced.}
UU The floor lamp is 60 euros.
-U The desk lamp was 40 euros.
"""


def read(tmp_path: Path, text: str) -> list[QuestionSet]:
    (tmp_path / "a.txt").write_text(text, encoding="utf-8")
    return list(read_sets([tmp_path / "a.txt"]))


def test_marks_become_the_spans_of_a_text_without_marks(tmp_path: Path) -> None:
    (found,) = read(tmp_path, GIVEN)
    assert not found.faults
    first, second, third = found.packs()
    assert first.evidence == "The desk lamp is 40 euros. The floor lamp is reduced."
    assert [query.answer for query in first.queries] == [SPAN, YES]
    stretches = [first.evidence[s:e] for query in first.queries for s, e in query.spans]
    assert stretches == ["40 euros", "The floor lamp is reduced."]
    assert [query.answer for query in second.queries] == [NONE, NONE]
    assert [query.text for query in third.queries] == ["Is the floor lamp on sale?"]


def test_a_text_may_be_marked_anywhere() -> None:
    text, spans = unmarked("{2:A} b {1:c}")
    assert (text, spans) == ("A b c", {2: (0, 1), 1: (4, 5)})


@pytest.mark.parametrize(
    "broken",
    [
        GIVEN.replace("AY ", "A "),
        GIVEN.replace("{1:40 euros}", "40 euros"),
        GIVEN.replace("1: How", "How"),
        GIVEN.replace("{2:The", "{2 The"),
    ],
)
def test_what_breaks_the_form_is_named(tmp_path: Path, broken: str) -> None:
    (found,) = read(tmp_path, broken)
    assert found.faults


def test_twins_stand_beside_as_many_questions_that_the_paragraph_answers(tmp_path: Path) -> None:
    (tmp_path / "qa" / "train").mkdir(parents=True)
    records = [
        {"id": f"r{i}", "context": "Ada built it in 1900.", "question": f"Who {i}?",
         "answers": [{"text": "Ada", "start": 0}]}
        for i in range(3)
    ]  # fmt: skip
    with gzip.open(tmp_path / "qa" / "train" / "squad1_part.jsonl.gz", "wt") as file:
        file.write("\n".join(map(json.dumps, records)))
    lines = [
        "r1|swap|Who painted it?",
        "r1|time|Who built it in 1901?",
        "r2|answered|Whose work was it?|Ada",
    ]
    (tmp_path / "t.txt").write_text("\n".join(lines))
    (pack,) = twin_packs(tmp_path, [tmp_path / "t.txt"], seed=1)
    twins = [query.text for query in pack.queries if query.answer == NONE]
    assert twins == ["Who painted it?", "Who built it in 1901?"]
    answered = [query for query in pack.queries if query.answer == SPAN]
    assert [query.spans for query in answered] == [[(0, 3)]] * 2
    assert answered[0].text == "Whose work was it?"


def test_across_each_context_is_asked_in_another_language(tmp_path: Path) -> None:
    read(tmp_path, GIVEN)
    translated = tmp_path / "translated"
    translated.mkdir()
    for language, what in (("de", "Was kostet die Lampe?"), ("fr", "Combien coûte la lampe ?")):
        lines = f"== a.1\n1: {what}\n2: {language}?\n"
        (translated / f"{language}.txt").write_text(lines, encoding="utf-8")
    packs = [pack for pack, _ in across_packs([tmp_path / "a.txt"], translated, seed=1)]
    english = [pack for found in read_sets([tmp_path / "a.txt"]) for pack in found.packs()]
    assert [pack.evidence for pack in packs] == [pack.evidence for pack in english]
    for mine, own in zip(packs, english, strict=True):
        assert [(q.answer, q.spans) for q in mine.queries] == [
            (q.answer, q.spans) for q in own.queries
        ]
    asked = {query.text for pack in packs for query in pack.queries}
    assert asked <= {"Was kostet die Lampe?", "Combien coûte la lampe ?", "de?", "fr?"}


def test_every_question_is_translated_into_every_language() -> None:
    paths = sorted((FOLDER / "questions").glob("*.txt"))
    own = {
        f"{path.stem}.{number}": len(found.questions)
        for path in paths
        for number, found in enumerate(read_sets([path]), 1)
    }
    translations = read_translations(FOLDER / "questions" / "translated")
    assert len(translations) == 5
    for sets in translations:
        assert {name: len(questions) for name, questions in sets.items()} == own
        assert all(question for questions in sets.values() for question in questions)


def test_the_written_sets_keep_the_form() -> None:
    sets = list(read_sets(sorted((FOLDER / "questions").glob("*.txt"))))
    assert [line for found in sets for line in found.faults] == []
    asked = [query for found in sets for pack in found.packs() for query in pack.queries]
    unanswered = sum(query.answer == NONE for query in asked)
    assert 0.4 < unanswered / len(asked) < 0.6
    lines = [
        line
        for path in sorted((FOLDER / "twins").glob("*.txt"))
        for line in path.read_text(encoding="utf-8").splitlines()
    ]
    assert all(
        len(line.split("|")) == (4 if line.split("|")[1] == "answered" else 3) for line in lines
    )
    assert len(set(lines)) == len(lines) == 6246
