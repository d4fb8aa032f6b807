import base64
import dataclasses

import pytest

from toulmin.domain import Document, DocumentContent
from toulmin.errors import InvalidArgument, Unimplemented
from toulmin.ingestion.sources.document_json import data_of, document_from_json, document_to_json

FULL = {
    "id": "d1",
    "schemaId": "s",
    "structData": {"title": "A", "n": 3},
    "parentDocumentId": "p",
    "content": {"mimeType": "text/plain", "rawBytes": "w7_-"},
}


def test_both_spellings_say_the_same():
    snake = {
        "id": "d1",
        "schema_id": "s",
        "struct_data": {"title": "A", "n": 3},
        "parent_document_id": "p",
        "content": {"mime_type": "text/plain", "raw_bytes": "w7/+"},
    }
    found = document_from_json(FULL, field="")
    assert found == document_from_json(snake, field="")
    assert found == Document(
        id="d1",
        schema_id="s",
        struct_data={"title": "A", "n": 3},
        parent_document_id="p",
        content=DocumentContent(mime_type="text/plain", raw_bytes=b"\xc3\xbf\xfe"),
    )


@pytest.mark.parametrize(
    "value",
    [
        FULL,
        {"id": "d", "jsonData": '{"a": [1]}'},
        {"id": "d", "content": {"mimeType": "application/pdf", "uri": "gs://b/x.pdf"}},
        {"id": "d", "structData": {}},
        {"id": "d", "content": {"mimeType": "text/plain", "rawBytes": ""}},
    ],
)
def test_there_and_back(value):
    document = document_from_json(value, field="")
    assert document_from_json(document_to_json(document), field="") == document


def test_what_the_store_adds_is_not_written():
    document = dataclasses.replace(
        document_from_json(FULL, field=""), generation=4, derived={"a": 1}
    )
    assert document_from_json(document_to_json(document), field="").generation == 0


def test_a_document_as_it_was_read_can_be_written_again():
    value = {
        "name": "projects/p/locations/l/dataStores/s/branches/0/documents/d9",
        "structData": None,
        "derivedStructData": {"title": "x"},
        "indexTime": "2026-01-01T00:00:00Z",
        "aclInfo": {},
    }
    assert document_from_json(value, field="") == Document(id="d9")


@pytest.mark.parametrize("encoded", ["-_8=", "-_8", "+/8=", "+/8"])
def test_bytes_in_base64_of_both_alphabets(encoded):
    value = {"content": {"rawBytes": encoded}}
    assert document_from_json(value, field="").content.raw_bytes == base64.b64decode("+/8=")


@pytest.mark.parametrize(
    ("value", "field", "words"),
    [
        ([], "documents[3]", "must be an object; it is a list"),
        ({"title": "x"}, "documents[3].title", "no such field"),
        ({"struct_dat": {}}, "documents[3].struct_dat", "structData"),
        ({"id": 5}, "documents[3].id", "a string; it is a number"),
        ({"id": "a", "name": "x/b"}, "documents[3].id", "'b'"),
        ({"structData": {}, "jsonData": "{}"}, "documents[3].jsonData", "both"),
        ({"structData": "x"}, "documents[3].structData", "an object; it is a string"),
        ({"structData": {}, "struct_data": {}}, "documents[3].struct_data", "both spellings"),
        ({"jsonData": "{"}, "documents[3].jsonData", "not JSON"),
        ({"jsonData": "[1]"}, "documents[3].jsonData", "JSON object; it is a list"),
        ({"content": {}}, "documents[3].content", "neither"),
        ({"content": {"uri": "x", "rawBytes": "eA=="}}, "documents[3].content", "both"),
        ({"content": {"rawBytes": "e"}}, "documents[3].content.rawBytes", "base64url"),
        ({"content": {"rawBytes": "e e="}}, "documents[3].content.rawBytes", "base64url"),
        ({"content": {"rawBytes": "é"}}, "documents[3].content.rawBytes", "base64url"),
        ({"content": {"url": "x"}}, "documents[3].content.url", "no such field"),
    ],
)
def test_what_is_wrong_is_named(value, field, words):
    with pytest.raises(InvalidArgument) as caught:
        document_from_json(value, field="documents[3]")
    assert caught.value.violations[0].field == field
    assert words in caught.value.message


def test_a_document_for_some_readers_only_is_refused():
    with pytest.raises(Unimplemented, match="aclInfo"):
        document_from_json({"id": "a", "aclInfo": {"readers": [{}]}}, field="")


def test_data_in_either_form():
    assert data_of(Document(id="a", json_data='{"x": 1}')) == {"x": 1}
    assert data_of(Document(id="a", struct_data={"x": 1})) == {"x": 1}
    assert data_of(Document(id="a")) == {}
