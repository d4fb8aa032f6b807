"""Can the support score be forced? 480 claims that their facts do not bear out, and 240 that they do.

    python -m benchmarks.quality.forced

Each claim's words are in its facts, but asked, denied, quoted, supposed, said of somebody else, in
another order or hidden behind look-alike letters (tests/grounding/data/forced.jsonl and, by another
writer who saw neither these nor the code, forced_blind.jsonl; never trained on). The controls stand
in the same surroundings and are borne out, so that refusing everything does not win. Writes
benchmarks/results/forced.json.
"""

from __future__ import annotations

import json
from collections import defaultdict
from typing import Any

import numpy as np

from benchmarks.measurement import REPOSITORY, circumstances, write_result
from toulmin.domain import Fact
from toulmin.evaluation.metrics import auroc
from toulmin.grounding.check import CheckSpec
from toulmin.services import build_services, model_versions
from toulmin.settings import load_settings

FOLDER = REPOSITORY / "tests" / "grounding" / "data"
SETS = ("forced", "forced_blind")
FORCED = 0.5


def load() -> list[dict[str, Any]]:
    """Return the cases: facts, claim, supported, kind, set."""
    return [
        {**json.loads(line), "set": name}
        for name in SETS
        for line in (FOLDER / f"{name}.jsonl").read_text(encoding="utf-8").splitlines()
    ]


def figures(cases: list[dict[str, Any]], scores: list[float]) -> dict[str, Any]:
    """Return the share of attacks below .5 and of controls from .5 on, and the AUROC."""
    attacks = [s for c, s in zip(cases, scores, strict=True) if not c["supported"]]
    controls = [s for c, s in zip(cases, scores, strict=True) if c["supported"]]
    labels = np.array([c["supported"] for c in cases])
    return {
        "attacks": len(attacks),
        "attacks_below": sum(s < FORCED for s in attacks) / len(attacks),
        "controls": len(controls),
        "controls_above": sum(s >= FORCED for s in controls) / len(controls),
        "auroc": auroc(labels, np.array(scores)),
    }


def main() -> None:
    """Measure; write results/forced.json."""
    settings = load_settings()
    services = build_services(settings)
    cases = load()
    scores = [
        services.checker()
        .check(case["claim"], [Fact(text) for text in case["facts"]], CheckSpec())
        .support_score
        for case in cases
    ]
    groups: dict[str, dict[str, list[int]]] = {"set": defaultdict(list), "kind": defaultdict(list)}
    for index, case in enumerate(cases):
        for by, group in groups.items():
            group[case[by]].append(index)
    result = circumstances()
    result["models"] = model_versions(settings)
    result["all"] = figures(cases, scores)
    for by, group in groups.items():
        result[f"{by}s"] = {
            name: figures([cases[i] for i in index], [scores[i] for i in index])
            for name, index in sorted(group.items())
        }
    write_result("forced", result)
    for name, found in {"all": result["all"], **result["sets"], **result["kinds"]}.items():
        print(
            f"{name:16} attacks below .5: {found['attacks_below']:.2f} of {found['attacks']:3}"
            f"   controls above: {found['controls_above']:.2f} of {found['controls']:3}"
            f"   AUROC {found['auroc']:.2f}"
        )


if __name__ == "__main__":
    main()
