"""The contract has what Google's discovery documents list, beside what the clients have."""

from __future__ import annotations

import re

import pytest

from tests.apis.schema.test_contract import PREFIX, load_tool
from toulmin.apis.aip.routing import Router

VERSIONS = ["v1", "v1beta", "v1alpha"]


@pytest.fixture(scope="module")
def documents():
    load_tool("generate_schema")
    tool = load_tool("published")
    return {version: tool.Version(version, []) for version in VERSIONS}


def flat_names(schema, version):
    """Return the descriptors that RPCs of a version reach, by flat name."""
    found = {}

    def visit(descriptor):
        prefix = f"{PREFIX}{version}."
        if descriptor.full_name in found or not descriptor.full_name.startswith(prefix):
            return
        found[descriptor.full_name] = descriptor
        for field in descriptor.fields:
            if field.message_type is not None:
                visit(field.message_type)

    for rpc in schema.rpcs.values():
        if (rpc.api, rpc.version) == ("discoveryengine", version):
            visit(schema.message_descriptor(rpc.input_type))
            visit(schema.message_descriptor(rpc.output_type))
    start = len(f"{PREFIX}{version}.")
    return {name[start:].replace(".", ""): found[name] for name in found}


@pytest.mark.parametrize("version", VERSIONS)
def test_every_published_field_and_value_of_a_known_message_is_there(version, schema, documents):
    document = documents[version]
    checked = 0
    for flat, descriptor in flat_names(schema, version).items():
        described = document._schemas.get(document._prefix + flat, {})
        fields = {field.json_name: field for field in descriptor.fields}
        for name, said in described.get("properties", {}).items():
            assert name in fields, f"{flat}.{name}"
            values = said.get("enum") or said.get("items", {}).get("enum") or ()
            enum = fields[name].enum_type
            missing = set(values) - set(enum.values_by_name if enum else values)
            assert not missing, f"{flat}.{name}: {missing}"
            checked += 1
    assert checked > 1_000


@pytest.mark.parametrize("version", VERSIONS)
def test_every_published_path_that_another_version_has_is_routed(version, schema, documents):
    router = Router(schema)

    def is_routed(method, other):
        path = re.sub(r"\*", "word", method.shape.split(" ")[1])
        path = path.replace(f"/{version}/", f"/{other}/", 1)
        match = router.match(method.body["httpMethod"], path)
        return match is not None and match.rpc.version == other

    for method in documents[version].methods:
        if any(is_routed(method, other) for other in VERSIONS):
            assert is_routed(method, version), method.id


def test_numbers_of_our_own_never_meet_one_of_a_client(schema):
    for version in VERSIONS:
        for descriptor in flat_names(schema, version).values():
            numbers = [field.number for field in descriptor.fields]
            assert len(numbers) == len(set(numbers)), descriptor.full_name


def test_v1_has_no_more_than_it_publishes(schema):
    """What only v1beta has stays there."""
    spec = schema.message_descriptor(f"{PREFIX}v1.AnswerQueryRequest.AnswerGenerationSpec")
    assert "multimodal_spec" not in spec.fields_by_name
    assert f"/{PREFIX}v1.BranchService/GetBranch" not in schema.rpcs
