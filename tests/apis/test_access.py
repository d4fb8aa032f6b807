"""Every RPC that is built, tried by those who may not. The RPCs are read off the registry."""

from __future__ import annotations

import ast
import importlib
import inspect
import json
import re
from pathlib import Path

import pytest

from toulmin.apis.aip.access import NAME_FIELDS, names_in
from toulmin.apis.aip.registry import CallContext
from toulmin.apis.aip.roles import role_of
from toulmin.apis.handlers import build_registry
from toulmin.callers import Caller, ChatScope, Role
from toulmin.errors import PermissionDenied, ToulminError

MINE = "projects/mine/locations/global/collections/default_collection/dataStores/d"
OTHERS = MINE.replace("mine", "others")
ADMIN_OF_MINE = Caller("key:a", Role.ADMIN, frozenset({"mine"}), "mine")
VIEWER_OF_MINE = Caller("key:v", Role.VIEWER, frozenset({"mine"}), "mine")
EDITOR_OF_MINE = Caller("key:e", Role.EDITOR, frozenset({"mine"}), "mine")

READING = ("Get", "List", "BatchGet", "Search", "Query", "Check", "Rank", "Answer", "StreamAnswer",
           "Complete", "AdvancedComplete", "Generate", "StreamGenerate", "Embed", "BatchEmbed",
           "CountTokens", "Converse", "Recommend", "StreamAssist")  # fmt: skip
ASKING = {
    "CreateSession",
    "CreateConversation",
    "RunSession",
    "StreamRunSession",
    "BidiRunSession",
    "ExecuteTool",
    "ExportApp",
    "ExportEvaluations",
    "ExportEvaluationResults",
    "ExportEvaluationRuns",
    "RetrieveToolSchema",
    "RetrieveTools",
    "WriteUserEvent",
    "CollectUserEvent",
}  # to talk is to ask, an archive is read; who searches says what came of it


class Untouched:
    """Services that no request of these tests may reach."""

    def add_operations(self, _kind, _handler):
        """Nothing is done: what is registered is not called."""

    def add_job(self, _job):
        """The same."""

    def __getattr__(self, name):
        def reached(*_arguments, **_keywords):
            raise AssertionError(f"a refused request reached {name}")

        return reached


REGISTRY = build_registry(Untouched())
BUILT = sorted(
    (rpc for rpc in REGISTRY.schema.rpcs.values() if REGISTRY.is_implemented(rpc)),
    key=lambda rpc: rpc.full_name,
)
NAMING_PROJECTS = [rpc for rpc in BUILT if rpc.api != "generativelanguage"]


def is_writing(rpc):
    return not rpc.method.startswith(READING) and rpc.method not in ASKING


def call(rpc, request, caller):
    context = CallContext(
        rpc=rpc,
        deadline=None,
        is_cancelled=lambda: False,
        request_id="r",
        timings={},
        new_message=REGISTRY.schema.message_class(rpc.output_type),
        caller=caller,
    )
    if rpc.kind == "bidi":
        return list(REGISTRY.handler(rpc)(iter([request]), context))
    response = REGISTRY.handler(rpc)(request, context)
    return list(response) if rpc.kind == "server_stream" else response


def name_paths(descriptor, seen=()):
    """Yield the path of every field for a name in a message type, each type once on a path."""
    for field in descriptor.fields:
        if field.type == field.TYPE_STRING and field.name in NAME_FIELDS:
            yield (field.name,)
        inner = field.message_type
        if inner is None or inner.full_name in seen or inner.GetOptions().map_entry:
            continue
        if not inner.full_name.startswith("google.protobuf."):
            for path in name_paths(inner, (*seen, inner.full_name)):
                yield (field.name, *path)


def put(message, path, value):
    """Write a value into the field at a path, into a new item where it is in a list."""
    first, *rest = path
    field = message.DESCRIPTOR.fields_by_name[first]
    if rest:
        inner = getattr(message, first)
        put(inner.add() if field.is_repeated else inner, rest, value)
    elif field.is_repeated:
        getattr(message, first).append(value)
    else:
        setattr(message, first, value)


