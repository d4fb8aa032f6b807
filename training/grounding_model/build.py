"""Make packs to train on.

    python training/grounding_model/build.py --data DATA --out RUN/ledger.jsonl.gz --part ledger
    python training/grounding_model/build.py --data DATA --out RUN/written.jsonl.gz --part written

Passages of the written sets that are kept out by their hash go to a file of their own.
"""

from __future__ import annotations

import argparse
import random
from collections import Counter
from pathlib import Path

from augment import augmented
from packs import Pack, write_packs
from sources import ledger_packs, row_packs, written_claim_packs, written_question_packs
from written import FOLDER, is_kept_out, read_folder


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--part", choices=("ledger", "written"), required=True)
    parser.add_argument("--kept-out", type=Path, help="where the kept-out written packs go")
    parser.add_argument("--folder", type=Path, default=FOLDER, help="of written text files")
    parser.add_argument("--rows", type=Path, help="rows of training/cross_encoder to add")
    parser.add_argument("--most-rows", type=int, default=1000)
    parser.add_argument("--english", action="store_true", help="leave out other languages")
    parser.add_argument("--share", type=float, default=1.0, help="of the packs to keep")
    parser.add_argument("--views", type=int, default=1, help="differently augmented copies")
    parser.add_argument("--seed", type=int, default=1)
    args = parser.parse_args()

    rng = random.Random(f"{args.seed}-{args.part}")
    if args.part == "ledger":
        packs = ledger_packs(args.data, args.seed, other_languages=not args.english)
    else:
        packs = [*written_claim_packs(args.data), *written_question_packs(args.data)]
        packs += [passage.pack() for passage in read_folder(args.folder)]
        if args.english:
            packs = [pack for pack in packs if is_english(pack)]
        kept = [pack for pack in packs if is_kept_out(pack.evidence)]
        packs = [pack for pack in packs if not is_kept_out(pack.evidence)]
        if args.kept_out:
            write_packs(args.kept_out, kept)
    if args.rows:
        packs += row_packs(args.rows, args.most_rows, args.seed)
    rng.shuffle(packs)
    packs = packs[: round(len(packs) * args.share)]
    made = []
    for _ in range(args.views):
        made += augmented(packs, rng, written=args.part == "written")
    rng.shuffle(made)
    write_packs(args.out, made)
    table = Counter(pack.kind for pack in made)
    queries = Counter(pack.kind for pack in made for _ in pack.queries)
    for kind in sorted(table):
        print(f"{kind:28} {table[kind]:6} packs {queries[kind]:7} queries")
    print(sum(table.values()), "packs", sum(queries.values()), "queries")


def is_english(pack: Pack) -> bool:
    """Leaves out passages in another language, and passages with claims in one."""
    text = pack.evidence + "".join(query.text for query in pack.queries)
    strange = sum(c.isalpha() and not c.isascii() for c in text)
    return pack.kind in ("written_en", "written_questions") and strange < 0.02 * len(text)


if __name__ == "__main__":
    main()
