"""google-cloud-discoveryengine v1, v1beta and v1alpha over every transport it has.

Groups are named <version>-<transport>:

* rest: plain http, `client_options={"api_endpoint": "http://..."}`
* grpc: plaintext, an insecure channel
* grpc_tls: `client_options={"api_endpoint": "localhost:..."}` and the certificate authority
* environment: the constructor without any argument; only the three exported variables
* asyncio: the asynchronous client, plaintext gRPC

Groups named documents-<version>-<transport> are the steps of documents_checks.py, those named
answers-<version>-<transport> the steps of answers_checks.py.
"""

from __future__ import annotations

import asyncio
import importlib
import os
from collections.abc import Callable, Mapping
from functools import partial
from typing import Any

import answers_checks
import documents_checks
import grpc
from checks import (
    CONFIG,
    EXAMPLES,
    GUIDE,
    Reply,
    ReplyClaim,
    expect,
    expect_equal,
    expect_example,
    expect_violation,
    expect_words,
    run_checks,
)
from google.api_core import exceptions
from google.auth.credentials import AnonymousCredentials

VERSIONS = ("v1", "v1beta", "v1alpha")
TRANSPORTS = ("rest", "grpc", "grpc_tls", "environment", "asyncio")
LIMITS = GUIDE["limits"]


def make_client(module: Any, service: str, transport: str) -> Any:
    """Return a client of the service that talks to our server."""
    kind = getattr(module, f"{service}Client")
    if transport == "rest":
        options = {"api_endpoint": f"http://{os.environ['CLIENT_HTTP']}"}
        return kind(transport="rest", credentials=AnonymousCredentials(), client_options=options)
    if transport == "grpc":
        channel = grpc.insecure_channel(os.environ["CLIENT_GRPC"])
        return kind(transport=kind.get_transport_class("grpc")(channel=channel))
    if transport == "grpc_tls":
        options = {"api_endpoint": os.environ["CLIENT_TLS"]}
        return kind(credentials=AnonymousCredentials(), client_options=options)
    if transport == "environment":
        return kind()
    channel = grpc.aio.insecure_channel(os.environ["CLIENT_GRPC"])
    transport_class = kind.get_transport_class("grpc_asyncio")
    return getattr(module, f"{service}AsyncClient")(transport=transport_class(channel=channel))


class Session:
    """Calls of one version over one transport, all of them blocking."""

    def __init__(self, version: str, transport: str, runner: asyncio.Runner) -> None:
        self.module = importlib.import_module(f"google.cloud.discoveryengine_{version}")
        self.transport = transport
        self.runner = runner

    async def _call_async(self, service: str, method: str, request: Any) -> Any:
        client = make_client(self.module, service, self.transport)
        async with client:
            return await getattr(client, method)(request=request, timeout=60)

    def call(self, service: str, method: str, request: Any) -> Any:
        """Return the response, or raise what the client raises."""
        if self.transport == "asyncio":
            return self.runner.run(self._call_async(service, method, request))
        with make_client(self.module, service, self.transport) as client:
            return getattr(client, method)(request=request, timeout=60)

    def check(self, answer: str, facts: list[dict[str, Any]], **spec: Any) -> Any:
        """Return the response of check_grounding."""
        request = self.module.CheckGroundingRequest(
            grounding_config=CONFIG,
            answer_candidate=answer,
            facts=[
                {"fact_text": fact["text"], "attributes": fact.get("attributes", {})}
                for fact in facts
            ],
            grounding_spec={"citation_threshold": 0.6, **spec},
        )
        return self.call("GroundedGenerationService", "check_grounding", request)


def reply_of(response: Any) -> Reply:
    """Return the response in the words of checks.py."""
    return Reply(
        support=response.support_score,
        claims=[
            ReplyClaim(
                claim.claim_text,
                claim.start_pos,
                claim.end_pos,
                list(claim.citation_indices),
                claim.grounding_check_required,
            )
            for claim in response.claims
        ],
        sources=[int(chunk.source) for chunk in response.cited_chunks],
        chunks=[chunk.chunk_text for chunk in response.cited_chunks],
    )


def example(session: Session, example_id: str) -> None:
    """Check one example of the guide."""
    response = session.check(EXAMPLES[example_id]["answer"], GUIDE["facts"])
    expect_example(example_id, reply_of(response))


