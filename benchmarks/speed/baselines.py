"""The same requests through what one would otherwise run on this machine; ratios of one run.

    python -m benchmarks.speed.baselines --data DIR [--sizes small typical large]

Needs torch and transformers, which the product does not: benchmarks/README.md has the command
that makes the virtual environment. Every baseline takes turns with ours in this process.
"""

from __future__ import annotations

import argparse
import gc
import random
import statistics
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any, Protocol

from benchmarks.measurement import circumstances, write_result
from benchmarks.speed.inputs import ATTRIBUTES, SEED, SIZES, CheckInput, load_passages, make_input
from benchmarks.speed.large_encoders import ARCHITECTURES, LargeEncoder
from toulmin.domain import Fact
from toulmin.grounding.check import CheckSpec, GroundingChecker
from toulmin.grounding.chunking import plan_chunks
from toulmin.grounding.claims import split_claims
from toulmin.grounding.evidence import select_evidence
from toulmin.grounding.inputs import PairText, encode_pairs, evidence_text
from toulmin.grounding.support import EncoderScorer, load_calibration
from toulmin.models.cross_encoder import CrossEncoder
from toulmin.models.encoder_pool import EncoderPool
from toulmin.models.spec import EMBEDDED_WEIGHTS
from toulmin.models.static_embedder import StaticEmbedder
from toulmin.settings import load_settings

SIZES_MEASURED = ("small", "typical", "large", "limit")
_REST_S = 0.3  # thread pools spin for a while after their work
_PROBE_PAIRS = 4
_LEAST_PAIRS = 8  # fewer say little about the rate of many


class Baseline(Protocol):
    """Something that scores every (chunk, claim) pair of a request.

    Attributes:
        about: What it is, for the result file.
    """

    about: dict[str, Any]

    def pairs(self, item: CheckInput) -> Sequence[Any]:
        """Return all pairs it would score."""

    def score(self, pairs: Sequence[Any]) -> None:
        """Score `pairs`, from texts or token ids to scores."""


@dataclass(frozen=True, slots=True)
class Ours:
    """The product's check without the server around it."""

    checker: GroundingChecker
    pool: EncoderPool
    embedder: StaticEmbedder

    @classmethod
    def load(cls) -> Ours:
        """Load the embedded models with the default settings, as the server does."""
        settings = load_settings(environment={})
        encoder = CrossEncoder(EMBEDDED_WEIGHTS / "cross_encoder")
        pool = EncoderPool(encoder, workers=settings.model_threads)
        embedder = StaticEmbedder(EMBEDDED_WEIGHTS / "static_embedder")
        scorer = EncoderScorer(pool, load_calibration())
        return cls(GroundingChecker(scorer=scorer, embedder=embedder), pool, embedder)

    def check(self, item: CheckInput) -> float:
        """Return the seconds that one check takes."""
        facts = facts_of(item)
        started = time.perf_counter()
        self.checker.check(item.answer, facts, CheckSpec())
        return time.perf_counter() - started

    def pair_count(self, item: CheckInput) -> int:
        """Return how many pairs the encoder reads for a request."""
        claims = split_claims(item.answer)
        return sum(map(len, select_evidence(claims, facts_of(item), embedder=self.embedder)))


class Exhaustive:
    """Our own encoder over every chunk with every claim: what evidence selection saves."""

    def __init__(self, pool: EncoderPool) -> None:
        self._pool = pool
        self.about = {
            "what": "every chunk x every claim, our encoder, our chunks and batches; "
            "tokenisation and model only",
        }

    def pairs(self, item: CheckInput) -> Sequence[PairText]:
        """Return the texts of all pairs."""
        plan = plan_chunks(facts_of(item))
        chunks = [plan.window(index) for index in range(len(plan.window_units))]
        texts = [evidence_text([(chunk.text, ATTRIBUTES)]) for chunk in chunks]
        return [PairText(text, claim) for claim in item.claims for text in texts]

    def score(self, pairs: Sequence[PairText]) -> None:
        """Tokenise and score."""
        encoder = self._pool.encoder
        encoded = encode_pairs(encoder.tokenizer, pairs, max_tokens=encoder.max_tokens)
        self._pool.run(encoded)


def facts_of(item: CheckInput) -> list[Fact]:
    """Return the facts of a request as the product's nouns."""
    return [Fact(text, ATTRIBUTES) for text in item.facts]


def timed(work: Callable[[], object]) -> float:
    """Return the seconds that `work` takes, after a short rest."""
    time.sleep(_REST_S)
    started = time.perf_counter()
    work()
    return time.perf_counter() - started