def request_of(rpc, path, value):
    request = REGISTRY.schema.message_class(rpc.input_type)()
    put(request, path, value)
    return request


@pytest.mark.parametrize("rpc", BUILT, ids=lambda rpc: rpc.full_name)
def test_every_rpc_that_is_built_has_a_role(rpc):
    assert role_of(rpc) is not None, f"{rpc.full_name} has no row in apis/aip/roles.py"
    if is_writing(rpc):
        assert role_of(rpc) is not Role.VIEWER


def test_the_roles_are_of_rpcs_that_there_are():
    from toulmin.apis.aip import roles

    known = {(f"{rpc.api}.{rpc.service_name}", rpc.method) for rpc in BUILT}
    assert set(roles._ROLES) <= known


@pytest.mark.parametrize(
    "rpc", [rpc for rpc in BUILT if is_writing(rpc)], ids=lambda rpc: rpc.full_name
)
def test_a_viewer_writes_nothing_even_in_its_own_project(rpc):
    for request in (
        REGISTRY.schema.message_class(rpc.input_type)(),
        *(
            request_of(rpc, path, MINE)
            for path in name_paths(REGISTRY.schema.message_descriptor(rpc.input_type))
            if len(path) < 3
        ),
    ):
        with pytest.raises(PermissionDenied) as caught:
            call(rpc, request, VIEWER_OF_MINE)
        assert caught.value.reason == "ROLE_INSUFFICIENT"


@pytest.mark.parametrize("rpc", BUILT, ids=lambda rpc: rpc.full_name)
def test_no_name_of_another_project_gets_past_in_any_field(rpc):
    """Not even to where one could see whether it exists, or measure how long that takes."""
    descriptor = REGISTRY.schema.message_descriptor(rpc.input_type)
    paths = list(dict.fromkeys(name_paths(descriptor)))
    if rpc in NAMING_PROJECTS:
        assert paths
    for path in paths:
        with pytest.raises(PermissionDenied) as caught:
            call(rpc, request_of(rpc, path, OTHERS), ADMIN_OF_MINE)
        assert caught.value.reason == "PROJECT_DENIED", path


@pytest.mark.parametrize(
    "event",
    [
        {"dataStore": OTHERS},
        {"engine": OTHERS.replace("dataStores", "engines")},
        {"documents": [{"name": f"{OTHERS}/branches/0/documents/d"}]},
    ],
)
def test_no_name_gets_past_in_the_text_of_a_collected_event(event):
    """It is JSON in a text, which the check of the request does not see into."""
    for rpc in BUILT:
        if rpc.method == "CollectUserEvent":
            request = request_of(rpc, ("parent",), MINE)
            request.user_event = json.dumps(event)
            with pytest.raises(PermissionDenied) as caught:
                call(rpc, request, VIEWER_OF_MINE)
            assert caught.value.reason == "PROJECT_DENIED"


def are_alternatives(descriptor, one, other):
    """Return whether setting one field of a message takes the other one away."""
    first, second = (descriptor.fields_by_name[name].containing_oneof for name in (one, other))
    return first is not None and first is second


@pytest.mark.parametrize("rpc", BUILT, ids=lambda rpc: rpc.full_name)
def test_a_name_of_another_project_beside_ones_own_gets_past_neither(rpc):
    descriptor = REGISTRY.schema.message_descriptor(rpc.input_type)
    paths = [path for path in dict.fromkeys(name_paths(descriptor)) if len(path) < 3]
    for path in paths:
        request = request_of(rpc, path, OTHERS)
        for other in paths:
            if other[0] != path[0] and not are_alternatives(descriptor, path[0], other[0]):
                put(request, other, MINE)
        with pytest.raises(PermissionDenied):
            call(rpc, request, ADMIN_OF_MINE)


