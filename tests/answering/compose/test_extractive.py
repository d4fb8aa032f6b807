"""Answers composed from made-up readings: styles, order, repeats, lists, and closed words."""

from __future__ import annotations

import re
from dataclasses import replace

import numpy as np
import pytest

from toulmin.answering.compose import ExtractiveComposer
from toulmin.answering.compose.certainty import FEATURE_NAMES, Certainty
from toulmin.answering.compose.choosing import READ_CLOSELY
from toulmin.answering.compose.extractive import JudgedReading, PlacedReading
from toulmin.answering.compose.yes_no import Verdict
from toulmin.answering.passages import Passage
from toulmin.answering.question import AnswerStyle, Question
from toulmin.answering.reading.answerability import Answerability
from toulmin.answering.reading.reader import Reading, SpanAnswer
from toulmin.errors import Cancelled
from toulmin.work import Work

BRIDGE = Passage(
    text="The Varn Bridge is a stone bridge near Pellow. However, it was opened by Queen Ingrid "
    "on 3 May 1932. A fair was held that day. It carries 12,000 cars a day.",
    document="bridge",
)
AGAIN = Passage(text="The Varn Bridge was opened by Queen Ingrid on 3 May 1932.", document="again")
MUSEUM = Passage(
    text="The museum has three parts:\n\n- a hall of ships\n- the old kitchen\n- a garden\n\n"
    "Tickets are sold at the gate.",
    document="museum",
)
TABLE = Passage(text="| Day | Opens |\n| --- | --- |\n| Monday | 9:00 |\n| Sunday | 11:00 |")


class Silent:
    """A reader and checker that must not be asked."""

    def read(self, *_, **__):
        raise AssertionError("read")

    def check(self, *_, **__):
        raise AssertionError("checked")


def reading(passages, *spans: tuple[str, float], answerable: float = 0.9) -> Reading:
    answers = []
    for text, probability in spans:
        place = next(i for i, p in enumerate(passages) if text in p.text)
        start = passages[place].text.index(text)
        answers.append(SpanAnswer(place, start, start + len(text), text, probability))
    return Reading(tuple(answers), answerable)


def composed(query, passages, read, style=AnswerStyle.ABSTRACTIVE):
    composer = ExtractiveComposer(Silent(), Silent())
    question = Question(text=query, style=style)
    return list(composer.compose(question, query, passages, reading=read))


def said(sentences) -> str:
    return "".join(s.lead + s.text for s in sentences)


WHO = "Who opened the Varn Bridge?"


def test_extractive_is_the_span_alone():
    found = composed(
        WHO, [BRIDGE], reading([BRIDGE], ("Queen Ingrid", 0.8)), AnswerStyle.EXTRACTIVE
    )
    assert [(s.text, s.lead, s.sources) for s in found] == [("Queen Ingrid", "", (0,))]


@pytest.mark.parametrize(
    ("span", "text"), [("(1932),", "1932"), ('"old"', "old"), ("11:00 | 15:00", "11:00")]
)
def test_a_span_loses_its_edges(span, text):
    passage = Passage(text=f"It was so {span} and more.")
    found = composed(
        "What was it?", [passage], reading([passage], (span, 0.8)), AnswerStyle.EXTRACTIVE
    )
    assert said(found) == text


def test_abstractive_stands_alone():
    found = composed(WHO, [BRIDGE], reading([BRIDGE], ("Queen Ingrid", 0.8)))
    assert said(found) == "The Varn Bridge was opened by Queen Ingrid on 3 May 1932."


def test_a_repeated_sentence_is_said_once_with_both_sources():
    passages = [BRIDGE, AGAIN]
    found = composed(WHO, passages, reading(passages, ("Queen Ingrid", 0.5), ("3 May", 0.3)))
    assert [(s.text, set(s.sources)) for s in found] == [
        ("The Varn Bridge was opened by Queen Ingrid on 3 May 1932.", {0, 1})
    ]


