"""Conflicts between facts: how many are reported where there are none, and how many found?

    python -m benchmarks.quality.fact_conflicts --data DATA [--texts 60] [--sets 300] [--items 200] [--seed 11] [--show]

`apart`: texts of DATA/grounding/dev, each sentence a fact of its own; nobody wrote them to contradict
themselves. `together`: twenty texts at a time, as facts. What is reported in either is a false alarm
until somebody has read it. `exchanged`: a sentence of a passage and the same with one number, year or
name exchanged (benchmarks/quality/substitutions.py). `contrasts`: two contexts of one set of
training/contrasts of which one bears a claim out and the other contradicts it, mostly in other words;
`agreeing`: two that have the same label for every claim. Writes results/fact_conflicts.json.
"""

from __future__ import annotations

import argparse
import gzip
import json
import random
import re
import sys
import time
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from itertools import combinations
from pathlib import Path
from typing import Any

from benchmarks.measurement import circumstances, write_result
from benchmarks.quality.spans import SEED, read_passages
from benchmarks.quality.substitutions import make_claims
from toulmin import check_grounding
from toulmin.grounding.conflicting.conflicts import Conflict
from toulmin.text.sentences import split_sentences

_CONTRASTS = Path(__file__).resolve().parents[2] / "training" / "contrasts"
_CONTEXT = re.compile(r"([SCN-]+) (.+)")
_STATES_NOTHING = "Here is what I found."
"""An answer without a claim, so that only the facts are read."""
_KINDS = ("number", "year", "name")
_MOST_FACTS = 200
_MOST_CHARACTERS = 10_000
_TOGETHER = 20
_AGAINST = {"S", "C"}

Item = tuple[str, list[str]]
"""A kind, and facts."""


def dev_texts(data: Path, texts: int, *, seed: int) -> dict[str, list[str]]:
    """Return up to so many texts of several sentences of each development set."""
    rng = random.Random(seed)
    found: dict[str, list[str]] = {}
    for path in sorted((data / "grounding" / "dev").glob("*.jsonl.gz")):
        with gzip.open(path, "rt", encoding="utf-8") as file:
            whole = list(dict.fromkeys(json.loads(line)["premise"] for line in file))
        rng.shuffle(whole)
        several = (text for text in whole if len(split_sentences(text)) > 1)
        found[path.name.removesuffix(".jsonl.gz")] = [
            text for text, _ in zip(several, range(texts), strict=False)
        ]
    return found


def apart(texts: dict[str, list[str]]) -> Iterator[Item]:
    """Yield each text as its sentences."""
    for name, some in texts.items():
        for text in some:
            ranges = split_sentences(text)[:_MOST_FACTS]
            yield name, [text[start:end][:_MOST_CHARACTERS] for start, end in ranges]


def together(texts: dict[str, list[str]], *, seed: int) -> Iterator[Item]:
    """Yield the texts of all sets, some at a time."""
    some = [text[:_MOST_CHARACTERS] for found in texts.values() for text in found]
    random.Random(seed).shuffle(some)
    for start in range(0, len(some), _TOGETHER):
        yield "all", some[start : start + _TOGETHER]


def exchanged(data: Path, items: int, *, seed: int) -> Iterator[Item]:
    """Yield sentences, each with itself after one number, year or name was exchanged."""
    for claim in make_claims(read_passages(data), items, seed=seed):
        if claim.kind in _KINDS:
            yield claim.kind, [claim.sentence, claim.text]


def contrast_pairs(sets: int, *, seed: int) -> Iterator[Item]:
    """Yield pairs of contexts of one set that contradict each other by their labels, or agree."""
    blocks = [
        block
        for path in sorted(_CONTRASTS.glob("k*.txt"))
        for block in re.split(r"(?m)^=== ", path.read_text(encoding="utf-8"))[1:]
    ]
    for block in random.Random(seed).sample(blocks, min(sets, len(blocks))):
        lines = block.partition("\n---\n")[2].splitlines()
        contexts = [found for line in lines if (found := _CONTEXT.fullmatch(line.strip()))]
        for one, other in combinations(contexts, 2):
            labels = list(zip(one[1], other[1], strict=True))
            if any(set(pair) == _AGAINST for pair in labels):
                yield "contrasts", [one[2], other[2]]
            elif one[1] == other[1]:
                yield "agreeing", [one[2], other[2]]


def conflicts_of(facts: Sequence[str]) -> tuple[Conflict, ...]:
    """Return what the check reports of these facts."""
    return check_grounding(_STATES_NOTHING, facts, conflicts=True).conflicts


def counted(
    items: Sequence[Item],
    find: Callable[[Sequence[str]], Sequence[Conflict]] = conflicts_of,
    *,
    show: bool = False,
) -> dict[str, Any]:
    """Return of how many items something was reported, and how much, over all and by kind."""
    asked: Counter[str] = Counter()
    with_any: Counter[str] = Counter()
    in_all = 0
    for kind, facts in items:
        found = find(facts)
        asked[kind] += 1
        with_any[kind] += bool(found)
        in_all += len(found)
        for item in found if show else ():
            said = [side.sentence.text[:160] for side in (item.one, item.other)]
            print(f"  {kind} | {item.kind} {item.one.text} / {item.other.text} | {said}")
    total = sum(asked.values())
    return {
        "items": total,
        "facts": sum(len(facts) for _, facts in items),
        "items_with_conflicts": sum(with_any.values()),
        "share": round(sum(with_any.values()) / total, 4) if total else None,
        "conflicts": in_all,
        "kinds": {kind: [with_any[kind], asked[kind]] for kind in sorted(asked)},
    }


def main() -> int:
    """Measure and write the result."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--data", type=Path, required=True, help="the folder with qa and grounding")
    parser.add_argument("--texts", type=int, default=60, help="of each development set")
    parser.add_argument("--sets", type=int, default=300, help="of the contrast sets")
    parser.add_argument("--items", type=int, default=200, help="claims, of which some are used")
    parser.add_argument("--seed", type=int, default=SEED)
    parser.add_argument("--show", action="store_true", help="print what is reported")
    parser.add_argument("--out", type=Path)
    args = parser.parse_args()
    result: dict[str, Any] = {"circumstances": circumstances(), "seed": args.seed}
    texts = dev_texts(args.data, args.texts, seed=args.seed)
    sets = {
        "exchanged": list(exchanged(args.data, args.items, seed=args.seed)),
        "contrasts": list(contrast_pairs(args.sets, seed=args.seed)),
        "apart": list(apart(texts)),
        "together": list(together(texts, seed=args.seed)),
    }
    for name, items in sets.items():
        print(f"fact conflicts: {name}, {len(items)} items", flush=True)
        started = time.perf_counter()
        found = counted(items, show=args.show)
        ms = 1000 * (time.perf_counter() - started) / max(len(items), 1)
        result[name] = {"ms_per_item": round(ms, 1), **found}
    print(json.dumps({k: v for k, v in result.items() if k != "circumstances"}, indent=1))
    print(write_result("fact_conflicts", result, out=args.out))
    return 0


if __name__ == "__main__":
    sys.exit(main())
