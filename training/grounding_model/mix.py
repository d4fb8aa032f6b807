"""Keep a share of packs by their kind, and all packs about some written passages.

    python training/grounding_model/mix.py --packs RUN/ledger.jsonl.gz --keep snli.dev=0.3 \
        --keep fever_dev.dev=0.13 --rest 0.12 --out RUN/mixed.jsonl.gz
    python training/grounding_model/mix.py --packs RUN/written.jsonl.gz --fresh 's?-*.txt' \
        --rest 0.2 --out RUN/mixed_written.jsonl.gz

For a stage in which some data comes in, or counts for more. With `--most-asked` a pack keeps no
more questions than that, about a third of them without an answer; with `--only claims` it keeps no
questions, and no more claims than `--most-claims`.
"""

from __future__ import annotations

import argparse
import random
from pathlib import Path

from packs import NONE, Pack, read_packs, write_packs
from written import FOLDER, read_file


def mixed(
    packs: list[Pack], shares: dict[str, float], rest: float, fresh: list[str], seed: int
) -> list[Pack]:
    """The packs that are kept, in their order; `fresh` are texts whose packs all are."""
    rng = random.Random(seed)
    kept = []
    for pack in packs:
        share = 1.0 if any(t in pack.evidence for t in fresh) else shares.get(pack.kind, rest)
        if rng.random() < share:
            kept.append(pack)
    return kept


def asked_less(packs: list[Pack], most: int, seed: int) -> list[Pack]:
    """The packs with `most` questions each at most."""
    rng = random.Random(f"{seed}-asked")
    made = []
    for pack in packs:
        claims = [query for query in pack.queries if query.label is not None]
        found = [query for query in pack.queries if query.answer not in (None, NONE)]
        none = [query for query in pack.queries if query.answer == NONE]
        rng.shuffle(found)
        rng.shuffle(none)
        unanswered = none[: int(most / 3 + rng.random())]
        chosen = (unanswered + found)[:most]
        if claims or chosen:
            made.append(Pack(pack.evidence, claims + chosen, pack.kind))
    return made


def only(packs: list[Pack], what: str, most_claims: int | None, seed: int) -> list[Pack]:
    """The packs with their claims alone, at most so many, or with their questions alone."""
    rng = random.Random(f"{seed}-only")
    made = []
    for pack in packs:
        queries = [q for q in pack.queries if (q.label is not None) == (what == "claims")]
        if what == "claims" and most_claims is not None and len(queries) > most_claims:
            queries = rng.sample(queries, most_claims)
        if queries:
            made.append(Pack(pack.evidence, queries, pack.kind))
    return made


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--packs", type=Path, required=True)
    parser.add_argument("--keep", action="append", default=[], metavar="KIND=SHARE")
    parser.add_argument("--rest", type=float, default=1.0, help="share of the other kinds")
    parser.add_argument("--fresh", help="pattern of files in training/written: all their packs")
    parser.add_argument("--only", choices=("claims", "questions"), help="of a pack")
    parser.add_argument("--most-claims", type=int, help="of a pack, with --only claims")
    parser.add_argument("--most-asked", type=int, help="questions of a pack")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--out", type=Path, required=True)
    args = parser.parse_args()

    shares = {kind: float(share) for kind, _, share in (k.rpartition("=") for k in args.keep)}
    files = sorted(FOLDER.glob(args.fresh)) if args.fresh else []
    fresh = [passage.pack().evidence for path in files for passage in read_file(path)]
    kept = mixed(list(read_packs(args.packs)), shares, args.rest, fresh, args.seed)
    if args.only:
        kept = only(kept, args.only, args.most_claims, args.seed)
    if args.most_asked is not None:
        kept = asked_less(kept, args.most_asked, args.seed)
    write_packs(args.out, kept)
    print(len(kept), "packs", sum(len(pack.queries) for pack in kept), "queries")


if __name__ == "__main__":
    main()
