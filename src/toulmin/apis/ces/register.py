"""Everything of Customer Engagement Suite that is built, bound at once."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from toulmin.agents import Evaluation, EvaluationDataset
from toulmin.apis.aip.registry import Handler, Registry
from toulmin.apis.ces.app import AppHandlers
from toulmin.apis.ces.app_export import ExportHandler
from toulmin.apis.ces.app_import import ImportHandler
from toulmin.apis.ces.app_version import VersionHandlers
from toulmin.apis.ces.conversation import ConversationHandlers
from toulmin.apis.ces.evaluation import KINDS as KINDS_OF_EVALUATIONS
from toulmin.apis.ces.evaluation import NEWEST, RUN, EvaluationHandlers
from toulmin.apis.ces.evaluation_checks import EVALUATION_CHECKS
from toulmin.apis.ces.evaluation_export import EvaluationExportHandlers
from toulmin.apis.ces.evaluation_import import EvaluationImportHandler
from toulmin.apis.ces.evaluation_metrics import MeasuredHandlers
from toulmin.apis.ces.evaluation_replay import ReplayHandler
from toulmin.apis.ces.evaluation_schedule import ScheduleHandlers, Scheduler
from toulmin.apis.ces.resources import KINDS, ResourceHandlers
from toulmin.apis.ces.session import SessionHandlers
from toulmin.apis.ces.tool_service import ToolHandlers
from toulmin.apis.ces.widget import WidgetHandlers
from toulmin.conversation.rooms import Rooms
from toulmin.services.chat_tokens import ChatTokens
from toulmin.stores.records import OperationHandler, OperationJob, OperationRunner, RecordStore

_API: Final = "ces"
_AGENTS: Final = "AgentService"
_EVALUATIONS: Final = "EvaluationService"
_SESSIONS: Final = "SessionService"
_TOOLS: Final = "ToolService"
_WIDGETS: Final = "WidgetService"


def register_ces(  # noqa: PLR0913 - what it binds to, by name
    registry: Registry,
    *,
    records: Callable[[], RecordStore],
    rooms: Callable[[], Rooms],
    operations: Callable[[], OperationRunner],
    add_operations: Callable[[str, OperationHandler], None],
    add_job: Callable[[OperationJob], None],
    chat_tokens: Callable[[], ChatTokens],
) -> None:
    """Bind the handlers, in v1 and v1beta.

    Args:
        registry: Takes the handlers.
        records: Returns the record store.
        rooms: Returns what conversations stand on.
        operations: Returns what does long-running operations.
        add_operations: Takes what does those of one more kind.
        add_job: Takes what is asked again and again whether something has its time.
        chat_tokens: Returns what makes the tokens of single sessions.
    """
    apps, conversations = AppHandlers(records), ConversationHandlers(records)
    versions = VersionHandlers(records)
    handler: Handler
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
    registry.register(_API, _SESSIONS, "BidiRunSession", sessions.bidi)
    widget = WidgetHandlers(records, chat_tokens)
    registry.register(_API, _WIDGETS, "GenerateChatToken", widget.generate_chat_token)
    _register_evaluations(registry, records, operations)
    add_operations(RUN, ReplayHandler(records, sessions))
    add_job(Scheduler())
    tools = ToolHandlers(records, rooms)
    registry.register(_API, _TOOLS, "ExecuteTool", tools.execute)
    registry.register(_API, _TOOLS, "RetrieveToolSchema", tools.schema)
    registry.register(_API, _TOOLS, "RetrieveTools", tools.tools)


def _register_evaluations(
    registry: Registry,
    records: Callable[[], RecordStore],
    operations: Callable[[], OperationRunner],
) -> None:
    handler: Handler
    for kind, noun in KINDS_OF_EVALUATIONS:
        handlers = ResourceHandlers(
            records, kind, noun, checks=EVALUATION_CHECKS, default_order=NEWEST
        )
        title = noun.title().replace("_", "")
        reading: ResourceHandlers | MeasuredHandlers = handlers
        if kind is Evaluation or kind is EvaluationDataset:
            reading = MeasuredHandlers(records, kind)
        for method, handler in (
            (f"Create{title}", handlers.create),
            (f"Get{title}", reading.get),
            (f"List{title}s", reading.list),
            (f"Update{title}", handlers.update),
            (f"Delete{title}", handlers.delete),
        ):
            registry.register(_API, _EVALUATIONS, method, handler)
    runs, exports = EvaluationHandlers(records, operations), EvaluationExportHandlers(records)
    schedules = ScheduleHandlers(records, operations)
    for method, handler in (
        ("ImportEvaluations", EvaluationImportHandler(records)),
        ("ExportEvaluations", exports.evaluations),
        ("ExportEvaluationResults", exports.results),
        ("ExportEvaluationRuns", exports.runs),
        ("RunEvaluation", runs.run),
        ("CreateScheduledEvaluationRun", schedules.create),
        ("GetScheduledEvaluationRun", schedules.get),
        ("ListScheduledEvaluationRuns", schedules.list),
        ("UpdateScheduledEvaluationRun", schedules.update),
        ("DeleteScheduledEvaluationRun", schedules.delete),
        ("GetEvaluationRun", runs.get_run),
        ("ListEvaluationRuns", runs.list_runs),
        ("DeleteEvaluationRun", runs.delete_run),
        ("GetEvaluationResult", runs.get_result),
        ("ListEvaluationResults", runs.list_results),
        ("DeleteEvaluationResult", runs.delete_result),
    ):
        registry.register(_API, _EVALUATIONS, method, handler)
