"""Settings of the models."""

from __future__ import annotations

from dataclasses import dataclass

from toulmin.settings.row import option


@dataclass(frozen=True, kw_only=True)
class ModelRunSettings:
    """The embedded models."""

    embedder: str = option(
        "What turns passages and queries into vectors: `english`, or `multilingual`, which finds"
        " text in another language than the question's, too. What is stored was embedded by one"
        " of them: `toulmin reembed` goes over to the other. See languages.md.",
        default="english",
        choices=("english", "multilingual"),
    )

    model_threads: int = option(
        "Runs of models at the same time, a thread each, of all embedded models together. 0: the"
        " cores.",
        default=0,
        unit="threads",
        at_least=0,
        at_most=1024,
    )


@dataclass(frozen=True, kw_only=True)
class LanguageModelSettings:
    """A language model behind an OpenAI-compatible server."""

    llm_base_url: str = option(
        "Address of an OpenAI-compatible server, up to and without `/chat/completions`, such"
        " as `http://127.0.0.1:8000/v1`.",
        default="",
    )
    llm_model: str = option("Name of the language model, as its server knows it.", default="")
    llm_api_key: str = option(
        "Key that the language model's server asks for. Empty: none is sent.",
        default="",
        secret=True,
    )
    llm_timeout_s: float = option(
        "Longest time for one answer of the language model, repeats after failures included.",
        default=30.0,
        unit="seconds",
        at_least=0.001,
    )
    llm_seed: int = option(
        "Seed of the language model's sampling; the same seed gives the same answers where"
        " its server keeps that promise.",
        default=1,
        at_least=0,
        at_most=2**31 - 1,
    )
    llm_concurrency: int = option(
        "Calls of the language model at the same time.",
        default=4,
        unit="calls",
        at_least=1,
        at_most=256,
    )
