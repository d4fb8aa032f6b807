"""Corrections of claims with a small mistake: how many are offered, and how many are right?

    python -m benchmarks.quality.corrections --data DATA [--items 600] [--seed 11] [--show]

Two sets, both with the true twin of every false claim. `exchanged`: claims in which one or two
words of a passage's sentence were exchanged (benchmarks/quality/substitutions.py, the claims of
benchmarks/quality/spans.py); the twin is the sentence. `written`: false claims of
DATA/grounding/dev/written.jsonl.gz beside a true one of the same passage that differs in a few
words. A correction is right when it says what the twin says, word for word. True claims are asked
for too: nothing should be offered for them. Writes results/corrections.json.
"""

from __future__ import annotations

import argparse
import gzip
import json
import re
import sys
import time
from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher
from pathlib import Path
from typing import Any

from benchmarks.measurement import circumstances, write_result
from benchmarks.quality.spans import ITEMS, SEED, read_passages
from benchmarks.quality.substitutions import UNTOUCHED, Claim, make_claims
from toulmin import check_grounding
from toulmin.grounding.check import CITATION_THRESHOLD
from toulmin.text.scripts import HAN_LETTERS, KANA_LETTERS
from toulmin.text.sentences import split_sentences

_WRITTEN = Path("grounding") / "dev" / "written.jsonl.gz"
_WORD = re.compile(rf"[{HAN_LETTERS}{KANA_LETTERS}]|[^\W{HAN_LETTERS}{KANA_LETTERS}]+(?:[.,:]\d+)*")
_MOST_DIFFERENT = 3
"""Words of each of at most two differences between a false claim and its twin."""
_DIFFERENCES = 2
_LEAST_ALIKE = 0.6


@dataclass(frozen=True)
class Case:
    """A claim, its passage, and what is true instead; `twin` is the claim where that is true."""

    kind: str
    passage: str
    claim: str
    twin: str

    @property
    def is_true(self) -> bool:
        """Whether there is nothing to correct."""
        return self.claim == self.twin


@dataclass(frozen=True)
class Outcome:
    """What was offered for a case: the corrected text, or None; and the claim's own support."""

    case: Case
    offered: str | None
    support: float

    @property
    def is_right(self) -> bool:
        """Whether what is offered says what the twin says."""
        return self.offered is not None and _words(self.offered) == _words(self.case.twin)


def exchanged_cases(data: Path, items: int, *, seed: int) -> list[Case]:
    """Return the claims with exchanged words, each with the sentence that it was made of."""
    return [_exchanged(claim) for claim in make_claims(read_passages(data), items, seed=seed)]


def _exchanged(claim: Claim) -> Case:
    twin = claim.text if claim.kind in UNTOUCHED else claim.sentence
    return Case(claim.kind, claim.passage, claim.text, twin)


def written_cases(data: Path) -> list[Case]:
    """Return the false written claims that have a true twin, and the twins, as they stand."""
    with gzip.open(data / _WRITTEN, "rt", encoding="utf-8") as file:
        rows = [json.loads(line) for line in file]
    by_passage: dict[str, list[Mapping[str, Any]]] = defaultdict(list)
    for row in rows:
        by_passage[row["premise"]].append(row)
    cases = []
    for passage, near in by_passage.items():
        for false in (row for row in near if not row["label"]):
            twin = next(
                (row for row in near if row["label"] and is_twin(false["claim"], row["claim"])),
                None,
            )
            if twin is not None:
                cases.append(Case(false["kind"], passage, false["claim"], twin["claim"]))
                cases.append(Case("true twin", passage, twin["claim"], twin["claim"]))
    return cases


