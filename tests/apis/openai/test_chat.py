"""Chat completions: what is read of the request, and what is written of the response."""

import json

import pytest

from toulmin.apis.openai.chat import SOURCES, read_chat
from toulmin.apis.openai.completion import chunks, completion
from toulmin.errors import InvalidArgument

PLACE = "projects/p/locations/global/collections/default_collection"
HELLO = [{"role": "user", "content": "Hello?"}]


def read(**fields):
    body = {"model": "store", "messages": HELLO} | fields
    return read_chat(json.dumps(body).encode(), project="p")


def candidate(text, *supports, chunks=()):
    return {
        "candidates": [
            {
                "content": {"role": "model", "parts": [{"text": text}]},
                "groundingMetadata": {
                    "supportChunks": list(chunks),
                    "groundingSupport": [
                        {"claimText": claim, "supportChunkIndices": places}
                        for claim, places in supports
                    ],
                },
            }
        ]
    }


CHUNK = {"title": "Käse", "uri": "file:///k.md", "sourceMetadata": {"page_identifier": "3"}}
NAMELESS = {"source": "projects/p/x/documents/bread/chunks/c1"}


def test_a_chat_is_a_conversation_over_a_data_store():
    chat = read(
        messages=[
            {"role": "system", "content": "Be brief."},
            {"role": "user", "content": "Who?"},
            {"role": "assistant", "content": f"Ann.{SOURCES}[1] People"},
            {"role": "assistant", "content": None},
            {"role": "user", "content": [{"type": "text", "text": "When?"}]},
        ],
        temperature=0.5,
        stream=True,
        max_tokens=5,
    )
    assert chat.stream
    assert chat.path == "projects/p/locations/global"
    assert chat.request == {
        "systemInstruction": {"parts": [{"text": "Be brief."}]},
        "contents": [
            {"role": "user", "parts": [{"text": "Who?"}]},
            {"role": "model", "parts": [{"text": "Ann."}]},
            {"role": "user", "parts": [{"text": "When?"}]},
        ],
        "generationSpec": {"temperature": 0.5},
        "groundingSpec": {
            "groundingSources": [
                {
                    "searchSource": {
                        "servingConfig": f"{PLACE}/dataStores/store/servingConfigs/default_search"
                    }
                }
            ]
        },
    }


def test_a_model_may_be_the_name_of_an_engine():
    name = "projects/q/locations/eu/collections/default_collection/engines/e"
    assert read(model=name).path == "projects/q/locations/eu"


def test_of_a_long_conversation_the_end_is_read():
    messages = [
        {"role": role, "content": f"{role} {turn}"}
        for turn in range(100)
        for role in ("user", "assistant")
    ]
    chat = read(messages=[*messages, *HELLO])
    assert len(chat.request["contents"]) == 40
    assert chat.request["contents"][-1]["parts"] == [{"text": "Hello?"}]


@pytest.mark.parametrize(
    ("fields", "named"),
    [
        ({"model": None}, "model"),
        ({"model": "a/b"}, "model"),
        ({"model": "../../x"}, "model"),
        ({"messages": []}, "messages"),
        ({"messages": "Hello?"}, "messages"),
        ({"messages": [{"role": "tool", "content": "x"}]}, "messages[0].role"),
        ({"messages": ["Hello?"]}, "messages[0].role"),
        ({"messages": [{"role": "assistant", "content": "x"}]}, "messages"),
        (
            {"messages": [{"role": "user", "content": [{"type": "image_url", "image_url": {}}]}]},
            "messages[0].content",
        ),
        ({"messages": [{"role": "user", "content": 5}]}, "messages[0].content"),
        ({"n": 2}, "n"),
        ({"tools": [{"type": "function"}]}, "tools"),
        ({"response_format": {"type": "json_object"}}, "response_format"),
        ({"stream": "yes"}, "stream"),
    ],
)
def test_what_cannot_be_answered_is_refused_by_its_field(fields, named):
    with pytest.raises(InvalidArgument) as refused:
        read(**fields)
    assert [violation.field for violation in refused.value.violations] == [named]


@pytest.mark.parametrize("body", [b"", b"[]", b"{", b"5"])
def test_what_is_no_object_is_refused(body):
    with pytest.raises(InvalidArgument):
        read_chat(body, project="p")


def test_the_sources_follow_the_text_and_annotations_say_where():
    said = "Käse ist alt. Brot ist frisch."
    response = candidate(
        said, ("Käse ist alt.", [0]), ("Brot ist frisch.", [1, 0]), chunks=[CHUNK, NAMELESS]
    )
    made = completion(response, id_="1", model="store")
    message = made["choices"][0]["message"]
    assert message["content"] == (
        f"{said}\n\nSources:\n"
        '[1] Käse, page 3, file:///k.md: "Käse ist alt. Brot ist frisch."\n'
        '[2] bread/chunks/c1: "Brot ist frisch."'
    )
    places = [item["url_citation"] for item in message["annotations"]]
    assert [said[one["start_index"] : one["end_index"]] for one in places] == [
        "Käse ist alt.",
        "Brot ist frisch.",
        "Brot ist frisch.",
    ]
    assert [one["url"] for one in places] == ["file:///k.md", "", "file:///k.md"]


def test_an_answer_that_was_declined_has_no_sources():
    message = completion(candidate("I do not know."), id_="1", model="s")["choices"][0]["message"]
    assert message == {"role": "assistant", "content": "I do not know."}


def test_a_stream_comes_to_the_same_text_and_annotations():
    claims = (("One.", [0]), ("Two.", [0]))
    whole = completion(candidate("One. Two.", *claims, chunks=[CHUNK]), id_="1", model="s")
    parts = list(
        chunks(
            [candidate("One."), candidate(" Two."), candidate("", *claims, chunks=[CHUNK])],
            id_="1",
            model="s",
        )
    )
    deltas = [part["choices"][0]["delta"] for part in parts]
    message = whole["choices"][0]["message"]
    assert "".join(delta.get("content", "") for delta in deltas) == message["content"]
    assert deltas[0] == {"role": "assistant", "content": ""}
    assert deltas[-2]["annotations"] == message["annotations"]
    assert [part["choices"][0]["finish_reason"] for part in parts[-2:]] == [None, "stop"]