def test_a_sentence_that_leans_follows_the_one_it_leans_on():
    passage = Passage(text="Zorin built a tower by the sea. It was sold to Ada Poe in 1901.")
    found = composed("Who was it sold to?", [passage], reading([passage], ("Ada Poe", 0.9)))
    assert said(found) == passage.text
    assert [s.lead for s in found] == ["", " "]


def test_verbose_says_more_and_the_answer_first():
    passages = [MUSEUM, BRIDGE]
    read = reading(passages, ("Queen Ingrid", 0.8))
    short = composed(WHO, passages, read)
    long = composed(WHO, passages, read, AnswerStyle.VERBOSE)
    assert len(short) < len(long) <= 8
    assert long[0].text == short[0].text
    assert "stone bridge" in said(long)
    assert "Tickets" not in said(long)


def test_a_list_is_said_as_points_with_what_leads_into_it():
    passages = [BRIDGE, MUSEUM]
    query = "What are the parts of the museum?"
    read = reading(passages, ("a hall of ships", 0.7))
    text = "The museum has three parts:\n- a hall of ships\n- the old kitchen\n- a garden"
    assert said(composed(query, passages, read)) == text
    points = composed(query, passages, read, AnswerStyle.EXTRACTIVE)
    assert said(points) == "- a hall of ships\n- the old kitchen\n- a garden"
    assert {s.sources for s in points} == {(1,)}


def test_one_item_is_said_under_its_lead_in():
    read = reading([MUSEUM], ("a garden", 0.9))
    found = composed("Which part of the museum is green?", [MUSEUM], read)
    assert said(found) == "The museum has three parts: a garden."


def test_a_row_is_said_with_its_columns():
    found = composed("When does it open on Sunday?", [TABLE], reading([TABLE], ("11:00", 0.9)))
    assert said(found) == "Day: Sunday, Opens: 11:00."


def test_yes_and_no_come_with_the_sentence_that_says_so():
    start = BRIDGE.text.index("However")
    for yes, word in ((True, "Yes."), (False, "No.")):
        verdict = Verdict(yes, 0, start, start + 40, (start, start + 40), 0.9)
        read = JudgedReading(reading([BRIDGE], ("stone", 0.4)).answers, 0.9, verdict)
        query = "Did Queen Ingrid open the Varn Bridge?"
        found = composed(query, [BRIDGE], read)
        assert said(found) == f"{word} The Varn Bridge was opened by Queen Ingrid on 3 May 1932."
        assert said(composed(query, [BRIDGE], read, AnswerStyle.EXTRACTIVE)) == word


def test_without_a_verdict_there_is_no_yes():
    read = JudgedReading(reading([BRIDGE], ("Queen Ingrid", 0.4)).answers, 0.4, None)
    text = said(composed("Did Queen Ingrid open the Varn Bridge?", [BRIDGE], read))
    assert text.startswith("The Varn Bridge was opened")
    query = "Did Queen Ingrid open the Varn Bridge?"
    assert said(composed(query, [BRIDGE], read, AnswerStyle.EXTRACTIVE)) == text


def test_a_topic_is_told_in_sentences():
    read = reading([BRIDGE], ("12,000", 0.9))
    first = "The Varn Bridge is a stone bridge near Pellow."
    assert said(composed("Varn Bridge", [BRIDGE], read, AnswerStyle.EXTRACTIVE)) == first
    assert said(composed("Tell me about the Varn Bridge", [BRIDGE], read)).startswith(first)


def test_a_brief_answer_in_a_language_the_reader_does_not_know_is_a_sentence():
    passage = Passage(text="El puente cruza el Osk. Lo inauguró la reina Ingrid en 1932.")
    query = "¿Quién inauguró el puente?"
    read = reading([passage], ("la reina", 0.8))
    found = composed(query, [passage], read, AnswerStyle.EXTRACTIVE)
    assert said(found) == "Lo inauguró la reina Ingrid en 1932."


