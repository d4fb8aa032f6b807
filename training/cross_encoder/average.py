"""Average the weights of two runs, the second of which began from the first.

python training/cross_encoder/average.py --first RUN --second RUN --share 0.5 --out RUN
"""

from __future__ import annotations

import argparse
from pathlib import Path

import torch


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--first", type=Path, required=True)
    parser.add_argument("--second", type=Path, required=True)
    parser.add_argument("--share", type=float, default=0.5, help="weight of the second run")
    parser.add_argument("--out", type=Path, required=True)
    args = parser.parse_args()

    first = torch.load(args.first / "checkpoint.pt", weights_only=True)
    second = torch.load(args.second / "checkpoint.pt", weights_only=True)
    mixed = {
        name: torch.lerp(weight, second["model"][name], args.share)
        for name, weight in first["model"].items()
    }
    args.out.mkdir(parents=True, exist_ok=True)
    torch.save({"model": mixed, "size": first["size"]}, args.out / "checkpoint.pt")


if __name__ == "__main__":
    main()
