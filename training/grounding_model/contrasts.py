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

One set in ten, by a hash of its claims, is trained on by nothing.
"""

from __future__ import annotations

import argparse
import re
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from packs import Pack, Query, write_packs
from written import LABELS, is_kept_out, words_of

FOLDER = Path(__file__).resolve().parents[1] / "contrasts"
KIND = "contrasts"
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


def read_sets(paths: Sequence[Path]) -> Iterator[ContrastSet]:
    """Yield the sets of files, in order."""
    for path in paths:
        blocks = re.split(r"(?m)^=== ", path.read_text(encoding="utf-8"))
        for number, block in enumerate(blocks[1:], 1):
            yield _read_set(block, f"{path.name}, set {number}")


def _read_set(block: str, place: str) -> ContrastSet:
    head, _, rest = block.partition("\n")
    top, _, low = rest.partition("\n---\n")
    found = ContrastSet(head.rpartition("|")[2].strip(), place)
    for line in filter(str.strip, top.split("\n")):
        claim = _CLAIM.fullmatch(line.strip())
        if claim:
            found.claims.append(claim[1])
        else:
            found.faults.append(f"{place}: not a claim: {line[:60]}")
    for line in filter(str.strip, low.split("\n")):
        context = _CONTEXT.fullmatch(line.strip())
        if context and len(context[1]) == len(found.claims):
            found.contexts.append((context[1], context[2]))
        else:
            found.faults.append(f"{place}: not one letter a claim and a context: {line[:60]}")
    for number, letters in enumerate(zip(*(pair[0] for pair in found.contexts), strict=True), 1):
        known = set(letters) - {UNLABELLED}
        if known and ("S" not in known or len(known) == 1):
            found.faults.append(f"{place}: claim {number} is not both supported and not")
    return found


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("files", type=Path, nargs="*", help="default: all of the folder")
    parser.add_argument("--out", type=Path, help="packs to train on")
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
    for path, kept in ((args.out, False), (args.kept_out, True)):
        if path:
            write_packs(path, [p for s in sets if s.is_kept_out == kept for p in s.packs()])


if __name__ == "__main__":
    main()