def test_a_sentence_without_its_subject_follows_the_one_that_names_it():
    passage = Passage(text="El puente cruza el Osk. Sin embargo, fue cerrado en 1960.")
    read = reading([passage], ("1960", 0.9))
    assert said(composed("¿Cuándo fue cerrado?", [passage], read)) == passage.text


def test_relevance_decides_where_the_reader_is_torn():
    passages = [
        Passage(text="The bridge was opened by Ada.", relevance=0.2),
        Passage(text="The bridge was opened by Tom.", relevance=0.9),
    ]
    read = reading(passages, ("Ada", 0.45), ("Tom", 0.4))
    found = composed("Who opened the bridge?", passages, read, AnswerStyle.EXTRACTIVE)
    assert said(found) == "Tom"


@pytest.mark.parametrize("text", ["", "   ", "# Heading", "| a |\n| --- |"])
@pytest.mark.parametrize("style", list(AnswerStyle))
def test_no_words_no_answer(text, style):
    assert composed("Who?", [Passage(text=text)], Reading((), 0.0), style) == []
    assert composed("Who?", [], Reading((), 0.0), style) == []


def test_japanese_sentences_are_verbatim_and_join_without_spaces():
    passage = Passage(text="東京は日本の首都である。大阪は東京の西にある。人口は多い。")
    query = "東京について説明して"
    read = reading([passage], ("日本の首都", 0.8))
    text = said(composed(query, [passage], read, AnswerStyle.VERBOSE))
    assert text.startswith("東京は日本の首都である。")
    assert all(part in passage.text for part in re.findall(r"[^。]+。", text))
    assert " " not in text


def test_no_word_comes_from_elsewhere():
    passages = [BRIDGE, AGAIN, MUSEUM, TABLE]
    allowed = set(re.findall(r"\w+", " ".join(p.text for p in passages).lower())) | {"s"}
    for query in (WHO, "What are the parts of the museum?", "When does it open?", "varn bridge"):
        for style in AnswerStyle:
            read = reading(passages, ("Queen Ingrid", 0.3), ("11:00", 0.2), ("a garden", 0.2))
            for sentence in composed(query, passages, read, style):
                assert set(re.findall(r"\w+", sentence.text.lower())) <= allowed
                assert sentence.sources
                assert all(0 <= place < len(passages) for place in sentence.sources)


def test_the_same_again_is_the_same():
    passages = [BRIDGE, AGAIN, MUSEUM, TABLE]
    read = reading(passages, ("Queen Ingrid", 0.3), ("11:00", 0.2))
    for style in AnswerStyle:
        assert composed(WHO, passages, read, style) == composed(WHO, passages, read, style)


class Recording:
    """A reader that finds nothing and keeps what it was asked."""

    def __init__(self):
        self.asked = []

    def read(self, question, passages, *, most_answers, work):
        work.check()
        self.asked.append((question, list(passages), most_answers))
        return Reading((), 0.1)


def test_what_is_not_read_is_not_said():
    reader = Recording()
    composer = ExtractiveComposer(reader, Silent(), read_passages=2)
    passages = [replace(p, relevance=0.5) for p in (MUSEUM, TABLE, AGAIN)]
    found = list(composer.compose(Question(text=WHO), WHO, passages))
    assert [texts for _, texts, _ in reader.asked] == [[MUSEUM.text, TABLE.text, ""]]
    assert all(place < 2 for sentence in found for place in sentence.sources)


def test_english_is_read_closely_and_the_rest_may_still_be_said():
    reader = Recording()
    certainty = Certainty(Answerability(np.zeros(len(FEATURE_NAMES)), 0.0))
    composer = ExtractiveComposer(reader, Silent(), certainty=certainty)
    passages = [replace(MUSEUM, relevance=0.5 - place / 10) for place in range(5)]
    composer.read(WHO, passages)
    assert [bool(text) for text in reader.asked[0][1]] == [True] * READ_CLOSELY + [False] * 2
    spanish = [Passage(text="La reina inauguró el puente.", relevance=0.5)] * 5
    composer.read("¿Quién inauguró el puente?", spanish)
    assert all(reader.asked[1][1])


