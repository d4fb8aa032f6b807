"""Relations and attributes written for Toulmin (`training/relations/`), as packs.

A reader that goes by the words takes "Orrin sued Talvera" for support of "Talvera sued Orrin".
A block holds many ways of saying that A stands in a relation to B; evidence is one of them, and
claims are others, with the names as they are or turned round. So all words of a false claim are in
the text, and its way of saying it is that of true ones:

    === lend | PERSON PERSON | thing: a ladder; the projector | swap: C
    E: {A} lent {B} {thing}.
    C: {thing^} was lent to {B} by {A}.
    N: {B} asked {A} for the loan of {thing}.
    X: {A} never lent {B} {thing}.
    QA: Who lent {thing} to {B}?
    QB: Who borrowed {thing} from {A}?

E is evidence, C a claim, N evidence that leaves open whether, X evidence that it is not so; QA is
answered by {A}, QB by {B}, Qa by {a}, and none of them where the names are turned round. `swap:` is
what a claim is with the names turned round: C contradicted, N not borne out (of these a second
reader took a third for contradicted). In a block of an attribute {a} is the value of {A}, and C>
and C< follow if it is more or less than that of {B}:

    === height of towers | TOWN | 31 m < 45 m < 52 m < 88 m | more: taller
    E: The tower of {A} is {a} high, that of {B} {b}.
    C: The tower of {A} is {a} high.
    C>: The tower of {A} is taller than that of {B}.
    N: One of the towers of {A} and {B} is {a} high, the other {b}.
    Qa: How high is the tower of {A}?

    python training/grounding_model/relations.py                # checks the form, counts
    python training/grounding_model/relations.py --out RUN/relations.jsonl.gz --views 2 --seed 1 \
        --kept-out RUN/relations_kept.jsonl.gz

One block in ten, by a hash of its head, is trained on by nothing.
"""

from __future__ import annotations

import argparse
import random
import re
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path

from packs import (
    CONTRADICTION,
    NEUTRAL,
    NONE,
    SPAN,
    SUPPORT,
    UNSUPPORTED,
    Pack,
    Query,
    write_packs,
)
from written import is_kept_out

FOLDER = Path(__file__).resolve().parents[1] / "relations"
KIND = "relations"
HALF = 0.5
MOST_CLAIMS = 3
QUESTIONS = ("QA", "QB", "Qa")
AMONG = 0.4
"""Share of the packs in which the evidence stands among sentences about others."""
BETWEEN = (" ", "\n", " | ")
_LINE = re.compile(r"(E|C|N|X|C>|C<|QA|QB|Qa): (.+)")
_SLOT = re.compile(r"\{(\w+)(\^?)\}")
_TWICE = re.compile(r"\b([Tt]he) the\b")
_NAMES = "ABD"
_FEWEST = {"E": 3, "C": 2}

Filling = dict[str, str]
Row = tuple[str, list[Query]]  # evidence, and what is said and asked about it


class Names:
    """Invented names by type."""

    def __init__(self, path: Path = FOLDER / "names.txt") -> None:
        self.by_type: dict[str, list[str]] = {}
        for line in path.read_text(encoding="utf-8").splitlines():
            head, _, rest = line.partition(": ")
            self.by_type[head] = rest.split("; ") if ";" in rest else rest.split()

    def __contains__(self, kind: str) -> bool:
        return kind == "PERSON" or kind in self.by_type

    def draw(self, kind: str, count: int, rng: random.Random) -> list[str]:
        """Return `count` different names."""
        if kind != "PERSON":
            return rng.sample(self.by_type[kind], count)
        first = rng.sample(self.by_type["PERSON first"], count)
        last = rng.sample(self.by_type["PERSON last"], count)
        form = rng.choice(("{0} {1}", "{0} {1}", "{0}", "{0}", "{1}"))
        return [form.format(*pair) for pair in zip(first, last, strict=True)]


def filled(line: str, filling: Filling) -> str:
    """Return a line with its slots filled; its first letter is a capital."""

    def value(slot: re.Match[str]) -> str:
        text = filling[slot[1]]
        return text[:1].upper() + text[1:] if slot[2] else text

    text = _TWICE.sub(r"\1", _SLOT.sub(value, line))
    return text[:1].upper() + text[1:]


def turned(filling: Filling, one: str = "A", other: str = "B") -> Filling:
    """Return a filling with two names exchanged."""
    return {**filling, one: filling[other], other: filling[one]}


