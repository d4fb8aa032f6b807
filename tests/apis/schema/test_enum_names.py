"""The names of enums that code uses are there at run time, where mypy's stubs are not."""

from __future__ import annotations

import ast
from importlib import import_module
from pathlib import Path

import pytest

from toulmin.apis.schema import ces_pb2, discoveryengine_pb2, generativelanguage_pb2

SOURCES = Path(__file__).resolve().parents[3] / "src/toulmin"
MODULES = ("ces_pb2", "discoveryengine_pb2", "generativelanguage_pb2")


def test_a_name_is_the_number_on_the_wire(message_class):
    session = message_class("discoveryengine.v1.Session")(state=1)
    assert session.state == discoveryengine_pb2.Session.State.IN_PROGRESS
    assert generativelanguage_pb2.TaskType.RETRIEVAL_DOCUMENT == 2


def test_a_name_of_any_version_is_there():
    assert discoveryengine_pb2.SearchRequest.EmbeddingSpec  # v1 has none


def test_a_name_that_no_version_has_is_none():
    with pytest.raises(AttributeError, match="no version of ces has a type Sesion"):
        _ = ces_pb2.Sesion


def test_messages_are_not_made_by_these_modules():
    with pytest.raises(TypeError):
        discoveryengine_pb2.Session()


def sources():
    for path in sorted(SOURCES.rglob("*.py")):
        text = path.read_text(encoding="utf-8")
        if "_pb2" in text:
            yield pytest.param(text, id=str(path.relative_to(SOURCES)))


@pytest.mark.parametrize("text", list(sources()))
def test_what_code_names_is_there(text):
    tree = ast.parse(text)
    modules = {
        alias.asname or alias.name: import_module(f"toulmin.apis.schema.{alias.name}")
        for node in ast.walk(tree)
        if isinstance(node, ast.ImportFrom)
        for alias in node.names
        if alias.name in MODULES
    }
    annotations = {
        id(inner)
        for node in ast.walk(tree)
        for annotation in (getattr(node, "annotation", None), getattr(node, "returns", None))
        if annotation is not None
        for inner in ast.walk(annotation)
    }
    for node in ast.walk(tree):
        if isinstance(node, ast.Attribute) and id(node) not in annotations:
            head, *names = ast.unparse(node).split(".")
            found = modules.get(head)
            for name in names if found is not None else ():
                found = getattr(found, name)
