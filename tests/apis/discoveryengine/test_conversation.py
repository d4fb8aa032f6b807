"""Conversations, the older form of sessions: turns in their context, and their RPCs."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor

import pytest
from google.api_core import exceptions
from google.protobuf import field_mask_pb2

from tests.apis.discoveryengine.answer_backend import FALLBACK, AnswerBackend, as_json
from tests.apis.discoveryengine.clients import APIS, COLLECTION
from tests.apis.discoveryengine.refusals import violation_of
from tests.apis.discoveryengine.search_backend import tent
from tests.patience import PATIENCE_S

pytestmark = [pytest.mark.model, pytest.mark.client]

WHEN = "When was the Varn Tower opened?"
SUMMARY = {"summary_result_count": 3, "include_citations": True}


@pytest.fixture(scope="module")
def backend(tmp_path_factory):
    made = AnswerBackend(tmp_path_factory.mktemp("conversations"))
    yield made
    made.close()


@pytest.fixture(scope="module", params=["rest", "grpc"])
def transport(request):
    return request.param


@pytest.fixture(scope="module", params=list(APIS))
def clients(request, transport, backend):
    return backend.connect(request.param, transport)


@pytest.fixture
def service(backend):
    """One version over one transport, for what does not depend on either."""
    return backend.clients.conversational_search


@pytest.fixture
def parent(backend):
    """A data store that no other test has."""
    return backend.clients.make_data_store(content_config="NO_CONTENT").name


def request_of(name, question, **fields):
    conversation = name if "/conversations/" in name else f"{name}/conversations/-"
    return {"name": conversation, "query": {"input": question}, **fields}


def converse(service, name, question, **fields):
    """Ask in a conversation; a data store or engine means a new one."""
    return service.converse_conversation(request_of(name, question, **fields))


def ids(response):
    return [result.id for result in response.search_results]


def inputs(conversation):
    return [item.user_input.input for item in conversation.messages if "user_input" in item]


def test_a_new_conversation(clients, backend):
    service = clients.conversational_search
    response = converse(
        service,
        backend.guides,
        WHEN,
        summary_spec=SUMMARY,
        conversation={"user_pseudo_id": "u1", "name": "ignored"},
    )
    assert ids(response)[0] == "tower"
    derived = as_json(response)["searchResults"][0]["document"]["derivedStructData"]
    assert "1932" in derived["extractive_answers"][0]["content"]
    assert derived["snippets"][0]["snippet_status"] == "SUCCESS"
    assert "1932 [1]." in response.reply.summary.summary_text
    made = response.conversation
    assert made.name.startswith(f"{backend.guides}/conversations/")
    assert not made.name.endswith("/-")
    assert made.user_pseudo_id == "u1"
    assert made.state.name == "IN_PROGRESS"
    question, reply = made.messages
    assert question.user_input.input == WHEN
    assert reply.reply.summary == response.reply.summary
    assert question.create_time == reply.create_time == made.start_time
    assert service.get_conversation(name=made.name) == made


def test_what_googles_sample_of_several_turns_reads(clients, backend):
    """Its multi_turn_search_sample.py takes link, snippet, page and answer of every result."""
    store = backend.clients.make_data_store(content_config="CONTENT_REQUIRED").name
    content = {"mime_type": "application/pdf", "raw_bytes": tent()}
    link = "https://shop.example/tent.pdf"
    backend.add(store, [{"id": "tent", "struct_data": {"link": link}, "content": content}])
    service = clients.conversational_search
    made = service.create_conversation(parent=store, conversation={})
    response = converse(
        service,
        made.name,
        "What does mould do to the canvas?",
        serving_config=f"{store}/servingConfigs/default_config",
        safe_search=True,
        summary_spec=SUMMARY,
    )
    assert response.reply.summary.summary_text
    (result,) = response.search_results
    derived = result.document.derived_struct_data
    assert derived["link"] == link
    assert "canvas" in derived["snippets"][0]["snippet"]
    assert derived["extractive_answers"][0]["pageNumber"] == "3"
    assert "canvas" in derived["extractive_answers"][0]["content"]


def test_a_follow_up_is_understood(clients, backend):
    service = clients.conversational_search
    first = converse(service, backend.engine, WHEN, summary_spec=SUMMARY)
    name = first.conversation.name
    second = converse(service, name, "How tall is it?", summary_spec=SUMMARY)
    assert ids(second)[0] == "tower"
    assert "214 metres" in second.reply.summary.summary_text
    assert second.conversation.name == name
    assert inputs(second.conversation) == [WHEN, "How tall is it?"]
    assert len(second.conversation.messages) == 4
    assert second.conversation.end_time > second.conversation.start_time
    # The words are kept as they were asked, not as they were understood.
    assert inputs(service.get_conversation(name=name)) == [WHEN, "How tall is it?"]


def test_earlier_messages_may_come_with_the_first_request(service, backend):
    conversation = {
        "messages": [
            {"user_input": {"input": WHEN}},
            {"reply": {"summary": {"summary_text": "The Varn Tower was opened in 1932."}}},
        ]
    }
    response = converse(
        service,
        backend.guides,
        "How tall is it?",
        summary_spec=SUMMARY,
        conversation=conversation,
    )
    assert "214 metres" in response.reply.summary.summary_text
    assert len(response.conversation.messages) == 4


def test_no_summary_unless_asked_for(service, backend):
    response = converse(service, backend.guides, WHEN)
    assert ids(response)[0] == "tower"
    assert not response.reply.summary.summary_text
    assert len(response.conversation.messages) == 2


def test_filter_and_summary_spec(service, backend):
    response = converse(
        service,
        backend.guides,
        WHEN,
        filter='kind: ANY("kitchen")',
        summary_spec={**SUMMARY, "language_code": "es", "ignore_low_relevant_content": True},
    )
    assert ids(response) == ["kettle"]
    assert response.reply.summary.summary_text.startswith("No se pudo")
    assert response.reply.summary.summary_skipped_reasons


def test_a_boost_changes_the_order(service, backend):
    kinds = {"kettle": "kitchen", "pump": "outdoor"}
    question = "What is there about litres of water?"
    first, second = ids(converse(service, backend.guides, question))[:2]
    assert {first, second} == set(kinds)
    boost = {"condition": f'kind: ANY("{kinds[second]}")', "boost": 1.0}
    response = converse(
        service, backend.guides, question, boost_spec={"condition_boost_specs": [boost]}
    )
    assert ids(response)[:2] == [second, first]


def test_a_skipped_summary_says_nothing_to_the_next_turn(service, backend):
    first = converse(
        service, backend.guides, WHEN, summary_spec=SUMMARY, filter='kind: ANY("none")'
    )
    assert first.reply.summary.summary_text == FALLBACK
    second = converse(service, first.conversation.name, "How tall is it?", summary_spec=SUMMARY)
    assert "214 metres" in second.reply.summary.summary_text


def test_images_come_but_are_not_kept(service, backend):
    response = converse(
        service,
        backend.guides,
        "How much water does the garden pump lift?",
        summary_spec={
            **SUMMARY,
            "multimodal_spec": {"image_source": "CORPUS_IMAGE_ONLY"},
        },
    )
    shown = response.reply.summary.summary_with_metadata
    assert len(shown.blob_attachments) == 1
    kept = response.conversation.messages[1].reply.summary.summary_with_metadata
    assert kept.summary == shown.summary
    assert not kept.blob_attachments


def test_the_serving_config(service, backend):
    for config in ("default_config", "default_search", "default_serving_config"):
        name = f"{backend.engine}/servingConfigs/{config}"
        response = converse(service, backend.engine, WHEN, serving_config=name)
        assert ids(response)[0] == "tower"
    short = backend.guides.replace("/collections/default_collection", "")
    response = converse(
        service, short, WHEN, serving_config=f"{short}/servingConfigs/default_config"
    )
    assert response.conversation.name.startswith(f"{backend.guides}/conversations/")


def test_controls_of_the_serving_config_count(service, backend):
    store = backend.clients.make_data_store(content_config="NO_CONTENT").name
    backend.add(
        store,
        [
            {"id": "mast", "struct_data": {"title": "Mast", "body": "The mast is of oak."}},
            {"id": "sail", "struct_data": {"title": "Sail", "body": "The sail is of linen."}},
        ],
    )
    control = backend.clients.make_control(
        store,
        use_cases=["SEARCH_USE_CASE_SEARCH"],
        filter_action={"filter": 'title: ANY("Sail")', "data_store": store},
    )
    config = {
        "name": f"{store}/servingConfigs/default_search",
        "filter_control_ids": [control.name.rpartition("/")[2]],
    }
    backend.clients.serving_config.update_serving_config(
        serving_config=config, update_mask=field_mask_pb2.FieldMask(paths=["filter_control_ids"])
    )
    assert ids(converse(service, store, "What is the mast made of?")) == ["sail"]


def test_turns_at_the_same_time_lose_nothing(service, backend):
    name = converse(service, backend.records, "Can goods be returned?").conversation.name
    questions = [f"Can item {number} be returned?" for number in range(8)]
    with ThreadPoolExecutor(8) as pool:
        list(pool.map(lambda question: converse(service, name, question), questions))
    kept = service.get_conversation(name=name)
    assert sorted(inputs(kept)[1:]) == questions
    # Every question has its reply behind it.
    assert ["user_input" in item for item in kept.messages] == [True, False] * 9


def test_what_goes_wrong_leaves_the_conversation_alone(service, backend):
    name = converse(service, backend.guides, WHEN).conversation.name
    before = service.get_conversation(name=name)
    for fields in ({"filter": "kind ANY"}, {"summary_spec": {"summary_result_count": 99}}):
        with pytest.raises(exceptions.InvalidArgument):
            converse(service, name, "How tall is it?", **fields)
    assert service.get_conversation(name=name) == before


def test_create_get_list_update_delete(clients, backend):
    service = clients.conversational_search
    parent = backend.clients.make_data_store(content_config="NO_CONTENT").name
    made = [
        service.create_conversation(
            parent=parent.replace("/collections/default_collection", ""),
            conversation={
                "user_pseudo_id": f"u{number}",
                "messages": [{"user_input": {"input": "Hello?"}}],
            },
        )
        for number in range(3)
    ]
    assert all(item.name.startswith(f"{parent}/conversations/") for item in made)
    assert inputs(made[0]) == ["Hello?"]
    assert service.get_conversation(name=made[1].name) == made[1]
    pager = service.list_conversations(request={"parent": parent, "page_size": 2})
    pages = [list(page.conversations) for page in pager.pages]
    assert pages == [made[:2], made[2:]]

    changed = {"name": made[0].name, "user_pseudo_id": "other", "state": "COMPLETED"}
    mask = field_mask_pb2.FieldMask(paths=["user_pseudo_id"])
    updated = service.update_conversation(conversation=changed, update_mask=mask)
    assert (updated.user_pseudo_id, updated.state.name) == ("other", "IN_PROGRESS")
    assert inputs(updated) == ["Hello?"]
    updated = service.update_conversation(conversation=changed)
    assert updated.state.name == "COMPLETED"
    assert updated.start_time == made[0].start_time
    assert service.get_conversation(name=made[0].name) == updated

    service.delete_conversation(name=made[0].name)
    for call in (
        lambda: service.get_conversation(name=made[0].name),
        lambda: service.delete_conversation(name=made[0].name),
        lambda: converse(service, made[0].name, "Hello?"),
    ):
        with pytest.raises(exceptions.NotFound, match=made[0].name):
            call()
    assert list(service.list_conversations(parent=parent)) == made[1:]


def test_conversations_go_with_their_data_store(service, backend, parent):
    name = service.create_conversation(parent=parent, conversation={}).name
    backend.clients.data_store.delete_data_store(name=parent).result(timeout=PATIENCE_S)
    with pytest.raises(exceptions.NotFound):
        service.get_conversation(name=name)


LONG = [{"user_input": {"input": "x"}}] * 2_001
BAD = [
    ({"query": {"input": " "}}, "query.input"),
    ({"query": {"input": "x" * 10_001}}, "query.input"),
    ({"name": "conversations/-"}, "name"),
    ({"filter": "kind ANY"}, "filter"),
    ({"user_labels": {"Team": "a"}}, "user_labels"),
    ({"summary_spec": {"summary_result_count": 11}}, "summary_spec.summary_result_count"),
    (
        {"boost_spec": {"condition_boost_specs": [{"condition": 'a: ANY("b")', "boost": 3.0}]}},
        "boost_spec.condition_boost_specs[0].boost",
    ),
    ({"serving_config": "servingConfigs/x"}, "serving_config"),
    (
        {"serving_config": f"{COLLECTION}/dataStores/records/servingConfigs/default_search"},
        "serving_config",
    ),
    ({"conversation": {"user_pseudo_id": "x" * 129}}, "conversation.user_pseudo_id"),
    ({"conversation": {"messages": LONG}}, "conversation.messages"),
    ({"conversation": {"messages": [{}]}}, "conversation.messages[0]"),
]


@pytest.mark.parametrize(("fields", "field"), BAD)
def test_a_bad_request_names_its_field(service, backend, fields, field):
    request = request_of(backend.guides, WHEN) | fields
    assert violation_of(lambda: service.converse_conversation(request))[0] == field


def test_a_bad_resource_names_its_field(service, parent):
    made = service.create_conversation(parent=parent, conversation={})
    mask = field_mask_pb2.FieldMask(paths=["words"])
    for call, field in (
        (
            lambda: service.create_conversation(
                parent=parent, conversation={"user_pseudo_id": "x" * 129}
            ),
            "conversation.user_pseudo_id",
        ),
        (lambda: service.list_conversations({"parent": parent, "page_size": -1}), "page_size"),
        (lambda: service.list_conversations({"parent": parent, "page_token": "x"}), "page_token"),
        (lambda: service.get_conversation(name="conversations/1"), "name"),
        (
            lambda: service.update_conversation(conversation={"name": made.name}, update_mask=mask),
            "update_mask",
        ),
    ):
        assert violation_of(call)[0] == field


def test_what_is_not_there_is_not_found(service, backend):
    none = f"{COLLECTION}/dataStores/none"
    for call in (
        lambda: service.create_conversation(parent=none, conversation={}),
        lambda: service.list_conversations(parent=none),
        lambda: converse(service, none, WHEN),
        lambda: converse(service, f"{backend.guides}/conversations/none", WHEN),
        lambda: converse(
            service,
            backend.guides,
            WHEN,
            serving_config=f"{backend.guides}/servingConfigs/mine",
        ),
    ):
        with pytest.raises(exceptions.NotFound):
            call()


def test_what_is_not_built_is_said(service, parent):
    for fields in ({"filter": 'user_pseudo_id = "u"'}, {"order_by": "update_time desc"}):
        with pytest.raises(exceptions.MethodNotImplemented, match="sessions have both"):
            service.list_conversations({"parent": parent, **fields})


def test_a_conversation_has_an_end(service, backend, monkeypatch):
    monkeypatch.setattr("toulmin.apis.discoveryengine.conversation.MOST_MESSAGES", 3)
    name = converse(service, backend.records, "Can goods be returned?").conversation.name
    with pytest.raises(exceptions.FailedPrecondition, match="2 messages"):
        converse(service, name, "And books?")
