"""Claims from answered questions, and labelled claims among other text of their subject."""

import gzip
import json

import pytest
from data.asked import asked_of, asked_row
from data.contrast import told_by
from data.documents import document_row, labelled_of
from data.rows import CONTRADICTION, NEUTRAL, SUPPORT

from tests.training.passages import PASSAGES, check_rows, draw, texts

TEXTS = texts()
QUESTIONS = [
    (0, "When did Keller move to Vienna?", "1925"),
    (0, "Where was Anna Keller born?", "Bristol"),
    (1, "Who designed the Harrow Bridge?", "Thomas Moreau"),
    (1, "When was the toll abolished?", "March 3, 1931"),
    (2, "When was Veltan Foods founded?", "1962"),
    (2, "Who founded Veltan Foods?", "Maria Rossi"),
    (2, "How many people did the factory employ?", "450"),
    (3, "When was the film released?", "12 May 1974"),
    (4, "Who did Walker defeat?", "Frank Baker"),
    (6, "When did Petrov release her first record?", "1986"),
    (7, "When did the Norland Railway reach Oslo?", "1902"),
    (8, "Where was Samuel Green born?", "Dublin"),
    (9, "When did the Carson Library open?", "1911"),
]
FEVER = [
    ("Anna Keller died in 1977.", 0, 1), ("Anna Keller lived in Leeds until 1990.", 0, 0),
    ("Anna Keller sold a house in Oxford.", 8, 0), ("James wrote plays.", 1, 1),
    ("Samuel Green drew the maps.", 8, 0), ("Henry Walker became mayor of Dayton.", 4, 1),
    ("Henry Walker never left Ohio.", 5, 0), ("nobody was there.", 0, 0),
]  # fmt: skip


def write(path, records):
    path.parent.mkdir(parents=True, exist_ok=True)
    with gzip.open(path, "wt", encoding="utf-8") as file:
        file.writelines(json.dumps(record) + "\n" for record in records)


@pytest.fixture(scope="module")
def data(tmp_path_factory):
    folder = tmp_path_factory.mktemp("data")
    records = []
    for at, question, answer in QUESTIONS:
        start = PASSAGES[at].index(answer)
        answers = [{"text": answer, "start": start}]
        records.append({"context": PASSAGES[at], "question": question, "answers": answers})
    records.append({"context": PASSAGES[5], "question": "Why?", "answers": []})
    write(folder / "qa/train/squad1_part.jsonl.gz", records[::2])
    write(folder / "qa/train/adversarial_qa_part.jsonl.gz", records[1::2])
    claims = [
        {"claim": c, "premise": PASSAGES[at], "label": n, "contradiction": not n}
        for c, at, n in FEVER
    ]
    write(folder / "grounding/train/fever_dev.dev.jsonl.gz", claims)
    write(folder / "grounding/train/foolmetwice.dev.jsonl.gz", claims[:1])
    return folder


@pytest.fixture(scope="module")
def asked_rows(data):
    asked = asked_of(data)
    return draw(lambda rng: asked_row(asked, TEXTS.pools, rng), 120)


def test_asked_same_seed_same_rows(data, asked_rows):
    asked = asked_of(data)
    assert draw(lambda rng: asked_row(asked, texts().pools, rng), 5) == asked_rows[:5]


def test_asked_rows_are_whole(asked_rows):
    check_rows(asked_rows)


def test_asked_labels_follow_the_form_and_the_evidence(asked_rows):
    labels = {
        "asked_true": SUPPORT, "asked_other": CONTRADICTION, "asked_denied": CONTRADICTION,
        "asked_denied_other": SUPPORT, "unasked_true": NEUTRAL, "unasked_other": NEUTRAL,
        "unasked_denied": NEUTRAL, "unasked_denied_other": NEUTRAL,
    }  # fmt: skip
    assert {row.kind for row in asked_rows} == set(labels)
    assert all(row.label == labels[row.kind] for row in asked_rows)


def test_asked_claims_meet_their_answer_or_miss_it(asked_rows):
    answers = {answer for _, _, answer in QUESTIONS}
    for row in asked_rows:
        held = [a for a in answers if a.lower() in row.claim.lower()]
        if row.kind in ("asked_true", "asked_denied"):
            assert any(a in row.evidence for a in held), row
        if row.kind in ("unasked_true", "unasked_denied"):
            assert not all(a.lower() in row.evidence.lower() for a in held), row
        if row.kind == "asked_other":
            ((start, end),) = row.evidence_wrong
            assert row.evidence[start:end] in answers
            assert row.evidence[start:end] not in row.claim


def test_questions_without_an_answer_are_not_asked(data):
    assert len(asked_of(data).records) == len(QUESTIONS)


def test_claims_are_filed_by_the_whole_name_they_begin_with(data):
    found = labelled_of(data)
    names = {name for name, *_ in found.items}
    assert names == {"Anna Keller", "James", "Samuel Green", "Henry Walker"}
    assert len(found.evidence["Anna Keller"]) == 2


def test_document_rows(data):
    labelled = labelled_of(data)
    own = {claim: (label, text) for _, claim, label, text in labelled.items}
    rows = draw(lambda rng: document_row(labelled, TEXTS.passages, rng), 60)
    assert rows == draw(lambda rng: document_row(labelled, texts().passages, rng), 60)
    assert {row.kind for row in rows} == {"document_kept", "document_other"}
    for row in rows:
        label, text = own[row.claim]
        pieces = row.evidence.split(" | ")
        if row.kind == "document_kept":
            assert row.label == label
            assert text in pieces
        else:
            assert row.label == NEUTRAL
            assert text not in pieces
            assert not any(told_by(row.claim, piece) for piece in pieces if piece in own.values())
