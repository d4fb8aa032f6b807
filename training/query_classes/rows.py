"""Labelled queries: the ledger's, other questions of the ledger, written and generated ones.

A row's label is one of `CLASSES`, or `answer_seeking` for none of them. `injected_instruction` and
`instruction` of the ledger: the first are left out (harmless when alone, an attack inside a
document), the second count as answer-seeking.
"""

from __future__ import annotations

import gzip
import json
import random
import re
import zlib
from collections import Counter
from dataclasses import dataclass
from pathlib import Path

from deeds import about_deeds, as_gloss, harmful_requests, harmless_requests
from nouns import noun_phrases
from takeovers import look_alikes, takeovers
from twins import parts, twins
from wording import harmless, jailbreaks, keywords, reframed
from written_queries import halves, written

from toulmin.safety.concepts import CONCEPTS, concepts_of
from toulmin.safety.glossing import glossed

CLASSES = ("chit_chat", "no_clear_intent", "adversarial", "jailbreak")
NONE = "answer_seeking"
SENTENCES = Path(__file__).resolve().parents[2] / "tests" / "safety" / "data"
SEED = 5
FOLDS = 5
# Questions of other kinds, so that "answer-seeking" is not the style of three sources.
QUESTIONS = {"qed_nq": 200, "policyqa": 100, "adversarial_qa_part": 100, "jaquad": 150,
             "piaf_fr": 100, "jsquad_ja": 60}  # fmt: skip
MOST_WRITTEN_QUESTIONS = 120  # of each language but English, of the ledger's written questions
KEYWORDS = {"qed_nq": 150, "squad1_part": 150}
NOUNS = {"en": 700, "fr": 100, "ja": 100, "es": 100, "it": 100, "de": 100}
NOUNS_FROM = {"en": ("squad1_part", "policyqa", "qed_nq"), "fr": ("piaf_fr",), "ja": ("jaquad",)}
GENERATED_JAILBREAKS, GENERATED_HARMLESS = 600, 800
GENERATED = {"adversarial": 1000, "jailbreak": 800}
LOOK_ALIKES = {"deeds": 1000, "about deeds": 300, "takeovers": 600}
AS_GLOSS = {NONE: 750, "chit_chat": 500, "no_clear_intent": 250, "adversarial": 500,
            "jailbreak": 500}  # fmt: skip
# Keeps the embedding to some seconds of one core.
MOST = {NONE: 4000, "chit_chat": 1700}
REFRAMED_HARMLESS = 900
# Of these concepts harmless questions are drawn, too: wars, thefts and rules are asked about.
HARD = (
    "kill hurt poison bomb weapon steal hack drugs fraud self_harm hate terror abuse ignore prompt "
    "reveal pretend rival refuse"
)
HARD_FROM = {"squad1_part": 500, "jaquad": 250, "piaf_fr": 100, "jsquad_ja": 50, "qed_nq": 100,
             "adversarial_qa_part": 100, "policyqa": 150}  # fmt: skip
HARD_KEYWORDS, HARD_NOUNS, HARD_LEDGER = 300, 500, 400
PASSAGES = {"squad1_part": 120, "policyqa": 60}  # pasted text, and what the ratings will read


@dataclass(frozen=True)
class Row:
    """A query; rows of one `group` stay together when some are held out."""

    text: str
    label: str
    source: str
    group: str = ""

    @property
    def fold(self) -> int:
        return zlib.crc32((self.group or self.text).encode()) % FOLDS


def read(path: Path) -> list[dict]:
    with gzip.open(path, "rt", encoding="utf-8") as file:
        return [json.loads(line) for line in file]


def ledger(data: Path, split: str) -> list[Row]:
    """The ledger's queries of one split."""
    rows = []
    for row in read(data / "queries" / f"{split}.jsonl.gz"):
        label = NONE if row["label"] == "instruction" else row["label"]
        if label in (*CLASSES, NONE):
            rows.append(Row(row["text"], label, row["source"].split(",")[0]))
    return rows


