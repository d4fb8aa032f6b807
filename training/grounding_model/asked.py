"""Questions written to be told apart (`training/contrasts/questions/`, `.../twins/`), as packs.

In a set of questions the questions stay and the text differs: each context answers some of them,
and has something like an answer to the others. One letter for each question and context: A answered
by the span that is marked, Y and N answered by yes or no, with the sentence that shows it marked,
U not answered, - none:

    === domain | kinds
    1: question
    2: question
    ---
    AU text with {1:an answer} in it

A file of twins has lines `id|kind|question`: a question that the paragraph of that record of
squad1_part does not answer, much like one that it does; and `id|answered|question|answer`: one that
it does answer, in other words than its own. The paragraphs are the ledger's, not ours.

    python training/grounding_model/asked.py               # checks the form, prints the balance
    python training/grounding_model/asked.py --data DATA --out RUN/asked.jsonl.gz \
        --kept-out RUN/asked_kept.jsonl.gz

One set and one paragraph in ten, by a hash of their words, are trained on by nothing. Beside the
twins of a paragraph there are as many of its own questions, which it answers.

`questions/translated/` has the same questions in other languages, a file each, `== q1.2` for the
second set of q1.txt. With `--across` each context is asked in one of them, drawn by the seed; a set
is kept out in all languages or in none.
"""

from __future__ import annotations

import argparse
import random
import re
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from contrasts import FOLDER, UNLABELLED, Block, read_blocks
from packs import NO, NONE, SPAN, YES, Pack, Query, write_packs
from sources import read_jsonl
from written import is_kept_out

KIND, TWINS, ACROSS = "question_contrasts", "question_twins", "question_across"
ANSWERED = "answered"
ANSWERS = {"A": SPAN, "Y": YES, "N": NO, "U": NONE}
_CONTEXT = re.compile(rf"([{''.join(ANSWERS)}{UNLABELLED}]+) (.+)")
_QUESTION = re.compile(r"\d+: *(.+)")
_MARK = re.compile(r"\{(\d):([^{}]+)\}")


@dataclass
class QuestionSet:
    """Questions, and contexts (letters, text, span of each question); `faults` break the form."""

    kinds: str
    questions: list[str] = field(default_factory=list)
    contexts: list[tuple[str, str, dict[int, tuple[int, int]]]] = field(default_factory=list)
    faults: list[str] = field(default_factory=list)

    @property
    def is_kept_out(self) -> bool:
        return is_kept_out(" ".join(self.questions))

    def packs(self) -> list[Pack]:
        """One pack for each context."""
        return [self._pack(place, self.questions, KIND) for place in range(len(self.contexts))]

    def packs_across(self, translations: Sequence[Sequence[str]], seed: int) -> list[Pack]:
        """One pack for each context, asked in one of the translations of the questions."""
        rng = random.Random(f"{seed}-{self.questions[0]}")
        return [
            self._pack(place, rng.choice(translations), ACROSS)
            for place in range(len(self.contexts))
        ]

    def _pack(self, place: int, questions: Sequence[str], source: str) -> Pack:
        letters, text, spans = self.contexts[place]
        queries = [
            Query(
                question,
                self.kinds,
                answer=ANSWERS[letter],
                spans=[spans[number]] if number in spans else [],
            )
            for number, (question, letter) in enumerate(zip(questions, letters, strict=True), 1)
            if letter != UNLABELLED
        ]
        return Pack(text, queries, source)


def read_sets(paths: Sequence[Path]) -> Iterator[QuestionSet]:
    """Yield the sets of files, in order."""
    return map(_read_set, read_blocks(paths))


def _read_set(block: Block) -> QuestionSet:
    place = block.place
    found = QuestionSet(block.kinds)
    for line in block.above:
        question = _QUESTION.fullmatch(line)
        if question:
            found.questions.append(question[1])
        else:
            found.faults.append(f"{place}: not a question: {line[:60]}")
    for line in block.below:
        context = _CONTEXT.fullmatch(line)
        if not context or len(context[1]) != len(found.questions):
            found.faults.append(f"{place}: not one letter a question and a context: {line[:60]}")
            continue
        text, spans = unmarked(context[2])
        marked = {n for n, letter in enumerate(context[1], 1) if letter in "AYN"}
        if marked - spans.keys() or "{" in text:
            found.faults.append(f"{place}: marks and letters differ: {line[:60]}")
            continue
        found.contexts.append((context[1], text, {n: spans[n] for n in marked}))
    return found


