"""Apps, agents, tools, toolsets and examples through the official clients."""

from __future__ import annotations

import pytest
from google.api_core.exceptions import GoogleAPICallError

from tests.apis.ces.clients import LOCATION, WAIT_S, new_id
from toulmin.apis.schema import load_schema

PETS = (
    '{"openapi": "3.0.0", "servers": [{"url": "http://127.0.0.1:9"}],'
    ' "paths": {"/pets": {"get": {"operationId": "list_pets"}}}}'
)

pytestmark = pytest.mark.client

ABORTED, FAILED_PRECONDITION, INVALID, NOT_FOUND, TAKEN = 409, 400, 400, 404, 409


def refused(call, code, *words):
    with pytest.raises(GoogleAPICallError) as caught:
        call()
    assert caught.value.code == code
    for word in words:
        assert word in caught.value.message


def test_an_app_is_created_read_changed_and_deleted(clients):
    app_id = new_id("app")
    made = clients.agent.create_app(
        parent=LOCATION,
        app_id=app_id,
        app={
            "display_name": "Support",
            "description": "Helps",
            "variable_declarations": [
                {"name": "plan", "description": "d", "schema": {"type_": "STRING", "default": "x"}}
            ],
        },
    ).result(timeout=WAIT_S)
    assert made.name == f"{LOCATION}/apps/{app_id}"
    assert made.variable_declarations[0].schema.default == "x"
    assert made.etag
    assert made.create_time == made.update_time
    assert clients.agent.get_app(name=made.name) == made
    agent = clients.make_agent(made.name)
    changed = clients.agent.update_app(
        app={"name": made.name, "root_agent": agent}, update_mask={"paths": ["root_agent"]}
    )
    assert (changed.root_agent, changed.description) == (agent, "Helps")
    assert changed.etag != made.etag
    clients.agent.delete_app(name=made.name).result(timeout=WAIT_S)
    refused(lambda: clients.agent.get_app(name=made.name), NOT_FOUND, app_id)
    refused(lambda: clients.agent.get_agent(name=agent), NOT_FOUND)


def test_the_operation_of_a_new_app_can_be_read_again(clients):
    operation = clients.agent.create_app(
        parent=LOCATION, app={"display_name": "A"}, app_id=new_id("app")
    )
    name = operation.operation.name
    assert name.startswith(f"{LOCATION}/operations/create-app-")
    read = clients.agent.get_operation({"name": name})
    assert read.done
    assert operation.metadata.create_time == operation.metadata.end_time
    listed = clients.agent.list_operations({"name": LOCATION})
    assert name in [item.name for item in listed.operations]


@pytest.mark.parametrize(
    ("noun", "fields"),
    [
        ("agent", {"display_name": "Clerk", "instruction": "Be kind."}),
        ("tool", {"client_function": {"name": "look_up", "description": "Looks up."}}),
        ("toolset", {"display_name": "Pets", "open_api_toolset": {"open_api_schema": PETS}}),
        ("example", {"display_name": "One", "messages": [{"role": "user", "chunks": []}]}),
        (
            "guardrail",
            {
                "display_name": "Words",
                "enabled": True,
                "content_filter": {
                    "banned_contents": ["sauce"],
                    "match_type": "SIMPLE_STRING_MATCH",
                },
            },
        ),
        ("deployment", {"display_name": "Live", "channel_profile": {"channel_type": "API"}}),
    ],
)
def test_what_is_in_an_app_is_created_read_changed_and_deleted(clients, noun, fields):
    app, service = clients.make_app(), clients.agent
    id_ = new_id(noun)
    request = {"parent": app, noun: fields, f"{noun}_id": id_}
    made = getattr(service, f"create_{noun}")(request=request)
    assert made.name == f"{app}/{noun}s/{id_}"
    assert made.etag
    assert getattr(service, f"get_{noun}")(name=made.name) == made
    refused(lambda: getattr(service, f"create_{noun}")(request=request), TAKEN, id_)
    listed = list(getattr(service, f"list_{noun}s")(parent=app))
    assert listed == [made]
    changed = getattr(service, f"update_{noun}")(
        request={noun: {**fields, "name": made.name, "etag": made.etag}}
    )
    assert changed.etag != made.etag
    stale = {noun: {**fields, "name": made.name, "etag": made.etag}}
    refused(lambda: getattr(service, f"update_{noun}")(request=stale), ABORTED, "etag")
    delete = getattr(service, f"delete_{noun}")
    refused(lambda: delete(request={"name": made.name, "etag": '"x"'}), ABORTED, "etag")
    delete(request={"name": made.name, "etag": changed.etag})
    refused(lambda: getattr(service, f"get_{noun}")(name=made.name), NOT_FOUND, id_)


