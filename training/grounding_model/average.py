"""Average the weights of a run and of what it began from.

    python training/grounding_model/average.py --run RUN/b2 --with RUN/restored --share 0.5 \
        --out RUN/averaged

A stage on new data makes a model better on it and forgets some of the rest; half way between the
two it keeps most of both (Wortsman et al. 2022, "Robust fine-tuning of zero-shot models",
https://arxiv.org/abs/2109.01903). Both runs must have begun from the same weights.
"""

from __future__ import annotations

import argparse
from collections.abc import Mapping
from pathlib import Path

import torch
from torch import Tensor


def averaged(
    run: Mapping[str, Tensor], other: Mapping[str, Tensor], share: float
) -> dict[str, Tensor]:
    """Return `share` of a run's weights and the rest of the other's.

    Raises:
        KeyError: The other lacks a weight of the run.
    """
    return {
        name: share * weight + (1 - share) * other[name] if weight.is_floating_point() else weight
        for name, weight in run.items()
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--run", type=Path, required=True, help="folder of the run")
    parser.add_argument("--with", dest="other", type=Path, required=True, help="of the other one")
    parser.add_argument("--share", type=float, default=0.5, help="of the run's weights")
    parser.add_argument("--out", type=Path, required=True)
    args = parser.parse_args()

    run, other = (
        torch.load(folder / "checkpoint.pt", weights_only=True) for folder in (args.run, args.other)
    )
    args.out.mkdir(parents=True, exist_ok=True)
    model = averaged(run["model"], other["model"], args.share)
    torch.save({"model": model, "size": run["size"]}, args.out / "checkpoint.pt")


if __name__ == "__main__":
    main()
