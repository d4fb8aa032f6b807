"""The wiring: settings in, ready objects out. The only file that names a concrete back end."""

from __future__ import annotations

import hashlib
import os
import threading
from collections.abc import Callable, Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

from toulmin.answering.answerability import load_answerability
from toulmin.answering.reader import Reader
from toulmin.domain import Fact
from toulmin.errors import InvalidArgument
from toulmin.grounding.check import (
    ANTI_CITATION_THRESHOLD,
    CITATION_THRESHOLD,
    CheckSpec,
    GroundingChecker,
)
from toulmin.grounding.classifier_scorer import ClassifierScorer
from toulmin.grounding.llm_judge import INSTRUCTIONS, LlmJudge
from toulmin.grounding.recalibration import (
    RecalibratedScorer,
    Recalibration,
    load_recalibration,
)
from toulmin.grounding.support import (
    CALIBRATION_FILE,
    EncoderScorer,
    SupportScorer,
    load_calibration,
)
from toulmin.models.cross_encoder import CrossEncoder
from toulmin.models.embedder import Embedder
from toulmin.models.encoder_pool import EncoderPool
from toulmin.models.hub import find_model
from toulmin.models.llm import OpenAiClient
from toulmin.models.reader_model import ReaderModel
from toulmin.models.sequence_classifier import SequenceClassifier
from toulmin.models.spec import EMBEDDED_WEIGHTS, load_spec
from toulmin.models.static_embedder import StaticEmbedder
from toulmin.models.task_pool import TaskPool
from toulmin.safety.query_classes import QueryClassifier
from toulmin.safety.ratings import SafetyRater
from toulmin.settings import Settings, load_settings

if TYPE_CHECKING:
    from toulmin.grounding.report import GroundingReport


# What the setting `support_model` says beside a folder or a hub's repository.
EMBEDDED = "embedded"
LLM = "llm"


class Services:
    """Everything that handlers stand on. Models are loaded once, by the first caller."""

    def __init__(self, settings: Settings) -> None:
        _check_support_model(settings)
        self._settings = settings
        self._recalibration: Recalibration | None = None
        if settings.calibration:
            self._recalibration = load_recalibration(
                Path(settings.calibration), models=model_versions(settings)
            )
        # Re-entrant: the classifiers ask for the embedder while they are made.
        self._lock = threading.RLock()
        self._embedder: Embedder | None = None
        self._query_classifier: QueryClassifier | None = None
        self._safety_rater: SafetyRater | None = None
        self._reader_model: ReaderModel | None = None
        self._release: Callable[[], None] | None = None
        self._checker: GroundingChecker | None = None

    def checker(self) -> GroundingChecker:
        """Return the grounding checker, after loading the models if need be."""
        with self._lock:
            if self._checker is None:
                scorer, self._release = _build_scorer(self._settings)
                if self._recalibration is not None:
                    scorer = RecalibratedScorer(scorer, self._recalibration)
                self._checker = _build_checker(scorer, self._settings)
            return self._checker

    def embedder(self) -> Embedder:
        """Return the embedder of queries and passages; its weights load on first use."""
        with self._lock:
            if self._embedder is None:
                self._embedder = Embedder(workers=self._settings.model_threads)
            return self._embedder

    def query_classifier(self) -> QueryClassifier:
        """Return what says whether a query is chit-chat, adversarial and so on."""
        with self._lock:
            if self._query_classifier is None:
                self._query_classifier = QueryClassifier(self.embedder())
            return self._query_classifier

    def safety_rater(self) -> SafetyRater:
        """Return what rates a text by harm category."""
        with self._lock:
            if self._safety_rater is None:
                self._safety_rater = SafetyRater(self.embedder())
            return self._safety_rater

    def reader(self) -> Reader:
        """Return what finds the answer to a question in passages."""
        with self._lock:
            if self._reader_model is None:
                self._reader_model = ReaderModel(
                    EMBEDDED_WEIGHTS / "reader", workers=self._settings.model_threads
                )
            return Reader(self._reader_model, load_answerability())

    def is_ready(self) -> bool:
        """Return whether the models are loaded."""
        return self._checker is not None

    def close(self) -> None:
        """Let go of the models and of the threads that run them."""
        with self._lock:
            if self._release is not None:
                self._release()
            if self._embedder is not None:
                self._embedder.close()
            if self._reader_model is not None:
                self._reader_model.close()
            self._release = self._checker = None
            self._embedder = self._query_classifier = self._safety_rater = None
            self._reader_model = None


def build_services(settings: Settings) -> Services:
    """Return the services that `settings` ask for; models are not loaded yet.

    Raises:
        FailedPrecondition: The setting `calibration` names a file that cannot be used.
    """
    return Services(settings)


def model_versions(settings: Settings | None = None) -> dict[str, str]:
    """Return name and version of everything that support scores depend on.

    Args:
        settings: Say which support model is used; None means the embedded one.
    """
    embedder = load_spec(EMBEDDED_WEIGHTS / "static_embedder")
    versions = {embedder.name: embedder.version}
    if settings is None or settings.support_model == EMBEDDED:
        encoder = load_spec(EMBEDDED_WEIGHTS / "cross_encoder")
        calibration = hashlib.sha256(CALIBRATION_FILE.read_bytes()).hexdigest()
        return {encoder.name: encoder.version, "built-in calibration": calibration[:12]} | versions
    if settings.support_model == LLM:
        prompt = hashlib.sha256(INSTRUCTIONS.encode()).hexdigest()
        address = f"{settings.llm_base_url}, seed {settings.llm_seed}"
        return {settings.llm_model: address, "judge's instructions": prompt[:12]} | versions
    files = find_model(settings.support_model)
    with files.network.open("rb") as network:
        digest = hashlib.file_digest(network, "sha256").hexdigest()
    labels = ",".join(settings.support_model_labels) or "its own"
    return {files.source: digest[:12], "labels": labels} | versions


