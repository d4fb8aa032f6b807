"""Does evidence selection find the sentence that answers, and how long does it take?

python -m benchmarks.quality.evidence_selection --data DIR [--base DIR]

Quality: questions of the held-out fifth of two question-answering sets' passages (the static
embedder never saw them). A case has `--passages` passages as facts, most of one article, and one
question about each of `--questions` of them as claims: the question alone, and with its answer.
Claims: supported claims of sets marked dev, their premise among others: how far wording differs.
Recall at k: a window (or, for `select`, any chunk of the selected evidence) holds the answer span.
`--base` adds the full encoder's ranking of the same windows (needs the training environment).
Latency: processor time of one thread, best of several runs, without and with each step.
"""

from __future__ import annotations

import argparse
import gzip
import json
import random
import sys
import time
from collections.abc import Callable
from pathlib import Path

import numpy as np

from benchmarks.measurement import REPOSITORY, circumstances, write_result
from toulmin.domain import Claim, Fact
from toulmin.grounding.chunking import plan_chunks
from toulmin.grounding.evidence import DEFAULT_BUDGET, Evidence, select_evidence
from toulmin.grounding.ranking import rank_windows
from toulmin.models.static_embedder import EMBEDDED_WEIGHTS, StaticEmbedder
from toulmin.text.sentences import split_sentences
from toulmin.text.words import scan_words

SHARES = (0.0, 0.25, 0.5, 0.75, 1.0, 1.5, 1000.0)
CUTS = (1, 2, 4, 8)
CLAIM_SETS = ("wice_claim.dev", "healthver.dev", "mnli_mm_1k.test", "qags_cnndm.test")
HELD_OUT_SHARE = 0.2  # as in training/static_embedder/pairs.py
SIZES = {
    "small": (1, 2, 400),
    "typical": (5, 10, 1000),
    "large": (20, 50, 2000),
    "limit": (200, 200, 10_000),
}


def read_rows(path: Path) -> list[dict]:
    with gzip.open(path, "rt", encoding="utf-8") as lines:
        return [json.loads(line) for line in lines]


def read_held_out(data: Path, name: str) -> list[dict]:
    rows = read_rows(data / "qa" / "train" / f"{name}.jsonl.gz")
    passages = list(dict.fromkeys(row["context"] for row in rows))
    held = set(passages[int(len(passages) * (1 - HELD_OUT_SHARE)) :])
    return [row for row in rows if row["context"] in held]


def make_cases(rows: list[dict], cases: int, passages: int, questions: int, seed: int) -> list:
    """Return (facts, [(question, answer, fact index, answer start, answer end)]) of each case."""
    generator = random.Random(seed)
    contexts = list(dict.fromkeys(row["context"] for row in rows))
    by_context: dict[str, list[dict]] = {}
    for row in rows:
        by_context.setdefault(row["context"], []).append(row)
    made = []
    for _ in range(cases):
        start = generator.randrange(max(1, len(contexts) - passages))
        chosen = contexts[start : start + passages]
        asked = []
        for index in generator.sample(range(len(chosen)), min(questions, len(chosen))):
            row = generator.choice(by_context[chosen[index]])
            answer = row["answers"][0]
            end = answer["start"] + len(answer["text"])
            asked.append((row["question"], answer["text"], index, answer["start"], end))
        made.append(([Fact(text) for text in chosen], asked))
    return made


def make_premise_cases(rows: list[dict], cases: int, facts: int, asked: int, seed: int) -> list:
    """Return cases as `make_cases` does: supported claims, and premises as facts.

    Any window of the claim's own premise counts, as nobody marked the sentence.
    """
    generator = random.Random(seed)
    pool = list(dict.fromkeys(row["premise"][:10_000] for row in rows))
    supported = [row for row in rows if row["label"] == 1]
    made = []
    for _ in range(cases):
        sample = generator.sample(supported, min(asked, len(supported)))
        chosen = list(dict.fromkeys(row["premise"][:10_000] for row in sample))
        rest = [text for text in generator.sample(pool, len(pool)) if text not in set(chosen)]
        chosen += rest[: max(0, facts - len(chosen))]
        made.append(
            (
                [Fact(text) for text in chosen],
                [(r["claim"], "", chosen.index(r["premise"][:10_000]), -1, -1) for r in sample],
            )
        )
    return made


