"""Guardrails AI: `Grounded`, a validator that facts support every sentence of a text.

Needs `guardrails-ai`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final

from guardrails.validator_base import (
    ErrorSpan,
    FailResult,
    PassResult,
    ValidationResult,
    Validator,
    register_validator,
)

from toulmin.errors import InvalidArgument
from toulmin.integrations.service import Sentence, Service

_FACTS: Final = "facts"


@register_validator(name="toulmin/grounded", data_type="string")
class Grounded(Validator):
    """Passes a text if the facts support every sentence of it that states something.

    The facts are `metadata["facts"]`, a text or a list of texts. A failure has a span for each weak
    sentence; with `on_fail="fix"` the text is returned without them.

    Args:
        server: Address of the server.
        min_support: Least support of each sentence, in [0, 1].
        api_key: One of the server's keys, where it asks for one.
        on_fail: As Guardrails has it: "exception", "fix", "noop" and others, or a function.

    Raises:
        InvalidArgument: `server` is no http or https address.
    """

    required_metadata_keys = [_FACTS]  # noqa: RUF012 - Guardrails'

    def __init__(
        self,
        server: str = "http://127.0.0.1:8080",
        *,
        min_support: float = 0.6,
        api_key: str = "",
        on_fail: str | Callable[..., Any] | None = None,
    ) -> None:
        # What is handed on is written into the guard's own description: the key is not.
        super().__init__(on_fail=on_fail, server=server, min_support=min_support)
        self._min_support = min_support
        self._service = Service(server, api_key=api_key)

    def _validate(self, value: Any, metadata: Mapping[str, Any]) -> ValidationResult:
        """Return whether the text is grounded.

        Raises:
            InvalidArgument: There are no facts.
            ToulminError: As the API answers.
        """
        text = str(value)
        verdict = self._service.check(text, _facts(metadata))
        weak = verdict.weak(self._min_support)
        if not weak:
            return PassResult()
        spans = list(_spans(text, weak))
        return FailResult(
            error_message=f"not grounded: {verdict.fault(self._min_support)}",
            fix_value=_without(text, spans),
            error_spans=spans,
        )


def _facts(metadata: Mapping[str, Any]) -> Sequence[str]:
    found = metadata.get(_FACTS)
    texts = [found] if isinstance(found, str) else found
    if not isinstance(texts, list) or not texts or not all(isinstance(one, str) for one in texts):
        raise InvalidArgument.of_field("metadata.facts", "must be a text or a list of texts")
    return texts


def _spans(text: str, weak: Sequence[Sentence]) -> list[ErrorSpan]:
    """Return where the weak sentences stand, in characters; they are in the text's order."""
    spans, end = [], 0
    for sentence in weak:
        start = text.find(sentence.text, end)
        if start < 0:
            continue
        end = start + len(sentence.text)
        reason = f"support {sentence.support or 0.0:.2f}"
        spans.append(ErrorSpan(start=start, end=end, reason=reason))
    return spans


def _without(text: str, spans: Sequence[ErrorSpan]) -> str:
    """Return the text without the spans and the spaces before them."""
    parts, end = [], 0
    for span in spans:
        parts.append(text[end : span.start].rstrip(" "))
        end = span.end
    return "".join([*parts, text[end:]]).strip()
