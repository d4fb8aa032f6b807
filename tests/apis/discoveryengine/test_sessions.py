"""Sessions: RPCs of both services, turns, history, and many turns at once."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor

import pytest
from google.api_core.exceptions import AlreadyExists, InvalidArgument, NotFound

from tests.apis.discoveryengine.answer_backend import as_json, ask, cited, violations
from tests.apis.discoveryengine.clients import new_id

pytestmark = pytest.mark.client

OPENED = "When was the Varn Tower opened?"


@pytest.fixture(params=["conversational_search", "session"])
def service(request, readers):
    return getattr(readers, request.param)


def make(service, parent, **fields):
    return service.create_session(parent=parent, session=fields)


def test_a_session_is_made_read_changed_and_deleted(service, readers, library):
    made = make(service, library.guides, display_name="First", user_pseudo_id="ann")
    assert made.name.startswith(f"{library.guides}/sessions/")
    assert made.state.name == "IN_PROGRESS"
    assert made.start_time == made.end_time
    assert service.get_session(name=made.name) == made
    changed = service.update_session(
        session={"name": made.name, "display_name": "Second", "user_pseudo_id": "ben"},
        update_mask={"paths": ["display_name"]},
    )
    assert (changed.display_name, changed.user_pseudo_id) == ("Second", "ann")
    assert changed.end_time > made.end_time
    assert changed.start_time == made.start_time
    whole = service.update_session(session={"name": made.name, "user_pseudo_id": "ben"})
    assert whole.user_pseudo_id == "ben"
    service.delete_session(name=made.name)
    with pytest.raises(NotFound):
        service.get_session(name=made.name)
    with pytest.raises(NotFound):
        service.delete_session(name=made.name)
    with pytest.raises(NotFound):
        service.update_session(session={"name": made.name, "display_name": "Third"})


def test_engines_have_sessions_too(reader, library):
    made = make(reader.session, library.engine, display_name="Mine")
    assert made.name.startswith(f"{library.engine}/sessions/")
    answer, response = ask(reader, library.engine, OPENED, session=made.name)
    assert response.session.name == made.name
    assert reader.session.get_session(name=made.name).turns[0].answer == answer["name"]


def test_a_version_keeps_what_it_has_no_field_for(library):
    beta, alpha = library.connect("v1beta", "grpc"), library.connect("v1alpha", "grpc")
    made = make(beta.session, library.guides, labels=["red", "blue"], is_pinned=True)
    alpha.session.update_session(
        session={"name": made.name, "display_name": "Alpha"},
        update_mask={"paths": ["display_name"]},
    )
    kept = beta.session.get_session(name=made.name)
    assert list(kept.labels) == ["red", "blue"]
    assert kept.is_pinned
    assert kept.display_name == "Alpha"


@pytest.fixture(scope="module")
def shelf(library):
    """A data store with five sessions of two users."""
    parent = library.clients.make_data_store(new_id("shelf")).name
    for number, (user, name) in enumerate(
        [("ann", "delta"), ("ben", "alpha"), ("ann", "charlie"), ("ann", "bravo"), ("ben", "echo")]
    ):
        library.clients.session.create_session(
            parent=parent,
            session={
                "display_name": name,
                "user_pseudo_id": user,
                "is_pinned": number == 2,
                "labels": ["old"] if number < 2 else [],
            },
        )
    return parent


LISTS = {
    "all": ({"order_by": "create_time"}, "delta alpha charlie bravo echo"),
    "latest first": ({"order_by": "update_time desc"}, "echo bravo charlie alpha delta"),
    "by name": ({"order_by": "display_name"}, "alpha bravo charlie delta echo"),
    "by two": ({"order_by": "is_pinned desc, display_name desc"}, "charlie echo delta bravo alpha"),
    "of a user": (
        {"filter": "user_pseudo_id = ann", "order_by": "display_name"},
        "bravo charlie delta",
    ),
    "quoted": ({"filter": 'user_pseudo_id = "ben"', "order_by": "display_name"}, "alpha echo"),
    "state": (
        {"filter": 'state = "IN_PROGRESS" AND user_pseudo_id = ben', "order_by": "display_name"},
        "alpha echo",
    ),
    "label": ({"filter": 'labels: ANY("old")', "order_by": "display_name"}, "alpha delta"),
    "none": ({"filter": "user_pseudo_id = nobody"}, ""),
    "starred": ({"filter": "starred = true", "order_by": "display_name"}, "charlie"),
    "pinned without label": (
        {"filter": "is_pinned=true AND (NOT labels:hidden)", "order_by": "display_name"},
        "charlie",
    ),
    "label, bare": ({"filter": "labels:old", "order_by": "display_name"}, "alpha delta"),
    "a comparison within a string": ({"filter": 'display_name = "a = b"'}, ""),
    "since": (
        {"filter": 'create_time > "1970-01-01T12:00:00Z"', "order_by": "display_name"},
        "alpha bravo charlie delta echo",
    ),
    "project": ({"filter": 'collaborative_project = "projects/p"'}, ""),
}


@pytest.mark.parametrize("case", LISTS)
def test_lists_are_filtered_and_ordered(reader, shelf, case):
    fields, names = LISTS[case]
    for size in (2, 50):
        found = reader.session.list_sessions({"parent": shelf, "page_size": size, **fields})
        assert [session.display_name for session in found] == names.split()


def test_lists_of_every_version_page(service, shelf):
    request = {"parent": shelf, "page_size": 2, "order_by": "create_time"}
    pages = [
        [session.display_name for session in page.sessions]
        for page in service.list_sessions(request).pages
    ]
    assert pages == [["delta", "alpha"], ["charlie", "bravo"], ["echo"]]


WRONG = {
    "order_by": ({"order_by": "colour"}, "order_by"),
    "filter": ({"filter": "user_pseudo_id = ("}, "filter"),
    "field of a filter": ({"filter": "colour = red"}, "filter"),
    "one unknown field": ({"filter": "is_pinned = true OR turns = 3"}, "filter"),
    "page_size": ({"page_size": -1}, "page_size"),
    "page_token": ({"page_token": "zzz"}, "page_token"),
}


@pytest.mark.parametrize("case", WRONG)
def test_wrong_lists_name_the_field(reader, shelf, case):
    fields, field = WRONG[case]
    with pytest.raises(InvalidArgument) as caught:
        list(reader.session.list_sessions({"parent": shelf, **fields}))
    assert violations(caught.value)[0][0] == field


def test_wrong_sessions(reader, library):
    service = reader.session
    with pytest.raises(NotFound):
        make(service, f"{library.guides}-none")
    with pytest.raises(InvalidArgument) as caught:
        make(service, library.guides, display_name="x" * 1001)
    assert violations(caught.value)[0][0] == "session.display_name"
    request = {"parent": library.guides, "session": {}, "session_id": new_id("s")}
    assert service.create_session(request).name.endswith(request["session_id"])
    with pytest.raises(AlreadyExists):
        service.create_session(request)


def test_a_new_session_is_named_by_its_first_question(readers, library):
    answer, response = ask(
        readers,
        library.guides,
        OPENED,
        session=f"{library.guides}/sessions/-",
        user_pseudo_id="ann",
    )
    session = response.session
    assert session.display_name == OPENED
    assert session.user_pseudo_id == "ann"
    (turn,) = session.turns
    assert turn.query.text == OPENED
    assert turn.query.query_id
    assert turn.answer == answer["name"]
    assert as_json(readers.session.get_session(name=session.name)) == as_json(session)


def test_a_follow_up_is_understood_in_its_conversation(readers, library):
    _, response = ask(readers, library.guides, OPENED, session=f"{library.guides}/sessions/-")
    name = response.session.name
    with_citations = {"answer_generation_spec": {"include_citations": True}}
    answer, response = ask(
        readers, library.guides, "How tall is it?", session=name, **with_citations
    )
    assert "214 metres" in answer["answerText"]
    assert cited(answer)
    steps = {step["description"]: step for step in answer["steps"]}
    assert "Varn Tower" in steps["Rephrase the query."]["thought"]
    searched = steps["Search for passages."]["actions"][0]["searchAction"]["query"]
    assert "Varn Tower" in searched
    assert [turn.query.text for turn in response.session.turns] == [OPENED, "How tall is it?"]
    plain = {"query_understanding_spec": {"query_rephraser_spec": {"disable": True}}}
    answer, _ = ask(readers, library.guides, "How tall is it?", session=name, **plain)
    assert "Rephrase the query." not in [step["description"] for step in answer["steps"]]


def test_a_question_is_asked_again_by_its_id(reader, library):
    _, response = ask(reader, library.guides, OPENED, session=f"{library.guides}/sessions/-")
    query_id = response.session.turns[0].query.query_id
    again = reader.conversational_search.answer_query(
        {
            "serving_config": f"{library.guides}/servingConfigs/default_search",
            "query": {"query_id": query_id},
            "session": response.session.name,
        }
    )
    assert again.answer.answer_text == response.answer.answer_text
    assert [turn.query.text for turn in again.session.turns] == [OPENED, OPENED]


def test_answers_come_with_their_turns_when_asked(readers, library):
    answer, response = ask(readers, library.guides, OPENED, session=f"{library.guides}/sessions/-")
    request = {"name": response.session.name}
    for service in (readers.session, readers.conversational_search):
        (turn,) = service.get_session(request).turns
        assert "detailedAnswer" not in as_json(turn)
        (turn,) = service.get_session({**request, "include_answer_details": True}).turns
        assert as_json(turn)["detailedAnswer"] == answer


def test_sixteen_turns_at_once_are_all_there(library):
    clients = library.connect("v1", "grpc")
    session = make(clients.session, library.guides).name
    # Other texts, but the same words: the networks answer all but one from memory.
    questions = [OPENED.replace(" ", " " * number, 1) for number in range(1, 17)]

    def turn(question):
        return ask(clients, library.guides, question, session=session)[0]["name"]

    with ThreadPoolExecutor(16) as pool:
        names = list(pool.map(turn, questions))
    turns = clients.session.get_session(name=session).turns
    assert sorted(turn.query.text for turn in turns) == sorted(questions)
    assert {turn.query.text: turn.answer for turn in turns} == dict(
        zip(questions, names, strict=True)
    )
    assert len(set(names)) == 16


def test_a_session_that_was_deleted_takes_its_answers_along(reader, library):
    answer, response = ask(reader, library.guides, OPENED, session=f"{library.guides}/sessions/-")
    reader.session.delete_session(name=response.session.name)
    with pytest.raises(NotFound):
        reader.conversational_search.get_answer(name=answer["name"])
    with pytest.raises(NotFound):
        ask(reader, library.guides, OPENED, session=response.session.name)


def test_an_answer_whose_maker_is_gone_has_failed(reader, library):
    answer, response = ask(reader, library.guides, OPENED, session=f"{library.guides}/sessions/-")
    id_, answer_id = _ids(answer["name"])
    body = {"name": answer["name"], "state": "IN_PROGRESS", "createTime": "2026-01-01T00:00:00Z"}
    with library.services.records().write() as transaction:
        transaction.sessions.put_answer(library.guides, id_, answer_id, body)
    found = reader.conversational_search.get_answer(name=answer["name"])
    assert found.state.name == "FAILED"
    request = {"name": response.session.name, "include_answer_details": True}
    (turn,) = reader.session.get_session(request).turns
    assert turn.detailed_answer.state.name == "FAILED"


def _ids(name):
    """Return the ids of session and answer in an answer's name."""
    *_, session, _, answer = name.split("/")
    return session, answer