def first_hits(scores: np.ndarray, gold: list[list[int]]) -> list[float]:
    """Return the rank (from 0) of the best gold window of each claim; a tie counts half."""
    ranks: list[float] = []
    for row, windows in enumerate(gold):
        if windows:
            best = scores[row, windows].max()
            others = np.delete(scores[row], windows)
            ranks.append(float((others > best).sum() + (others == best).sum() / 2))
    return ranks


def summary(ranks: list[float]) -> dict:
    found = np.array(ranks)
    cut = {f"recall@{k}": round(float((found < k).mean()), 4) for k in CUTS}
    return cut | {"mrr": round(float((1 / (found + 1)).mean()), 4), "claims": len(ranks)}


def selected_hit(evidence: list[Evidence], fact: int, start: int, end: int) -> bool:
    return any(
        c.fact_index == fact and (start < 0 or (c.start <= start and end <= c.end))
        for piece in evidence
        for c in piece.chunks
    )


def measure_quality(cases: list, embedder: StaticEmbedder, base: Path | None, text: str) -> dict:
    """Return recall by method; `text` says what a claim is made of."""
    ranks: dict[str, list[float]] = {}
    hits: list[bool] = []
    pairs: list[int] = []
    encoder = load_encoder(base) if base else None
    for facts, asked in cases:
        claims = [
            Claim(q if text != "question and answer" else f"{q} {a}", 0, 0) for q, a, *_ in asked
        ]
        plan = plan_chunks(facts)
        windows = [plan.window(i) for i in range(len(plan.window_units))]
        gold = [
            [i for i, w in enumerate(windows) if selected_hit([Evidence((w,))], f, s, e)]
            for _, _, f, s, e in asked
        ]
        lexical = rank_windows(claims, plan, embedder=embedder, embedding_share=0.0).scores
        fused = rank_windows(claims, plan, embedder=embedder, embedding_share=1.0).scores
        for share in SHARES:
            name = {0.0: "lexical", 1000.0: "embedding"}.get(share, f"fused {share}")
            scores = lexical + share * (fused - lexical)
            ranks.setdefault(name, []).extend(first_hits(scores, gold))
        if encoder:
            dense = encoder(claims, windows)
            ranks.setdefault("encoder", []).extend(first_hits(dense, gold))
            both = lexical + dense
            ranks.setdefault("encoder fused 1.0", []).extend(first_hits(both, gold))
        chosen = select_evidence(claims, facts, embedder=embedder)
        for evidence, (_, _, fact, start, end) in zip(chosen, asked, strict=True):
            hits.append(selected_hit(evidence, fact, start, end))
            pairs.append(len(evidence))
    result = {name: summary(found) for name, found in ranks.items()}
    result["select"] = {
        "recall": round(float(np.mean(hits)), 4),
        "pairs_per_claim": round(float(np.mean(pairs)), 2),
    }
    return result


def load_encoder(base: Path) -> Callable:
    sys.path.insert(0, str(REPOSITORY / "training" / "static_embedder"))
    from base import BaseEncoder

    encoder = BaseEncoder(base)

    def rank(claims: list[Claim], windows: list) -> np.ndarray:
        left = encoder.embed([c.text for c in claims]).numpy()
        return left @ encoder.embed([w.text for w in windows]).numpy().T

    return rank


def best_ms(run: Callable[[], object], runs: int) -> float:
    times = []
    for _ in range(runs):
        began = time.process_time()
        run()
        times.append(time.process_time() - began)
    return round(min(times) * 1e3, 1)


