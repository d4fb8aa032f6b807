"""CheckGrounding from JSON bytes to JSON bytes, with the real weights, in every version."""

import orjson
import pytest

from toulmin.apis.aip.registry import CallContext
from toulmin.apis.aip.transcoding import Router, dump_json, parse_request
from toulmin.apis.handlers import build_registry
from toulmin.apis.schema import load_schema
from toulmin.callers import LOCAL
from toulmin.errors import Cancelled, DeadlineExceeded, InvalidArgument
from toulmin.services import build_services
from toulmin.settings import load_settings

pytestmark = pytest.mark.model

VERSIONS = ["v1", "v1beta", "v1alpha"]
PATH = "/{version}/projects/p/locations/global/groundingConfigs/default_grounding_config:check"
FACT = {"factText": "Die Brücke über die Elbe wurde 1998 eröffnet. Sie ist 312 Meter lang."}


@pytest.fixture(scope="module")
def registry():
    return build_registry(build_services(load_settings(environment={})))


@pytest.fixture(scope="module")
def router():
    return Router(load_schema())


@pytest.fixture
def call(registry, router):
    def send(body, version="v1", *, deadline=None, cancelled=False):
        data = body if isinstance(body, bytes) else orjson.dumps(body)
        match = router.match("POST", PATH.format(version=version))
        request = parse_request(match, "", data, registry.schema)
        context = CallContext(
            rpc=match.rpc,
            deadline=deadline,
            is_cancelled=lambda: cancelled,
            request_id="test",
            timings={},
            new_message=registry.schema.message_class(match.rpc.output_type),
            caller=LOCAL,
        )
        response = registry.handler(match.rpc)(request, context)
        return orjson.loads(dump_json(response, enums_as_ints=False))

    return send


@pytest.mark.parametrize("version", VERSIONS)
def test_corrections_come_only_when_asked_for(call, version):
    fact = {"factText": "Über die Brücke: The Elbe Bridge opened on 4 May 1998."}
    body = {"answerCandidate": "Schön. The Elbe Bridge opened in 1973.", "facts": [fact]}
    (*_, claim) = call(body, version)["claims"]
    assert "correctedText" not in claim
    (*_, claim) = call(body | {"groundingSpec": {"enableCorrections": True}}, version)["claims"]
    assert claim["correctedText"] == "The Elbe Bridge opened in 1998."
    assert claim["correctedScore"] >= 0.6
    (change,) = claim["replacements"]
    data, told = body["answerCandidate"].encode(), fact["factText"].encode()
    assert data[change["startPos"] : change["endPos"]] == b"1973"
    assert told[change["factStartPos"] : change["factEndPos"]] == b"1998"
    assert (change["text"], change["source"]) == ("1998", "0")


@pytest.mark.parametrize("version", VERSIONS)
def test_conflicts_between_facts_come_only_when_asked_for(call, version):
    facts = [
        {"factText": "Über Brücken: keine."},
        {"factText": "Schön. The Elbe Bridge opened in 1998."},
        {"factText": "Größe. The Elbe Bridge was opened in 1973."},
    ]
    body = {"answerCandidate": "Ja. The Elbe Bridge opened in 1998. It is old.", "facts": facts}
    reply = call(body, version)
    assert "factConflicts" not in reply
    assert not any("factConflictIndices" in claim for claim in reply["claims"])
    reply = call(body | {"groundingSpec": {"enableFactConflicts": True}}, version)
    (conflict,) = reply["factConflicts"]
    assert conflict["differing"] == "date"
    for side, source, year in zip(conflict["sides"], ("1", "2"), ("1998", "1973"), strict=True):
        told = facts[int(source)]["factText"].encode()
        assert (side["source"], side["value"]) == (source, year)
        assert told[side["startPos"] : side["endPos"]].decode() == side["sentence"]
        assert told[side["valueStartPos"] : side["valueEndPos"]].decode() == year
    (resting,) = [claim for claim in reply["claims"] if "factConflictIndices" in claim]
    assert resting["claimText"] == "The Elbe Bridge opened in 1998."
    assert resting["factConflictIndices"] == [0]


