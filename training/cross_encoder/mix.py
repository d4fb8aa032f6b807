"""Mix rows of several builds, a given number of each, seeded.

python training/cross_encoder/mix.py --take A.jsonl.gz=40000 --take B.jsonl.gz=9000 --out ROWS
"""

from __future__ import annotations

import argparse
import random
from pathlib import Path

from data.rows import Row, is_kept_out, read_rows, usable, write_rows


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--take", action="append", required=True, metavar="FILE=COUNT")
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--seed", type=int, default=1)
    args = parser.parse_args()

    rows: list[Row] = []
    for take in args.take:
        name, _, count = take.rpartition("=")
        found = [row for row in read_rows(Path(name)) if usable(row) and not is_kept_out(row.claim)]
        random.Random(f"{args.seed}-{Path(name).name}").shuffle(found)
        rows += found[: int(count)]
        print(f"{min(len(found), int(count)):7} of {len(found):7} from {name}")
    random.Random(f"{args.seed}-mix").shuffle(rows)
    write_rows(args.out, rows)
    print(f"{len(rows):7} rows")


if __name__ == "__main__":
    main()
