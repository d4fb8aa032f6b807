"""The ten small apps of `data/apps.json`, as they run."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from toulmin.agents import Agent, App, Tool
from toulmin.conversation.definition import AppSpec, app_spec

DATA = Path(__file__).parent / "data"
LOCATION = "projects/p/locations/l"


def small_apps() -> dict[str, AppSpec]:
    """Return the apps by name: a root agent with client functions and child agents."""
    content = json.loads((DATA / "apps.json").read_text(encoding="utf-8"))
    return {item["name"]: app_of(item) for item in content}


def app_of(item: dict[str, Any]) -> AppSpec:
    """Return an app of the file as it runs."""
    app = f"{LOCATION}/apps/{item['name']}"
    tools = [
        Tool(
            parent=app, id=tool["name"], display_name=tool["name"], fields={"clientFunction": tool}
        )
        for tool in item["tools"]
    ]
    children = [
        Agent(
            parent=app,
            id=f"agent{number}",
            display_name=agent["name"],
            fields={"description": agent["description"]},
        )
        for number, agent in enumerate(item.get("agents", ()))
    ]
    fields = {
        "tools": [tool.name for tool in tools],
        "childAgents": [child.name for child in children],
    }
    root = Agent(parent=app, id="root", display_name="Root", fields=fields)
    owner = App(
        parent=LOCATION, id=item["name"], display_name=item["name"], fields={"rootAgent": root.name}
    )
    return app_spec(owner, [root, *children], tools)
