"""Durations between dates that passages state: what is computed, and above all what is not."""

from __future__ import annotations

import pytest

from toulmin.answering.compose.computing import computed
from toulmin.answering.passages import Passage

STARTED = "The project started on 3 March 2021."
ENDED = "It was completed on 15 June 2021."
HOW_LONG = "How long did the project take?"
SAID = (
    "3 months and 12 days (104 days), from 3 March 2021 to 15 June 2021, the last day not counted."
)


def page(text: str, title: str = "", **more) -> Passage:
    return Passage(text=text, title=title, **more)


def said(query: str, *texts: str | Passage) -> str:
    passages = [page(text) if isinstance(text, str) else text for text in texts]
    found = computed(query, passages)
    return found.text if found else ""


@pytest.mark.parametrize(
    "text",
    [
        f"{STARTED} {ENDED}",
        "The project started on 3 March 2021 and ended on 15 June 2021.",
        "The project began on March 3, 2021, with a workshop, and was finished on June 15, 2021.",
        "On 3 March 2021, the project started. It ended on 2021-06-15.",
        "The project ran from 3 March to 15 June 2021.",
        "The project took place between 3 March 2021 and 15 June 2021.",
        "The project was led by Ada Poe. It started on 3 March 2021. The project ended on 2021-06-15.",
        "The project (3 March 2021 – 15 June 2021) was led by Ada Poe.",
        "## Project\n\n- Start: 3 March 2021\n- End: 15 June 2021",
        "## Project\n\nStart date: 2021-03-03\nEnd date: 2021-06-15",
        "| Name | Start | End |\n| --- | --- | --- |\n| Project | 3 March 2021 | 15 June 2021 |",
        "The project started in Oslo on 3 March 2021 and ended in Bergen on 15 June 2021.",
        "The project started on 3 March 2021. The project ended on Tuesday, 15/06/2021.",
    ],
)
def test_a_duration_is_the_time_between_start_and_end(text):
    assert said(HOW_LONG, text) == SAID


@pytest.mark.parametrize(
    ("question", "answer"),
    [
        (
            "How many days did the project take?",
            "104 days, from 3 March 2021 to 15 June 2021, the last day not counted.",
        ),
        (
            "How many weeks did the project last?",
            "14 weeks and 6 days (104 days), from 3 March 2021 to 15 June 2021, the last day not counted.",
        ),
        ("how long was the project", SAID),
        ("What was the duration of the project?", SAID),
        ("How long did it take to finish the project?", SAID),
        ("How much time passed between the start and the end of the project?", SAID),
        ("How much time passed between the start of the project and its end?", SAID),
        (
            "How many days are there between the end of the project and its start?",
            "104 days, from 3 March 2021 to 15 June 2021, the last day not counted.",
        ),
    ],
)
def test_what_is_asked_is_said_in_its_unit(question, answer):
    assert said(question, f"{STARTED} {ENDED}") == answer


@pytest.mark.parametrize(
    ("question", "texts"),
    [
        (
            "How many days are there between the signing of the contract and the delivery?",
            ["The contract was signed on 1 May 2024.", "The delivery took place on 31 May 2024."],
        ),
        (
            "How many days passed between the contract signing and the delivery?",
            ["- Contract signed: 1 May 2024\n- Delivery: 31 May 2024"],
        ),
        (
            "How many days after the order was the pump delivered?",
            [
                "| Event | Date |\n| --- | --- |\n| Order | 2024-05-01 |\n| Pump delivered | 2024-05-31 |"
            ],
        ),
        (
            "How many days are there from 1 May 2024 to the delivery?",
            ["The delivery took place on 31 May 2024."],
        ),
    ],
)
def test_the_time_between_two_events(question, texts):
    title = "Order 17"
    found = said(question, *(page(text, title, document="a") for text in texts))
    assert found == "30 days, from 1 May 2024 to 31 May 2024, the last day not counted."


def test_a_row_is_of_what_its_columns_name():
    rows = "| Falcon | 3 March 2021 | 15 June 2021 |\n| Osprey | 4 May 2021 | open |"
    text = f"| Project | Start | End |\n| --- | --- | --- |\n{rows}"
    for question in ("How long did the Falcon project take?", "How long did Falcon take?"):
        assert said(question, page(text, "Projects of Tarn")) == SAID
    assert not said("How long did the Osprey project take?", page(text))
    assert not said("How long did the Falcon trial take?", page(text))


def test_both_places_are_cited():
    found = computed(
        "How long did project Falcon take?",
        [
            page("Pumps are blue."),
            page("Project Falcon began on 3 March 2021.", document="a"),
            page("Project Falcon was completed on 15 June 2021.", document="b"),
        ],
    )
    assert found is not None
    assert found.passages == (1, 2)


