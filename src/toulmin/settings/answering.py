"""Settings of answers."""

from __future__ import annotations

from dataclasses import dataclass

from toulmin.settings.row import option


@dataclass(frozen=True, kw_only=True)
class PhraseSettings:
    """What is neither asked nor answered."""

    blocked_phrases: tuple[str, ...] = option(
        "Phrases, comma-separated, that neither a question nor an answer may hold; such a"
        " question is skipped with CUSTOMER_POLICY_VIOLATION.",
        default=(),
    )


@dataclass(frozen=True, kw_only=True)
class AnswerSettings:
    """How answers are written."""

    fallback_answer: str = option(
        "What is said where a question is not answered. Empty: the sentence of Google's answer"
        " method, in the language that the request asks for.",
        default="",
    )
    answer_model: str = option(
        "What writes answers: `builtin`, the passages' own sentences; `llm`, the language model"
        " of `llm_base_url`, and the built-in composer where that fails.",
        default="builtin",
        choices=("builtin", "llm"),
    )
    answer_llm_stream: str = option(
        "When a sentence of a language model leaves in a stream: `hold`, checked, with what bears"
        " it out; `mark`, at once, and what bears it out in the next item; `correct`, at once, and"
        " the last item has the answer with wrong details corrected, whole answers too. Whatever"
        " it is, nothing leaves early where an answer may be held back (docs/answers.md).",
        default="hold",
        choices=("hold", "mark", "correct"),
    )
    answer_llm_temperature: float = option(
        "Temperature of answers by a language model, where the request names none; only 0 is"
        " repeatable.",
        default=0.0,
        at_least=0,
        at_most=2,
    )
    answer_llm_max_tokens: int = option(
        "Longest answer of a language model, thoughts included; a sentence cut off by it is"
        " left out. 0: as the server has it.",
        default=1024,
        unit="tokens",
        at_least=0,
    )
    answer_llm_source_tokens: int = option(
        "About how much of the passages a language model is sent. With some 500 tokens of"
        " instructions and the answer it must fit the model's context.",
        default=3000,
        unit="tokens",
        at_least=200,
    )
    answer_llm_first_token_s: float = option(
        "Longest wait for a language model's first token, repeats after failures included;"
        " then the built-in composer answers.",
        default=10.0,
        unit="seconds",
        at_least=0.001,
    )
    answer_llm_stall_s: float = option(
        "Longest wait between two tokens; then the answer ends with the last whole sentence.",
        default=10.0,
        unit="seconds",
        at_least=0.001,
    )
    answer_llm_timeout_s: float = option(
        "Longest time for a whole answer of a language model.",
        default=60.0,
        unit="seconds",
        at_least=0.001,
    )