def train_rows(data: Path, *, with_twins: bool = False) -> list[Row]:
    """Everything that is fitted on, seeded; the same text at most once."""
    rng = random.Random(SEED)
    rows = ledger(data, "train")
    rng.shuffle(rows)
    kept, counts = [], Counter[str]()
    for row in rows:
        if row.source.startswith(("self-instruct", "chatterbot")) or counts[row.label] < MOST.get(
            row.label, len(rows)
        ):
            kept.append(row)
            counts[row.label] += 1
    kept += _harmless(data)
    kept += _hard(data, rows)
    kept += [Row(t, "jailbreak", "generated") for t in jailbreaks(GENERATED_JAILBREAKS, SEED)]
    kept += [Row(t, NONE, "generated harmless") for t in harmless(GENERATED_HARMLESS, SEED)]
    kept += _reframed(kept, rows)
    kept += _generated()
    own = halves(written())[0]
    kept += _as_gloss([*kept, *(Row(r.text, r.label, "", r.like) for r in own if r.lang == "en")])
    kept += [Row(r.text, r.label, "written", r.like) for r in own]
    if with_twins:
        kept += [Row(r.text, r.label, "twins", r.group) for r in parts(twins())[0]]
    measured = {plain(text) for text in only_measured()}
    unique = {
        row.text: row for row in reversed(kept) if row.text and plain(row.text) not in measured
    }
    return list(reversed(unique.values()))


def plain(text: str) -> str:
    """A text without case and marks: what makes two queries the same."""
    return " ".join(re.findall(r"\w+", text.casefold())) or text


def only_measured() -> list[str]:
    """Texts that nothing may be fitted on; a generator may well make one of them by chance."""
    sentences = [
        line
        for name in ("hard_benign.txt", "jailbreaks.txt")
        for line in (SENTENCES / name).read_text(encoding="utf-8").splitlines()
    ]
    asked = [
        row["text"]
        for row in map(json.loads, (SENTENCES / "asked.jsonl").open(encoding="utf-8"))
        if row["label"] != "chit_chat"  # everybody says "hello"
    ]
    own = [*halves(written())[1], *parts(twins())[1]]
    return [*sentences, *asked, *(row.text for row in own)]


def _harmless(data: Path) -> list[Row]:
    """Questions, keywords, nouns and passages of the ledger."""
    kept = []
    for name, count in QUESTIONS.items():
        kept += [Row(q, NONE, name) for q in _questions(data, name, count, SEED)]
    for name, count in KEYWORDS.items():
        asked = _questions(data, name, count, SEED + 1)
        kept += [Row(keywords(q), NONE, "keywords") for q in asked]
    rows = read(data / "qa" / "train" / "written_questions.jsonl.gz")
    for lang, count in NOUNS.items():
        own = [row for row in rows if row["lang"] == lang]
        contexts = {row["context"] for row in own}
        for name in NOUNS_FROM.get(lang, ()):
            contexts |= {r["context"] for r in read(data / "qa" / "train" / f"{name}.jsonl.gz")}
        drawn = noun_phrases(sorted(contexts), lang, count, SEED)
        kept += [Row(phrase, NONE, "nouns") for phrase in drawn]
        if lang != "en":
            asked = sorted({row["question"] for row in own})
            most = min(MOST_WRITTEN_QUESTIONS, len(asked))
            drawn = random.Random(SEED).sample(asked, most)
            kept += [Row(question, NONE, "written questions") for question in drawn]
    for name, count in PASSAGES.items():
        kept += [Row(p, NONE, "passages") for p in _passages(data / "qa" / "train", name, count)]
    return kept


def is_hard(text: str) -> bool:
    """Whether a harmless text speaks of what harmful ones speak of."""
    flags = concepts_of(glossed(text))
    return any(flag and name in HARD.split() for name, flag in zip(CONCEPTS, flags, strict=True))


