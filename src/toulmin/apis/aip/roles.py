"""Which role an RPC needs. Every RPC that is built has a row; one without is for admins only.

The table is by service and method, the same in every version.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from toulmin.apis.schema import Rpc
from toulmin.callers import Role

_VIEWER: Final = {
    "ces.AgentService": (
        "GetApp ListApps GetAgent ListAgents GetTool ListTools GetToolset ListToolsets GetExample"
        " ListExamples GetGuardrail ListGuardrails GetDeployment ListDeployments GetAppVersion"
        " ListAppVersions ExportApp GetConversation ListConversations"
    ),
    "ces.EvaluationService": (
        "GetEvaluation ListEvaluations GetEvaluationDataset ListEvaluationDatasets"
        " GetEvaluationExpectation ListEvaluationExpectations GetEvaluationRun ListEvaluationRuns"
        " GetEvaluationResult ListEvaluationResults ExportEvaluations ExportEvaluationResults"
        " ExportEvaluationRuns GetScheduledEvaluationRun ListScheduledEvaluationRuns"
    ),
    "ces.SessionService": "RunSession StreamRunSession BidiRunSession",
    # A token for one session is less than what its maker may do itself.
    "ces.WidgetService": "GenerateChatToken",
    "ces.ToolService": "ExecuteTool RetrieveTools RetrieveToolSchema",
    # Asking makes sessions, conversations and answers as it goes; that is not writing.
    "discoveryengine.AssistantService": "GetAssistant ListAssistants StreamAssist",
    "discoveryengine.CompletionService": "CompleteQuery AdvancedCompleteQuery",
    "discoveryengine.ConversationalSearchService": (
        "AnswerQuery StreamAnswerQuery ConverseConversation CreateConversation GetConversation"
        " ListConversations CreateSession GetSession ListSessions GetAnswer"
    ),
    "discoveryengine.SessionService": "CreateSession GetSession ListSessions",
    "discoveryengine.GroundedGenerationService": (
        "CheckGrounding GenerateGroundedContent StreamGenerateGroundedContent"
    ),
    "discoveryengine.RankService": "Rank",
    "discoveryengine.RecommendationService": "Recommend",
    "discoveryengine.SearchService": "Search SearchLite",
    "discoveryengine.BranchService": "GetBranch ListBranches",
    "discoveryengine.ChunkService": "GetChunk ListChunks",
    "discoveryengine.ControlService": "GetControl ListControls",
    "discoveryengine.DataStoreService": ("GetDataStore ListDataStores GetDocumentProcessingConfig"),
    "discoveryengine.DocumentService": "GetDocument ListDocuments BatchGetDocumentsMetadata",
    "discoveryengine.EngineService": "GetEngine ListEngines",
    "discoveryengine.SchemaService": "GetSchema ListSchemas",
    "discoveryengine.ServingConfigService": "GetServingConfig ListServingConfigs",
    # What one did is said by who searches; a page's key must not be one that writes documents.
    "discoveryengine.UserEventService": "WriteUserEvent CollectUserEvent",
    "generativelanguage.GenerativeService": (
        "GenerateAnswer EmbedContent BatchEmbedContents CountTokens"
    ),
    "generativelanguage.ModelService": "GetModel ListModels",
    "generativelanguage.RetrieverService": (
        "GetCorpus ListCorpora QueryCorpus GetDocument ListDocuments QueryDocument GetChunk"
        " ListChunks"
    ),
    "location.Locations": "GetLocation ListLocations",
    "longrunning.Operations": "GetOperation ListOperations",
}
_EDITOR: Final = {
    "ces.AgentService": (
        "CreateApp UpdateApp DeleteApp ImportApp CreateAgent UpdateAgent DeleteAgent"
        " CreateTool UpdateTool DeleteTool CreateToolset UpdateToolset DeleteToolset"
        " CreateExample UpdateExample DeleteExample CreateGuardrail UpdateGuardrail DeleteGuardrail"
        " CreateDeployment UpdateDeployment DeleteDeployment CreateAppVersion DeleteAppVersion"
        " RestoreAppVersion DeleteConversation BatchDeleteConversations"
    ),
    "ces.EvaluationService": (
        "CreateEvaluation UpdateEvaluation DeleteEvaluation RunEvaluation CreateEvaluationDataset"
        " UpdateEvaluationDataset DeleteEvaluationDataset CreateEvaluationExpectation"
        " UpdateEvaluationExpectation DeleteEvaluationExpectation DeleteEvaluationRun"
        " DeleteEvaluationResult ImportEvaluations CreateScheduledEvaluationRun"
        " UpdateScheduledEvaluationRun DeleteScheduledEvaluationRun"
    ),
    "discoveryengine.ConversationalSearchService": (
        "UpdateConversation DeleteConversation UpdateSession DeleteSession"
    ),
    "discoveryengine.SessionService": "UpdateSession DeleteSession",
    "discoveryengine.ControlService": "CreateControl UpdateControl DeleteControl",
    "discoveryengine.DataStoreService": (
        "CreateDataStore UpdateDataStore DeleteDataStore UpdateDocumentProcessingConfig"
    ),
    "discoveryengine.DocumentService": (
        "CreateDocument UpdateDocument DeleteDocument ImportDocuments PurgeDocuments"
    ),
    "discoveryengine.EngineService": "CreateEngine UpdateEngine DeleteEngine",
    "discoveryengine.SchemaService": "CreateSchema UpdateSchema DeleteSchema",
    "discoveryengine.ServingConfigService": (
        "CreateServingConfig UpdateServingConfig DeleteServingConfig"
    ),
    "discoveryengine.UserEventService": "ImportUserEvents PurgeUserEvents",
    "generativelanguage.RetrieverService": (
        "CreateCorpus UpdateCorpus DeleteCorpus CreateDocument UpdateDocument DeleteDocument"
        " CreateChunk UpdateChunk DeleteChunk BatchCreateChunks BatchUpdateChunks"
        " BatchDeleteChunks"
    ),
    "longrunning.Operations": "CancelOperation DeleteOperation",
}
_ADMIN: Final = {
    "generativelanguage.PermissionService": (
        "CreatePermission GetPermission ListPermissions UpdatePermission DeletePermission"
        " TransferOwnership"
    ),
}


def _by_method() -> dict[tuple[str, str], Role]:
    tables: Mapping[Role, Mapping[str, str]] = {
        Role.VIEWER: _VIEWER,
        Role.EDITOR: _EDITOR,
        Role.ADMIN: _ADMIN,
    }
    return {
        (service, method): role
        for role, table in tables.items()
        for service, methods in table.items()
        for method in methods.split()
    }


_ROLES: Final = _by_method()


def role_of(rpc: Rpc) -> Role | None:
    """Return the role that an RPC needs; None: nobody has decided, so only admins may call it."""
    return _ROLES.get((f"{rpc.api}.{rpc.service_name}", rpc.method))