@pytest.mark.parametrize("version", VERSIONS)
def test_offsets_are_utf8_bytes_of_the_answer_and_of_the_fact(call, version):
    answer = "Schön: Die Brücke wurde 1998 eröffnet. Sie ist 450 Meter lang."
    spec = {"enableAntiCitations": True, "enableExplanations": True, "enableClaimLevelScore": True}
    reply = call({"answerCandidate": answer, "facts": [FACT], "groundingSpec": spec}, version)
    data, fact = answer.encode(), FACT["factText"].encode()
    for claim in reply["claims"]:
        text = data[claim["startPos"] : claim["endPos"]].decode()
        assert text == claim["claimText"]
        assert 0 <= claim["score"] <= 1
        for span in claim["spans"]:
            assert data[span["startPos"] : span["endPos"]].decode() in text
            if "source" in span:
                assert fact[span["factStartPos"] : span["factEndPos"]].decode()
    for chunk in reply["citedChunks"]:
        assert chunk["chunkText"] in FACT["factText"]
        assert chunk["source"] == "0"


def test_scores_that_were_not_asked_for_are_absent(call):
    reply = call({"answerCandidate": "Die Brücke wurde 1998 eröffnet.", "facts": [FACT]})
    assert "contradictionScore" not in reply
    assert "helpfulnessScore" not in reply
    assert not {"score", "spans", "contradictionScore"} & reply["claims"][0].keys()
    assert "supportScore" in reply


def test_helpfulness_needs_the_prompt(call):
    body = {
        "answerCandidate": "It opened in 1998.",
        "facts": [FACT],
        "groundingSpec": {"enableHelpfulnessScore": True},
    }
    with pytest.raises(InvalidArgument) as caught:
        call(body)
    assert caught.value.violations[0].field == "prompt"
    assert 0 <= call(body | {"prompt": "When did it open?"})["helpfulnessScore"] <= 1


def test_the_same_request_gives_the_same_bytes(call):
    body = {"answerCandidate": "Sie ist 312 Meter lang. Sie ist rot.", "facts": [FACT] * 5}
    assert call(body) == call(body)


def test_a_caller_that_is_gone_or_late_stops_the_work(call):
    body = {"answerCandidate": "Sie ist 312 Meter lang.", "facts": [FACT]}
    with pytest.raises(Cancelled):
        call(body, cancelled=True)
    with pytest.raises(DeadlineExceeded):
        call(body, deadline=0.0)


GOOD = {"answerCandidate": "A claim.", "facts": [{"factText": "A fact."}]}
BAD = [
    ({"facts": GOOD["facts"]}, "answer_candidate", "empty"),
    ({"answerCandidate": "A claim."}, "facts", "empty"),
    (GOOD | {"facts": GOOD["facts"] * 201}, "facts", "201"),
    (GOOD | {"facts": [{"factText": "x" * 10_001}]}, "facts[0].fact_text", "10,001"),
    (GOOD | {"facts": [{"factText": "ok"}, {}]}, "facts[1].fact_text", "empty"),
    (GOOD | {"answerCandidate": "word " * 4097}, "answer_candidate", "4,097"),
    (
        GOOD | {"groundingSpec": {"citationThreshold": "1.5"}},
        "grounding_spec.citation_threshold",
        "1.5",
    ),
    (
        GOOD | {"groundingSpec": {"antiCitationThreshold": -1}},
        "grounding_spec.anti_citation_threshold",
        "-1",
    ),
    (GOOD | {"nonsense": 1}, None, "nonsense"),
    (GOOD | {"facts": [{"factText": 5}]}, None, "fact"),
    (GOOD | {"facts": [{"factText": "a", "attributes": {"n": 1}}]}, None, "attributes"),
    (GOOD | {"facts": "text"}, None, "facts"),
    (b'{"answerCandidate": "\xff"}', None, ""),
    (b'{"a":' * 5000 + b"1" + b"}" * 5000, None, ""),
    (b"[]", None, ""),
    (b"{", None, ""),
]


@pytest.mark.parametrize("version", VERSIONS)
@pytest.mark.parametrize(("body", "field", "words"), BAD)
def test_bad_input_names_field_and_value(call, body, field, words, version):
    with pytest.raises(InvalidArgument) as caught:
        call(body, version)
    said = caught.value.message + " ".join(
        f"{v.field} {v.description}" for v in caught.value.violations
    )
    assert words in said
    if field:
        assert caught.value.violations[0].field == field
