"""One handler for all versions; what has none says so."""

from __future__ import annotations

import pytest

from toulmin.apis.aip.registry import CallContext, Registry
from toulmin.callers import LOCAL
from toulmin.errors import Unimplemented

PATH = "/google.cloud.discoveryengine.{}.GroundedGenerationService/CheckGrounding"
CHECK = ("discoveryengine", "GroundedGenerationService", "CheckGrounding")


def context_of(rpc, schema):
    return CallContext(
        rpc=rpc,
        deadline=None,
        is_cancelled=lambda: False,
        request_id="r",
        timings={},
        new_message=schema.message_class(rpc.output_type),
        caller=LOCAL,
    )


def answer(request, context):
    response = context.new_message()
    response.support_score = len(request.answer_candidate)
    return response


def test_one_handler_answers_every_version_in_its_own_messages(schema):
    registry = Registry(schema)
    registry.register(*CHECK, answer)
    for version in ("v1", "v1beta", "v1alpha"):
        rpc = schema.rpcs[PATH.format(version)]
        assert registry.is_implemented(rpc)
        request = schema.message_class(rpc.input_type)(answer_candidate="abc")
        response = registry.handler(rpc)(request, context_of(rpc, schema))
        assert response.DESCRIPTOR.full_name == rpc.output_type
        assert response.support_score == 3


def test_a_handler_can_be_for_some_versions_only(schema):
    registry = Registry(schema)
    registry.register(*CHECK, answer, versions=["v1"])
    assert registry.is_implemented(schema.rpcs[PATH.format("v1")])
    assert not registry.is_implemented(schema.rpcs[PATH.format("v1beta")])


def test_every_rpc_without_handler_says_its_name(schema):
    registry = Registry(schema)
    for rpc in schema.rpcs.values():
        with pytest.raises(Unimplemented, match=rpc.full_name.replace(".", r"\.") + " is not"):
            registry.handler(rpc)(None, context_of(rpc, schema))


def test_an_rpc_that_the_contract_lacks_is_a_mistake(schema):
    registry = Registry(schema)
    with pytest.raises(ValueError, match="no RPC discoveryengine"):
        registry.register("discoveryengine", "GroundedGenerationService", "Check", answer)
    with pytest.raises(ValueError, match="in v2"):
        registry.register(*CHECK, answer, versions=["v1", "v2"])


def test_two_handlers_for_one_rpc_are_a_mistake(schema):
    registry = Registry(schema)
    registry.register(*CHECK, answer)
    with pytest.raises(ValueError, match="already"):
        registry.register(*CHECK, answer, versions=["v1"])
