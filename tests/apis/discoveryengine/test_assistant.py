"""StreamAssist through the official clients: parts of an answer, its grounding, its session."""

from __future__ import annotations

import http.client
import json

import pytest
from google.api_core.exceptions import GoogleAPICallError

from tests.apis.discoveryengine.answer_backend import as_json
from tests.patience import PATIENCE_S
from toulmin.errors import Unavailable

pytestmark = [pytest.mark.client, pytest.mark.model]

QUESTION = "When was the Varn Tower opened?"


@pytest.fixture(scope="module", params=["v1-rest", "v1-grpc", "v1beta-rest", "v1beta-grpc"])
def talkers(request, library):
    """The clients that have the service; v1alpha's has it not."""
    return library.connect(*request.param.split("-"))


@pytest.fixture(scope="module", params=["rest", "grpc"])
def beta(request, library):
    """The version whose client has assistants besides what they say."""
    return library.connect("v1beta", request.param)


def assistant(library, id_="default_assistant"):
    return f"{library.engine}/assistants/{id_}"


def assist(clients, library, question=QUESTION, **fields):
    """Return all parts of the answer, as JSON."""
    request = {"name": assistant(library), "query": {"text": question}, **fields}
    return [as_json(item) for item in clients.assistant.stream_assist(request)]


def replies(parts):
    return [reply for part in parts for reply in part["answer"].get("replies", [])]


def said(parts):
    return "".join(reply["groundedContent"]["content"]["text"] for reply in replies(parts))


def test_an_answer_comes_in_parts_with_what_each_rests_on(talkers, library):
    parts = assist(talkers, library)
    *before, last = parts
    assert all(part["answer"]["state"] == "IN_PROGRESS" for part in before)
    assert all("name" not in part["answer"] for part in before)
    assert last["answer"]["state"] == "SUCCEEDED"
    session = last["sessionInfo"]["session"]
    assert session.startswith(f"{library.engine}/sessions/")
    assert last["answer"]["name"].startswith(f"{session}/assistAnswers/")
    assert len({part["assistToken"] for part in parts}) == 1
    assert "1932" in said(parts)
    grounding = [
        reply["groundedContent"]["textGroundingMetadata"]
        for reply in replies(parts)
        if "textGroundingMetadata" in reply["groundedContent"]
    ]
    segment, reference = grounding[0]["segments"][0], grounding[0]["references"][0]
    assert segment["referenceIndices"] == [0]
    assert segment["groundingScore"] > 0.5
    assert "1932" in reference["content"]
    assert reference["documentMetadata"]["document"].endswith("/documents/tower")


def test_v1alpha_answers_as_published(reader, library):
    """Google publishes it; the client of that version does not have it."""
    body = json.dumps({"query": {"text": QUESTION}, "session": f"{library.engine}/sessions/-"})
    connection = http.client.HTTPConnection("127.0.0.1", library.server.port, timeout=PATIENCE_S)
    connection.request("POST", f"/v1alpha/{assistant(library)}:streamAssist", body)
    parts = json.loads(connection.getresponse().read())
    connection.close()
    assert "1932" in said(parts)
    assert parts[-1]["answer"]["state"] == "SUCCEEDED"
    name = parts[-1]["sessionInfo"]["session"]
    kept = reader.session.get_session({"name": name, "include_answer_details": True})
    reply = kept.turns[0].detailed_assist_answer.replies[0]
    assert "1932" in reply.grounded_content.content.text


def test_segments_are_bytes_of_the_text_of_their_own_reply(reader, library):
    parts = assist(reader, library, "Who founded the café Zür Linde?")
    found = 0
    for reply in replies(parts):
        content = reply["groundedContent"]
        text = content["content"]["text"].encode()
        for segment in content.get("textGroundingMetadata", {}).get("segments", []):
            cut = text[int(segment.get("startIndex", 0)) : int(segment["endIndex"])].decode()
            assert cut == segment["text"]
            found += 1
    assert found
    assert not said(parts).isascii()


def test_a_session_goes_on_and_is_kept(reader, library):
    session = assist(reader, library)[-1]["sessionInfo"]["session"]
    again = assist(reader, library, "How tall is it?", session=session)
    assert "214" in said(again)
    assert again[-1]["sessionInfo"]["session"] == session
    kept = reader.session.get_session({"name": session, "include_answer_details": True})
    assert [turn.query.text for turn in kept.turns] == [QUESTION, "How tall is it?"]
    details = kept.turns[1].detailed_assist_answer
    assert details.name == again[-1]["answer"]["name"]
    text = "".join(reply.grounded_content.content.text for reply in details.replies)
    assert text == said(again)
    assert not kept.turns[1].answer
    reader.session.update_session(
        {"session": {"name": session, "display_name": "Towers", "turns": kept.turns}}
    )
    kept = reader.session.get_session({"name": session, "include_answer_details": True})
    assert kept.turns[1].detailed_assist_answer.name == details.name


