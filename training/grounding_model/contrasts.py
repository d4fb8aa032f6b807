"""Contrast sets written for Toulmin (`training/contrasts/`), as packs.

In a passage with claims the claims differ and the text stays; here the claims stay and the text
differs, so that neither side's words give a label away. A file holds sets, each with 2 to 4 claims
and contexts with one label for each claim (S support, C contradiction, N neutral, - none):

    === domain | kinds
    1: claim
    2: claim
    ---
    SC context
    NN context

    python training/grounding_model/contrasts.py FILE...     # checks the form, prints the balance
    python training/grounding_model/contrasts.py --out RUN/contrasts.jsonl.gz \
        --kept-out RUN/contrasts_kept.jsonl.gz

One set in ten, by a hash of its claims, is trained on by nothing. With `--joined` there is one more
pack for every few contexts of different sets, one text after the other, with all their claims:
what decides is then a sentence among many.
"""

from __future__ import annotations

import argparse
import random
import re
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from packs import Pack, Query, write_packs
from written import LABELS, is_kept_out, words_of

FOLDER = Path(__file__).resolve().parents[1] / "contrasts"
KIND, JOINED = "contrasts", "contrasts_joined"
FEWEST, MOST = 3, 4
"""Contexts that are joined: with their claims they are to fit into what the model reads at once."""
LONGEST = 190
"""Words of these together."""
BETWEEN = (" | ", "\n\n", "\n", " ")
UNLABELLED = "-"
_CONTEXT = re.compile(rf"([{''.join(LABELS)}{UNLABELLED}]+) (.+)")
_CLAIM = re.compile(r"\d+: *(.+)")


@dataclass
class ContrastSet:
    """Claims, and contexts with one letter for each claim; `faults` break the form."""

    kinds: str
    place: str
    claims: list[str] = field(default_factory=list)
    contexts: list[tuple[str, str]] = field(default_factory=list)
    faults: list[str] = field(default_factory=list)

    @property
    def is_kept_out(self) -> bool:
        return is_kept_out(" ".join(self.claims))

    def packs(self) -> list[Pack]:
        """One pack for each context."""
        return [
            Pack(
                text,
                [
                    Query(claim, self.kinds, label=LABELS[letter])
                    for claim, letter in zip(self.claims, letters, strict=True)
                    if letter != UNLABELLED
                ],
                KIND,
            )
            for letters, text in self.contexts
        ]


@dataclass
class Block:
    """A set as it is written: its kinds, where it stands, its lines above and below the rule."""

    kinds: str
    place: str
    above: list[str]
    below: list[str]


def read_blocks(paths: Sequence[Path]) -> Iterator[Block]:
    """Yield the sets of files, in order, without their empty lines."""
    for path in paths:
        blocks = re.split(r"(?m)^=== ", path.read_text(encoding="utf-8"))
        for number, block in enumerate(blocks[1:], 1):
            head, _, rest = block.partition("\n")
            parts = rest.partition("\n---\n")
            above, below = ([line.strip() for line in parts[i].split("\n")] for i in (0, 2))
            yield Block(
                head.rpartition("|")[2].strip(),
                f"{path.name}, set {number}",
                list(filter(None, above)),
                list(filter(None, below)),
            )


def read_sets(paths: Sequence[Path]) -> Iterator[ContrastSet]:
    """Yield the sets of files, in order."""
    return map(_read_set, read_blocks(paths))


def _read_set(block: Block) -> ContrastSet:
    place = block.place
    found = ContrastSet(block.kinds, place)
    for line in block.above:
        claim = _CLAIM.fullmatch(line)
        if claim:
            found.claims.append(claim[1])
        else:
            found.faults.append(f"{place}: not a claim: {line[:60]}")
    for line in block.below:
        context = _CONTEXT.fullmatch(line)
        if context and len(context[1]) == len(found.claims):
            found.contexts.append((context[1], context[2]))
        else:
            found.faults.append(f"{place}: not one letter a claim and a context: {line[:60]}")
    for number, letters in enumerate(zip(*(pair[0] for pair in found.contexts), strict=True), 1):
        known = set(letters) - {UNLABELLED}
        if known and ("S" not in known or len(known) == 1):
            found.faults.append(f"{place}: claim {number} is not both supported and not")
    return found


def joined(packs: Sequence[Pack], seed: int) -> list[Pack]:
    """Return packs of several contexts each, every context in one of them.

    No two are of one set, as they would gainsay each other: they share no claim.
    """
    rng = random.Random(seed)
    left = list(packs)
    rng.shuffle(left)
    made = []
    while left:
        chosen: list[Pack] = []
        claims: set[str] = set()
        count, room = rng.randint(FEWEST, MOST), LONGEST
        for pack in left[: 4 * MOST]:
            own, words = {query.text for query in pack.queries}, len(pack.evidence.split())
            if not chosen or (len(chosen) < count and words <= room and not own & claims):
                chosen.append(pack)
                claims |= own
                room -= words
        left = [pack for pack in left if not any(pack is one for one in chosen)]
        queries = [query for pack in chosen for query in pack.queries]
        rng.shuffle(queries)
        text = rng.choice(BETWEEN).join(pack.evidence for pack in chosen)
        made.append(Pack(text, queries, JOINED))
    return made


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("files", type=Path, nargs="*", help="default: all of the folder")
    parser.add_argument("--out", type=Path, help="packs to train on")
    parser.add_argument("--joined", type=Path, help="packs of several contexts to train on")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--kept-out", type=Path, help="packs that are not trained on")
    args = parser.parse_args()

    sets = list(read_sets(args.files or sorted(FOLDER.glob("*.txt"))))
    count: Counter[str] = Counter(sets=len(sets))
    shares: dict[str, list[float]] = defaultdict(list)
    for found in sets:
        print(*found.faults, sep="\n", end="\n" if found.faults else "")
        count["claims"] += len(found.claims)
        count["contexts"] += len(found.contexts)
        for letters, text in found.contexts:
            known = words_of(text)
            for letter, claim in zip(letters, found.claims, strict=True):
                said = words_of(claim)
                shares[letter].append(len(said & known) / max(1, len(said)))
    print(dict(count))
    for letter in LABELS:
        share = sum(shares[letter]) / max(1, len(shares[letter]))
        print(f"{letter}: {len(shares[letter])} pairs, share of words in the context {share:.2f}")
    trained = [pack for found in sets if not found.is_kept_out for pack in found.packs()]
    kept = [pack for found in sets if found.is_kept_out for pack in found.packs()]
    if args.out:
        write_packs(args.out, trained)
    if args.joined:
        write_packs(args.joined, joined(trained, args.seed))
    if args.kept_out:
        write_packs(args.kept_out, kept)


if __name__ == "__main__":
    main()