def is_twin(false: str, true: str) -> bool:
    """Return whether two claims, of as many sentences, differ in a few words, two times at most."""
    if len(split_sentences(false)) != len(split_sentences(true)):
        return False
    matcher = SequenceMatcher(None, _words(false), _words(true), autojunk=False)
    if matcher.ratio() < _LEAST_ALIKE:
        return False
    differing = [code for code in matcher.get_opcodes() if code[0] != "equal"]
    return 0 < len(differing) <= _DIFFERENCES and all(
        max(i2 - i1, j2 - j1) <= _MOST_DIFFERENT for _, i1, i2, j1, j2 in differing
    )


def _words(text: str) -> list[str]:
    return _WORD.findall(text.casefold())


def ask(case: Case) -> Outcome:
    """Return what the check offers for a claim, or for the first of its sentences that has one."""
    report = check_grounding(case.claim, [case.passage], corrections=True)
    text, offered = case.claim, False
    for claim in reversed(report.claims):
        if claim.correction is not None:
            text = text[: claim.start] + claim.correction.text + text[claim.end :]
            offered = True
    return Outcome(case, text if offered else None, report.support_score)


def figures(outcomes: Sequence[Outcome]) -> dict[str, Any]:
    """Return the figures of false claims and of true ones, over all and by kind."""
    false = [item for item in outcomes if not item.case.is_true]
    true = [item for item in outcomes if item.case.is_true]
    kinds = sorted({item.case.kind for item in false})
    return {
        "false": _false_figures(false),
        "true": {
            "items": len(true),
            "offered": _count(true, lambda item: item.offered is not None),
        },
        "kinds": {
            kind: _false_figures([item for item in false if item.case.kind == kind])
            for kind in kinds
        },
    }


def _false_figures(outcomes: Sequence[Outcome]) -> dict[str, Any]:
    offered = _count(outcomes, lambda item: item.offered is not None)
    right = _count(outcomes, lambda item: item.is_right)
    return {
        "items": len(outcomes),
        "not_borne_out": _count(outcomes, lambda item: item.support < CITATION_THRESHOLD),
        "offered": offered,
        "right": right,
        "wrong": offered - right,
        "wrong_share_of_offered": round((offered - right) / offered, 4) if offered else None,
        "wrong_share": round((offered - right) / len(outcomes), 4) if outcomes else None,
    }


def _count(outcomes: Sequence[Outcome], holds: Callable[[Outcome], bool]) -> int:
    return sum(map(holds, outcomes))


def measure(data: Path, *, items: int, seed: int) -> tuple[dict[str, Any], list[Outcome]]:
    """Return the content of results/corrections.json, and every outcome."""
    about = circumstances()
    sets = {"exchanged": exchanged_cases(data, items, seed=seed), "written": written_cases(data)}
    found: dict[str, Any] = {"circumstances": about, "seed": seed}
    everything: list[Outcome] = []
    for name, cases in sets.items():
        print(f"corrections: {name}, {len(cases)} claims", flush=True)
        started = time.perf_counter()
        outcomes = [ask(case) for case in cases]
        seconds = time.perf_counter() - started
        everything += outcomes
        found[name] = {
            "ms_per_item": round(1000 * seconds / max(len(cases), 1), 1),
            **figures(outcomes),
        }
    return found, everything


def main() -> int:
    """Measure and write the result."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--data", type=Path, required=True, help="the folder with qa and grounding")
    parser.add_argument("--items", type=int, default=ITEMS)
    parser.add_argument("--seed", type=int, default=SEED)
    parser.add_argument("--show", action="store_true", help="print what was offered and is wrong")
    parser.add_argument("--out", type=Path)
    args = parser.parse_args()
    result, outcomes = measure(args.data, items=args.items, seed=args.seed)
    if args.show:
        for item in outcomes:
            if item.offered is not None and not item.is_right:
                case = item.case
                print(f"{case.kind}\n  said    {case.claim}\n  offered {item.offered}")
                print(f"  twin    {case.twin}")
    print(json.dumps({k: v for k, v in result.items() if k != "circumstances"}, indent=1))
    print(write_result("corrections", result, out=args.out))
    return 0


if __name__ == "__main__":
    sys.exit(main())
