"""Check requests of four exact sizes, made of real text, the same for the same seed.

Facts are passages of question-answering sets, laid end to end and cut to the exact length; claims
are sentences of those facts (half of them) and of passages that are not among the facts.

    python -m benchmarks.speed.inputs --data DIR      # prints what is made
"""

from __future__ import annotations

import argparse
import gzip
import json
import random
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

SOURCES = ("squad1_part", "qed_nq", "adversarial_qa_part")
ATTRIBUTES = {"author": "Wikipedia"}
SEED = 20

# A sentence that every splitter takes for one: between whole words with a stop, no stop inside.
_SENTENCE = re.compile(r'(?:(?<=[a-z]{4}[.!?] )|^)([A-Z][^.!?:;\n"]{30,220}[a-z]{4}\.)(?= [A-Z]|$)')
_ATTEMPTS = 50
_BALANCING_STEPS = 200_000


@dataclass(frozen=True, slots=True)
class Size:
    """How large a request is.

    Attributes:
        name: "small", "typical", "large" or "limit".
        claims: Sentences of the answer.
        facts: Number of facts.
        fact_characters: Length of each fact in characters, exactly.
        answer_tokens: Tokens of the answer by the guide's rule, exactly; None leaves them free.
        variants: Different requests that a measurement goes round.
    """

    name: str
    claims: int
    facts: int
    fact_characters: int
    answer_tokens: int | None = None
    variants: int = 20


SIZES = {
    size.name: size
    for size in (
        Size("small", claims=1, facts=2, fact_characters=500),
        Size("typical", claims=5, facts=10, fact_characters=1_000),
        Size("large", claims=20, facts=50, fact_characters=2_000),
        Size(
            "limit",
            claims=200,
            facts=200,
            fact_characters=10_000,
            answer_tokens=4_096,
            variants=4,
        ),
    )
}


@dataclass(frozen=True, slots=True)
class CheckInput:
    """One request.

    Attributes:
        size: What it was made to be.
        claims: The answer's sentences.
        facts: The facts' texts.
    """

    size: Size
    claims: tuple[str, ...]
    facts: tuple[str, ...]

    @property
    def answer(self) -> str:
        """The answer: the claims with a space between them."""
        return " ".join(self.claims)

    def body(self) -> bytes:
        """The JSON body of the REST call."""
        facts = [{"factText": text, "attributes": ATTRIBUTES} for text in self.facts]
        message = {"answerCandidate": self.answer, "facts": facts, "groundingSpec": {}}
        return json.dumps(message, ensure_ascii=False).encode()

    def description(self) -> dict[str, int]:
        """Counts for a result file."""
        return {
            "claims": len(self.claims),
            "answer_tokens": sum(map(count_tokens, self.claims)),
            "facts": len(self.facts),
            "fact_characters": len(self.facts[0]),
            "body_bytes": len(self.body()),
        }


def count_tokens(sentence: str) -> int:
    """Tokens of one sentence of ours by the guide's rule: its words and its final stop."""
    return len(sentence.split()) + 1


def load_passages(data: Path) -> list[str]:
    """Return the different passages of the English training sets under `data`, in file order."""
    passages: dict[str, None] = {}
    for source in SOURCES:
        path = data / "qa" / "train" / f"{source}.jsonl.gz"
        with gzip.open(path, "rt", encoding="utf-8") as lines:
            for line in lines:
                passages[json.loads(line)["context"].strip()] = None
    return list(passages)


def make_inputs(size: Size, passages: Sequence[str], *, seed: int = SEED) -> list[CheckInput]:
    """Return `size.variants` different requests."""
    return [
        make_input(size, passages, random.Random(f"{seed} {size.name} {variant}"))
        for variant in range(size.variants)
    ]


def make_input(size: Size, passages: Sequence[str], rng: random.Random) -> CheckInput:
    """Return one request of exactly the counts of `size`.

    Raises:
        ValueError: The passages do not suffice.
    """
    inside: list[str] = []
    outside: list[str] = []
    from_facts = (size.claims + 1) // 2
    for _ in range(_ATTEMPTS):
        start = rng.randrange(len(passages))
        rotated = [*passages[start:], *passages[:start]]  # neighbours are of one article
        facts, used = _cut_facts(size, rotated)
        inside = list(dict.fromkeys(s for fact in facts for s in _sentences(fact)))
        outside = list(dict.fromkeys(s for text in rotated[used:] for s in _sentences(text)))
        if len(inside) >= from_facts and len(outside) >= size.claims - from_facts:
            break
    if len(inside) < from_facts or len(outside) < size.claims - from_facts:
        raise ValueError(f"too few sentences for {size.name}")
    claims = rng.sample(inside, from_facts) + rng.sample(outside, size.claims - from_facts)
    if size.answer_tokens is not None:
        claims = _balance(claims, (inside, outside), size.answer_tokens, rng)
    rng.shuffle(claims)
    return CheckInput(size, tuple(claims), tuple(facts))


def _cut_facts(size: Size, passages: Sequence[str]) -> tuple[list[str], int]:
    facts: list[str] = []
    text = ""
    for used, passage in enumerate(passages):
        if len(facts) == size.facts:
            return facts, used
        text = f"{text}\n{passage}" if text else passage
        while len(text) >= size.fact_characters and len(facts) < size.facts:
            fact, text = text[: size.fact_characters], text[size.fact_characters :].strip()
            if fact.strip() != fact:  # an edge of spaces would make it shorter in effect
                fact = fact.strip().ljust(size.fact_characters, ".")
            facts.append(fact)
    raise ValueError(f"too few passages for {size.name}")


def _sentences(text: str) -> Iterator[str]:
    for line in text.splitlines():
        yield from _SENTENCE.findall(line)


def _balance(
    claims: list[str], pools: tuple[list[str], list[str]], tokens: int, rng: random.Random
) -> list[str]:
    """Exchange sentences for others of the same pool until the answer has `tokens` tokens."""
    claims = list(claims)
    chosen = set(claims)
    half = (len(claims) + 1) // 2
    missing = tokens - sum(map(count_tokens, claims))
    for _ in range(_BALANCING_STEPS):
        if missing == 0:
            return claims
        at = rng.randrange(len(claims))
        other = rng.choice(pools[at >= half])
        gain = count_tokens(other) - count_tokens(claims[at])
        if other not in chosen and abs(missing - gain) < abs(missing):
            chosen.remove(claims[at])
            chosen.add(other)
            claims[at] = other
            missing -= gain
    raise ValueError(f"no {len(claims)} sentences of {tokens} tokens together found")


def main() -> None:
    """Print what is made for each size."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--data", type=Path, required=True, help="folder that holds qa/train")
    passages = load_passages(parser.parse_args().data)
    print(f"{len(passages)} passages, {sum(map(len, passages)):,} characters")
    for size in SIZES.values():
        inputs = make_inputs(size, passages)
        print(size.name, inputs[0].description(), f"{len(inputs)} variants")


if __name__ == "__main__":
    main()