@dataclass
class Block:
    """A relation or an attribute: its head, and its lines by what they are."""

    head: list[str]
    place: str
    lines: dict[str, list[str]] = field(default_factory=lambda: defaultdict(list))
    faults: list[str] = field(default_factory=list)

    @property
    def is_kept_out(self) -> bool:
        return is_kept_out(" ".join(self.head))

    @property
    def is_attribute(self) -> bool:
        return not self.head[-1].startswith("swap:")

    @cached_property
    def types(self) -> list[str]:
        """The types of {A} and {B}."""
        types = self.head[1].split()
        return types if len(types) > 1 else types * 2

    @cached_property
    def values(self) -> list[str]:
        """The values of an attribute, in order if it has one."""
        return [value.strip() for value in re.split("[<;]", self.head[2])]

    @cached_property
    def slots(self) -> dict[str, list[str]]:
        """The values of each further slot of a relation."""
        pairs = [part.partition(":") for part in self.head[2:-1] if part != "-"]
        return {name.strip(): [v.strip() for v in rest.split(";")] for name, _, rest in pairs}

    def filling(self, names: Names, rng: random.Random) -> Filling:
        """Return a name for A, B and D, and a value for each slot."""
        if self.types[0] == self.types[1]:
            chosen = names.draw(self.types[0], 3, rng)
        else:
            chosen = [*names.draw(self.types[0], 1, rng), *names.draw(self.types[1], 2, rng)]
        found = dict(zip(_NAMES, chosen, strict=True))
        if self.is_attribute:
            found |= dict(zip("abd", rng.sample(self.values, 3), strict=True))
        else:
            found |= {name: rng.choice(values) for name, values in self.slots.items()}
        return found

    def rows(self, names: Names, rng: random.Random) -> Iterator[Row]:
        """Yield every piece of evidence of the block with claims and questions, names filled in."""
        make = self._of_attribute if self.is_attribute else self._of_relation
        for kind in ("E", "N", "X"):
            for line in self.lines[kind]:
                given = self.filling(names, rng)
                if self.types[0] == self.types[1] and rng.random() < HALF:
                    given = turned(given)
                evidence = filled(line, given)
                queries = [Query(text, KIND, label) for text, label in make(kind, given, rng)]
                yield evidence, queries + self._asked(kind, evidence, given, rng)

    def _asked(self, kind: str, evidence: str, given: Filling, rng: random.Random) -> list[Query]:
        """Return a question that the evidence answers, if it says so, and one that it does not."""
        sorts = [sort for sort in QUESTIONS if self.lines[sort]]
        if not sorts:
            return []
        sort = rng.choice(sorts)
        question, answer = rng.choice(self.lines[sort]), given[sort[1]]
        place = re.search(rf"(?<!\w){re.escape(answer)}(?!\w)", evidence, re.IGNORECASE)
        found = []
        if kind == "E" and place:
            found.append(Query(filled(question, given), KIND, answer=SPAN, spans=[place.span()]))
        other = given
        if kind == "E":
            # Asked of somebody else, or the other way round.
            other = turned(given, "A", "D") if sort == "Qa" else turned(given)
            if given["D"] in evidence or (sort != "Qa" and self.types[0] != self.types[1]):
                return found
        return [*found, Query(filled(question, other), KIND, answer=NONE)]

    def _of_relation(
        self, kind: str, given: Filling, rng: random.Random
    ) -> Iterator[tuple[str, int]]:
        label = {"E": SUPPORT, "N": NEUTRAL, "X": CONTRADICTION}[kind]
        swapped = CONTRADICTION if self.head[-1].endswith("C") else UNSUPPORTED
        claims = rng.sample(self.lines["C"], min(len(self.lines["C"]), MOST_CLAIMS))
        for number, claim in enumerate(claims):
            yield filled(claim, given), label
            if kind == "E" and self.types[0] == self.types[1]:
                yield filled(claim, turned(given)), swapped
            if number == 0 and kind == "E" and "{B}" in claim:
                yield filled(claim, turned(given, "B", "D")), UNSUPPORTED

    def _of_attribute(self, kind: str, given: Filling, rng: random.Random) -> list[tuple[str, int]]:
        if kind == "N":
            return [(filled(rng.choice(self.lines["C"]), given), NEUTRAL)]
        found = []
        for claim in rng.sample(self.lines["C"], min(len(self.lines["C"]), 2)):
            found.append((filled(claim, given), SUPPORT))
            found.append((filled(claim, turned(given, "a", "b")), CONTRADICTION))
            other = {**given, "A": given["B"], "a": given["b"]}
            found.append((filled(claim, other), SUPPORT))
            found.append((filled(claim, {**other, "a": given["a"]}), CONTRADICTION))
        more = self.values.index(given["a"]) > self.values.index(given["b"])
        for sign in ("C>", "C<"):
            if self.lines[sign] and "<" in self.head[2]:
                right = (sign == "C>") == more
                claim = rng.choice(self.lines[sign])
                found.append((filled(claim, given), SUPPORT if right else CONTRADICTION))
                found.append((filled(claim, turned(given)), CONTRADICTION if right else SUPPORT))
        rng.shuffle(found)
        return found[: 2 * MOST_CLAIMS]