def test_a_mask_changes_what_it_names_and_none_changes_all(beta):
    app = beta.make_app()
    name = beta.make_agent(app, description="d", instruction="i")
    masked = beta.agent.update_agent(
        agent={"name": name, "display_name": "B"}, update_mask={"paths": ["display_name"]}
    )
    assert (masked.display_name, masked.instruction) == ("B", "i")
    whole = beta.agent.update_agent(agent={"name": name, "display_name": "C"})
    assert (whole.display_name, whole.instruction) == ("C", "")
    refused(
        lambda: beta.agent.update_agent(
            agent={"name": name, "display_name": "B"}, update_mask={"paths": ["nonsense"]}
        ),
        INVALID,
        "update_mask",
        "nonsense",
    )


def test_a_tool_is_called_by_the_name_of_its_type(beta):
    app = beta.make_app()
    name = beta.make_tool(app, client_function={"name": "find_order"})
    assert beta.agent.get_tool(name=name).display_name == "find_order"


def test_lists_have_pages_filters_and_orders(beta):
    app = beta.make_app()
    for id_ in ("c", "a", "b"):
        beta.make_agent(app, id_, display_name=id_.upper())
    ids = [agent.name[-1] for agent in beta.agent.list_agents(parent=app)]
    assert ids == ["a", "b", "c"]
    request = {"parent": app, "page_size": 2, "order_by": "create_time desc"}
    page = beta.agent.list_agents(request=request)
    assert [agent.name[-1] for agent in next(page.pages).agents] == ["b", "a"]
    assert [agent.name[-1] for agent in page] == ["b", "a", "c"]
    found = beta.agent.list_agents(request={"parent": app, "filter": 'display_name = "B"'})
    assert [agent.name[-1] for agent in found] == ["b"]
    for bad, word in (({"order_by": "size"}, "order_by"), ({"page_token": "x"}, "page_token")):
        refused(
            lambda bad=bad: list(beta.agent.list_agents(request={"parent": app, **bad})), 400, word
        )


@pytest.mark.parametrize("order", ["", "create_time desc", "update_time"])
def test_a_list_goes_on_where_its_last_page_was_deleted(beta, order):
    app = beta.make_app()
    for id_ in ("c", "a", "e", "b", "d"):
        beta.make_agent(app, id_)
    request = {"parent": app, "page_size": 2, "order_by": order}
    every = [agent.name for agent in beta.agent.list_agents(request=request)]
    page = next(beta.agent.list_agents(request=request).pages)
    for agent in page.agents:
        beta.agent.delete_agent(name=agent.name)
    left = beta.agent.list_agents(request=request | {"page_token": page.next_page_token})
    assert [agent.name for agent in left] == every[2:]


def test_what_is_referred_to_must_be_there_and_goes_only_by_force(beta):
    app, other = beta.make_app(), beta.make_app()
    tool = beta.make_tool(app)
    refused(lambda: beta.make_agent(app, tools=[f"{app}/tools/none"]), INVALID, "agent.tools[0]")
    refused(lambda: beta.make_agent(other, tools=[tool]), INVALID, "agent.tools[0]", "is not of")
    child = beta.make_agent(app, tools=[tool, f"{app}/tools/end_session"])
    root = beta.make_agent(app, child_agents=[child])
    refused(lambda: beta.agent.delete_tool(name=tool), FAILED_PRECONDITION, child, "force")
    refused(lambda: beta.agent.delete_agent(name=child), FAILED_PRECONDITION, root)
    beta.agent.delete_tool(request={"name": tool, "force": True})
    assert list(beta.agent.get_agent(name=child).tools) == [f"{app}/tools/end_session"]
    beta.agent.delete_agent(request={"name": child, "force": True})
    assert list(beta.agent.get_agent(name=root).child_agents) == []


def test_a_locked_app_takes_no_change_but_to_be_unlocked(beta):
    app = beta.make_app()
    locked = {"app": {"name": app, "locked": True}, "update_mask": {"paths": ["locked"]}}
    beta.agent.update_app(request=locked)
    refused(lambda: beta.make_agent(app), FAILED_PRECONDITION, "locked")
    refused(lambda: beta.agent.delete_app(name=app), FAILED_PRECONDITION, "locked")
    locked["app"]["locked"] = False
    beta.agent.update_app(request=locked)
    beta.make_agent(app)