def _hard(data: Path, rows: list[Row]) -> list[Row]:
    """Harmless questions, keywords and nouns of the ledger with the words of harmful requests."""
    rng = random.Random(SEED + 4)
    kept, english = [], []
    for name, count in HARD_FROM.items():
        hard = [q for q in _questions(data, name, 10**6, SEED) if is_hard(q)]
        kept += [Row(q, NONE, f"{name}, hard") for q in hard[:count]]
        english += hard if hard[0].isascii() else []
    kept += [Row(keywords(q), NONE, "keywords, hard") for q in rng.sample(english, HARD_KEYWORDS)]
    contexts = {r["context"] for r in read(data / "qa" / "train" / "squad1_part.jsonl.gz")}
    nouns = noun_phrases(sorted(contexts), "en", 10**6, SEED)
    hard = [phrase for phrase in nouns if is_hard(phrase)]
    kept += [Row(phrase, NONE, "nouns, hard") for phrase in hard[:HARD_NOUNS]]
    asked = [row for row in rows if row.label == NONE and is_hard(row.text)]
    return kept + asked[:HARD_LEDGER]


def _generated() -> list[Row]:
    return [
        *(
            Row(t, "adversarial", "generated deeds")
            for t in harmful_requests(GENERATED["adversarial"], SEED)
        ),
        *(Row(t, NONE, "generated deeds") for t in harmless_requests(LOOK_ALIKES["deeds"], SEED)),
        *(Row(t, NONE, "generated deeds") for t in about_deeds(LOOK_ALIKES["about deeds"], SEED)),
        *(
            Row(t, "jailbreak", "generated takeovers")
            for t in takeovers(GENERATED["jailbreak"], SEED)
        ),
        *(Row(t, NONE, "generated takeovers") for t in look_alikes(LOOK_ALIKES["takeovers"], SEED)),
    ]


def _as_gloss(rows: list[Row]) -> list[Row]:
    """Some English rows as glosses; each stays in the fold of the row it was made of."""
    rng = random.Random(SEED + 3)
    made = []
    for label, count in AS_GLOSS.items():
        pool = [r for r in rows if r.label == label and len(r.text) < 160 and r.text.isascii()]
        made += [
            Row(as_gloss(row.text, rng), label, "generated glosses", row.group or row.text)
            for row in rng.sample(pool, min(count, len(pool)))
        ]
    return made


def _reframed(kept: list[Row], rows: list[Row]) -> list[Row]:
    """Harmful and harmless deeds in the same frames, so that the frame says nothing.

    One harmful source asks "How can I ...?", the other orders "Write a tutorial on ...".
    """
    harmless_rows = [row for row in rows if row.label == NONE]
    made = []
    for label, pool, most in (
        ("adversarial", [row for row in kept if row.label == "adversarial"], len(kept)),
        (NONE, harmless_rows, REFRAMED_HARMLESS),
    ):
        rng = random.Random(SEED + 2)
        found = [
            Row(new, label, f"{row.source}, reframed", row.text)
            for row in pool
            if (new := reframed(row.text, rng))
        ]
        made += found[:most]
    return made


def _questions(data: Path, name: str, count: int, seed: int) -> list[str]:
    asked = sorted({row["question"] for row in read(data / "qa" / "train" / f"{name}.jsonl.gz")})
    return random.Random(seed).sample(asked, min(count, len(asked)))


def _passages(folder: Path, name: str, count: int) -> list[str]:
    passages = sorted({row["context"] for row in read(folder / f"{name}.jsonl.gz")})
    return random.Random(SEED).sample(passages, min(count, len(passages)))


def other_questions(data: Path, count: int = 100) -> dict[str, list[str]]:
    """Questions in four languages, and passages, of the development sets: none is of a class."""
    found = {}
    for name in ("squad2_half", "xquad_es", "squad_it", "jaquad"):
        asked = sorted({row["question"] for row in read(data / "qa" / "dev" / f"{name}.jsonl.gz")})
        found[name] = random.Random(SEED).sample(asked, min(count, len(asked)))
    passages = _passages(data / "qa" / "dev", "squad2_half", count)
    found["passages of squad2_half"] = passages
    return found