def test_data_stores_and_filters_narrow_what_is_searched(reader, library):
    spec = {"data_store_specs": [{"data_store": library.records}]}
    parts = assist(
        reader,
        library,
        "Within how many days can goods be returned?",
        tools_spec={"vertex_ai_search_spec": spec},
    )
    assert "thirty" in said(parts)
    parts = assist(
        reader,
        library,
        tools_spec={"vertex_ai_search_spec": {"filter": 'kind: ANY("kitchen")'}},
    )
    assert parts[-1]["answer"]["state"] == "SKIPPED"
    assert said(parts).startswith("A summary could not be generated")
    assert "1932" not in said(parts)


def test_chatting_is_skipped_by_name(reader, library):
    answer = assist(reader, library, "hello")[-1]["answer"]
    assert answer["state"] == "SKIPPED"
    assert answer["assistSkippedReasons"] == ["NON_ASSIST_SEEKING_QUERY_IGNORED"]


def test_every_engine_has_one_assistant(beta, library):
    found = beta.assistant.get_assistant(name=assistant(library))
    assert found.name == assistant(library)
    assert found.web_grounding_type.name == "WEB_GROUNDING_TYPE_DISABLED"
    listed = list(beta.assistant.list_assistants(parent=library.engine))
    assert [item.name for item in listed] == [assistant(library)]


def test_a_failure_halfway_is_a_state_and_an_error(reader, library, monkeypatch):
    """Nothing of it is kept."""
    answerer = library.services.answerer()
    whole = answerer.stream

    def broken(*arguments, **keywords):
        for answer in whole(*arguments, **keywords):
            yield answer
            if answer.text:
                raise Unavailable("it is gone")

    session = reader.session.create_session(parent=library.engine, session={}).name
    monkeypatch.setattr(type(answerer), "stream", lambda self, *a, **k: broken(*a, **k))
    seen = []
    request = {
        "name": assistant(library), "query": {"text": QUESTION}, "session": session,
    }  # fmt: skip
    with pytest.raises(GoogleAPICallError) as caught:
        _collect(reader, request, seen)
    assert caught.value.code == 503
    assert seen[-1]["answer"]["state"] == "FAILED"
    assert not reader.session.get_session(name=session).turns


def _collect(reader, request, seen):
    """Put each item into `seen` as it comes: what was there before an error is looked at."""
    for item in reader.assistant.stream_assist(request):
        seen.append(as_json(item))


BAD = [
    ({"query": {"text": " "}}, 400, "query.text: "),
    ({"query": {"text": "x" * 10_001}}, 400, "10,001 characters"),
    ({"user_metadata": {"preferred_language_code": "?"}}, 400, "preferred_language_code: "),
    ({"tools_spec": {"vertex_ai_search_spec": {"filter": "("}}}, 400, "tools_spec.vertex_ai_sea"),
    ({"agents_spec": {}}, 501, "agents_spec"),
    ({"generation_spec": {"model_id": "gemini"}}, 501, "generation_spec.model_id"),
    ({"tools_spec": {"web_grounding_spec": {}}}, 501, "tools_spec.web_grounding_spec"),
    ({"tools_spec": {"image_generation_spec": {}}}, 501, "tools_spec.image_generation_spec"),
    ({"tools_spec": {"video_generation_spec": {}}}, 501, "tools_spec.video_generation_spec"),
]


@pytest.mark.parametrize(("fields", "code", "words"), BAD)
def test_what_an_assistant_cannot_do_is_refused(reader, library, fields, code, words):
    request = {"name": assistant(library), "query": {"text": QUESTION}, **fields}
    with pytest.raises(GoogleAPICallError) as caught:
        list(reader.assistant.stream_assist(request))
    assert caught.value.code == code
    assert words in caught.value.message


def test_other_assistants_sessions_and_stores_are_not_there(reader, library):
    store = f"{library.guides}x"
    for fields, code in (
        ({"name": assistant(library, "mine")}, 404),
        ({"name": assistant(library).replace("engines/all", "engines/none")}, 404),
        ({"name": library.engine}, 400),
        ({"session": f"{library.engine}/sessions/none"}, 404),
        ({"session": f"{library.guides}/sessions/-"}, 400),
        (
            {
                "tools_spec": {
                    "vertex_ai_search_spec": {"data_store_specs": [{"data_store": store}]}
                }
            },
            400,
        ),
    ):
        request = {"name": assistant(library), "query": {"text": QUESTION}, **fields}
        with pytest.raises(GoogleAPICallError) as caught:
            list(reader.assistant.stream_assist(request))
        assert caught.value.code == code