@pytest.mark.parametrize(
    ("app", "words"),
    [
        ({"display_name": ""}, ["app.display_name", "required"]),
        ({"display_name": "x" * 1025}, ["app.display_name", "1,025", "1,024"]),
        ({"root_agent": "agents/a"}, ["app.root_agent", "must have the form"]),
        ({"variable_declarations": [{"name": "1"}]}, ["variable_declarations[0].name"]),
        ({"variable_declarations": [{"name": "a"}]}, ["[0].schema.type", "required"]),
        (
            {
                "variable_declarations": [
                    {"name": "a", "schema": {"type_": "INTEGER", "default": "x"}}
                ]
            },
            ["[0].schema.default", "INTEGER"],
        ),
    ],
)
def test_an_app_that_is_wrong_is_refused_with_the_field(beta, app, words):
    refused(lambda: beta.make_app(**app), INVALID, *words)


@pytest.mark.parametrize(
    ("tool", "words"),
    [
        ({"execution_type": 1}, ["tool", "has no type"]),
        ({"client_function": {"name": "two words"}}, ["tool.client_function.name", "two words"]),
        ({"python_function": {"name": "f"}}, ["tool.python_function.python_code", "empty"]),
        ({"mcp_tool": {"name": "f"}}, ["tool.mcp_tool", "mcp_toolset"]),
        ({"data_store_tool": {"name": "d"}}, ["tool.data_store_tool", "data_store_source"]),
        (
            {
                "data_store_tool": {
                    "name": "d",
                    "data_store_source": {
                        "data_store": {"name": "projects/q/locations/us/dataStores/d"}
                    },
                }
            },
            ["tool.data_store_tool.data_store_source.data_store.name", "is not of projects/p"],
        ),
    ],
)
def test_a_tool_that_is_wrong_is_refused_with_the_field(beta, tool, words):
    app = beta.make_app()
    refused(lambda: beta.make_tool(app, **tool), INVALID, *words)


def test_ids_and_parents_are_checked(beta):
    refused(
        lambda: beta.agent.create_app(parent="here", app={"display_name": "A"}), INVALID, "parent"
    )
    refused(
        lambda: beta.agent.create_app(parent=LOCATION, app={"display_name": "A"}, app_id="-a b"),
        INVALID,
        "app_id",
    )
    refused(lambda: beta.make_agent(f"{LOCATION}/apps/none"), NOT_FOUND, "apps/none")
    made = beta.agent.create_app(parent=LOCATION, app={"display_name": "A"}).result(timeout=WAIT_S)
    assert len(made.name.rpartition("/")[2]) == 36


def test_v1_keeps_what_only_v1beta_knows(clients, beta):
    app = beta.make_app(locked=False, pinned=True)
    clients.agent.update_app(
        app={"name": app, "description": "new"}, update_mask={"paths": ["description"]}
    )
    read = beta.agent.get_app(name=app)
    assert (read.pinned, read.description) == (True, "new")


def test_both_versions_have_the_same_numbers():
    """What is kept is v1beta's; a message of v1 is read as one of it."""
    schema = load_schema()
    seen = set()

    def visit(name):
        if name in seen:
            return
        seen.add(name)
        kept = {
            field.number: (field.name, field.type)
            for field in schema.message_descriptor(f"google.cloud.ces.v1beta.{name}").fields
        }
        for field in schema.message_descriptor(f"google.cloud.ces.v1.{name}").fields:
            if (name, field.name) == ("AgentTool", "root_agent"):  # v1 only; `agent` is in both
                continue
            assert kept[field.number] == (field.name, field.type), (name, field.name)
            inside = field.message_type
            if inside is not None and inside.full_name.startswith("google.cloud.ces.v1."):
                visit(inside.full_name.removeprefix("google.cloud.ces.v1."))

    for name in ("App", "Agent", "Tool", "Toolset", "Example", "Conversation", "SessionConfig"):
        visit(name)
    assert len(seen) > 80


def test_a_retention_window_is_kept_if_it_is_one(beta):
    def logging(**settings):
        return {"logging_settings": {"conversation_logging_settings": settings}}

    app = beta.make_app(**logging(retention_window={"seconds": 3600}))
    kept = beta.agent.get_app(name=app).logging_settings.conversation_logging_settings
    assert kept.retention_window.total_seconds() == 3600
    refused(lambda: beta.make_app(**logging(retention_window={})), 400, "at least 1 s")
    refused(
        lambda: beta.make_app(**logging(disable_conversation_logging=True)), 501, "disable_conv"
    )


def test_the_time_zone_of_an_app_is_one_of_the_database(beta):
    app = beta.make_app(time_zone_settings={"time_zone": "Asia/Tokyo"})
    assert beta.agent.get_app(name=app).time_zone_settings.time_zone == "Asia/Tokyo"
    refused(
        lambda: beta.make_app(time_zone_settings={"time_zone": "Mars/Olympus"}),
        400,
        "app.time_zone_settings.time_zone",
    )
