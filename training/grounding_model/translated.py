"""Questions of written passages, asked in another language than the passage's, as packs.

`training/written/translated/` has a file for the passages of each language, a line for each
translation: its language, the question as it was written, the translation:

    en|Wann ist die Übergabe?|When is the handover?

    python training/grounding_model/translated.py --packs RUN/written.jsonl.gz \
        --out RUN/translated.jsonl.gz

Each passage once, with those of its questions that are translated, each in one other language,
drawn by the seed, and without its claims. What is kept out of training is kept out of the packs
that it is given.
"""

from __future__ import annotations

import argparse
import random
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path

from packs import Pack, read_packs, write_packs
from written import FOLDER

KIND = "written_across"
TRANSLATED = FOLDER / "translated"
Translations = Mapping[str, Sequence[str]]  # a question as it was written -> its translations


def read_translations(folder: Path = TRANSLATED) -> Translations:
    """Return the translations of each question."""
    found: dict[str, list[str]] = defaultdict(list)
    for path in sorted(folder.glob("*.txt")):
        for line in filter(str.strip, path.read_text(encoding="utf-8").split("\n")):
            _, question, translation = line.split("|")
            found[question].append(translation)
    return found


def translated(packs: Sequence[Pack], translations: Translations, seed: int) -> Iterator[Pack]:
    """Yield a pack for each passage with translated questions; each passage and question once."""
    asked: dict[str, set[str]] = defaultdict(set)
    for pack in packs:
        rng = random.Random(f"{seed}-{pack.evidence[:80]}")
        queries = []
        for query in pack.queries:
            known = translations.get(query.text, ())
            if query.answer is not None and known and query.text not in asked[pack.evidence]:
                asked[pack.evidence].add(query.text)
                queries.append(replace(query, text=rng.choice(known)))
        if queries:
            yield Pack(pack.evidence, queries, KIND)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--packs", type=Path, required=True, action="append", help="may repeat")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--out", type=Path, required=True)
    args = parser.parse_args()
    packs = [pack for path in args.packs for pack in read_packs(path)]
    made = list(translated(packs, read_translations(), args.seed))
    write_packs(args.out, made)
    print(f"{len(made)} packs, {sum(len(pack.queries) for pack in made)} queries")


if __name__ == "__main__":
    main()