def test_a_heading_says_whose_the_dates_are():
    text = "Construction began in March 2014. It was completed in June 2016."
    bridge = page(text, "Varn Bridge", headings=("History",))
    assert said("How long did the construction of Varn Bridge take?", bridge) == (
        "About 2 years and 3 months, from March 2014 to June 2016."
    )
    tower = page(text, "Varn Tower", headings=("History",))
    assert not said("How long did the construction of Varn Bridge take?", tower)
    assert not said(
        "How long did project Falcon take?",
        page("The workshop started on 3 March 2021 and ended on 5 March 2021.", "Project Falcon"),
    )


def test_years_are_about_so_many():
    text = "The bridge was built from 2014 to 2019."
    assert said("How long was the bridge being built?", text) == (
        "About 5 years, from 2014 to 2019."
    )
    text = "The construction of the bridge began in 2014. The construction of the bridge ended in 2019."
    assert said("How long did the construction of the bridge take?", text) == (
        "About 5 years, from 2014 to 2019."
    )
    assert not said("How many days did the construction of the bridge take?", text)


@pytest.mark.parametrize(
    "text",
    [
        pytest.param(STARTED, id="no end"),
        pytest.param(f"{STARTED} The project is still running.", id="open end"),
        pytest.param("The project has been running since 3 March 2021.", id="since"),
        pytest.param("The project runs from 3 March 2021 on.", id="from on"),
        pytest.param("## Project\n\n- Start: 3 March 2021\n- End: open", id="end is open"),
        pytest.param(f"{STARTED} It did not end on 15 June 2021.", id="negation"),
        pytest.param(f"{STARTED} It has not ended. {ENDED}", id="has not ended"),
        pytest.param(f"{STARTED} It was to be completed on 15 June 2021.", id="was to be"),
        pytest.param(f"{STARTED} It is expected to end on 15 June 2021.", id="expected"),
        pytest.param(f"{STARTED} It will end on 15 June 2021.", id="will"),
        pytest.param(f"{STARTED} It was completed before 15 June 2021.", id="before"),
        pytest.param(f"{STARTED} It was completed by 15 June 2021.", id="by"),
        pytest.param(f"{STARTED} It was completed around 15 June 2021.", id="around"),
        pytest.param(f"{STARTED} It was completed in mid June 2021.", id="mid June"),
        pytest.param(f"{STARTED} It was completed in June 2021.", id="day and month"),
        pytest.param(f"{STARTED} It was completed on 15 June.", id="no year"),
        pytest.param(f"{STARTED} It was completed on 05/06/2021.", id="5 June or 6 May"),
        pytest.param(f"{STARTED} It was completed in summer 2021.", id="summer"),
        pytest.param(f"{STARTED} {ENDED} The project started on 4 March 2021.", id="three dates"),
        pytest.param(
            "The project started on 3 March 2021, was halted on 1 May 2021 and ended on 15 June 2021"
            " or 16 June 2021.",
            id="four dates in a sentence",
        ),
        pytest.param(
            "The project ended on 3 March 2021. It started on 15 June 2021.", id="reversed"
        ),
        pytest.param(f"{STARTED} The workshop was completed on 15 June 2021.", id="another's end"),
        pytest.param(
            f"{STARTED} The first phase of the project ended on 15 June 2021.", id="a phase"
        ),
        pytest.param(
            f"{STARTED} The workshop of the project was long. {ENDED}", id="it is the workshop"
        ),
        pytest.param(f"{STARTED} A workshop was held. {ENDED}", id="it is unclear"),
        pytest.param(f"{STARTED} {ENDED} The project took 70 working days.", id="it is stated"),
        pytest.param("The project was opened between 3 March 2021 and 15 June 2021.", id="opened"),
        pytest.param("The project was closed from 3 March 2021 to 15 June 2021.", id="closed"),
        pytest.param("The project report of 3 March 2021 ended on 15 June 2021.", id="report"),
        pytest.param(f"{STARTED} It ended on 31 June 2021.", id="no such day"),
        pytest.param(f"{STARTED} If all goes well, it ended on 15 June 2021.", id="if"),
    ],
)
def test_what_may_be_two_things_is_not_computed(text):
    assert not said(HOW_LONG, text)


@pytest.mark.parametrize(
    "question",
    [
        "How long did it take?",
        "How long has the project been running?",
        "How long did the project take in Lisbon?",
        "How long did the second project take?",
        "How many working days did the project take?",
        "How many hours did the project take?",
        "How long did the project not run?",
        "When did the project start?",
        "How long before the project started was the kick-off?",
        "How long was the project closed?",
        "How long is the project report?",
    ],
)
def test_other_questions_are_not_computed(question):
    assert not said(question, f"{STARTED} {ENDED}")


def test_dates_of_two_documents_belong_together_only_by_a_name():
    one, other = (
        page(STARTED, document="a"),
        page("The project ended on 15 June 2021.", document="b"),
    )
    assert not said(HOW_LONG, one, other)
    assert said(HOW_LONG, one, page("The project ended on 15 June 2021.", document="a")) == SAID


