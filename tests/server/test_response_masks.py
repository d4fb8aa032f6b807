"""Partial responses as a client meets them: a parameter, a header, metadata of gRPC."""

from __future__ import annotations

import pytest
from google.api_core.exceptions import InvalidArgument

from tests.apis.discoveryengine.clients import Clients
from tests.server.conftest import CHECK, STREAM, check, post

SAID = {"answerCandidate": "say 0.5"}


def test_a_parameter_and_a_header_over_rest(server):
    whole = check(server, "say 0.5").json
    assert len(whole) > 1
    for name in ("fields", "$fields", "%24fields"):
        assert set(post(server, f"{CHECK}?{name}=supportScore", SAID).json) == {"supportScore"}
    reply = check(server, "say 0.5", headers={"X-Goog-FieldMask": "support_score"})
    assert set(reply.json) == {"supportScore"}
    assert check(server, "say 0.5", headers={"X-Goog-FieldMask": "*"}).json == whole


def test_an_unknown_field_is_refused_before_the_work(server):
    reply = post(server, f"{CHECK}?fields=colour", SAID)
    assert reply.status == 400
    assert reply.error["details"][1]["fieldViolations"][0]["field"] == "fields"


def test_each_part_of_a_stream(server):
    reply = post(server, f"{STREAM}?fields=answer.state", {"query": {"text": "2"}})
    assert reply.json == [{"answer": {"state": "SUCCEEDED"}}] * 2


@pytest.mark.parametrize("transport", ["rest", "grpc"])
def test_the_official_client(server, transport):
    clients = Clients("v1", transport, server.port)
    request = {
        "grounding_config": CHECK.removeprefix("/v1/").removesuffix(":check"),
        "answer_candidate": "say 0.5",
    }

    def checked(mask):
        metadata = [("x-goog-fieldmask", mask)]
        return clients.grounded_generation.check_grounding(request=request, metadata=metadata)

    assert checked("supportScore").support_score
    assert not checked("claims").support_score
    with pytest.raises(InvalidArgument if transport == "grpc" else Exception, match="colour"):
        checked("colour")
    clients.close()
