"""Questions in one language over documents in another, with the models that are shipped."""

import pytest

from toulmin.answering.answer import SkippedReason
from toulmin.answering.question import Question
from toulmin.cli import main
from toulmin.domain import DataStore
from toulmin.retrieval.query import Scope, SearchQuery
from toulmin.services import build_services
from toulmin.settings import load_settings

ENGLISH = {
    "coffee": """# Coffee machine Barista 300

The warranty of the coffee machine lasts two years from the date of purchase. Keep the receipt, because it is needed for every claim.

The water tank holds 1.8 litres. Descale the machine every three months with the descaler supplied.

The machine switches itself off after thirty minutes without use.
""",
    "travel": """# Travel policy

Employees book train journeys of less than four hours in second class. Flights must be approved by the head of department.

Hotel rooms are reimbursed up to 120 euros per night. Receipts must be handed in within 14 days of the end of the journey.

Anna Keller in accounting answers questions about expenses.
""",
    "library": """# Harbour Library

The library opens at nine in the morning and closes at eight in the evening. On Mondays it is closed.

Visitors may borrow ten books at the same time for four weeks. A reader's card costs 15 euros a year; children under twelve pay nothing.

The reading room was built in 1932 by the architect Jonas Lindqvist.
""",
    "vacation": """# Holidays

Full-time employees have 28 days of paid holiday a year. Up to five days can be carried over to the next year, until the end of March.

Sick leave must be reported before nine o'clock on the first day. A doctor's note is needed from the third day on.
""",
    "bridge": """# The Kestrel Bridge

The Kestrel Bridge crosses the river Aln and is 312 metres long. It was opened to traffic in May 1998 after four years of construction.

About 14,000 vehicles use it every day. Lorries over 20 tonnes are not allowed.
""",
}
OTHERS = {
    "hotel": """# Hotel Mirador de Luna

El hotel abrió sus puertas en 1998 y tiene 84 habitaciones. La piscina está abierta de mayo a septiembre.

El desayuno se sirve de siete a diez y media y cuesta 14 euros por persona. Los perros pagan un suplemento de 10 euros por noche.
""",
    "garantie": """# Waschmaschine Perla

Die Garantie der Waschmaschine beträgt fünf Jahre. Das Flusensieb muss alle zwei Monate gereinigt werden.

Die Trommel fasst acht Kilogramm Wäsche.
""",
    "toshokan": """# 青葉図書館

青葉図書館は2005年に開館しました。蔵書は約12万冊です。館長は佐藤由美子さんです。毎週月曜日は休館日です。

本は一人10冊まで、3週間借りることができます。
""",
    "contratto": """# Contratto di fornitura

Il contratto di fornitura dura cinque anni e scade il 30 giugno 2028. Il prezzo viene rivisto ogni dodici mesi.

Il fornitore è la ditta Bellandi di Parma. Le fatture si pagano entro sessanta giorni.
""",
    "conseil": """# Réunion du conseil

La réunion du conseil aura lieu le 14 avril à Lyon. Elle sera présidée par Hélène Marchetti.

Le budget de l'année prochaine s'élève à 3,2 millions d'euros. Le compte rendu est envoyé dans les dix jours.
""",
}
COLLECTION = "projects/default/locations/global/collections/default_collection"
STORE = DataStore(parent=COLLECTION, id="default").name


@pytest.fixture(scope="module")
def answer(tmp_path_factory):
    """Return a function that answers a question over the English documents or over the others."""
    folder = tmp_path_factory.mktemp("languages")
    opened = {}

    def made(name, documents):
        files = folder / name
        files.mkdir()
        for title, text in documents.items():
            (files / f"{title}.md").write_text(text, encoding="utf-8")
        data = folder / f"data-{name}"
        flags = ["--data-dir", str(data), "--embedder", "multilingual", "--quiet"]
        assert main(["ingest", str(files), *flags]) == 0
        values = {"data_dir": data, "embedder": "multilingual", "parser_processes": 1}
        return build_services(load_settings(flags=values, environment={}))

    def ask(over, text):
        if over not in opened:
            opened[over] = made(over, ENGLISH if over == "english" else OTHERS)
        search = SearchQuery(scopes=(Scope(data_store=STORE),))
        question = Question(
            text=text, search=search, ignore_low_relevance=True, with_citations=True
        )
        return opened[over].answerer().answer(question)

    yield ask
    for services in opened.values():
        services.close()


@pytest.mark.parametrize(
    ("question", "said"),
    [
        ("¿Quién responde preguntas sobre gastos?", "Anna Keller"),
        ("Quanti giorni di ferie pagate hanno i dipendenti a tempo pieno?", "28 days"),
        ("コーヒーメーカーの水タンクの容量はどれくらいですか。", "1.8 litres"),
        ("Quand le pont Kestrel a-t-il été ouvert ?", "May 1998"),
        ("Ab welchem Tag braucht man ein ärztliches Attest?", "third day"),
    ],
    ids=("es", "it", "ja", "fr", "de"),
)
def test_a_question_over_english_documents_is_answered_by_their_sentence(answer, question, said):
    found = answer("english", question)
    assert said in found.text, (found.skipped, found.answerable)
    assert found.citations


@pytest.mark.parametrize(
    ("question", "said"),
    [
        ("How many rooms does the hotel have?", "84 habitaciones"),
        ("Who will chair the council meeting?", "Hélène Marchetti"),
    ],
    ids=("es", "fr"),
)
def test_an_english_question_over_other_documents_is_answered(answer, question, said):
    found = answer("others", question)
    assert said in found.text, (found.skipped, found.answerable)
    assert found.citations


@pytest.mark.parametrize(
    ("over", "question"),
    [
        ("english", "¿Cuál es la capital de Australia?"),
        ("english", "Wie hoch ist der Eiffelturm?"),
        ("others", "Who invented the telephone?"),
    ],
    ids=("es", "de", "en"),
)
def test_what_no_document_answers_is_declined(answer, over, question):
    found = answer(over, question)
    assert set(found.skipped) & {
        SkippedReason.OUT_OF_DOMAIN_QUERY_IGNORED,
        SkippedReason.NO_RELEVANT_CONTENT,
    }
