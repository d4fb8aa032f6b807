"""Ragas: `Groundedness` scores a response by its retrieved contexts, without a judge model.

Needs `ragas`.
"""

from __future__ import annotations

import asyncio
from dataclasses import dataclass, field
from typing import Any

from ragas.dataset_schema import SingleTurnSample
from ragas.metrics.base import MetricOutputType, MetricType, SingleTurnMetric
from ragas.run_config import RunConfig

from toulmin.integrations.service import Service


@dataclass
class Groundedness(SingleTurnMetric):
    """The support of the weakest sentence of `response` in `retrieved_contexts`, in [0, 1].

    A response that states nothing to be checked has 1.

    Attributes:
        server: Address of the server.
        api_key: One of the server's keys, where it asks for one.
        name: What reports call the metric.
    """

    name: str = "groundedness"
    server: str = "http://127.0.0.1:8080"
    api_key: str = field(default="", repr=False)
    output_type: MetricOutputType | None = MetricOutputType.CONTINUOUS
    _required_columns: dict[MetricType, set[str]] = field(
        default_factory=lambda: {MetricType.SINGLE_TURN: {"response", "retrieved_contexts"}}
    )

    def __post_init__(self) -> None:
        super().__post_init__()
        self._service = Service(self.server, api_key=self.api_key)

    def init(self, run_config: RunConfig) -> None:
        """Do nothing: there is no model to make ready."""

    async def _single_turn_ascore(
        self,
        sample: SingleTurnSample,
        callbacks: Any,  # noqa: ARG002 - Ragas hands it over by name
    ) -> float:
        """Return the score.

        Raises:
            ToulminError: As the API answers; there are no contexts, say.
        """
        return await asyncio.to_thread(self._score, sample)

    def _score(self, sample: SingleTurnSample) -> float:
        verdict = self._service.check(sample.response or "", sample.retrieved_contexts or [])
        supports = [one.support for one in verdict.sentences if one.support is not None]
        return min(supports, default=1.0)
