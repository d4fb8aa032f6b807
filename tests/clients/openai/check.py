"""OpenAI's own client against `/v1/chat/completions`: answers from a data store, with sources."""

from __future__ import annotations

import base64
import os
import urllib.request

from checks import expect, expect_equal, run_checks
from openai import BadRequestError, NotFoundError, OpenAI

SERVER = f"http://{os.environ['CLIENT_HTTP']}"
PLACE = "projects/default/locations/global/collections/default_collection"
STORES = f"{SERVER}/v1/{PLACE}/dataStores"
TEXT = "The Elbe Bridge opened on 4 May 1998. It is 312 metres long."
CLIENT = OpenAI(base_url=f"{SERVER}/v1", api_key="any", max_retries=0)
QUESTION = [{"role": "user", "content": "When did the Elbe Bridge open?"}]


def fill() -> None:
    """Make the data store `openai` with one document."""
    post(
        f"{STORES}?dataStoreId=openai",
        '{"displayName": "Bridges", "contentConfig": "CONTENT_REQUIRED"}',
    )
    raw = base64.b64encode(TEXT.encode()).decode()
    body = f'{{"content": {{"mimeType": "text/plain", "rawBytes": "{raw}"}}}}'
    post(f"{STORES}/openai/branches/0/documents?documentId=elbe", body)
    search = f"{STORES}/openai/servingConfigs/default_search:search"
    for _ in range(100):  # until it is searchable
        if '"results"' in post(search, '{"query": "Elbe Bridge"}'):
            return
    raise AssertionError("the document does not become searchable")


def post(url: str, body: str) -> str:
    request = urllib.request.Request(url, body.encode(), {"content-type": "application/json"})
    with urllib.request.urlopen(request, timeout=60) as reply:
        return str(reply.read().decode())


def a_question_is_answered_with_its_sources() -> None:
    answer = CLIENT.chat.completions.create(model="openai", messages=QUESTION, temperature=0)
    message = answer.choices[0].message
    expect("1998" in message.content, message.content)
    expect("\n\nSources:\n[1] " in message.content, message.content)
    expect_equal(answer.choices[0].finish_reason, "stop", "finish_reason")
    (citation,) = [item.url_citation for item in message.annotations]
    cited = message.content[citation.start_index : citation.end_index]
    expect("1998" in cited and "Sources" not in cited, cited)


def the_stream_comes_to_the_same() -> None:
    whole = CLIENT.chat.completions.create(model="openai", messages=QUESTION)
    stream = CLIENT.chat.completions.create(model="openai", messages=QUESTION, stream=True)
    parts = list(stream)
    text = "".join(part.choices[0].delta.content or "" for part in parts)
    expect_equal(text, whole.choices[0].message.content, "text of the stream")
    expect_equal(parts[-1].choices[0].finish_reason, "stop", "finish_reason")
    expect_equal(len({part.id for part in parts}), 1, "number of ids")


def a_follow_up_is_understood() -> None:
    first = CLIENT.chat.completions.create(model="openai", messages=QUESTION)
    messages = [
        {"role": "system", "content": "Be brief."},
        *QUESTION,
        {"role": "assistant", "content": first.choices[0].message.content},
        {"role": "user", "content": [{"type": "text", "text": "How long is it?"}]},
    ]
    answer = CLIENT.chat.completions.create(model="openai", messages=messages)
    expect("312" in answer.choices[0].message.content, answer.choices[0].message.content)


def what_the_documents_do_not_say_is_declined() -> None:
    question = [{"role": "user", "content": "Who painted the Mona Lisa?"}]
    message = CLIENT.chat.completions.create(model="openai", messages=question).choices[0].message
    expect("Sources" not in message.content and message.content, message.content)
    expect(not message.annotations, message.annotations)


def the_name_of_an_engine_or_data_store_is_a_model() -> None:
    name = f"{PLACE}/dataStores/openai"
    answer = CLIENT.chat.completions.create(model=name, messages=QUESTION)
    expect_equal(answer.model, name, "model")


def errors_are_those_of_the_client() -> None:
    for wrong, kind, word in (
        ({"model": "nothing"}, NotFoundError, "nothing"),
        ({"model": "no/id"}, BadRequestError, "model"),
        ({"n": 2}, BadRequestError, "n"),
        ({"messages": [{"role": "assistant", "content": "Hi"}]}, BadRequestError, "messages"),
    ):
        try:
            CLIENT.chat.completions.create(**{"model": "openai", "messages": QUESTION, **wrong})
        except kind as error:
            expect(word in error.message, error.message)
        else:
            expect(False, f"{wrong} was answered")


fill()
run_checks(
    "openai",
    {
        check.__name__.replace("_", " "): check
        for check in (
            a_question_is_answered_with_its_sources,
            the_stream_comes_to_the_same,
            a_follow_up_is_understood,
            what_the_documents_do_not_say_is_declined,
            the_name_of_an_engine_or_data_store_is_a_model,
            errors_are_those_of_the_client,
        )
    },
)
