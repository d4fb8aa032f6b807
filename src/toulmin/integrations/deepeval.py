"""DeepEval: `GroundednessMetric` scores an output by its retrieval context, without a judge model.

Needs `deepeval`.
"""

from __future__ import annotations

import asyncio
from typing import Any

from deepeval.metrics import BaseMetric
from deepeval.metrics.utils import check_llm_test_case_params
from deepeval.test_case import LLMTestCase, SingleTurnParams

from toulmin.integrations.service import Service


class GroundednessMetric(BaseMetric):
    """The support of the weakest sentence of `actual_output` in `retrieval_context`, in [0, 1].

    An output that states nothing to be checked has 1. `reason` names the sentences below
    `threshold`; `score_breakdown` has the support of each sentence.

    Args:
        server: Address of the server.
        threshold: Least support of each sentence, in [0, 1].
        api_key: One of the server's keys, where it asks for one.

    Raises:
        InvalidArgument: `server` is no http or https address.
    """

    _required_params = [SingleTurnParams.ACTUAL_OUTPUT, SingleTurnParams.RETRIEVAL_CONTEXT]  # noqa: RUF012 - DeepEval's

    def __init__(
        self,
        server: str = "http://127.0.0.1:8080",
        *,
        threshold: float = 0.6,
        api_key: str = "",
    ) -> None:
        # DeepEval copies a metric by calling its class with the attributes of these names.
        self.server = server
        self.threshold = threshold
        self.api_key = api_key
        self.evaluation_model = "toulmin"
        self._service = Service(server, api_key=api_key)

    def measure(self, test_case: LLMTestCase, *args: Any, **kwargs: Any) -> float:
        """Return the score, and keep it with `reason` and `success`.

        Args:
            test_case: With `actual_output` and `retrieval_context`; nothing else of it is read.
            args: None are read.
            kwargs: None are read.

        Raises:
            MissingTestCaseParamsError: One of both is missing.
            ToulminError: As the API answers.
        """
        del args, kwargs
        check_llm_test_case_params(
            test_case, self._required_params, None, None, self, None, test_case.multimodal
        )
        verdict = self._service.check(test_case.actual_output, _texts(test_case))
        checked = [s for s in verdict.sentences if s.support is not None]
        score = min((s.support or 0.0 for s in checked), default=1.0)
        fault = verdict.fault(self.threshold or 0.0)
        self.score = score
        self.score_breakdown = {s.text: s.support for s in checked}
        self.reason = f"not grounded: {fault}" if fault else "every sentence is grounded"
        self.success = self.is_successful()
        return score

    async def a_measure(self, test_case: LLMTestCase, *args: Any, **kwargs: Any) -> float:
        """Return the score as `measure` does, without holding up the event loop."""
        return await asyncio.to_thread(self.measure, test_case, *args, **kwargs)

    @property
    def __name__(self) -> str:
        """Return what reports call the metric."""
        return "Groundedness"


def _texts(test_case: LLMTestCase) -> list[str]:
    """Return the context as texts; newer versions also take an object with where it is from."""
    return [str(getattr(item, "context", item)) for item in test_case.retrieval_context or []]
