"""GroundedGenerationService: check grounding.

https://cloud.google.com/generative-ai-app-builder/docs/check-grounding
"""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any

from toulmin.apis.aip.names import parse_name
from toulmin.apis.aip.registry import CallContext, Handler
from toulmin.apis.discoveryengine import convert
from toulmin.errors import DeadlineExceeded, InvalidArgument, Unimplemented
from toulmin.grounding.check import GroundingChecker

GROUNDING_CONFIG = "projects/{project}/locations/{location}/groundingConfigs/{grounding_config}"


def check_grounding_handler(checker: Callable[[], GroundingChecker]) -> Handler:
    """Return the handler of `CheckGrounding` in v1, v1beta and v1alpha.

    Args:
        checker: Returns the loaded checker.
    """

    def check_grounding(request: Any, context: CallContext) -> Any:
        parse_name(request.grounding_config, GROUNDING_CONFIG, field="grounding_config")
        if request.grounding_source.search_source:
            raise Unimplemented(
                "grounding_source.search_source is not implemented in this version of Toulmin; "
                "send the facts inline in `facts`"
            )
        try:
            answer, facts, spec = convert.check_request(request)
            report = checker().check(
                answer, facts, spec, should_stop=_stop(context), timings=context.timings
            )
        except InvalidArgument as error:
            raise convert.in_wire_terms(error) from error
        response = context.new_message()
        convert.fill_check_response(
            response,
            report,
            answer=answer,
            facts=facts,
            with_claim_scores=request.grounding_spec.enable_claim_level_score,
        )
        return response

    return check_grounding


def _stop(context: CallContext) -> Callable[[], bool]:
    def should_stop() -> bool:
        if context.deadline is not None and time.monotonic() > context.deadline:
            raise DeadlineExceeded("the check was not done in the time allowed; it was stopped")
        return context.is_cancelled()

    return should_stop
