"""Everything of Customer Engagement Suite that is built, bound at once."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from toulmin.apis.aip.registry import Registry
from toulmin.apis.ces.app import AppHandlers
from toulmin.apis.ces.app_export import ExportHandler
from toulmin.apis.ces.app_import import ImportHandler
from toulmin.apis.ces.app_version import VersionHandlers
from toulmin.apis.ces.conversation import ConversationHandlers
from toulmin.apis.ces.resources import KINDS, ResourceHandlers
from toulmin.apis.ces.session import SessionHandlers
from toulmin.apis.ces.tool_service import ToolHandlers
from toulmin.conversation.rooms import Rooms
from toulmin.stores.records import RecordStore

_API: Final = "ces"
_AGENTS: Final = "AgentService"
_SESSIONS: Final = "SessionService"
_TOOLS: Final = "ToolService"


def register_ces(
    registry: Registry, *, records: Callable[[], RecordStore], rooms: Callable[[], Rooms]
) -> None:
    """Bind the handlers, in v1 and v1beta.

    Args:
        registry: Takes the handlers.
        records: Returns the record store.
        rooms: Returns what conversations stand on.
    """
    apps, conversations = AppHandlers(records), ConversationHandlers(records)
    versions = VersionHandlers(records)
    for method, handler in (
        ("CreateApp", apps.create),
        ("GetApp", apps.get),
        ("ListApps", apps.list),
        ("UpdateApp", apps.update),
        ("DeleteApp", apps.delete),
        ("ImportApp", ImportHandler(records)),
        ("ExportApp", ExportHandler(records)),
        ("CreateAppVersion", versions.create),
        ("GetAppVersion", versions.get),
        ("ListAppVersions", versions.list),
        ("DeleteAppVersion", versions.delete),
        ("RestoreAppVersion", versions.restore),
        ("GetConversation", conversations.get),
        ("ListConversations", conversations.list),
        ("DeleteConversation", conversations.delete),
        ("BatchDeleteConversations", conversations.batch_delete),
    ):
        registry.register(_API, _AGENTS, method, handler)
    for kind, noun in KINDS:
        handlers = ResourceHandlers(records, kind, noun)
        title = noun.capitalize()
        for method, handler in (
            (f"Create{title}", handlers.create),
            (f"Get{title}", handlers.get),
            (f"List{title}s", handlers.list),
            (f"Update{title}", handlers.update),
            (f"Delete{title}", handlers.delete),
        ):
            registry.register(_API, _AGENTS, method, handler)
    sessions = SessionHandlers(records, rooms)
    registry.register(_API, _SESSIONS, "RunSession", sessions.run)
    registry.register(_API, _SESSIONS, "StreamRunSession", sessions.stream)
    tools = ToolHandlers(records, rooms)
    registry.register(_API, _TOOLS, "ExecuteTool", tools.execute)
    registry.register(_API, _TOOLS, "RetrieveToolSchema", tools.schema)
    registry.register(_API, _TOOLS, "RetrieveTools", tools.tools)
