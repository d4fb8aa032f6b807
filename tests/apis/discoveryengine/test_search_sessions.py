"""Searches of a session: their question gets an id, and an answer to it is made of what was found."""

from __future__ import annotations

import pytest
from google.api_core.exceptions import InvalidArgument, NotFound

from tests.apis.discoveryengine.answer_backend import as_json, skipped, violations

pytestmark = pytest.mark.client

OPENED = "When was the Varn Tower opened?"


def search(clients, name, query, session="-", **fields):
    """Return the pages of a search in a session; of a new one by default."""
    request = {
        "serving_config": f"{name}/servingConfigs/default_search",
        "query": query,
        "session": session if "/" in session else f"{name}/sessions/{session}",
        **fields,
    }
    return clients.search.search(request).pages


def found(clients, name, query, session="-", **fields):
    """Return what a first page says of its session, and the ids of its results."""
    page = next(iter(search(clients, name, query, session, **fields)))
    return page.session_info, [result.id for result in page.results]


def answer_to(clients, name, info, **fields):
    request = {
        "serving_config": f"{name}/servingConfigs/default_search",
        "query": {"query_id": info.query_id},
        "session": info.name,
        **fields,
    }
    response = clients.conversational_search.answer_query(request)
    return as_json(response)["answer"], response


def searched(answer):
    """Return the documents that the search step of an answer shows."""
    step = next(step for step in answer["steps"] if step["description"] == "Search for passages.")
    results = step["actions"][0]["observation"]["searchResults"]
    return [result["document"].rpartition("/")[2] for result in results]


def test_an_answer_to_the_question_of_a_search(readers, library):
    info, results = found(readers, library.guides, OPENED)
    assert results[0] == "tower"
    assert info.name.startswith(f"{library.guides}/sessions/")
    (turn,) = readers.session.get_session(name=info.name).turns
    assert (turn.query.text, turn.query.query_id, turn.answer) == (OPENED, info.query_id, "")
    answer, response = answer_to(readers, library.guides, info)
    assert "1932" in answer["answerText"]
    (turn,) = response.session.turns
    assert turn.answer == answer["name"]


def test_the_answer_rests_on_what_the_search_found(reader, library):
    kitchen = {"filter": 'kind: ANY("kitchen")'}
    info, results = found(reader, library.guides, OPENED, **kitchen)
    assert results == ["kettle"]
    answer, _ = answer_to(reader, library.guides, info)
    assert skipped(answer)
    assert set(searched(answer)) == {"kettle"}
    again = {"search_spec": {"search_params": {"max_return_results": 5}}}
    answer, _ = answer_to(reader, library.guides, info, **again)  # says itself where to search
    assert "1932" in answer["answerText"]


@pytest.mark.parametrize("mode", ["DOCUMENTS", "CHUNKS"])
def test_as_many_results_are_kept_as_wanted(reader, library, mode):
    spec = {
        "session_spec": {"search_result_persistence_count": 1},
        "content_search_spec": {"search_result_mode": mode},
    }
    info, _ = found(reader, library.guides, OPENED, **spec)
    answer, _ = answer_to(reader, library.guides, info)
    assert set(searched(answer)) == {"tower"}
    assert ("chunkInfo" in answer["references"][0]) == (mode == "CHUNKS")


def test_a_search_is_understood_in_its_conversation(readers, library):
    info, _ = found(readers, library.guides, OPENED)
    second, results = found(readers, library.guides, "How tall is it?", info.name)
    assert results[0] == "tower"
    assert second.name == info.name
    answer, response = answer_to(readers, library.guides, second)
    assert "214" in answer["answerText"]
    assert [turn.query.text for turn in response.session.turns] == [OPENED, "How tall is it?"]


def test_a_search_for_a_question_that_is_there(reader, library):
    info, _ = found(reader, library.guides, OPENED)
    spec = {"session_spec": {"query_id": info.query_id}, "filter": 'kind: ANY("kitchen")'}
    same, results = found(reader, library.guides, OPENED, info.name, **spec)
    assert (same, results) == (info, ["kettle"])
    assert len(reader.session.get_session(name=info.name).turns) == 1
    answer, _ = answer_to(reader, library.guides, info)
    assert set(searched(answer)) == {"kettle"}


def test_the_pages_of_a_search_are_one_question(reader, library):
    made = reader.session.create_session(parent=library.guides, session={}).name
    pages = list(search(reader, library.guides, OPENED, made, page_size=2))
    assert len(pages) > 1
    assert len({page.session_info.query_id for page in pages}) == 1
    assert len(reader.session.get_session(name=made).turns) == 1
    before = len(list(reader.session.list_sessions(parent=library.guides)))
    assert len(list(search(reader, library.guides, OPENED, page_size=2))) == len(pages)
    assert len(list(reader.session.list_sessions(parent=library.guides))) == before + 1


def test_what_was_kept_outlives_an_update_and_a_lost_document(library):
    clients = library.connect("v1beta", "rest")
    store = clients.make_data_store("lent", content_config="CONTENT_REQUIRED").name
    texts = {"one": "The Orr Bridge was built in 1871.", "two": "The Orr Bridge is 90 metres long."}
    content = {
        id_: {"mime_type": "text/plain", "raw_bytes": text.encode()} for id_, text in texts.items()
    }
    library.add(store, [{"id": id_, "content": given} for id_, given in content.items()])
    info, _ = found(clients, store, "How long is the Orr Bridge?")
    session = clients.session.get_session(name=info.name)
    session.display_name = "Bridges"
    clients.session.update_session(session=session)
    clients.document.delete_document(name=f"{store}/branches/0/documents/one")
    answer, _ = answer_to(clients, store, info)
    assert "90 metres" in answer["answerText"]
    assert searched(answer) == ["two"]


WRONG = {
    "session_spec": ({"session": "", "session_spec": {"query_id": "q"}}, "session_spec"),
    "query": ({"session_spec": {"query_id": "nobody"}}, "session_spec.query_id"),
    "eleven documents": (
        {"session_spec": {"search_result_persistence_count": 11}},
        "session_spec.search_result_persistence_count",
    ),
    "another store": ({"session": "records"}, "session"),
}


@pytest.mark.parametrize("case", WRONG)
def test_what_is_refused(reader, library, case):
    fields, field = WRONG[case]
    fields = {"session": f"{library.guides}/sessions/-", **fields}
    if fields["session"] == "records":
        fields["session"] = f"{library.records}/sessions/-"
    with pytest.raises(InvalidArgument) as caught:
        reader.search.search(
            {
                "serving_config": f"{library.guides}/servingConfigs/default_search",
                "query": OPENED,
                **fields,
            }
        )
    assert violations(caught.value)[0][0] == field


def test_a_session_that_is_not_there(reader, library):
    with pytest.raises(NotFound):
        found(reader, library.guides, OPENED, "none")