@pytest.mark.parametrize(
    "name",
    ["", "projects", "projects/", "operations/x", "generativelanguage", "batches/b", "/", "-"],
)
def test_operations_are_listed_of_ones_own_projects_only(name):
    for rpc in BUILT:
        if rpc.api == "longrunning":
            with pytest.raises(PermissionDenied):
                call(rpc, request_of(rpc, ("name",), name), ADMIN_OF_MINE)


def test_an_rpc_without_a_role_is_for_admins_only(monkeypatch):
    from toulmin.apis.aip import roles

    monkeypatch.setattr(roles, "_ROLES", {})
    (rpc,) = [rpc for rpc in BUILT if rpc.full_name.endswith("v1.RankService.Rank")]
    for caller in (VIEWER_OF_MINE, EDITOR_OF_MINE):
        with pytest.raises(PermissionDenied):
            call(rpc, request_of(rpc, ("ranking_config",), MINE), caller)
    with pytest.raises(ToulminError) as caught:
        call(rpc, request_of(rpc, ("ranking_config",), MINE), ADMIN_OF_MINE)
    assert not isinstance(caught.value, PermissionDenied)


def test_texts_may_look_like_names():
    (rpc,) = [
        rpc
        for rpc in BUILT
        if rpc.full_name.endswith("v1.GroundedGenerationService.CheckGrounding")
    ]
    request = request_of(rpc, ("grounding_config",), f"projects/mine/{OTHERS}")
    request.answer_candidate = OTHERS
    request.facts.add(fact_text=OTHERS, attributes={"name": OTHERS})
    assert list(names_in(request)) == [f"projects/mine/{OTHERS}"]


def test_every_field_that_a_path_takes_a_project_from_is_looked_at():
    for rpc in REGISTRY.schema.rpcs.values():
        for rule in rpc.rules:
            for variable in rule.template.split("{")[1:]:
                field, _, pattern = variable.partition("}")[0].partition("=")
                if pattern.startswith("projects/"):
                    assert field.split(".")[-1] in NAME_FIELDS or not REGISTRY.is_implemented(rpc)


def test_every_field_that_a_handler_takes_a_name_from_is_looked_at():
    """Read off the calls that parse names: what they are given is a field of a request."""
    folder = Path(__file__).parents[2] / "src/toulmin/apis"
    files = [
        file
        for file in folder.glob("*/**/*.py")  # names of corpora have no project in them
        if file.relative_to(folder).parts[0] not in ("aip", "schema", "generativelanguage")
    ]
    trees = {file: ast.parse(file.read_text(encoding="utf-8")) for file in files}
    parsers = {"parse_name", "canonical_name"} | {
        node.name
        for file, tree in trees.items()
        if file.name == "names.py"
        for node in tree.body
        if isinstance(node, ast.FunctionDef) and node.name.startswith("parse_")
    }
    found = {
        node.args[0].attr
        for file, tree in trees.items()
        for node in ast.walk(tree)
        if file.name != "names.py"
        and isinstance(node, ast.Call)
        and isinstance(node.func, ast.Name)
        and node.func.id in parsers
        and isinstance(node.args[0], ast.Attribute)
    }
    assert len(parsers) > 15
    assert len(found) > 8
    assert found <= NAME_FIELDS


OF_OTHER_SERVERS = {
    "api_key_secret_version", "client_secret_version", "connection", "deidentify_template",
    "dialogflow_agent", "dialogflow_agent_to_link", "fhir_resources", "fhir_store", "file_corpus",
    "initial_filter_groups", "inspect_template", "kms_key", "passphrase", "private_key",
    "search_config", "service",
}  # fmt: skip
"""Fields for names of what no server of this kind has: secrets, keys, other products."""
NO_NAMES = {
    "filter",  # names in it are compared with those of what is listed in the caller's own parent
    "pending_async_assist_operation_id",  # only the server writes it
    "tool_id",  # an id, but in MockedToolCall, which says nothing of a tool but its response
}