def test_a_caller_who_is_gone_stops_the_reading():
    composer = ExtractiveComposer(Recording(), Silent())
    with pytest.raises(Cancelled):
        list(composer.compose(Question(text=WHO), WHO, [BRIDGE], work=Work(is_gone=lambda: True)))


def test_how_to_do_something_is_answered_with_all_steps():
    steps = Passage(
        text="Have a bucket at hand.\n\n1. Close the valve.\n2. Open the lid.\n3. Drain it."
    )
    read = reading([steps], ("Close the valve", 0.6))
    found = composed("How do I drain the pump?", [steps], read)
    assert said(found) == "1. Close the valve.\n2. Open the lid.\n3. Drain it."
    brief = composed("How do I drain the pump?", [steps], read, AnswerStyle.EXTRACTIVE)
    assert said(brief) == said(found)


def test_a_sentence_beside_the_steps_is_not_said_in_their_place():
    text = "1. Close the valve.\n2. Open the lid.\n3. Drain it.\n\nDrain the pump every six months."
    steps = Passage(text=text)
    read = reading([steps], ("every six months", 0.9), ("Close the valve", 0.05))
    found = composed("How do I drain the pump?", [steps], read)
    assert said(found) == "1. Close the valve.\n2. Open the lid.\n3. Drain it."
    often = composed("How often do I drain the pump?", [steps], read)
    assert said(often).startswith("Drain the pump every six months.")


def test_that_a_newer_version_was_followed_is_said():
    passages = [
        Passage(text="Valid from 1 May 2020. Claims are due in 30 days.", title="Rules"),
        Passage(text="Valid from 1 May 2025. Claims are due in 45 days.", title="Rules"),
    ]
    found = composed("In how many days are claims due?", passages, reading(passages, ("45", 0.8)))
    assert said(found) == (
        "Claims are due in 45 days. This holds as of 1 May 2025; the older text of 1 May 2020 says"
        " otherwise."
    )
    assert [(sentence.is_note, sentence.sources) for sentence in found] == [
        (False, (1,)),
        (True, (1,)),
    ]


def test_that_a_document_written_later_was_followed_is_said():
    passages = [
        Passage(
            text=f"Claims are due in {days} days.",
            title="Travel policy",
            document=str(days),
            struct_data={"updated": day},
        )
        for days, day in ((30, "2020-05-01"), (45, "2025-05-01"))
    ]
    found = composed("When are claims due?", passages, reading(passages, ("45 days", 0.9)))
    assert said(found) == (
        "Claims are due in 45 days. This is from the document of 2025-05-01; the older one of"
        " 2020-05-01 says otherwise."
    )


def test_documents_that_differ_are_both_given():
    passages = [
        Passage(text="- Price: 890 euros", title="Kestrel 300", document="a"),
        Passage(
            text="| Product | Price |\n| --- | --- |\n| Kestrel 300 | 910 euros |\n| Mug | 9 euros |",
            title="Price list",
            document="b",
        ),
    ]
    found = composed(
        "What is the price of the Kestrel 300?", passages, reading(passages, ("890 euros", 0.9))
    )
    assert found[-1].text == (
        'The documents differ on this: "Kestrel 300" says 890 euros; "Price list" says 910 euros.'
    )
    assert found[-1].sources == (0, 1)
    assert found[-1].is_note


@pytest.mark.parametrize(("odds", "told"), [(-3.0, False), (-1.0, True)])
def test_steps_are_not_said_where_the_reader_is_sure_that_they_do_not_answer(odds, told):
    class Doubting(Silent):
        def read(self, *_, **__):
            return Reading((), 0.1, odds={0: odds})

    hub = Passage(text="1. Stop the hub.\n2. Start the hub.", headings=("Restart the hub",))
    certainty = Certainty(Answerability(np.zeros(len(FEATURE_NAMES)), -4.0))
    composer = ExtractiveComposer(Doubting(), Silent(), certainty=certainty)
    assert isinstance(composer.read("How do I restart the hub?", [hub]), PlacedReading) == told
