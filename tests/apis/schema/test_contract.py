"""The committed contract is what the installed official clients say, plus our extensions."""

from __future__ import annotations

import importlib.util
import json
import sys
from pathlib import Path

import pytest

from toulmin.apis.schema import load_schema

ROOT = Path(__file__).resolve().parents[3]
FOLDER = ROOT / "src/toulmin/apis/schema"
PREFIX = "google.cloud.discoveryengine."


def load_tool(name):
    spec = importlib.util.spec_from_file_location(name, ROOT / f"tools/{name}.py")
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module  # dataclasses look their module up
    spec.loader.exec_module(module)
    return module


@pytest.mark.slow
def test_generating_again_changes_nothing():
    tool = load_tool("generate_schema")
    for name, content in tool.generate().items():
        assert (FOLDER / name).read_bytes() == content, (
            f"{name} differs from the installed clients; run `{tool.COMMAND}` and review the change"
        )


def test_every_api_and_version_is_there(schema):
    assert schema.versions == {
        "ces": ("v1", "v1beta"),
        "discoveryengine": ("v1", "v1alpha", "v1beta"),
        "generativelanguage": ("v1", "v1alpha", "v1beta"),
        "location": ("",),
        "longrunning": ("",),
    }


def test_every_message_of_every_rpc_can_be_made(schema):
    for rpc in schema.rpcs.values():
        for name in (rpc.input_type, rpc.output_type):
            message = schema.message_class(name)()
            assert message.DESCRIPTOR.full_name == name
            assert schema.message_class(name) is type(message)


def test_an_rpc_knows_its_names(schema):
    rpc = schema.rpcs["/google.cloud.discoveryengine.v1.GroundedGenerationService/CheckGrounding"]
    assert rpc.full_name == f"{PREFIX}v1.GroundedGenerationService.CheckGrounding"
    assert rpc.grpc_path in schema.rpcs
    assert (rpc.api, rpc.version, rpc.kind) == ("discoveryengine", "v1", "unary")
    assert rpc.service_name == "GroundedGenerationService"
    mixin = schema.rpcs["/google.longrunning.Operations/GetOperation"]
    assert (mixin.api, mixin.version) == ("longrunning", "")
    assert len(mixin.rules) > 16


def test_an_unknown_message_is_a_key_error(schema):
    with pytest.raises(KeyError):
        schema.message_class("google.protobuf.Nothing")


def test_the_contract_is_loaded_once():
    assert load_schema() is load_schema()


def test_no_field_has_an_underscore_that_only_python_has(schema):
    seen = set()

    def visit(descriptor):
        if descriptor.full_name in seen:
            return
        seen.add(descriptor.full_name)
        for field in descriptor.fields:
            assert not field.name.endswith("_"), field.full_name
            if field.message_type is not None:
                visit(field.message_type)

    for rpc in schema.rpcs.values():
        visit(schema.message_descriptor(rpc.input_type))
        visit(schema.message_descriptor(rpc.output_type))
    assert len(seen) > 1_000


@pytest.mark.parametrize("version", ["v1", "v1beta", "v1alpha"])
def test_withdrawn_fields_and_ours_are_in_every_version(version, schema):
    request = schema.message_class(f"{PREFIX}{version}.CheckGroundingRequest")(
        prompt="p",
        grounding_source={"search_source": "s"},
        grounding_spec={
            "enable_anti_citations": True,
            "anti_citation_threshold": 0.0,
            "enable_helpfulness_score": True,
            "enable_explanations": True,
            "enable_corrections": True,
            "enable_fact_conflicts": True,
            "enable_claim_level_score": True,
        },
    )
    assert request.grounding_spec.HasField("anti_citation_threshold")
    response = schema.message_class(f"{PREFIX}{version}.CheckGroundingResponse")(
        contradiction_score=0.0,
        helpfulness_score=0.0,
        claims=[{"score": 0.0, "contradiction_score": 0.0, "anti_citation_indices": [1]}],
    )
    response.claims[0].corrected_text = "It opened in 1998."
    response.claims[0].corrected_score = 0.0
    response.claims[0].replacements.add(
        start_pos=0, end_pos=4, text="1998", source="0", fact_start_pos=0, fact_end_pos=4
    )
    response.claims[0].spans.add(
        start_pos=0, end_pos=1, supported=False, source="0", fact_start_pos=0, fact_end_pos=1
    )
    assert response.HasField("contradiction_score")
    assert response.HasField("helpfulness_score")
    assert response.claims[0].HasField("score")
    assert response.claims[0].HasField("contradiction_score")
    assert type(response).FromString(response.SerializeToString()) == response


@pytest.mark.parametrize("version", ["v1", "v1beta", "v1alpha"])
def test_the_official_types_read_what_we_write(version, schema):
    """Our additions sit under numbers that no client uses."""
    module = importlib.import_module(f"google.cloud.discoveryengine_{version}")
    ours = schema.message_class(f"{PREFIX}{version}.CheckGroundingResponse")(
        support_score=0.5,
        contradiction_score=0.25,
        cited_chunks=[{"chunk_text": "a", "source": "0"}],
        claims=[{"claim_text": "b", "citation_indices": [0], "anti_citation_indices": [1]}],
    )
    theirs = module.CheckGroundingResponse.deserialize(ours.SerializeToString())
    assert theirs.support_score == 0.5
    assert theirs.cited_chunks[0].chunk_text == "a"
    assert theirs.claims[0].claim_text == "b"
    assert list(theirs.claims[0].citation_indices) == [0]


def test_rules_name_the_packages_they_were_read_from():
    packages = json.loads((FOLDER / "rules.json").read_bytes())["packages"]
    assert set(packages) == {
        "google-ai-generativelanguage",
        "google-api-python-client",
        "google-cloud-ces",
        "google-cloud-discoveryengine",
    }