def _check_support_model(settings: Settings) -> None:
    """Refuse, before anything is loaded, settings that cannot work together."""
    if settings.support_model == LLM:
        _llm_client(settings)
    if settings.support_model in {EMBEDDED, LLM} and settings.support_model_labels:
        raise InvalidArgument.of_field(
            "support_model_labels",
            f"is for a cross-encoder in support_model, which is {settings.support_model}",
        )


def _llm_client(settings: Settings) -> OpenAiClient:
    return OpenAiClient(
        settings.llm_base_url,
        settings.llm_model,
        api_key=settings.llm_api_key,
        timeout_s=settings.llm_timeout_s,
        seed=settings.llm_seed,
    )


def _build_scorer(settings: Settings) -> tuple[SupportScorer, Callable[[], None]]:
    """Return the scorer that `settings` ask for, and what lets go of it."""
    if settings.support_model == EMBEDDED:
        encoder = CrossEncoder(EMBEDDED_WEIGHTS / "cross_encoder")
        encoders = EncoderPool(encoder, workers=settings.model_threads)
        return EncoderScorer(encoders, load_calibration()), encoders.close
    if settings.support_model == LLM:
        calls = TaskPool(workers=settings.llm_concurrency, name="llm")
        return LlmJudge(_llm_client(settings), calls), calls.close
    model = SequenceClassifier(find_model(settings.support_model))
    runs = TaskPool(workers=settings.model_threads or os.cpu_count() or 1, name="classifier")
    return ClassifierScorer(model, runs, labels=settings.support_model_labels), runs.close


def _build_checker(scorer: SupportScorer, settings: Settings) -> GroundingChecker:
    checker = GroundingChecker(
        scorer=scorer,
        embedder=StaticEmbedder(EMBEDDED_WEIGHTS / "static_embedder"),
    )
    # Tables are made on first use; made here, the first caller does not wait for them. A thank you
    # is no claim, so no language model is called for it.
    answer = "Thank you!" if settings.support_model == LLM else "It opened in 1998."
    checker.check(answer, [Fact("It opened in 1998.")], CheckSpec(prompt="When?"))
    return checker


@cache
def _default_services() -> Services:
    return build_services(load_settings())


def check_grounding(  # noqa: PLR0913 - one keyword for each option of the contract
    answer: str,
    facts: Sequence[str | Fact | Mapping[str, object]],
    *,
    citation_threshold: float = CITATION_THRESHOLD,
    anti_citations: bool = False,
    anti_citation_threshold: float = ANTI_CITATION_THRESHOLD,
    prompt: str | None = None,
    explanations: bool = False,
) -> GroundingReport:
    """Return which sentences of `answer` the facts support or contradict, and where.

    Runs in this process with the embedded models, no server, no network, unless settings in the
    environment (`TOULMIN_SUPPORT_MODEL`) name another model.

    Args:
        answer: The text to check, at most 4,096 tokens (words and sentence-ending stops).
        facts: 1 to 200 facts of at most 10,000 characters: strings, `Fact`s, or mappings with
            "text" and optionally "attributes" (string to string).
        citation_threshold: Least support in [0, 1] at which a chunk is cited.
        anti_citations: Whether to report what contradicts a claim.
        anti_citation_threshold: Least contradiction in [0, 1] at which a chunk is anti-cited.
        prompt: The question that the answer was given to; adds a helpfulness score.
        explanations: Whether to report which words are not borne out.

    Raises:
        InvalidArgument: A limit is exceeded or a value is out of range.

    Example:
        >>> report = check_grounding("Water boils at 50 °C.", ["Water boils at 100 °C."])
        >>> report.claims[0].citations
        ()
    """
    spec = CheckSpec(
        citation_threshold=citation_threshold,
        anti_citations=anti_citations,
        anti_citation_threshold=anti_citation_threshold,
        prompt=prompt,
        explanations=explanations,
    )
    return _default_services().checker().check(answer, as_facts(facts), spec)


def as_facts(values: Sequence[str | Fact | Mapping[str, object]]) -> list[Fact]:
    """Return `Fact`s of strings, mappings with "text" and "attributes", or `Fact`s.

    Raises:
        InvalidArgument: A value is none of these; the message names its index.
    """
    return [fact_of(value, field=f"facts[{index}]") for index, value in enumerate(values)]


def fact_of(value: object, *, field: str) -> Fact:
    """Return the `Fact` that `value` states.

    Raises:
        InvalidArgument: It states none; the message starts with `field`.
    """
    if isinstance(value, Fact):
        return value
    if isinstance(value, str):
        return Fact(value)
    if not isinstance(value, Mapping):
        raise InvalidArgument.of_field(
            field, f"is a {type(value).__name__}; it must be a string or an object with `text`"
        )
    text = value.get("text", value.get("factText", value.get("fact_text")))
    if not isinstance(text, str):
        raise InvalidArgument.of_field(f"{field}.text", "is missing or not a string")
    attributes = value.get("attributes") or {}
    if not isinstance(attributes, Mapping) or not all(
        isinstance(item, str) for pair in attributes.items() for item in pair
    ):
        raise InvalidArgument.of_field(
            f"{field}.attributes", "must be an object with string keys and string values"
        )
    return Fact(text, dict(sorted(attributes.items())))