def google_descriptions():
    """Return Google's words on each field of the messages that have some: (message, field) -> them."""
    found = {}
    for package in ("ces_v1", "ces_v1beta", "discoveryengine_v1", "discoveryengine_v1beta"):
        types = importlib.import_module(f"google.cloud.{package}.types")
        left = [getattr(types, name) for name in types.__all__]
        while left:
            type_ = left.pop()
            if not hasattr(type_, "meta") or not hasattr(type_, "pb"):
                continue
            left += [inner for inner in vars(type_).values() if inspect.isclass(inner)]
            for part in re.split(r"\n    (?=\w+ \()", inspect.getdoc(type_) or "")[1:]:
                found[type_.meta.full_name, part.partition(" ")[0]] = part
    return found


def test_every_field_that_the_api_says_holds_a_name_is_looked_at():
    described = google_descriptions()
    found, left = set(), [REGISTRY.schema.message_descriptor(rpc.input_type) for rpc in BUILT]
    seen = set()
    while left:
        message = left.pop()
        if message.full_name in seen or message.full_name.startswith("google.protobuf."):
            continue
        seen.add(message.full_name)
        for field in message.fields:
            if field.message_type is not None:
                left.append(field.message_type)
            elif "projects/" in described.get((message.full_name, field.name), ""):
                found.add(field.name)
    assert len(found) > 40
    assert found - OF_OTHER_SERVERS - NO_NAMES <= NAME_FIELDS
    assert found >= OF_OTHER_SERVERS | NO_NAMES


def test_no_page_token_is_made_of_the_number_of_a_row():
    """All projects share these: two of them would tell how much the others wrote in between."""
    source = Path(__file__).parents[2] / "src/toulmin"
    for file in source.glob("**/*.py"):
        for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Call) and getattr(node.func, "id", "") == "make_token":
                assert "attr='key'" not in ast.dump(node.args[0]), file
                assert not isinstance(node.args[0], ast.Name) or file.name == "paging.py", file


def test_there_is_no_way_to_a_handler_past_the_check():
    for rpc in BUILT:
        assert REGISTRY.handler(rpc).__qualname__.startswith("_guarded")


APP = "projects/mine/locations/us/apps/a"
CHATTING = Caller(
    "key:a/chat:1",
    Role.VIEWER,
    frozenset({"mine"}),
    chat=ChatScope(f"{APP}/sessions/1", f"{APP}/deployments/web"),
)
TALKS = [rpc for rpc in BUILT if rpc.full_name.endswith("RunSession")]


@pytest.mark.parametrize(
    "rpc", [rpc for rpc in BUILT if rpc not in TALKS], ids=lambda rpc: rpc.full_name
)
def test_a_chat_token_calls_nothing_but_what_talks(rpc):
    with pytest.raises(PermissionDenied) as caught:
        call(rpc, REGISTRY.schema.message_class(rpc.input_type)(), CHATTING)
    assert caught.value.reason == "CHAT_TOKEN_SCOPE"


@pytest.mark.parametrize("rpc", TALKS, ids=lambda rpc: rpc.full_name)
def test_a_chat_token_names_its_session_its_deployment_and_what_is_in_their_app(rpc):
    paths = list(dict.fromkeys(name_paths(REGISTRY.schema.message_descriptor(rpc.input_type))))
    assert ("config", "session") in paths
    assert ("config", "deployment") in paths
    for path in paths:
        for name in (f"{APP}/sessions/2", f"{APP}/deployments/draft", f"{APP}2/agents/x",
                     "projects/mine/locations/us", APP, MINE, "x"):  # fmt: skip
            with pytest.raises(PermissionDenied) as caught:
                call(rpc, request_of(rpc, path, name), CHATTING)
            assert caught.value.reason == "CHAT_TOKEN_SCOPE", (path, name)
    for path, name in (
        (("config", "session"), f"{APP}/sessions/1"),
        (("config", "deployment"), f"{APP}/deployments/web"),
        (("config", "entry_agent"), f"{APP}/agents/x"),
    ):
        denied = False
        try:
            call(rpc, request_of(rpc, path, name), CHATTING)
        except PermissionDenied:
            denied = True
        except (ToulminError, AssertionError):  # of what comes after the check
            pass
        assert not denied, (path, name)