def claim_scores(session: Session) -> None:
    """D1 with claim scores, which v1 and v1beta have in their messages."""
    response = session.check(
        EXAMPLES["D1"]["answer"], GUIDE["facts"], enable_claim_level_score=True
    )
    opening, *others = response.claims
    expect("score" not in opening, "a claim that needs no check has a score")
    expect(all(claim.score >= 0.9 for claim in others), [claim.score for claim in others])


def same_bytes(session: Session) -> None:
    """Two equal requests have equal responses."""
    first, second = (
        type(response).pb(response).SerializeToString(deterministic=True)
        for response in [session.check(EXAMPLES["A3"]["answer"], GUIDE["facts"]) for _ in range(2)]
    )
    expect_equal(first, second, "bytes")


def violated_fields(error: exceptions.GoogleAPICallError) -> list[str]:
    """Return the field paths of the BadRequest details: JSON over REST, messages over gRPC."""
    fields = []
    for detail in error.details:
        if isinstance(detail, Mapping):
            fields += [row["field"] for row in detail.get("fieldViolations", [])]
        else:
            fields += [row.field for row in getattr(detail, "field_violations", [])]
    return fields


def refused(
    session: Session, field: str, words: tuple[object, ...], *args: Any, **spec: Any
) -> None:
    """The call is refused as an invalid argument that names field, limit and value."""
    # Over REST the client raises by HTTP status: 400 is BadRequest, of which InvalidArgument,
    # what it raises over gRPC, is a kind.
    wanted = exceptions.BadRequest if session.transport == "rest" else exceptions.InvalidArgument
    try:
        session.check(*args, **spec)
    except wanted as error:
        expect_violation(violated_fields(error), field)
        expect_words(error.message, *words)
    else:
        raise AssertionError("not refused")


def unimplemented(session: Session) -> None:
    """A call that the contract has and the server has not."""
    request = session.module.ListCustomModelsRequest(
        data_store="projects/demo/locations/global/collections/default_collection/dataStores/any"
    )
    try:
        session.call("SearchTuningService", "list_custom_models", request)
    except exceptions.MethodNotImplemented as error:
        expect_words(error.message, "ListCustomModels")
    else:
        raise AssertionError("answered")


def checks_of(session: Session, version: str) -> dict[str, Callable[[], None]]:
    """Return the checks of one version over one transport, by name."""
    facts, text = LIMITS["facts"], LIMITS["fact_characters"]
    many = [{"text": f"Room {number} has a window."} for number in range(facts + 1)]
    long = [{"text": "short"}, {"text": "x" * (text + 1)}]
    tokens = LIMITS["answer_tokens"]
    words = " ".join(["Again"] * (tokens + 1))
    refuse = partial(refused, session)
    checks = {
        **{f"example {name}": partial(example, session, name) for name in ("A2", "A4")},
        **{f"bytes {name}": partial(example, session, name) for name in ("A1-ja", "A3-it")},
        "same request, same bytes": partial(same_bytes, session),
        "as many facts as allowed": partial(session.check, "Room 7 has a window.", many[:-1]),
        "too many facts": partial(refuse, "facts", (facts, facts + 1), "Room 7.", many),
        "a fact too long": partial(refuse, "facts1", (text, text + 1), "Room 7.", long),
        "an answer too long": partial(
            refuse, "answercandidate", (tokens, tokens + 1), words, many[:1]
        ),
        "an empty answer": partial(refuse, "answercandidate", (), "", many[:1]),
        "a threshold out of range": partial(
            refuse, "citationthreshold", ("1.5",), "Room 7.", many[:1], citation_threshold=1.5
        ),
        "a call not built yet": partial(unimplemented, session),
    }
    if version != "v1alpha":
        checks["claim scores"] = partial(claim_scores, session)
    return checks


def main() -> None:
    """Run all groups."""
    with asyncio.Runner() as runner:
        for version in VERSIONS:
            for transport in TRANSPORTS:
                session = Session(version, transport, runner)
                run_checks(f"{version}-{transport}", checks_of(session, version))
        for version in VERSIONS:
            for transport in documents_checks.TRANSPORTS:
                module = importlib.import_module(f"google.cloud.discoveryengine_{version}")
                journey = documents_checks.Journey(module, version, transport, make_client)
                run_checks(f"documents-{version}-{transport}", journey.checks())
                journey.close()
            for transport in answers_checks.TRANSPORTS:
                module = importlib.import_module(f"google.cloud.discoveryengine_{version}")
                talk = answers_checks.Talk(module, version, transport, make_client)
                run_checks(f"answers-{version}-{transport}", talk.checks())
                talk.close()


if __name__ == "__main__":
    main()