def compare(
    ours: Ours, baseline: Baseline, item: CheckInput, *, options: argparse.Namespace, known: float
) -> dict[str, Any]:
    """Return both times and their ratio for one request, measured in turns.

    When all pairs would take longer than `options.budget` seconds, the baseline's time is
    extrapolated (`extrapolated` says so): from `known` pairs a second, measured on a smaller
    request, or, where that is 0, from a random sample of the pairs.
    """
    pairs = baseline.pairs(item)
    sample = list(pairs)
    random.Random(SEED).shuffle(sample)
    rate = known
    if not rate:
        probe = sample[:_PROBE_PAIRS]
        rate = len(probe) / timed(lambda: baseline.score(probe))
    if len(pairs) / rate > options.budget:
        most = 0 if known else int(rate * options.budget / (2 * options.runs))
        sample = sample[: 0 if known else max(_LEAST_PAIRS, most)]
    ours_s, baseline_s = [], []
    for _ in range(options.runs):
        ours_s.append(timed(lambda: ours.check(item)))
        if sample:
            baseline_s.append(timed(lambda: baseline.score(sample)))
    if sample:
        rate = len(sample) / statistics.median(baseline_s)
    ours_median = statistics.median(ours_s)
    return {
        "pairs": len(pairs),
        "pairs_timed": len(sample),
        "extrapolated": len(sample) < len(pairs),
        "pairs_per_s": round(rate, 3),
        "runs": options.runs,
        "ours_ms": round(ours_median * 1000, 1),
        "ours_runs_ms": [round(value * 1000, 1) for value in ours_s],
        "baseline_ms": round(len(pairs) / rate * 1000, 1),
        "baseline_runs_ms": [round(value * 1000, 1) for value in baseline_s],
        "times_ours": round(len(pairs) / rate / ours_median, 2),
    }


def measure(
    ours: Ours, baseline: Baseline, items: Sequence[CheckInput], options: argparse.Namespace
) -> dict[str, Any]:
    """Return what a baseline is, and its figures by size."""
    result: dict[str, Any] = {**baseline.about, "sizes": {}}
    known = 0.0
    for item in items:
        found = compare(ours, baseline, item, options=options, known=known)
        result["sizes"][item.size.name] = found
        if found["pairs"] >= _LEAST_PAIRS:
            known = found["pairs_per_s"]
        print(item.size.name, found, flush=True)
    return result


def baselines(
    ours: Ours, chosen: Sequence[str], options: argparse.Namespace
) -> Iterator[tuple[str, Callable[[], Baseline]]]:
    """Yield name and maker of each baseline chosen; all of one number format first."""
    if "exhaustive" in chosen:
        yield "exhaustive", lambda: Exhaustive(ours.pool)
    tokenizer = ours.pool.encoder.tokenizer
    for dtype in options.dtypes:
        for name in (name for name in ARCHITECTURES if name in chosen):
            yield f"{name}, {dtype}", partial(LargeEncoder, name, dtype, tokenizer=tokenizer)


def main() -> None:
    """Measure; write results/baselines.json."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--data", type=Path, required=True, help="folder that holds qa/train")
    parser.add_argument("--sizes", nargs="+", choices=list(SIZES), default=list(SIZES_MEASURED))
    parser.add_argument("--only", nargs="+", choices=["exhaustive", *ARCHITECTURES])
    parser.add_argument("--dtypes", nargs="+", default=["float32", "bfloat16"])
    parser.add_argument("--runs", type=int, default=3, help="turns of each")
    parser.add_argument("--budget", type=float, default=60.0, help="seconds, then extrapolate")
    parser.add_argument("--out", type=Path)
    options = parser.parse_args()
    result = circumstances()
    passages = load_passages(options.data)
    items = [
        make_input(SIZES[name], passages, random.Random(f"{SEED} {name} 0"))
        for name in options.sizes
    ]
    ours = Ours.load()
    for item in items:
        ours.check(item)  # warm
    result["inputs"] = {item.size.name: item.description() for item in items}
    result["ours_pairs"] = {item.size.name: ours.pair_count(item) for item in items}
    result["baselines"] = {}
    for name, load in baselines(ours, options.only or ["exhaustive", *ARCHITECTURES], options):
        print(name, flush=True)
        result["baselines"][name] = measure(ours, load(), items, options)
        gc.collect()
        path = write_result("baselines", result, out=options.out)  # what is done is kept
        print(path)


if __name__ == "__main__":
    main()
