"""google-cloud-discoveryengine, unmodified, against scripted handlers, every way there is."""

from __future__ import annotations

import os
import subprocess
import sys
import textwrap

import grpc
import pytest
from google.api_core.client_options import ClientOptions
from google.api_core.exceptions import (
    BadRequest,
    GoogleAPICallError,
    InvalidArgument,
    MethodNotImplemented,
)
from google.auth.credentials import AnonymousCredentials
from google.cloud import discoveryengine_v1, discoveryengine_v1alpha, discoveryengine_v1beta

from tests.patience import PATIENCE_S
from toulmin.server.tls import DevelopmentFiles

pytestmark = pytest.mark.client

VERSIONS = [discoveryengine_v1, discoveryengine_v1beta, discoveryengine_v1alpha]
CONFIG = "projects/p/locations/global/groundingConfigs/default_grounding_config"
SERVING = "projects/p/locations/global/dataStores/d/servingConfigs/s"


def rest_client(client_class, server, **options):
    options.setdefault("api_endpoint", f"http://127.0.0.1:{server.port}")
    credentials = None if "api_key" in options else AnonymousCredentials()
    return client_class(
        transport="rest", credentials=credentials, client_options=ClientOptions(**options)
    )


def grpc_client(client_class, server):
    transport = client_class.get_transport_class("grpc")
    return client_class(
        transport=transport(channel=grpc.insecure_channel(f"127.0.0.1:{server.port}"))
    )


@pytest.fixture(params=[rest_client, grpc_client], ids=["rest", "grpc"])
def make_client(request, server):
    opened = []

    def make(client_class):
        opened.append(request.param(client_class, server))
        return opened[-1]

    yield make
    for client in opened:
        client.transport.close()


@pytest.mark.parametrize("api", VERSIONS, ids=lambda api: api.__name__.rpartition("_")[2])
def test_check_grounding(make_client, api):
    client = make_client(api.GroundedGenerationServiceClient)
    response = client.check_grounding(
        api.CheckGroundingRequest(
            grounding_config=CONFIG,
            answer_candidate="hello",
            facts=[api.GroundingFact(fact_text="Zürich", attributes={"author": "x"})],
        )
    )
    assert response.support_score == 0.75
    assert response.cited_chunks[0].chunk_text == "Zürich"
    assert list(response.claims[0].citation_indices) == [0]


def test_an_error_is_the_clients_own_exception_with_details(make_client):
    client = make_client(discoveryengine_v1.GroundedGenerationServiceClient)
    with pytest.raises((BadRequest, InvalidArgument)) as caught:
        client.check_grounding({"grounding_config": CONFIG, "answer_candidate": "refuse"})
    assert caught.value.reason == "TOO_LONG"
    assert "facts[0].factText" in str(caught.value.details[-1])


def test_what_is_not_built_says_so(make_client):
    client = make_client(discoveryengine_v1.SearchServiceClient)
    with pytest.raises((MethodNotImplemented, GoogleAPICallError)) as caught:
        client.search({"serving_config": SERVING, "query": "x"})
    assert caught.value.code == 501
    assert "SearchService.Search" in str(caught.value)


def test_streaming(make_client):
    client = make_client(discoveryengine_v1.ConversationalSearchServiceClient)
    query = {"serving_config": SERVING, "query": {"text": "3"}}
    texts = [part.answer.answer_text for part in client.stream_answer_query(query)]
    assert texts == ["part 0 ", "part 1 ", "part 2 "]
    state = discoveryengine_v1.Answer.State.SUCCEEDED
    assert all(part.answer.state == state for part in client.stream_answer_query(query))
    empty = {"serving_config": SERVING, "query": {"text": "0"}}
    assert list(client.stream_answer_query(empty)) == []


def test_a_stream_that_fails_at_once_or_halfway_raises(make_client):
    client = make_client(discoveryengine_v1.ConversationalSearchServiceClient)
    with pytest.raises(GoogleAPICallError) as caught:
        list(client.stream_answer_query({"serving_config": SERVING, "query": {"text": "0 fail"}}))
    assert caught.value.code == 404
    items = []
    query = {"serving_config": SERVING, "query": {"text": "2 fail"}}
    with pytest.raises((GoogleAPICallError, ValueError)):
        items.extend(client.stream_answer_query(query))
    assert [part.answer.answer_text for part in items][:2] == ["part 0 ", "part 1 "]


def test_a_conversation_over_grpc(server):
    client = grpc_client(discoveryengine_v1.GroundedGenerationServiceClient, server)
    requests = [discoveryengine_v1.GenerateGroundedContentRequest(location="l") for _ in range(2)]
    assert len(list(client.stream_generate_grounded_content(iter(requests)))) == 2
    client.transport.close()


def test_an_api_key(serve):
    server = serve(api_keys="long-enough")
    client = rest_client(
        discoveryengine_v1.GroundedGenerationServiceClient, server, api_key="long-enough"
    )
    request = {"grounding_config": CONFIG, "answer_candidate": "hello"}
    assert client.check_grounding(request).support_score == 0.75
    wrong = rest_client(
        discoveryengine_v1.GroundedGenerationServiceClient, server, api_key="wrong-one"
    )
    with pytest.raises(GoogleAPICallError) as caught:
        wrong.check_grounding(request)
    assert caught.value.code == 401
    for opened in (client, wrong):
        opened.transport.close()


def run_client(code, environment):
    """Run a client in a process of its own; only its environment says where the server is."""
    kept = {name: value for name, value in os.environ.items() if not name.startswith("G")}
    return subprocess.run(
        [sys.executable, "-W", "error::ResourceWarning", "-c", textwrap.dedent(code)],
        env=kept | environment,
        capture_output=True,
        text=True,
        timeout=PATIENCE_S,
        check=False,
    )


def test_grpc_with_tls_and_nothing_but_the_environment(serve, tmp_path):
    server = serve(tls=True, data_dir=tmp_path)
    code = f"""
        from google.cloud import discoveryengine_v1 as api
        client = api.GroundedGenerationServiceClient()
        reply = client.check_grounding(
            {{"grounding_config": "{CONFIG}", "answer_candidate": "hello"}}
        )
        print(client.api_endpoint, reply.support_score)
        parts = api.ConversationalSearchServiceClient().stream_answer_query(
            {{"serving_config": "{SERVING}", "query": {{"text": "3"}}}}
        )
        print(len(list(parts)))
    """
    done = run_client(code, DevelopmentFiles.in_folder(tmp_path).environment(server.port))
    assert done.returncode == 0, done.stderr
    assert done.stdout.split() == [f"discoveryengine.localhost:{server.port}", "0.75", "3"]


def test_the_asyncio_client(server):
    code = f"""
        import asyncio, grpc
        from google.cloud import discoveryengine_v1 as api
        name = api.GroundedGenerationServiceAsyncClient
        async def main():
            channel = grpc.aio.insecure_channel("127.0.0.1:{server.port}")
            client = name(transport=name.get_transport_class("grpc_asyncio")(channel=channel))
            request = {{"grounding_config": "{CONFIG}", "answer_candidate": "hello"}}
            replies = await asyncio.gather(*(client.check_grounding(request) for _ in range(20)))
            print(sum(reply.support_score for reply in replies))
            await channel.close()
        asyncio.run(main())
    """
    done = run_client(code, {})
    assert done.returncode == 0, done.stderr
    assert done.stdout.split() == ["15.0"]