def measure_latency(rows: list[dict], embedder: StaticEmbedder, seed: int) -> dict:
    generator = random.Random(seed)
    contexts = list(dict.fromkeys(row["context"] for row in rows))
    generator.shuffle(contexts)
    pool = "\n".join(contexts)
    pool *= 1 + 2_000_000 // len(pool)
    results: dict = {}
    for name, (count, fact_count, length) in SIZES.items():
        facts = [Fact(pool[i * length : (i + 1) * length]) for i in range(fact_count)]
        asked = generator.choices(rows, k=count)
        claims = [Claim(f"{r['question']} {r['answers'][0]['text']}", 0, 0) for r in asked]
        size = {"claims": count, "facts": fact_count, "characters": length}
        results[name] = size | time_steps(claims, facts, embedder, 5 if name == "limit" else 20)
    texts = [pool[i : i + 500] for i in range(0, 2_000_000, 500)]
    results["embedder_mb_per_s"] = round(2000 / best_ms(lambda: embedder.embed(texts), 5), 1)
    return results


def time_steps(claims: list[Claim], facts: list[Fact], embedder: StaticEmbedder, runs: int) -> dict:
    """Return milliseconds of the whole selection and of its steps (some contain others)."""
    joined = "\n".join(fact.text for fact in facts)
    plan = plan_chunks(facts)

    def rank(share: float) -> object:
        return rank_windows(claims, plan, embedder=embedder, embedding_share=share)

    return {
        "windows": len(plan.window_units),
        "total_ms": best_ms(lambda: select_evidence(claims, facts, embedder=embedder), runs),
        "plan_ms": best_ms(lambda: plan_chunks(facts), runs),
        "plan_sentences_ms": best_ms(lambda: [split_sentences(f.text) for f in facts], runs),
        "plan_words_ms": best_ms(lambda: scan_words(joined), runs),
        "rank_ms": best_ms(lambda: rank(0.5), runs),
        "rank_lexical_ms": best_ms(lambda: rank(0.0), runs),
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", type=Path, required=True, help="folder that holds LEDGER.md")
    parser.add_argument("--base", type=Path, help="folder of all-MiniLM-L6-v2")
    parser.add_argument("--weights", type=Path, default=EMBEDDED_WEIGHTS / "static_embedder")
    parser.add_argument("--sets", nargs="+", default=["squad1_part", "jaquad"])
    parser.add_argument("--claim-sets", nargs="+", default=CLAIM_SETS)
    parser.add_argument("--cases", type=int, default=10)
    parser.add_argument("--passages", type=int, default=100)
    parser.add_argument("--questions", type=int, default=40)
    parser.add_argument("--seed", type=int, default=7)
    parser.add_argument("--skip-latency", action="store_true")
    parser.add_argument("--out", type=Path)
    options = parser.parse_args()
    embedder = StaticEmbedder(options.weights)
    shown = ("cases", "passages", "questions", "seed")
    report: dict = {
        "circumstances": circumstances(),
        "embedder_version": embedder.version,
        "options": {name: getattr(options, name) for name in shown},
        "budget": str(DEFAULT_BUDGET),
    }
    for name in options.sets:
        rows = [row for row in read_held_out(options.data, name) if row["answerable"]]
        cases = make_cases(rows, options.cases, options.passages, options.questions, options.seed)
        for text in ("question", "question and answer"):
            base = options.base if name == "squad1_part" else None
            report[f"{name}, {text}"] = measure_quality(cases, embedder, base, text)
    for name in options.claim_sets:
        rows = read_rows(options.data / "grounding" / "dev" / f"{name}.jsonl.gz")
        cases = make_premise_cases(
            rows, options.cases, options.passages, options.questions, options.seed
        )
        report[f"{name}, claim"] = measure_quality(cases, embedder, options.base, "claim")
    if not options.skip_latency:
        rows = read_held_out(options.data, "squad1_part")
        report["latency"] = measure_latency(rows, embedder, options.seed)
    print(json.dumps(report, indent=1))
    write_result("evidence_selection", report, out=options.out)


if __name__ == "__main__":
    main()
