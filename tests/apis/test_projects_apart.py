"""A running server with the keys of two projects: what one has, the other cannot tell from nothing."""

from __future__ import annotations

import base64
import http.client
import json
import re

import grpc
import pytest

from tests.apis.test_access import BUILT, NAMING_PROJECTS, OTHERS, REGISTRY, name_paths, put
from tests.cli.conftest import FakeEmbedder
from tests.patience import PATIENCE_S
from toulmin.apis.handlers import build_registry
from toulmin.callers import Role
from toulmin.server.lifecycle import create_server
from toulmin.services import build_services
from toulmin.settings import load_settings

SCHEMA = REGISTRY.schema
RETRIEVER = "/google.ai.generativelanguage.v1beta.RetrieverService/"
HAVING_CORPORA = [
    rpc
    for rpc in BUILT
    if rpc.service_name in ("RetrieverService", "PermissionService")
    or rpc.method == "GenerateAnswer"
]


@pytest.fixture(scope="module")
def running(tmp_path_factory):
    """A server, and a function that returns a key."""
    patch = pytest.MonkeyPatch()
    patch.setattr("toulmin.services.wiring.Embedder", FakeEmbedder)
    flags = {"port": 0, "data_dir": tmp_path_factory.mktemp("apart"), "parser_processes": 1}
    settings = load_settings(flags=flags, environment={})
    services = build_services(settings)

    def key_of(*projects, role=Role.ADMIN):
        with services.records().write() as transaction:
            return transaction.api_keys.create(
                display_name="test", role=role, projects=projects or None
            )[1]

    keys = {
        "alpha": key_of("alpha"),
        "mine": key_of("mine"),
        "both": key_of("alpha", "mine"),
        "all": key_of(),
        "viewer": key_of("alpha", role=Role.VIEWER),
    }
    server = create_server(build_registry(services), settings, lambda: True, services.records)
    server.start()
    yield server, keys
    server.stop(timeout_s=0.2)
    services.close()
    patch.undo()


@pytest.fixture(scope="module")
def channel(running):
    with grpc.insecure_channel(f"127.0.0.1:{running[0].port}") as opened:
        yield opened


def call(channel, rpc, request, key, *metadata):
    """Return code, words and response of a call over gRPC."""
    kind = {"unary": channel.unary_unary, "server_stream": channel.unary_stream}
    method = kind.get(rpc.kind, channel.stream_stream)(rpc.grpc_path)
    sent = request.SerializeToString()
    try:
        answer = method(
            iter([sent]) if rpc.kind == "bidi" else sent,
            timeout=PATIENCE_S,
            metadata=[("x-goog-api-key", key), *metadata],
        )
        parts = [answer] if rpc.kind == "unary" else list(answer)
    except grpc.RpcError as error:
        return error.code().name, error.details(), None
    message = SCHEMA.message_class(rpc.output_type)
    return "OK", "", message.FromString(b"".join(parts))


def ask(channel, method, key, *metadata, **fields):
    rpc = SCHEMA.rpcs[RETRIEVER + method]
    return call(channel, rpc, SCHEMA.message_class(rpc.input_type)(**fields), key, *metadata)


@pytest.fixture(scope="module")
def corpus(running, channel):
    """A corpus of project alpha with a document and a chunk."""
    key = running[1]["alpha"]
    for method, fields in (
        ("CreateCorpus", {"corpus": {"name": "corpora/notes"}}),
        (
            "CreateDocument",
            {"parent": "corpora/notes", "document": {"name": "corpora/notes/documents/d"}},
        ),
        (
            "CreateChunk",
            {
                "parent": "corpora/notes/documents/d",
                "chunk": {
                    "name": "corpora/notes/documents/d/chunks/c",
                    "data": {"string_value": "Otters eat fish."},
                },
            },
        ),
    ):
        assert ask(channel, method, key, **fields)[0] == "OK"
    return "notes"


@pytest.mark.parametrize("rpc", NAMING_PROJECTS, ids=lambda rpc: rpc.full_name)
def test_every_rpc_is_refused_over_grpc(running, channel, rpc):
    request = SCHEMA.message_class(rpc.input_type)()
    put(request, next(iter(name_paths(SCHEMA.message_descriptor(rpc.input_type)))), OTHERS)
    code, _, _ = call(channel, rpc, request, running[1]["mine"])
    assert code == "PERMISSION_DENIED"


def test_every_path_is_refused_over_rest(running):
    server, keys = running
    connection = http.client.HTTPConnection("127.0.0.1", server.port, timeout=PATIENCE_S)
    refused = 0
    for rpc in NAMING_PROJECTS:
        for rule in rpc.rules:
            path = re.sub(r"\{[^=}]+=([^}]+)\}", r"\1", rule.template).replace("**", "a/b")
            path = path.replace("projects/*", "projects/others").replace("*", "word")
            connection.request(
                rule.verb, path, "{}" if rule.body else None, {"x-goog-api-key": keys["mine"]}
            )
            response = connection.getresponse()
            body = json.loads(response.read())
            assert response.status in (403, 501), (rule, body)  # 501: the path of one not built
            refused += response.status == 403
    connection.close()
    assert refused > 300


