import json
from pathlib import Path

import pytest

from tests.growth import assert_linear
from toulmin.answering.question import Exchange
from toulmin.answering.understanding.rephrase import MOST_CHARS, rephrase

CONVERSATIONS = (
    Path(__file__).resolve().parents[3] / "benchmarks" / "quality" / "data" / "follow_ups.jsonl"
)

PLAGUE = (Exchange("Where did the Black Death enter Europe?", "It came by ship to Italy."),)
PAINTER = (Exchange("Which painter was born Maria Górska?", "Tamara de Lempicka was."),)
HARVARD = (Exchange("How many undergraduates does Harvard teach?", "About 7,200."),)
SWEDEN = (Exchange("How many people did the plague kill in Prussia?", "About 300,000."),)
FRANCE = (Exchange("What is the capital of France?", "The capital of France is Paris."),)
PARIS = (Exchange("When was the Louvre opened in Paris?", "It was opened in 1793."),)


@pytest.mark.parametrize(
    ("history", "question", "expected"),
    [
        (PLAGUE, "When did it reach Norway?", "When did the Black Death reach Norway?"),
        (PLAGUE, "What were its causes?", "What were the Black Death's causes?"),
        (PAINTER, "Whom did she marry?", "Whom did Tamara de Lempicka marry?"),
        (PAINTER, "Where did her husband work?", "Where did Tamara de Lempicka's husband work?"),
        (HARVARD, "How many professors?", "How many professors does Harvard teach?"),
        (HARVARD, "And Yale?", "How many undergraduates does Yale teach?"),
        (SWEDEN, "And in Sweden?", "How many people did the plague kill in Sweden?"),
        (SWEDEN, "What about Finland?", "How many people did the plague kill in Finland?"),
        (PARIS, "Who ruled there that year?", "Who ruled in Paris in 1793?"),
        (PARIS, "Why?", "Why was the Louvre opened in Paris?"),
        (
            (Exchange("How much wheat was sold in 1990?", "Ten tons."),),
            "And in 1998?",
            "How much wheat was sold in 1998?",
        ),
        (
            (Exchange("How much wheat was sold between 1990 and 1995?", "Ten tons."),),
            "And from 2000 to 2005?",
            "How much wheat was sold from 2000 to 2005?",
        ),
        (FRANCE, "And Germany?", "What is the capital of Germany?"),
        (FRANCE, "And of Germany?", "What is the capital of Germany?"),
        (FRANCE, "How large is it?", "How large is Paris?"),
        (
            (Exchange("What is the price of the Pro plan?", "It costs $20."),),
            "What about the Basic plan?",
            "What is the price of the Basic plan?",
        ),
        (
            (Exchange("What is a xenolith?", "A xenolith is a foreign piece of rock."),),
            "Are they older than the rock around them?",
            "Are xenoliths older than the rock around xenoliths?",
        ),
        (
            (Exchange("Did he know the work of Baran?", ""), Exchange("Is Kyoto old?", "Yes.")),
            "Why?",
            "Why is Kyoto old?",
        ),
    ],
)
def test_a_follow_up_is_put_into_words(
    history: tuple[Exchange, ...], question: str, expected: str
) -> None:
    assert rephrase(question, history) == expected


@pytest.mark.parametrize(
    ("question", "expected"),
    [
        ("What's its reach?", "What's the Black Death's reach?"),
        ("Who's to blame for it?", "Who's to blame for the Black Death?"),
        ("How’s it spread?", "How’s the Black Death spread?"),
        ("Where'd it start?", "Where'd the Black Death start?"),
        ("whats its cause?", "Whats the Black Death's cause?"),
        ("What's the price?", "What's the price (the Black Death, Europe)?"),
        ("What's quicksort?", "What's quicksort?"),
        ("Who’s Kublai Khan?", "Who’s Kublai Khan?"),
        ("Where's the Louvre?", "Where's the Louvre?"),
    ],
)
def test_a_question_is_one_where_its_verb_is_glued_to_the_asking_word(question, expected):
    assert rephrase(question, PLAGUE) == expected


