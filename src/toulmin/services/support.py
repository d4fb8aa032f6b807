"""Settings -> the scorer that says how well facts support claims, and the checker around it."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from toulmin.domain import Fact
from toulmin.errors import InvalidArgument
from toulmin.grounding.asking.agreement import ASKING_FILE, load_weights
from toulmin.grounding.by_language import ScorerByLanguage
from toulmin.grounding.check import CheckSpec, GroundingChecker
from toulmin.grounding.classifier_scorer import ClassifierScorer
from toulmin.grounding.evidence import DEFAULT_BUDGET, EvidenceBudget, budget_of_packs
from toulmin.grounding.llm_judge import INSTRUCTIONS, LlmJudge
from toulmin.grounding.pack_scorer import (
    PACK_CALIBRATION,
    PACK_FEATURES,
    SECOND_READING,
    PackScorer,
    SecondReading,
)
from toulmin.grounding.support import (
    CALIBRATION_FILE,
    Calibration,
    EncoderScorer,
    SupportScorer,
    load_calibration,
)
from toulmin.models.cross_encoder import CrossEncoder
from toulmin.models.encoder_pool import EncoderPool
from toulmin.models.grounding_encoder import WORDS_FILE, GroundingEncoder
from toulmin.models.hub import find_model
from toulmin.models.openai_client import OpenAiClient
from toulmin.models.pool import ModelPool
from toulmin.models.sequence_classifier import SequenceClassifier
from toulmin.models.spec import EMBEDDED_WEIGHTS, load_spec, packaged_weights
from toulmin.models.static_embedder import StaticEmbedder
from toulmin.models.task_pool import TaskPool
from toulmin.settings import Settings

# What the setting `support_model` says beside a folder or a hub's repository.
EMBEDDED = "embedded"
SMALL = "small"
LLM = "llm"
_NAMES = frozenset({EMBEDDED, SMALL, LLM})


def model_versions(settings: Settings | None = None) -> dict[str, str]:
    """Return name and version of everything that support scores depend on.

    Args:
        settings: Say which support model is used; None means the default.
    """
    settings = settings or Settings()
    embedder = load_spec(EMBEDDED_WEIGHTS / "static_embedder")
    versions = {embedder.name: embedder.version}
    if (folder := grounding_folder(settings)) is not None:
        for path in (folder, multilingual_folder(settings)):
            if path is not None:
                encoder = load_spec(path)
                names = (PACK_CALIBRATION, SECOND_READING, ASKING_FILE)
                parts = [path / name for name in names]
                read = b"".join(file.read_bytes() for file in parts if file.exists())
                calibration = hashlib.sha256(read).hexdigest()
                versions[encoder.name] = f"{encoder.version}, calibration {calibration[:12]}"
        return versions
    if settings.support_model in {EMBEDDED, SMALL}:
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


def grounding_folder(settings: Settings) -> Path | None:
    """Return the folder of the grounding model that the settings name; None: they name none.

    A folder is one if it holds the model's table of word vectors.
    """
    if settings.support_model in {SMALL, LLM} or settings.support_model.startswith("hub:"):
        return None
    packaged = settings.support_model == EMBEDDED
    folder = packaged_weights("grounding") if packaged else Path(settings.support_model)
    return folder if (folder / WORDS_FILE).is_file() else None


def multilingual_folder(settings: Settings) -> Path | None:
    """Return the folder of the model for other languages; None: the settings do without one."""
    if settings.support_model != EMBEDDED or grounding_folder(settings) is None:
        return None
    folder = packaged_weights("multilingual")
    return folder if (folder / WORDS_FILE).is_file() else None


def check_support_model(settings: Settings) -> None:
    """Refuse, before anything is loaded, settings that cannot work together."""
    if settings.support_model == LLM:
        llm_client(settings)
    if settings.support_model in _NAMES and settings.support_model_labels:
        raise InvalidArgument.of_field(
            "support_model_labels",
            f"is for a cross-encoder in support_model, which is {settings.support_model}",
        )


def llm_client(settings: Settings) -> OpenAiClient:
    """Return the client of the language model that the settings name.

    Raises:
        InvalidArgument: The settings name none, or its address is wrong.
    """
    return OpenAiClient(
        settings.llm_base_url,
        settings.llm_model,
        api_key=settings.llm_api_key,
        timeout_s=settings.llm_timeout_s,
        seed=settings.llm_seed,
    )


@dataclass(frozen=True, slots=True)
class Scorers:
    """What scores claims, and what lets go of it.

    Attributes:
        checks: Scores what is checked and told.
        statements: Scores what an answer would state, which is asked before each and never told:
            one model reads it, since the thresholds of answering were chosen so (decision 0062).
        close: Lets go of both.
    """

    checks: SupportScorer
    statements: SupportScorer
    close: Callable[[], None]


def build_scorers(
    settings: Settings,
    *,
    pool: ModelPool,
    grounding_encoder: Callable[[Path], GroundingEncoder],
) -> Scorers:
    """Return the scorers that `settings` ask for.

    Args:
        settings: What is asked for.
        pool: Runs the models; it outlives the scorer.
        grounding_encoder: Loads the grounding model of a folder; it outlives the scorer.
    """
    folder = grounding_folder(settings)
    if folder is not None:
        return _by_language(settings, folder, pool, grounding_encoder)
    if settings.support_model in {EMBEDDED, SMALL}:
        encoder = CrossEncoder(EMBEDDED_WEIGHTS / "cross_encoder")
        encoders = EncoderPool(encoder, pool=pool)
        scorer = EncoderScorer(encoders, load_calibration())
        return Scorers(scorer, scorer, encoders.close)
    if settings.support_model == LLM:
        calls = TaskPool(workers=settings.llm_concurrency, name="llm")
        judge = LlmJudge(llm_client(settings), calls)
        return Scorers(judge, judge, calls.close)
    model = SequenceClassifier(find_model(settings.support_model))
    classifier = ClassifierScorer(model, pool, labels=settings.support_model_labels)
    return Scorers(classifier, classifier, lambda: None)


def _by_language(
    settings: Settings,
    folder: Path,
    pool: ModelPool,
    grounding_encoder: Callable[[Path], GroundingEncoder],
) -> Scorers:
    """Return the scorers of the grounding models."""
    small = EncoderPool(CrossEncoder(EMBEDDED_WEIGHTS / "cross_encoder"), pool=pool)
    asking = load_weights(folder / ASKING_FILE)
    multilingual = second = None
    elsewhere = multilingual_folder(settings)
    if elsewhere is not None:
        its_encoder = grounding_encoder(elsewhere)
        multilingual = PackScorer(its_encoder, small, _pack_calibration(elsewhere))
        second = _second_reading(folder, its_encoder)
    encoder = grounding_encoder(folder)
    other_scripts = EncoderScorer(small, load_calibration())

    def scorer(second: SecondReading | None) -> SupportScorer:
        english = PackScorer(encoder, small, _pack_calibration(folder), asking, second)
        return ScorerByLanguage(english, multilingual, other_scripts)

    return Scorers(scorer(second), scorer(None), small.close)


def _pack_calibration(folder: Path) -> Calibration:
    return load_calibration(folder / PACK_CALIBRATION, PACK_FEATURES)


def _second_reading(folder: Path, encoder: GroundingEncoder) -> SecondReading | None:
    """Return what another model's reading is worth beside the folder's; None: nothing is said."""
    file = folder / SECOND_READING
    if not file.is_file():
        return None
    return SecondReading(encoder, float(json.loads(file.read_text(encoding="utf-8"))["support"]))


def evidence_budget(settings: Settings) -> Callable[[int], EvidenceBudget]:
    """Return how much the scorer that `settings` ask for reads for each of so many claims."""
    if grounding_folder(settings) is not None:
        return budget_of_packs
    return lambda _claims: DEFAULT_BUDGET


def build_checker(scorer: SupportScorer, settings: Settings) -> GroundingChecker:
    """Return the checker around `scorer`, with its tables loaded."""
    checker = GroundingChecker(
        scorer=scorer,
        embedder=StaticEmbedder(EMBEDDED_WEIGHTS / "static_embedder"),
        budget=evidence_budget(settings),
    )
    # Tables are made on first use; made here, the first caller does not wait for them. A thank you
    # is no claim, so no language model is called for it.
    answer = "Thank you!" if settings.support_model == LLM else "It opened in 1998."
    checker.check(answer, [Fact("It opened in 1998.")], CheckSpec(prompt="When?"))
    return checker
