"""Small apps for tests, as they run."""

from __future__ import annotations

from toulmin.agents import Agent, App, Example, Tool
from toulmin.conversation.definition import app_spec

APP = "projects/p/locations/l/apps/a"


def make_app(tools, agents=(), instruction="", examples=(), **fields):
    """Return an app with a root agent that has client functions and child agents.

    Args:
        tools: With name, description and parameters (schemas of properties by name).
        agents: With name and description.
        instruction: Of the root agent.
        examples: Lists of the API's messages.
        fields: Further fields of the app.
    """
    made = [_tool(item) for item in tools]
    children = [
        Agent(
            parent=APP,
            id=item["name"].lower().replace(" ", "_"),
            display_name=item["name"],
            fields={"description": item["description"]},
        )
        for item in agents
    ]
    root = Agent(
        parent=APP,
        id="root",
        display_name="Root",
        fields={
            "instruction": instruction,
            "tools": [tool.name for tool in made],
            "childAgents": [agent.name for agent in children],
        },
    )
    app = App(
        parent=APP.rpartition("/apps/")[0],
        id="a",
        display_name="App",
        fields={"rootAgent": root.name, **fields},
    )
    shown = [
        Example(parent=APP, id=str(number), fields={"messages": messages})
        for number, messages in enumerate(examples)
    ]
    return app_spec(app, [root, *children], made, shown)


def _tool(item):
    properties = item.get("parameters", {})
    function = {
        "name": item["name"],
        "description": item["description"],
        "parameters": {
            "type": "OBJECT",
            "properties": properties,
            "required": list(properties),
        },
    }
    return Tool(
        parent=APP, id=item["name"], display_name=item["name"], fields={"clientFunction": function}
    )