@pytest.mark.parametrize(
    ("last", "question", "expected"),
    [
        ("Where's the harbour office?", "Why?", "Why's the harbour office?"),
        ("When’s the fair in Oslo?", "Where?", "Where’s the fair in Oslo?"),
        ("What's the fee of a loan?", "How high is it?", "How high is the fee of a loan?"),
        ("How much is a fishing permit?", "Do children need one?", "Do children need a fishing permit?"),
        ("What does a season pass cost?", "Do children need one?", "Do children need a season pass?"),
        ("What is the fee of a season pass?", "Do I need one?", "Do I need a season pass?"),
        ("Where do I get a season pass?", "How long is it valid?", "How long is a season pass valid?"),
        ("How do I get a pass?", "How much is it?", "How much is a pass?"),
        ("Why did the attack fail?", "Who led it?", "Who led the attack?"),
        ("What does a guest visit include?", "How long is it?", "How long is a guest visit?"),
        ("How much does the blood test cost?", "Where is it done?", "Where is the blood test done?"),
        # What is a verb stays one.
        ("What made the dam break?", "Who built it?", "Who built the dam?"),
        ("Why did the dam break?", "Who built it?", "Who built the dam?"),
        ("When is the library open?", "Where is it?", "Where is the library?"),
        ("Where does the train stop?", "Who runs it?", "Who runs the train?"),
        ("Why does the boiler release steam?", "How old is it?", "How old is the boiler?"),
        ("Is there a club?", "Is one member enough?", "Is one member enough (a club)?"),
        ("Is there a club?", "Was one of its members rich?", "Was one of a club's members rich?"),
    ],
)  # fmt: skip
def test_a_verb_of_the_list_is_a_noun_where_it_can_be_no_verb(last, question, expected):
    assert rephrase(question, [Exchange(last, "")]) == expected


@pytest.mark.parametrize(
    ("last", "question", "expected"),
    [
        ("What does the Kestrel 300 cost?", "and the 500?", "What does the Kestrel 500 cost?"),
        ("What does the Kestrel 300 cost?", "How about the 500", "What does the Kestrel 500 cost?"),
        ("How heavy is model 3?", "And model 4?", "How heavy is model 4?"),
        (
            "What did the Kestrel 300 cost in May 2022?",
            "and the 500?",
            "What did the Kestrel 500 cost in May 2022?",
        ),
        ("How do I clean the small oven?", "and the large one?", "How do I clean the large oven?"),
        # of two it is not told which is exchanged
        (
            "Is the Kestrel 300 dearer than the Kestrel 400?",
            "and the 500?",
            "The 500: is the Kestrel 300 dearer than the Kestrel 400?",
        ),
        (
            "What did the Apollo 11 crew do in 1969?",
            "and in 1970?",
            "What did the Apollo 11 crew do in 1970?",
        ),
    ],
)
def test_another_of_its_kind_takes_its_place(last, question, expected):
    assert rephrase(question, [Exchange(last, "")]) == expected


@pytest.mark.parametrize(
    "question",
    [
        "Who was Kublai Khan?",
        "What is quicksort?",
        "Does the IPCC carry out research itself?",
        "Why did Rome fall when it was attacked?",
        "Which communities have their center in Fresno?",
        "Is it true that Mount Everest grows?",
        "How long does it take to fly from Tokyo to Osaka?",
        "Are there bears in Norway?",
        "What do cicadas do with their wings when they sing?",
        "  Which laws ranked pharmacists in Japan ?  ",
        "¿Cuándo nació Friedrich Ratzel?",
        "¿Qué es la septicemia?",
        "Wer war Albert Einstein?",
        "Quando è nato Galileo Galilei?",
        "Où est né Victor Hugo ?",
        "百済における建国当時の国号は何ですか?",
        "今天天气怎么样，北京会下雨吗？我想知道",
        "",
    ],
)
def test_what_stands_alone_stays_letter_by_letter(question: str) -> None:
    assert rephrase(question, PLAGUE) == question


def test_without_a_conversation_nothing_changes() -> None:
    assert rephrase("When did it reach Norway?", ()) == "When did it reach Norway?"
    assert rephrase("Why?", (Exchange(" "),)) == "Why?"


def test_the_conversation_is_understood_turn_by_turn() -> None:
    history = (
        Exchange("Which dynasty did Kublai Khan found?", "He founded the Yuan dynasty."),
        Exchange("When did he besiege Xiangyang?", "Between 1268 and 1273."),
    )
    found = rephrase("Which city did he capture after that?", history)
    assert found == "Which city did Kublai Khan capture after that?"


def test_a_new_subject_is_the_topic_from_then_on() -> None:
    history = (*PLAGUE, Exchange("Who was Isaac Newton?", "Isaac Newton was a physicist."))
    assert rephrase("When did he die?", history) == "When did Isaac Newton die?"