def unmarked(text: str) -> tuple[str, dict[int, tuple[int, int]]]:
    """Return a text without its marks, and the range that each marks."""
    plain, spans, at = "", {}, 0
    for mark in _MARK.finditer(text):
        plain += text[at : mark.start()]
        spans[int(mark[1])] = (len(plain), len(plain) + len(mark[2]))
        plain += mark[2]
        at = mark.end()
    return plain + text[at:], spans


def read_translations(folder: Path) -> list[dict[str, list[str]]]:
    """Return the translated questions of each file: by set ("q1.2"), in order."""
    found = []
    for path in sorted(folder.glob("*.txt")):
        sets: dict[str, list[str]] = {}
        for line in filter(str.strip, path.read_text(encoding="utf-8").split("\n")):
            if line.startswith("=="):
                questions = sets.setdefault(line.strip("= "), [])
            else:
                questions.append(line.partition(":")[2].strip())
        found.append(sets)
    return found


def across_packs(paths: Sequence[Path], folder: Path, seed: int) -> Iterator[tuple[Pack, bool]]:
    """Yield a pack for each context, asked in another language, with whether it is kept out."""
    translations = read_translations(folder)
    for path in paths:
        for number, found in enumerate(read_sets([path]), 1):
            asked = [sets[f"{path.stem}.{number}"] for sets in translations]
            for pack in found.packs_across(asked, seed):
                yield pack, found.is_kept_out


def twin_packs(data: Path, paths: Sequence[Path], seed: int) -> Iterator[Pack]:
    """Yield a pack for each paragraph with its twins and as many of its own questions."""
    records = {r["id"]: r for r in read_jsonl(data / "qa" / "train" / "squad1_part.jsonl.gz")}
    own: dict[str, list[dict]] = defaultdict(list)
    for record in records.values():
        own[record["context"]].append(record)
    twins: dict[str, list[Query]] = defaultdict(list)
    for path in paths:
        for line in filter(str.strip, path.read_text(encoding="utf-8").split("\n")):
            name, kind, *asked = (part.strip() for part in line.split("|"))
            context = records[name]["context"]
            if kind == ANSWERED:
                question, answer = asked
                start = context.index(answer)
                spans = [(start, start + len(answer))]
                twins[context].append(Query(question, kind, answer=SPAN, spans=spans))
            else:
                (question,) = asked
                twins[context].append(Query(question, kind, answer=NONE))
    for context, queries in twins.items():
        rng = random.Random(f"{seed}-{context[:80]}")
        # Beside those that are not answered as many that are.
        missing = sum(1 if query.answer == NONE else -1 for query in queries)
        answered = [
            Query(
                record["question"],
                TWINS,
                answer=SPAN,
                spans=[(a["start"], a["start"] + len(a["text"])) for a in record["answers"]],
            )
            for record in rng.sample(own[context], min(max(missing, 0), len(own[context])))
        ]
        yield Pack(context, queries + answered, TWINS)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("files", type=Path, nargs="*", help="default: all of questions/")
    parser.add_argument("--data", type=Path, help="folder of qa/: the twins, too")
    parser.add_argument("--across", action="store_true", help="in other languages, and no others")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--out", type=Path, help="packs to train on")
    parser.add_argument("--kept-out", type=Path, help="packs that are not trained on")
    args = parser.parse_args()

    paths = args.files or sorted((FOLDER / "questions").glob("*.txt"))
    sets = list(read_sets(paths))
    count: Counter[str] = Counter(sets=len(sets))
    for found in sets:
        print(*found.faults, sep="\n", end="\n" if found.faults else "")
        count["questions"] += len(found.questions)
        count["contexts"] += len(found.contexts)
        count.update(letter for letters, _, _ in found.contexts for letter in letters)
    trained = [pack for found in sets if not found.is_kept_out for pack in found.packs()]
    kept = [pack for found in sets if found.is_kept_out for pack in found.packs()]
    if args.across:
        across = list(across_packs(paths, FOLDER / "questions" / "translated", args.seed))
        trained = [pack for pack, is_kept in across if not is_kept]
        kept = [pack for pack, is_kept in across if is_kept]
    elif args.data:
        for pack in twin_packs(args.data, sorted((FOLDER / "twins").glob("*.txt")), args.seed):
            count["twins"] += sum(query.answer == NONE for query in pack.queries)
            (kept if is_kept_out(pack.evidence) else trained).append(pack)
    print(dict(count))
    if args.out:
        write_packs(args.out, trained)
    if args.kept_out:
        write_packs(args.kept_out, kept)


if __name__ == "__main__":
    main()