def read_relations(paths: Sequence[Path], names: Names) -> Iterator[Block]:
    """Yield the blocks of files, in order."""
    for path in paths:
        blocks = re.split(r"(?m)^=== ", path.read_text(encoding="utf-8"))
        for number, text in enumerate(blocks[1:], 1):
            head, _, rest = text.partition("\n")
            block = Block([part.strip() for part in head.split("|")], f"{path.name}, {number}")
            for line in filter(str.strip, rest.split("\n")):
                found = _LINE.fullmatch(line.strip())
                if found:
                    block.lines[found[1]].append(found[2])
                else:
                    block.faults.append(f"{block.place}: not a line: {line[:60]}")
            block.faults += faults(block, names)
            yield block


def faults(block: Block, names: Names) -> Iterator[str]:
    """Yield what breaks the form."""
    if len(block.head) < 4:
        yield f"{block.place}: a head has four parts: {block.head}"
        return
    for kind in block.types:
        if kind not in names:
            yield f"{block.place}: no names of the type {kind}"
    for kind, fewest in _FEWEST.items():
        if len(block.lines[kind]) < fewest:
            yield f"{block.place}: fewer than {fewest} lines of {kind}"
    known = {*_NAMES, *("abd" if block.is_attribute else block.slots)}
    for kind, lines in block.lines.items():
        for line in lines:
            used = {slot[1] for slot in _SLOT.finditer(line)}
            if used - known or not _names_enough(kind, used, is_attribute=block.is_attribute):
                yield f"{block.place}: slots of {kind}: {line[:60]}"
            if block.is_attribute and kind in {"C", "Qa"} and used & {"B", "b"}:
                yield f"{block.place}: a claim about another: {line[:60]}"


def _names_enough(kind: str, used: set[str], *, is_attribute: bool) -> bool:
    """Return whether a line says of whom, and of which value, it speaks."""
    if kind in QUESTIONS:
        return kind[1] not in used and bool(used & {"A", "B"})
    if kind == "C":
        return used >= {"A", "a"} if is_attribute else bool(used & {"A", "B"})
    return kind in "NX" or used >= {"A", "B"}


def packs_of(blocks: Sequence[Block], names: Names, seed: int) -> list[Pack]:
    """Return a pack for every piece of evidence, some among sentences of other blocks."""
    rng = random.Random(seed)
    rows = [row for block in blocks for row in block.rows(names, rng)]
    texts = [evidence for evidence, _ in rows]
    made = []
    for evidence, queries in rows:
        parts = [evidence]
        if rng.random() < AMONG:
            own = {word for word in re.findall(r"\w+", evidence) if word[:1].isupper()}
            others = [
                t
                for t in rng.sample(texts, min(6, len(texts)))
                if not own & set(re.findall(r"\w+", t))
            ]
            parts += others[: rng.randint(1, 2)]
            rng.shuffle(parts)
        text = rng.choice(BETWEEN).join(parts)
        shift = text.index(evidence)
        for query in queries:
            query.spans = [(a + shift, b + shift) for a, b in query.spans]
        rng.shuffle(queries)
        made.append(Pack(text, queries, KIND))
    return made


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("files", type=Path, nargs="*", help="default: all of the folder")
    parser.add_argument("--out", type=Path, help="packs to train on")
    parser.add_argument("--kept-out", type=Path, help="packs that are not trained on")
    parser.add_argument("--views", type=int, default=1, help="copies with other names")
    parser.add_argument("--seed", type=int, default=1)
    args = parser.parse_args()

    names = Names()
    files = args.files or sorted(p for p in FOLDER.glob("*.txt") if p.name != "names.txt")
    blocks = list(read_relations(files, names))
    for block in blocks:
        print(*block.faults, sep="\n", end="\n" if block.faults else "")
    good = [block for block in blocks if not block.faults]
    trained = [
        pack
        for view in range(args.views)
        for pack in packs_of([b for b in good if not b.is_kept_out], names, args.seed + view)
    ]
    kept = packs_of([b for b in good if b.is_kept_out], names, args.seed)
    print(
        f"{len(blocks)} blocks, {len(blocks) - len(good)} with faults;",
        f"{len(trained)} packs to train on, {len(kept)} kept out;",
        dict(Counter(query.label for pack in trained for query in pack.queries)),
    )
    if args.out:
        write_packs(args.out, trained)
    if args.kept_out:
        write_packs(args.kept_out, kept)


if __name__ == "__main__":
    main()