def test_where_no_rule_is_sure_the_topic_is_added() -> None:
    history = (Exchange("What were the Normans called in Old Norse?", "Norðmaðr."),)
    found = rephrase("What does that name mean?", history)
    assert found.startswith("What does that name mean (")
    assert found.endswith(")?")
    assert "Normans" in found


@pytest.mark.parametrize(
    ("last", "question", "expected"),
    [
        ("¿Cuántos habitantes tenía Sevilla en 1649?", "¿Y en 1720?", "1720"),
        ("¿Cuándo nació Miguel de Cervantes?", "¿Y dónde murió?", "Cervantes"),
        ("¿Dónde está la Universidad de Chicago?", "¿Cuántos estudiantes hay allí?", "Chicago"),
        ("Quando è nato Galileo Galilei?", "E quando è morto?", "Galilei"),
        ("Quanti abitanti ha Roma?", "E Milano?", "abitanti"),
        ("Wann wurde Albert Einstein geboren?", "Wo ist er gestorben?", "Einstein"),
        ("Wie lang ist der Rhein?", "Und die Donau?", "lang"),
        ("Où est né Victor Hugo ?", "Quand est-il mort ?", "Hugo"),
        ("Combien d'habitants a Lyon ?", "Et Marseille ?", "habitants"),
        ("織田信長はいつ生まれましたか？", "なぜですか？", "織田信長"),
        ("織田信長はいつ生まれましたか？", "その後どうなりましたか？", "織田信長"),
    ],
)
def test_other_languages_get_the_topic(last: str, question: str, expected: str) -> None:
    found = rephrase(question, (Exchange(last, ""),))
    assert found != question
    assert expected in found


def test_the_year_is_exchanged_in_other_languages() -> None:
    history = (Exchange("¿Cuántos habitantes tenía Sevilla en 1649?", "Unos 60.000."),)
    assert rephrase("¿Y en 1720?", history) == "¿Cuántos habitantes tenía Sevilla en 1720?"


def test_a_changed_question_is_not_longer_than_the_limit() -> None:
    history = (Exchange("Who was " + "Anna Maria " * 80 + "Borg?", "A painter. " * 500),)
    for question in ("And in Sweden?", "Why?", "When did she die?", "What about it? " * 20):
        found = rephrase(question, history)
        assert found == question or len(found) <= MOST_CHARS


@pytest.mark.parametrize("question", ["?", "And", "it", "\x00", "((((", "why " * 60, "¿¿¿"])
def test_odd_questions_do_no_harm(question: str) -> None:
    found = rephrase(question, (Exchange("((?", ")"), *PLAGUE))
    assert found == question or 0 < len(found) <= MOST_CHARS


def test_our_conversations_are_many_and_stand_alone_when_meant_to() -> None:
    rows = [json.loads(line) for line in CONVERSATIONS.read_text(encoding="utf-8").splitlines()]
    assert len(rows) >= 100
    changed = 0
    for row in rows:
        history = [Exchange(turn["question"], turn["answer"]) for turn in row["history"]]
        found = rephrase(row["question"], history)
        assert len(found) <= MOST_CHARS
        if row["kind"] == "standalone":
            assert found == row["question"]
        else:
            changed += found != row["question"]
    follow_ups = sum(row["kind"] != "standalone" for row in rows)
    assert changed / follow_ups > 0.9


def test_a_hostile_conversation_takes_no_longer_than_a_long_one() -> None:
    def conversation(size: int) -> list[Exchange]:
        said = "It was of A of B " * (2 * size)
        return [Exchange("What about " + "the King of the " * size + "?", said)] * 8

    assert_linear(lambda turns: rephrase("it " * 130, turns), conversation, 160)


@pytest.mark.parametrize(
    ("before", "question", "meant"),
    [
        ("How much is a day pass for adults?", "Are dogs allowed?", "Are dogs allowed?"),
        ("When was the Eiffel Tower built?", "Are dogs allowed?", "(the Eiffel Tower)?"),
        ("How much is the ferry to Norrey?", "Is parking free?", "(Norrey, the ferry)?"),
    ],
)
def test_a_question_about_something_new_takes_only_what_is_known_of_the_last(
    before, question, meant
):
    assert rephrase(question, [Exchange(before)]).endswith(meant)
