"""promptfoo: `get_assert`, a `python` assertion that facts support every sentence of an output.

Needs nothing beside Toulmin. promptfoo runs a file; one line in it is enough:

    from toulmin.integrations.promptfoo import get_assert
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final

from toulmin.errors import InvalidArgument
from toulmin.integrations.service import Service

_FACTS: Final = "facts"


def get_assert(output: str, context: Mapping[str, Any]) -> dict[str, Any]:
    """Return promptfoo's grading result: `pass`, `score`, `reason` and `componentResults`.

    `score` is the support of the weakest sentence, in [0, 1]; 1 for an output that states nothing
    to be checked. `componentResults` has a result for each sentence that does.

    Args:
        output: What the provider said.
        context: As promptfoo makes it. `config` has `server`, `api_key`, `min_support` (0.6), all
            optional. Facts are `config.facts`, else `metadata.facts` of the provider's response,
            else the variable `facts`: a text, or a list of texts.

    Raises:
        InvalidArgument: There are no facts, or `min_support` is not in [0, 1].
        ToulminError: As the API answers.
    """
    config = context.get("config") or {}
    least = config.get("min_support", 0.6)
    if not isinstance(least, int | float) or not 0 <= least <= 1:
        raise InvalidArgument.of_field("config.min_support", f"is {least!r}; it must be 0 to 1")
    service = Service(
        config.get("server", "http://127.0.0.1:8080"), api_key=config.get("api_key", "")
    )
    verdict = service.check(str(output), _facts(context))
    checked = [one for one in verdict.sentences if one.support is not None]
    fault = verdict.fault(least)
    return {
        "pass": not fault,
        "score": min((one.support or 0.0 for one in checked), default=1.0),
        "reason": f"not grounded: {fault}" if fault else "every sentence is grounded",
        "componentResults": [
            {
                "pass": (one.support or 0.0) >= least,
                "score": one.support,
                "reason": f"{one.support or 0.0:.2f} {one.text!r}",
            }
            for one in checked
        ],
    }


def _facts(context: Mapping[str, Any]) -> Sequence[str]:
    """Return the facts from the first place that has any."""
    response = context.get("providerResponse") or {}
    metadata = context.get("metadata") or response.get("metadata")
    for place in (context.get("config"), metadata, context.get("vars")):
        found = (place or {}).get(_FACTS)
        texts = [found] if isinstance(found, str) else found or []
        if not isinstance(texts, list) or not all(isinstance(text, str) for text in texts):
            raise InvalidArgument.of_field(_FACTS, "must be a text or a list of texts")
        if any(text.strip() for text in texts):
            return [text for text in texts if text.strip()]
    raise InvalidArgument.of_field(
        _FACTS,
        "there are none: neither `config.facts` nor `facts` in the response's metadata nor a"
        " variable `facts`",
    )