@pytest.mark.parametrize("rpc", HAVING_CORPORA, ids=lambda rpc: rpc.full_name)
def test_the_corpus_of_another_project_is_answered_as_if_it_were_not_there(
    running, channel, corpus, rpc
):
    answers = []
    for name in (corpus, "xotes"):
        request = SCHEMA.message_class(rpc.input_type)()
        fill(request, name)
        answers.append(call(channel, rpc, request, running[1]["mine"])[:2])
    (code, words), (other_code, other_words) = answers
    assert (code, words.replace("xotes", corpus)) == (
        other_code,
        other_words.replace("xotes", corpus),
    )
    if rpc.method not in ("CreateCorpus", "ListCorpora", "TransferOwnership"):
        assert code == "PERMISSION_DENIED", (
            words
        )  # and not INVALID_ARGUMENT, before it was looked up


def fill(request, corpus):  # noqa: C901, PLR0912 - one branch for each shape of request
    """Write names of a corpus, and what else must be there for it to be looked up."""
    document = f"corpora/{corpus}/documents/d"
    for field in request.DESCRIPTOR.fields:
        type_ = field.message_type.full_name.rpartition(".")[2] if field.message_type else ""
        if field.name in ("name", "parent"):
            setattr(request, field.name, named(request.DESCRIPTOR.name, corpus))
        elif field.name == "requests":
            fill(request.requests.add(), corpus)
        elif field.name == "query" and not type_:
            request.query = "What do otters eat?"
        elif field.name == "update_mask":
            paths = {"UpdatePermissionRequest": "role", "UpdateChunkRequest": "data"}
            request.update_mask.paths.append(paths.get(request.DESCRIPTOR.name, "display_name"))
        elif type_ == "Corpus" and request.DESCRIPTOR.name.startswith("Update"):
            request.corpus.name = f"corpora/{corpus}"
        elif type_ == "Document":
            request.document.name = document
        elif type_ == "Chunk":
            request.chunk.name = f"{document}/chunks/c"
            request.chunk.data.string_value = "Otters eat fish."
        elif type_ == "Permission":
            request.permission.role, request.permission.grantee_type = 3, 3
            if request.DESCRIPTOR.name.startswith("Update"):
                request.permission.name = f"corpora/{corpus}/permissions/p"
        elif type_ == "SemanticRetrieverConfig":
            request.semantic_retriever.source = f"corpora/{corpus}"
            request.semantic_retriever.query.parts.add(text="What do otters eat?")
            request.contents.add(role="user").parts.add(text="What do otters eat?")
            request.answer_style = 1
            request.model = "models/aqa"


def named(request, corpus):
    """Return the name that a request of this type takes."""
    document = f"corpora/{corpus}/documents/d"
    if "Permission" in request:
        above = request.startswith(("Create", "List"))
        return f"corpora/{corpus}" if above else f"corpora/{corpus}/permissions/p"
    if "Chunk" in request:
        above = request.startswith(("Create", "List", "Batch"))
        return document if above else f"{document}/chunks/c"
    if "Document" in request:
        return f"corpora/{corpus}" if request.startswith(("Create", "List")) else document
    return f"corpora/{corpus}"


def test_each_project_has_corpora_of_its_own(running, channel, corpus):
    keys = running[1]
    name = f"corpora/{corpus}"
    assert not any(item.name == name for item in listed(channel, keys["mine"]))
    assert [item.name for item in listed(channel, keys["alpha"])] == [name]
    assert not listed(channel, keys["all"])  # those of no project
    assert ask(channel, "CreateCorpus", keys["mine"], corpus={"name": name})[0] == "OK"
    assert ask(channel, "CreateCorpus", keys["mine"], corpus={"name": name})[0] == "ALREADY_EXISTS"
    assert ask(channel, "DeleteCorpus", keys["mine"], name=name, force=True)[0] == "OK"
    assert ask(channel, "GetCorpus", keys["alpha"], name=name)[0] == "OK"


def test_a_caller_of_several_projects_says_which(running, channel, corpus):
    keys = running[1]
    project = ("x-goog-user-project", "alpha")
    code, words, _ = ask(channel, "ListCorpora", keys["both"])
    assert (code, "x-goog-user-project" in words) == ("INVALID_ARGUMENT", True)
    for key in ("both", "all", "alpha"):
        assert [item.name for item in listed(channel, keys[key], project)] == [f"corpora/{corpus}"]
    code, _, _ = ask(channel, "ListCorpora", keys["mine"], project)
    assert code == "PERMISSION_DENIED"


def test_a_viewer_reads_and_does_not_write(running, channel, corpus):
    key, name = running[1]["viewer"], f"corpora/{corpus}"
    assert ask(channel, "GetCorpus", key, name=name)[0] == "OK"
    assert ask(channel, "DeleteCorpus", key, name=name, force=True)[0] == "PERMISSION_DENIED"


def test_a_page_token_counts_nothing_of_others(running, channel):
    """It holds what the caller sees, and no number that all projects share."""
    key = running[1]["mine"]
    for id_ in ("one", "two"):
        assert ask(channel, "CreateCorpus", key, corpus={"name": f"corpora/{id_}"})[0] == "OK"
    _, _, page = ask(channel, "ListCorpora", key, page_size=1)
    token = page.next_page_token
    position = json.loads(base64.urlsafe_b64decode(token + "=" * (-len(token) % 4))[10:])
    first = page.corpora[0]
    assert position == [first.create_time.ToMicroseconds(), first.name.removeprefix("corpora/")]


def listed(channel, key, *metadata):
    code, words, page = ask(channel, "ListCorpora", key, *metadata)
    assert code == "OK", words
    return page.corpora
