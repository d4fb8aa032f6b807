"""A question on its way: which steps are taken, what leaves when, and how it ends."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator, Sequence
from types import SimpleNamespace
from typing import Any

import pytest

from toulmin import metrics
from toulmin.answering.answer import Answer, AnswerState, SkippedReason
from toulmin.answering.composing import ComposedSentence
from toulmin.answering.fallback import ENGLISH, fallback_text
from toulmin.answering.parts import apart
from toulmin.answering.passages import Passage
from toulmin.answering.pipeline import Answerer
from toulmin.answering.question import (
    AnswerStyle,
    Exchange,
    FilteringLevel,
    Question,
    UnderstoodClass,
)
from toulmin.answering.reading.reader import Reading
from toulmin.answering.rooms import Release, Rooms
from toulmin.errors import Cancelled, Unavailable
from toulmin.grounding.check import CheckSpec
from toulmin.retrieval.query import Scope, SearchQuery
from toulmin.retrieval.results import SearchResults
from toulmin.safety.query_classes import QueryClass
from toulmin.safety.ratings import HarmCategory, HarmProbability, SafetyRating
from toulmin.work import Work

GOOD = Passage(text="The tower is tall. It is old.", relevance=0.9)
FIRST, SECOND = "The tower is tall.", "It is old."
ASKED = Question(text="How is the tower?", given=(GOOD,), with_citations=True, with_supports=True)


class Said:
    """A composer that says sentences, and raises errors."""

    def __init__(self, *items: str | Exception) -> None:
        self.items = items
        self.queries: list[str] = []

    def compose(
        self, question: Question, query: str, passages: Sequence[Passage], **_: Any
    ) -> Iterator[ComposedSentence]:
        self.queries.append(query)
        for place, item in enumerate(self.items):
            if isinstance(item, Exception):
                raise item
            yield ComposedSentence(item, " " if place else "", (0,))


class Check:
    """Every sentence is a claim; those with "false" in them are not borne out.

    Corrected, "wrong" is "tall".
    """

    def check(self, text: str, facts: Sequence[Any], spec: CheckSpec, **__: Any) -> Any:
        claims, start = [], 0
        for sentence in text.strip().split(". "):
            start = text.index(sentence, start)
            end = min(start + len(sentence) + 1, len(text))
            score = 0.0 if "wrong" in sentence else 0.1 if "false" in sentence else 0.9
            cited = () if score < 0.5 else (0,)
            fixed = spec.corrections and "wrong" in sentence
            correction = SimpleNamespace(text=text[start:end].replace("wrong", "tall"))
            claims.append(
                SimpleNamespace(
                    start=start, end=end, score=score, citations=cited,
                    correction=correction if fixed else None,
                )
            )  # fmt: skip
            start = end
        cited_chunk = SimpleNamespace(fact_index=0, text=facts[0].text if facts else "")
        return SimpleNamespace(claims=claims, cited_chunks=[cited_chunk])


def answerer(composer: Any = None, *, answerable: float = 0.9, **rooms: Any) -> Answerer:
    harm = [
        SafetyRating(category=HarmCategory.HARASSMENT, probability=HarmProbability.HIGH, score=0.9)
    ]
    none = [dataclasses.replace(harm[0], probability=HarmProbability.NEGLIGIBLE, score=0.0)]
    made: dict[str, Any] = {
        "searcher": lambda: SimpleNamespace(search=lambda query, **_: SearchResults()),
        "read": lambda query, passages, work: Reading((), answerable),
        "composer": lambda: composer or Said(FIRST, SECOND),
        "language_model": lambda: None,
        "checker": Check,
        "classifier": lambda: SimpleNamespace(
            classify=lambda text, **_: SimpleNamespace(
                positive=(QueryClass.CHIT_CHAT,) if "hello" in text else ()
            )
        ),
        "rater": lambda: SimpleNamespace(rate=lambda text, **_: harm if "idiot" in text else none),
        "helpfulness": lambda prompt, text: 0.0 if text == "Hm." else 0.9,
        "blobs": lambda passage: (),
    }
    return Answerer(Rooms(**(made | rooms)))


def last(question: Question = ASKED, *args: Any, **rooms: Any) -> Answer:
    """Return the answer, after checking that the stream comes to the same."""
    made = answerer(*args, **rooms)
    answer = made.answer(question)
    *_, streamed = made.stream(question)
    assert streamed == answer
    return answer


def named(answer: Answer) -> list[str]:
    return [step.description for step in answer.steps]


def test_an_answer_grows_by_its_sentences() -> None:
    states = [(answer.state, answer.text) for answer in answerer().stream(ASKED)]
    assert states == [
        (AnswerState.IN_PROGRESS, ""),
        (AnswerState.STREAMING, FIRST),
        (AnswerState.STREAMING, f"{FIRST} {SECOND}"),
        (AnswerState.SUCCEEDED, f"{FIRST} {SECOND}"),
    ]
    answer = last()
    assert [(c.start, c.end, c.sources) for c in answer.citations] == [
        (0, 18, (0,)),
        (19, 29, (0,)),
    ]
    assert answer.references == (GOOD,)
    assert answer.grounding_score == 0.9
    assert answer.answerable == 0.9


def test_what_is_not_borne_out_is_said_and_not_cited() -> None:
    answer = last(ASKED, Said(FIRST, "It is false."))
    assert len(answer.citations) == 1
    assert [support.score for support in answer.supports] == [0.9, 0.1]
    assert answer.grounding_score == 0.5


@pytest.mark.parametrize(
    "changes",
    [
        {"filtering": FilteringLevel.LOW},
        {"safety": {}},
    ],
)
def test_nothing_leaves_that_may_be_taken_back(changes: dict[str, Any]) -> None:
    texts = [a.text for a in answerer().stream(dataclasses.replace(ASKED, **changes))]
    assert texts == ["", f"{FIRST} {SECOND}"]


def test_nothing_leaves_before_it_helps() -> None:
    texts = [a.text for a in answerer(Said("Hm.", SECOND)).stream(ASKED)]
    assert texts == ["", f"Hm. {SECOND}", f"Hm. {SECOND}"]
    answer = last(ASKED, Said("Hm."))
    assert answer.skipped == (SkippedReason.UNHELPFUL_ANSWER,)


def test_whether_an_answer_in_another_language_helps_is_not_told_by_its_words() -> None:
    nothing = {"helpfulness": lambda _prompt, _text: 0.0}
    question = dataclasses.replace(ASKED, text="¿Cómo es la torre?")
    assert last(question, **nothing).text == f"{FIRST} {SECOND}"
    assert last(ASKED, **nothing).skipped == (SkippedReason.UNHELPFUL_ANSWER,)


def test_a_skipped_answer_shows_nothing_of_what_was_composed() -> None:
    question = dataclasses.replace(ASKED, filtering=FilteringLevel.HIGH)
    answer = last(question, Said("It is false."))
    assert answer.skipped == (SkippedReason.LOW_GROUNDED_ANSWER,)
    assert answer.text == ENGLISH
    assert (answer.citations, answer.supports, answer.references) == ((), (), ())
    assert answer.grounding_score is None
    assert answer.state is AnswerState.SUCCEEDED


@pytest.mark.parametrize(
    ("question", "rooms", "reason"),
    [
        (dataclasses.replace(ASKED, given=()), {}, SkippedReason.NO_RELEVANT_CONTENT),
        (ASKED, {"answerable": 0.1}, SkippedReason.NO_RELEVANT_CONTENT),
        (ASKED, {"composer": Said()}, SkippedReason.NO_RELEVANT_CONTENT),
        (
            dataclasses.replace(ASKED, given=(Passage(text="Tea.", relevance=0.0),)),
            {"answerable": 0.5},
            SkippedReason.OUT_OF_DOMAIN_QUERY_IGNORED,
        ),
        (
            dataclasses.replace(ASKED, text="You idiot?", safety={}),
            {},
            SkippedReason.POTENTIAL_POLICY_VIOLATION,
        ),
        (
            dataclasses.replace(ASKED, safety={}),
            {"composer": Said("You idiot.")},
            SkippedReason.POTENTIAL_POLICY_VIOLATION,
        ),
        (ASKED, {"blocked_phrases": ("THE  tower?",)}, SkippedReason.CUSTOMER_POLICY_VIOLATION),
        (ASKED, {"blocked_phrases": ("is old",)}, SkippedReason.CUSTOMER_POLICY_VIOLATION),
    ],
)
def test_reasons(question: Question, rooms: dict[str, Any], reason: SkippedReason) -> None:
    answer = last(question, **rooms)
    assert answer.skipped == (reason,)
    assert answer.text == ENGLISH
    assert named(answer)[-1] == "Do not answer."


def test_classes_are_reported_and_only_ignored_ones_refused() -> None:
    chat = frozenset({UnderstoodClass.CHIT_CHAT})
    question = dataclasses.replace(ASKED, text="hello", classify=chat)
    answer = last(question)
    assert answer.classes == ((UnderstoodClass.CHIT_CHAT, True),)
    assert not answer.skipped
    answer = last(dataclasses.replace(ASKED, text="hello", ignore=chat))
    assert answer.skipped == (SkippedReason.NON_ANSWER_SEEKING_QUERY_IGNORED,)
    assert answer.classes == ()
    assert named(answer) == ["Classify the query.", "Do not answer."]


def test_the_users_own_class() -> None:
    own = frozenset({UnderstoodClass.USER_DEFINED})
    question = dataclasses.replace(ASKED, ignore=own)
    answer = answerer().answer(question, is_user_defined=lambda text: "tower" in text)
    assert answer.skipped == (SkippedReason.USER_DEFINED_CLASSIFICATION_QUERY_IGNORED,)
    assert not answerer().answer(question, is_user_defined=lambda _: False).skipped
    assert not answerer().answer(question).skipped


def test_what_must_be_answered_is_answered_however_improbable() -> None:
    question = dataclasses.replace(ASKED, always=True, filtering=FilteringLevel.HIGH)
    answer = last(question, Said("It is false."), answerable=0.0)
    assert answer.text == "It is false."
    assert answer.answerable == 0.0


def test_low_relevance_is_no_reason_where_the_caller_says_so() -> None:
    question = dataclasses.replace(ASKED, ignore_low_relevance=False)
    assert not last(question, answerable=0.0).skipped


@pytest.mark.parametrize(
    ("text", "searched"),
    [("When was it that?", False), ("Why?", False), ("Who is in IT?", True), ("mill", True)],
)
def test_what_asks_about_nothing_is_not_searched(text: str, searched: bool) -> None:
    asked: list[str] = []

    def search(query: SearchQuery, **_: Any) -> SearchResults:
        asked.append(query.text)
        return SearchResults()

    made = answerer(searcher=lambda: SimpleNamespace(search=search))
    question = Question(text=text, search=SearchQuery(scopes=(Scope(data_store="d"),)))
    assert made.answer(question).skipped == (SkippedReason.NO_RELEVANT_CONTENT,)
    assert bool(asked) is searched


def test_a_follow_up_is_searched_as_it_is_meant() -> None:
    asked: list[SearchQuery] = []

    def search(query: SearchQuery, **_: Any) -> SearchResults:
        asked.append(query)
        return SearchResults()

    question = Question(
        text="How tall is it?",
        history=(Exchange("When was the Varn Tower opened?", "In 1932."),),
        search=SearchQuery(scopes=(Scope(data_store="d"),)),
        correct_spelling=False,
    )
    made = answerer(searcher=lambda: SimpleNamespace(search=search))
    answer = made.answer(question)
    assert "Varn Tower" in asked[0].text
    assert asked[0].correct_spelling is False
    assert answer.query == asked[0].text
    assert named(answer)[:2] == ["Rephrase the query.", "Search for passages."]
    made.answer(dataclasses.replace(question, max_rephrase_steps=0))
    assert asked[1].text == "How tall is it?"


def test_a_question_that_has_a_topic_of_its_own_is_searched_as_it_was_asked() -> None:
    read: list[str] = []

    def answerable(query: str, passages: Sequence[Passage], _: Any) -> Reading:
        read.append(query)
        return Reading((), 0.1 if "Varn" in query else 0.9)

    question = dataclasses.replace(
        ASKED,
        text="What formats can be imported?",
        history=(Exchange("When was the Varn Tower opened?", "In 1932."),),
    )
    answer = last(question, read=answerable)
    assert answer.text == f"{FIRST} {SECOND}"
    assert answer.query == question.text == read[1]
    assert "Search for the query as it was asked." in named(answer)
    read.clear()  # a pronoun's noun is no topic put behind: without it the question says nothing
    answer = last(dataclasses.replace(question, text="How tall is it?"), read=answerable)
    assert answer.skipped == (SkippedReason.NO_RELEVANT_CONTENT,)
    assert set(read) == {"How tall is the Varn Tower?"}


def test_the_built_in_composer_answers_where_the_language_model_fails() -> None:
    model = Said(Unavailable("the model is away"))
    answer = last(ASKED, language_model=lambda: model)
    assert answer.text == f"{FIRST} {SECOND}"
    failed = next(step for step in answer.steps if step.state is AnswerState.FAILED)
    assert "the model is away" in failed.thought
    assert answer.state is AnswerState.SUCCEEDED


def test_a_language_model_that_breaks_off_has_said_what_it_said() -> None:
    model = Said(FIRST, Unavailable("the model is away"))
    answer = last(ASKED, language_model=lambda: model)
    assert answer.text == FIRST
    failed = next(step for step in answer.steps if step.state is AnswerState.FAILED)
    assert "ends here" in failed.thought


def test_with_filtering_high_a_language_models_wrong_detail_is_corrected() -> None:
    model = Said("The tower is wrong.", SECOND)
    question = dataclasses.replace(ASKED, filtering=FilteringLevel.HIGH)
    answer = last(question, language_model=lambda: model)
    assert answer.text == f"{FIRST} {SECOND}"
    assert not answer.skipped
    step = next(step for step in answer.steps if step.description.startswith("Correct"))
    assert step.thought == f'"The tower is wrong." is not borne out; "{FIRST}" is.'
    assert [item.score for item in answer.supports] == [0.9, 0.9]


@pytest.mark.parametrize("level", [FilteringLevel.NONE, FilteringLevel.LOW])
def test_without_it_a_language_model_is_not_corrected(level: FilteringLevel) -> None:
    model = Said(FIRST, "It is wrong.")
    question = dataclasses.replace(ASKED, filtering=level)
    assert last(question, language_model=lambda: model).text == f"{FIRST} It is wrong."


def test_the_built_in_composer_is_not_corrected() -> None:
    question = dataclasses.replace(ASKED, filtering=FilteringLevel.HIGH)
    answer = last(question, composer=Said("The tower is wrong."))
    assert answer.skipped == (SkippedReason.LOW_GROUNDED_ANSWER,)


def streamed(release: Release, *said: str, **changes: Any) -> list[tuple[str, list[float | None]]]:
    """Return the text of each answer of a stream, and the scores of its claims."""
    made = answerer(language_model=lambda: Said(*said), release=release)
    question = dataclasses.replace(ASKED, **changes)
    answers = list(made.stream(question))
    assert answers[-1] == made.answer(question), "the stream and the whole come to the same"
    return [(answer.text, [item.score for item in answer.supports]) for answer in answers]


def test_held_a_sentence_of_a_language_model_leaves_with_what_bears_it_out() -> None:
    assert streamed(Release.HOLD, FIRST, SECOND)[1:] == [
        (FIRST, [0.9]),
        (f"{FIRST} {SECOND}", [0.9, 0.9]),
        (f"{FIRST} {SECOND}", [0.9, 0.9]),
    ]


def test_marked_it_leaves_first_and_what_bears_it_out_follows() -> None:
    both = f"{FIRST} It is wrong."
    assert streamed(Release.MARK, FIRST, "It is wrong.")[1:] == [
        (FIRST, []),
        (FIRST, [0.9]),
        (both, [0.9]),
        (both, [0.9, 0.0]),
        (both, [0.9, 0.0]),
    ]


def test_corrected_it_leaves_first_and_the_last_answer_has_it_right() -> None:
    assert streamed(Release.CORRECT, FIRST, "It is wrong.", "It is grey.")[1:] == [
        (FIRST, []),
        (FIRST, [0.9]),
        (f"{FIRST} It is wrong.", [0.9]),
        (f"{FIRST} It is wrong.", []),
        (f"{FIRST} It is wrong. It is grey.", []),
        (f"{FIRST} It is wrong. It is grey.", []),
        (f"{FIRST} It is tall. It is grey.", [0.9, 0.9, 0.9]),
    ]


@pytest.mark.parametrize("release", [Release.MARK, Release.CORRECT])
@pytest.mark.parametrize("changes", [{"filtering": FilteringLevel.LOW}, {"safety": {}}])
def test_nothing_leaves_early_that_may_be_withheld(
    release: Release, changes: dict[str, Any]
) -> None:
    found = streamed(release, FIRST, SECOND, **changes)
    assert [text for text, _ in found] == ["", f"{FIRST} {SECOND}"]


@pytest.mark.parametrize("release", [Release.MARK, Release.CORRECT])
def test_the_built_in_composers_sentences_are_held(release: Release) -> None:
    texts = [(a.text, len(a.supports)) for a in answerer(release=release).stream(ASKED)]
    assert texts[1] == (FIRST, 1)
    assert not answerer(release=release).takes_back, "there is no language model"


def test_only_corrections_take_back_what_was_said() -> None:
    model = {"language_model": lambda: Said(FIRST)}
    assert answerer(release=Release.CORRECT, **model).takes_back
    assert not answerer(release=Release.MARK, **model).takes_back


def test_a_caller_who_is_gone_is_not_worked_for() -> None:
    gone = False
    answers = answerer().stream(ASKED, work=Work(is_gone=lambda: gone))
    next(answers)
    gone = True
    with pytest.raises(Cancelled):
        list(answers)


def test_steps_are_timed() -> None:
    timings: dict[str, float] = {}
    question = dataclasses.replace(ASKED, safety={}, with_related=True)
    answerer().answer(question, work=Work(timings=timings))
    assert set(timings) == {"safety_ms", "rephrase_ms", "read_ms", "check_ms", "related_ms"}
    assert all(value >= 0 for value in timings.values())


def test_nothing_that_was_not_asked_for() -> None:
    answer = last(Question(text="How is the tower?", given=(GOOD,)))
    assert (answer.citations, answer.supports) == ((), ())
    assert (answer.classes, answer.safety_ratings) == ((), ())
    assert answer.grounding_score is None
    assert answer.references == (GOOD,)


@pytest.mark.parametrize(
    ("language", "own", "text"),
    [
        ("", "", ENGLISH),
        ("en-US", "", ENGLISH),
        ("tlh", "", ENGLISH),
        ("ja", "Own words.", "Own words."),
        (
            "ES-419",
            "",
            "No se pudo generar un resumen para su búsqueda. Estos son algunos resultados.",
        ),
    ],
)
def test_fallbacks(language: str, own: str, text: str) -> None:
    assert fallback_text(language, own) == text


class Stating(Said):
    """A composer whose sentences state something as the answer."""

    def __init__(self, states: str) -> None:
        super().__init__(FIRST, SECOND)
        self.states = states

    def compose(self, *args: Any, **named: Any) -> Iterator[ComposedSentence]:
        for sentence in super().compose(*args, **named):
            yield dataclasses.replace(sentence, states=self.states)


def test_what_is_no_answer_as_a_statement_is_not_said() -> None:
    answer = last(ASKED, Stating("It is wrong."))
    assert answer.skipped == (SkippedReason.NO_RELEVANT_CONTENT,)
    assert answer.text == ENGLISH
    assert answer.references == ()
    assert "Check the answer as a statement." in named(answer)


def test_what_is_borne_out_as_a_statement_is_said() -> None:
    answer = last(ASKED, Stating("The tower is tall."))
    assert answer.text == f"{FIRST} {SECOND}"
    assert named(answer).count("Check the answer as a statement.") == 1


def test_an_answer_that_must_come_comes_whatever_it_states() -> None:
    answer = last(dataclasses.replace(ASKED, always=True), Stating("It is wrong."))
    assert answer.text == f"{FIRST} {SECOND}"


class Echo:
    """A composer that says its question."""

    def compose(
        self, question: Question, query: str, passages: Sequence[Passage], **_: Any
    ) -> Iterator[ComposedSentence]:
        yield ComposedSentence(f"To {query[:-1]} that.", "", (0,))


TWO = dataclasses.replace(ASKED, text="When was it built and who built it?")


def test_both_parts_of_a_question_are_answered() -> None:
    answer = last(TWO, Echo())
    assert answer.text == "To When was it built that. To Who built it that."
    assert answer.references == (GOOD,)
    assert "Split the query." in named(answer)


def test_a_question_that_is_not_to_be_rephrased_is_not_split() -> None:
    answer = last(dataclasses.replace(TWO, max_rephrase_steps=0), Echo())
    assert answer.text == "To When was it built and who built it that."


def test_of_two_parts_the_one_is_answered_that_can_be() -> None:
    def read(query: str, passages: Sequence[Passage], work: Any) -> Reading:
        return Reading((), 0.1 if query.startswith("Who") else 0.9)

    answer = last(TWO, Echo(), read=read)
    assert answer.text == 'To When was it built that. No answer was found to this: "Who built it?"'
    assert [support.score for support in answer.supports] == [0.9, None]
    assert answer.grounding_score == 0.9
    brief = dataclasses.replace(TWO, style=AnswerStyle.EXTRACTIVE)
    assert last(brief, Echo(), read=read).text == "To When was it built that."


def test_a_part_that_has_its_own_topic_is_looked_at_in_its_own_words() -> None:
    read: list[str] = []

    def answerable(query: str, passages: Sequence[Passage], work: Any) -> Reading:
        read.append(query)
        return Reading((), 0.1 if "(" in query else 0.9)

    asked = "How many days of holiday do employees have and who leads the finance team?"
    answer = last(dataclasses.replace(ASKED, text=asked), Echo(), read=answerable)
    assert answer.text.endswith("To Who leads the finance team that.")
    assert read[1].startswith("Who leads the finance team (")
    assert read[2] == "Who leads the finance team?"


@pytest.mark.parametrize(
    ("behind", "between"),
    [
        ("It is.", " "),
        ("そうです。", ""),
        ("It has:\n- a\n- b", "\n\n"),
        ("1. Open.\n2. Shut.", "\n\n"),
    ],
)
def test_another_part_stands_apart_from_a_list(behind: str, between: str) -> None:
    assert apart(behind) == between


def test_a_typed_question_is_said_to_be_read_in_full() -> None:
    (step,) = [
        step
        for step in last(dataclasses.replace(ASKED, text="whos the mayor")).steps
        if step.description == "Rephrase the query."
    ]
    assert step.thought == "It is read as: Who is the mayor?"


def test_misspelt_words_are_read_as_they_were_searched() -> None:
    read: list[str] = []

    def answerable(query: str, passages: Sequence[Passage], work: Any) -> Reading:
        read.append(query)
        return Reading((), 0.9)

    def search(query: SearchQuery, **_: Any) -> SearchResults:
        return SearchResults(corrected_text="How tall is the tower?")

    question = Question(
        text="How tall is the towr?",
        search=SearchQuery(scopes=(Scope(data_store="d"),)),
        user_context=(GOOD,),
        always=True,
    )
    rooms: dict[str, Any] = {"searcher": lambda: SimpleNamespace(search=search)}
    last(question, read=answerable, **rooms)
    last(dataclasses.replace(question, correct_spelling=False), read=answerable, **rooms)
    assert list(dict.fromkeys(read)) == ["How tall is the tower?", "How tall is the towr?"]


def test_what_another_part_has_said_is_not_said_again() -> None:
    assert last(TWO, Said(FIRST)).text == FIRST


def counted(metric: metrics.Metric) -> dict[tuple[str, ...], float]:
    return {
        tuple(value for name, value in sample.labels): sample.value
        for sample in metric.samples()
        if sample.suffix in ("", "_count")
    }


def test_questions_scores_and_reasons_to_decline_are_counted() -> None:
    asked, reasons, scores = map(
        counted, (metrics.ANSWERS, metrics.DECLINED, metrics.SUPPORT_SCORE)
    )
    heard: list[tuple[str, float]] = []
    with metrics.hearing_scores(lambda of, score: heard.append((of, score))):
        answerer().answer(ASKED)
        answerer(answerable=0.1).answer(ASKED)
    assert counted(metrics.ANSWERS)[()] == asked[()] + 2
    reason = ("NO_RELEVANT_CONTENT",)
    assert counted(metrics.DECLINED)[reason] == reasons.get(reason, 0) + 1
    assert counted(metrics.SUPPORT_SCORE)[("answer",)] == scores.get(("answer",), 0) + 1
    assert [of for of, _ in heard] == ["answer"]