@pytest.mark.parametrize(
    ("question", "text", "answer"),
    [
        (
            "¿Cuánto duró el proyecto?",
            "El proyecto comenzó el 3 de marzo de 2021 y terminó el 15 de junio de 2021.",
            "3 meses y 12 días (104 días), desde el 3 de marzo de 2021 hasta el 15 de junio de 2021,"
            " sin contar el último día.",
        ),
        (
            "¿Cuántos días pasaron entre la firma del contrato y la entrega?",
            "- Firma del contrato: 1 de mayo de 2024\n- Entrega: 31 de mayo de 2024",
            "30 días, desde el 1 de mayo de 2024 hasta el 31 de mayo de 2024, sin contar el último día.",
        ),
        (
            "¿Cuánto tiempo duró la feria?",
            "La feria se celebró del 3 al 15 de junio de 2021.",
            "12 días, desde el 3 de junio de 2021 hasta el 15 de junio de 2021, sin contar el último"
            " día.",
        ),
        (
            "Quanto è durato il progetto?",
            "Il progetto è iniziato il 3 marzo 2021 ed è terminato il 15 giugno 2021.",
            "3 mesi e 12 giorni (104 giorni): 3 marzo 2021 – 15 giugno 2021, ultimo giorno escluso.",
        ),
        (
            "Quanti giorni sono passati tra la firma del contratto e la consegna?",
            "La firma del contratto è avvenuta il 1° maggio 2024. La consegna è avvenuta il 31 maggio 2024.",
            "30 giorni: 1 maggio 2024 – 31 maggio 2024, ultimo giorno escluso.",
        ),
        (
            "プロジェクトはどのくらいかかりましたか？",
            "プロジェクトは2021年3月3日に開始した。プロジェクトは2021年6月15日に終了した。",
            "3か月と12日間（104日間）です。2021年3月3日から2021年6月15日まで、最終日は含みません。",
        ),
        (
            "工事は何日間かかりましたか？",
            "工事は2021年3月3日に着工し、2021年6月15日に完成した。",
            "104日間です。2021年3月3日から2021年6月15日まで、最終日は含みません。",
        ),
        (
            "展示会の期間はどのくらいですか？",
            "展示会は2021年6月3日から6月15日まで開催されました。",
            "12日間です。2021年6月3日から2021年6月15日まで、最終日は含みません。",
        ),
        (
            "契約締結から納品まで何日かかりましたか？",
            "- 契約締結：2024年5月1日\n- 納品：2024年5月31日",
            "30日間です。2024年5月1日から2024年5月31日まで、最終日は含みません。",
        ),
    ],
)
def test_other_languages(question, text, answer):
    assert said(question, text) == answer


@pytest.mark.parametrize(
    ("question", "text"),
    [
        (
            "¿Cuánto duró el proyecto?",
            "El proyecto comenzó el 3 de marzo de 2021. No terminó el 15 de junio de 2021.",
        ),
        (
            "¿Cuánto duró el proyecto?",
            "El proyecto comenzó el 3 de marzo de 2021. Se prevé que termine el 15 de junio de 2021.",
        ),
        (
            "Quanto è durato il progetto?",
            "Il progetto è iniziato il 3 marzo 2021. La prima fase è terminata il 15 giugno 2021.",
        ),
        (
            "Quanto è durato il progetto?",
            "Il progetto è iniziato il 3 marzo 2021. Il progetto è ancora in corso.",
        ),
        (
            "プロジェクトはどのくらいかかりましたか？",
            "プロジェクトは2021年3月3日に開始した。プロジェクトは2021年6月15日に終了する予定だ。",
        ),
        (
            "プロジェクトはどのくらいかかりましたか？",
            "プロジェクトは2021年3月3日に開始した。プロジェクトは2021年6月15日には終了しなかった。",
        ),
        (
            "プロジェクトはどのくらいかかりましたか？",
            "プロジェクトは2021年3月3日に開始した。会議は2021年6月15日に終了した。",
        ),
    ],
)
def test_near_misses_in_other_languages(question, text):
    assert not said(question, text)


@pytest.mark.parametrize(
    ("question", "text"),
    [
        ("How long was the bridge?", "The bridge was opened in 1841 and closed in 1879."),
        ("How long is the bridge?", "The bridge (1841 – 1879) was of wood."),
        ("What is the length of the bridge?", "The bridge opened in 1841. It closed in 1879."),
        ("橋はどのくらいですか？", "橋は1841年に開始し、1879年に終了した。"),
        ("工事は何年ですか？", "工事は1841年に開始し、1879年に終了した。"),
        (
            "What was the name of the border between France and Germany?",
            "- France: 1806\n- Germany: 1814",
        ),
        (
            "How many years of war were there between France and Germany?",
            "- France: 1806\n- Germany: 1814",
        ),
    ],
)
def test_a_length_or_a_year_that_is_asked_for_is_no_duration(question, text):
    assert not said(question, text)


@pytest.mark.parametrize(
    "question", ["How long was the exhibition open?", "How long was the exhibition?"]
)
def test_what_lasts_may_be_asked_with_is(question):
    assert said(question, "The exhibition was open from 3 March 2021 to 5 March 2021.") == (
        "2 days, from 3 March 2021 to 5 March 2021, the last day not counted."
    )
