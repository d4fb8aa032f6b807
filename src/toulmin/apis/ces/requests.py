"""Requests about resources of an app, by what is asked for: types for mypy alone."""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeAlias

from toulmin.apis.schema import ces_pb2 as pb

if TYPE_CHECKING:
    CreateRequest: TypeAlias = (
        pb.CreateAgentRequest
        | pb.CreateToolRequest
        | pb.CreateToolsetRequest
        | pb.CreateExampleRequest
        | pb.CreateGuardrailRequest
        | pb.CreateDeploymentRequest
        | pb.CreateEvaluationRequest
        | pb.CreateEvaluationDatasetRequest
        | pb.CreateEvaluationExpectationRequest
    )
    GetRequest: TypeAlias = (
        pb.GetAgentRequest
        | pb.GetToolRequest
        | pb.GetToolsetRequest
        | pb.GetExampleRequest
        | pb.GetGuardrailRequest
        | pb.GetDeploymentRequest
        | pb.GetEvaluationExpectationRequest
    )
    ListRequest: TypeAlias = (
        pb.ListAppsRequest
        | pb.ListAppVersionsRequest
        | pb.ListAgentsRequest
        | pb.ListToolsRequest
        | pb.ListToolsetsRequest
        | pb.ListExamplesRequest
        | pb.ListGuardrailsRequest
        | pb.ListDeploymentsRequest
        | pb.ListEvaluationsRequest
        | pb.ListEvaluationDatasetsRequest
        | pb.ListEvaluationExpectationsRequest
        | pb.ListEvaluationRunsRequest
        | pb.ListEvaluationResultsRequest
        | pb.ListScheduledEvaluationRunsRequest
    )
    UpdateRequest: TypeAlias = (
        pb.UpdateAgentRequest
        | pb.UpdateToolRequest
        | pb.UpdateToolsetRequest
        | pb.UpdateExampleRequest
        | pb.UpdateGuardrailRequest
        | pb.UpdateDeploymentRequest
        | pb.UpdateEvaluationRequest
        | pb.UpdateEvaluationDatasetRequest
        | pb.UpdateEvaluationExpectationRequest
    )
    DeleteRequest: TypeAlias = (
        pb.DeleteAgentRequest
        | pb.DeleteToolRequest
        | pb.DeleteToolsetRequest
        | pb.DeleteExampleRequest
        | pb.DeleteGuardrailRequest
        | pb.DeleteDeploymentRequest
        | pb.DeleteEvaluationRequest
        | pb.DeleteEvaluationDatasetRequest
        | pb.DeleteEvaluationExpectationRequest
    )
