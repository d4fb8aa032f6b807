"""Masks of responses: what they keep, and which are refused."""

from __future__ import annotations

import pytest

from toulmin.apis.aip.json_dump import to_json_value
from toulmin.apis.aip.operations import fill_from_json
from toulmin.apis.aip.response_mask import ResponseMask, response_mask
from toulmin.errors import InvalidArgument

ANSWER = {
    "answer": {
        "name": "n",
        "answerText": "Yes.",
        "citations": [{"endIndex": "4", "sources": [{"referenceId": "0"}]}],
        "references": [
            {
                "chunkInfo": {
                    "content": "c",
                    "documentMetadata": {"title": "t", "structData": {"a": 1, "b": {"c": [2]}}},
                }
            },
            {"structuredDocumentInfo": {"title": "s"}},
        ],
    },
    "session": {"name": "x", "turns": [{"query": {"text": "q"}}]},
}


def kept(message_class, text, body, type_name="discoveryengine.v1beta.AnswerQueryResponse"):
    message = message_class(type_name)()
    fill_from_json(message, body)
    ResponseMask(text, message.DESCRIPTOR, field="fields").apply(message)
    return to_json_value(message, enums_as_ints=False)


KEPT = {
    "*": ANSWER,
    "answer": {"answer": ANSWER["answer"]},
    "answer.answerText": {"answer": {"answerText": "Yes."}},
    "answer/answer_text, session/name": {
        "answer": {"answerText": "Yes."},
        "session": {"name": "x"},
    },
    "answer(name,citations/sources)": {
        "answer": {"name": "n", "citations": [{"sources": [{"referenceId": "0"}]}]}
    },
    "*.name": {"answer": {"name": "n"}, "session": {"name": "x"}},
    "session.turns.query,answer(name)": {
        "answer": {"name": "n"},
        "session": {"turns": [{"query": {"text": "q"}}]},
    },
    "session.name,session": {"session": ANSWER["session"]},
    "session,session.name": {"session": ANSWER["session"]},
    "answer.references.chunkInfo.documentMetadata.structData.b": {
        "answer": {
            "references": [
                {"chunkInfo": {"documentMetadata": {"structData": {"b": {"c": [2]}}}}},
                {},
            ]
        }
    },
    "answerQueryToken": {},
}


@pytest.mark.parametrize("text", KEPT)
def test_only_what_is_named_is_kept(message_class, text):
    assert kept(message_class, text, ANSWER) == KEPT[text]


def test_below_any_and_maps(message_class):
    operation = {
        "name": "o",
        "done": True,
        "response": {
            "@type": "type.googleapis.com/google.cloud.discoveryengine.v1.PurgeDocumentsResponse",
            "purgeCount": "2",
            "purgeSample": ["a"],
        },
    }
    found = kept(message_class, "done,response.purgeCount", operation, "longrunning.Operation")
    assert found["done"] is True
    assert "name" not in found
    assert found["response"]["purgeCount"] == "2"
    assert "purgeSample" not in found["response"]
    engine = {"features": {"a": "FEATURE_STATE_ON", "b": "FEATURE_STATE_OFF"}}
    found = kept(message_class, "features.a", engine, "discoveryengine.v1beta.Engine")
    assert found == {"features": {"a": "FEATURE_STATE_ON"}}


WRONG = {
    "colour": '"colour" is no field of AnswerQueryResponse',
    "answer.colour": '"colour" is no field of Answer',
    "answer.answerText.x": '"answer_text" of Answer',
    "answer(name": "not closed",
    "answer)": 'found ")"',
    "answer,": "expected a field",
    "answer..name": "expected a field",
    "answer;name": "';' cannot stand",
    "a" * 10_001: "10,001 characters",
    "answer" + "." + ".".join("*" * 60): "deeper than 50",
}


@pytest.mark.parametrize("text", WRONG, ids=lambda text: text[:20])
def test_what_is_no_mask_is_refused(message_class, text):
    descriptor = message_class("discoveryengine.v1beta.AnswerQueryResponse").DESCRIPTOR
    with pytest.raises(InvalidArgument) as caught:
        response_mask(query=text, headers={}, descriptor=descriptor)
    (violation,) = caught.value.violations
    assert violation.field == "fields"
    assert WRONG[text].replace("answer_text", "answerText") in violation.description


def test_the_parameter_comes_before_the_header(message_class):
    descriptor = message_class("discoveryengine.v1beta.AnswerQueryResponse").DESCRIPTOR
    assert response_mask(query="", headers={}, descriptor=descriptor) is None
    with pytest.raises(InvalidArgument, match="X-Goog-FieldMask"):
        response_mask(query="", headers={"x-goog-fieldmask": "x"}, descriptor=descriptor)
    headers = {"x-goog-fieldmask": "session"}
    mask = response_mask(query="answer.name", headers=headers, descriptor=descriptor)
    message = message_class("discoveryengine.v1beta.AnswerQueryResponse")()
    fill_from_json(message, ANSWER)
    mask.apply(message)
    assert to_json_value(message, enums_as_ints=False) == {"answer": {"name": "n"}}
