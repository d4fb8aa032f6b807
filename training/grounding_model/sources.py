"""The ledger's training lines as packs: pairs and questions about one text, together.

Long premises are cut to the stretch that a claim is about; short ones are joined, several premises
with all their claims, so that the right place has to be found.
"""

from __future__ import annotations

import gzip
import json
import random
import sys
from collections import defaultdict
from collections.abc import Iterator, Sequence
from pathlib import Path

from packs import CONTRADICTION, NEUTRAL, NO, NONE, SPAN, SUPPORT, UNSUPPORTED, YES, Pack, Query

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "cross_encoder"))
from data.rows import QUESTION, is_kept_out, read_rows
from data.text import best_evidence, clean

JOIN = " | "
MOST_WORDS = 240

# Short premises, several claims each: file -> (packs, premises a pack).
SHORT = {
    "mnli_m.dev": (1500, (1, 1, 1, 2)),
    "snli.dev": (500, (1,)),
    "cad_snli.train": (700, (1,)),
    "fever_dev.dev": (1600, (1, 2, 3)),
    "foolmetwice.dev": (450, (1, 2, 3)),
    "breaking_nli.test": (150, (1,)),
    "conjnli.train": (300, (1, 2)),
    "semiauto_nli_wiki.train": (250, (1, 2)),
}
# Longer ones, few claims each: file -> packs.
LONG = {
    "expertqa_domain.val": 924,
    "expertqa_domain.test": 965,
    "factcg_doc.train": 1656,
    "factcg_musique.train": 300,
    "factcheckgpt_stance.all": 900,
    "halueval_qa_1k.all": 500,
    "halueval_qa_small.all": 300,
    "faithdial_audit.all": 478,
    "begin_wow.test": 800,
    "wice_partial.train": 300,
    "infotabs.all": 2527,
    "scitab.all": 216,
}
OTHER_LANGUAGES = {"jsick_ja.train": 900, "jnli_ja.dev": 900, "janli_ja.train": 500}
QUESTIONS = ("squad1_part", "adversarial_qa_part", "qed_nq", "policyqa", "tatqa")
QUESTIONS_ELSEWHERE = {"jaquad": 700, "jsquad_ja": 500, "piaf_fr": 700}


def read_jsonl(path: Path) -> list[dict]:
    with gzip.open(path, "rt", encoding="utf-8") as file:
        return [json.loads(line) for line in file]


def label_of(record: dict) -> int:
    if record["label"] == 1:
        return SUPPORT
    if record["contradiction"] is None:
        return UNSUPPORTED
    return CONTRADICTION if record["contradiction"] else NEUTRAL


def by_premise(data: Path, name: str, rng: random.Random) -> list[tuple[str, list[dict]]]:
    """(premise, its records that may be trained on), in random order."""
    found: dict[str, list[dict]] = defaultdict(list)
    for record in read_jsonl(data / "grounding" / "train" / f"{name}.jsonl.gz"):
        if not is_kept_out(record["claim"]) and "titanic" not in str(record).lower():
            found[record["premise"]].append(record)
    groups = [(premise, records) for premise, records in found.items() if records]
    rng.shuffle(groups)
    return groups


def short_packs(data: Path, name: str, seed: int) -> Iterator[Pack]:
    most, sizes = SHORT[name]
    rng = random.Random(f"{seed}-{name}")
    groups = by_premise(data, name, rng)
    made = 0
    while groups and made < most:
        taken = [groups.pop() for _ in range(min(rng.choice(sizes), len(groups)))]
        records = [record for _, some in taken for record in some[:4]]
        rng.shuffle(records)
        queries = [Query(clean(r["claim"]), name, label_of(r)) for r in records]
        if name.startswith("semiauto"):  # its contradictions are often merely unrelated
            for query in queries:
                query.label = UNSUPPORTED if query.label == CONTRADICTION else query.label
        joined = rng.choice((" ", JOIN, "\n")).join(
            " ".join(clean(p).split()[:MOST_WORDS]) for p, _ in taken
        )
        yield Pack(joined, queries, name)
        made += 1


def long_packs(data: Path, name: str, seed: int) -> Iterator[Pack]:
    rng = random.Random(f"{seed}-{name}")
    for premise, records in by_premise(data, name, rng)[: LONG[name]]:
        rng.shuffle(records)
        plain = name in ("infotabs.all", "scitab.all")
        text = premise if plain else clean(premise)
        text = _shortened(text, [record["claim"] for record in records[:4]])
        queries = [
            Query(
                record["claim"].removeprefix("[CONTINUE] ") if plain else clean(record["claim"]),
                name,
                label_of(record),
            )
            for record in records[:9]
        ]
        yield Pack(text, queries, name)


def _shortened(text: str, claims: Sequence[str]) -> str:
    if len(text.split()) <= MOST_WORDS:
        return text
    return best_evidence(" ".join(claims), text, MOST_WORDS // 2, 2)


def contract_packs(data: Path, seed: int, most: int) -> Iterator[Pack]:
    """A stretch of a contract with the claims that are decided there, and some that are not.

    A claim decided elsewhere in the contract is left out: the stretch may decide it as well.
    """
    rng = random.Random(f"{seed}-contractnli")
    for premise, records in by_premise(data, "contractnli.all", rng)[:most]:
        told = [record for record in records if record["evidence"]]
        if not told:
            continue
        seed_record = rng.choice(told)
        places = [_find(premise, quote) for quote in seed_record["evidence"]]
        places = [place for place in places if place]
        if not places:
            continue
        low, high = max(0, places[0][0] - 500), min(len(premise), places[0][1] + 700)
        low = premise.rfind(" ", 0, low) + 1
        stretch = premise[low:high].rsplit(" ", 1)[0]
        queries = []
        for record in records:
            quotes = [_find(stretch, quote) for quote in record["evidence"]]
            if not record["evidence"] or all(quotes):
                queries.append(Query(record["claim"], "contractnli", label_of(record)))
        rng.shuffle(queries)
        yield Pack(stretch, queries[:6], "contractnli")


def _find(text: str, quote: str) -> tuple[int, int] | None:
    at = text.find(quote)
    return (at, at + len(quote)) if at >= 0 else None


def other_language_packs(data: Path, name: str, seed: int) -> Iterator[Pack]:
    rng = random.Random(f"{seed}-{name}")
    for premise, records in by_premise(data, name, rng)[: OTHER_LANGUAGES[name]]:
        yield Pack(premise, [Query(r["claim"], name, label_of(r)) for r in records[:6]], name)


def question_packs(data: Path, name: str, seed: int, most: int | None = None) -> Iterator[Pack]:
    """A paragraph with its questions and, unanswered, questions of a paragraph much like it."""
    rng = random.Random(f"{seed}-{name}")
    found: dict[str, list[dict]] = defaultdict(list)
    for record in read_jsonl(data / "qa" / "train" / f"{name}.jsonl.gz"):
        if not is_kept_out(record["question"]) and "titanic" not in str(record).lower():
            found[record["context"]].append(record)
    contexts = list(found)
    for at, context in enumerate(contexts):
        if most is not None and at >= most:
            return
        # Files keep the paragraphs of an article together: neighbours are on the same subject.
        near = [contexts[i] for i in (at - 2, at - 1, at + 1, at + 2) if 0 <= i < len(contexts)]
        strange = [r for c in near for r in found[c] if _answer(r) not in context]
        records = rng.sample(found[context], min(5, len(found[context])))
        others = rng.sample(strange, min(len(strange), max(1, len(records) - 1)))
        yield _question_pack(context, records, others, name, rng)


def _answer(record: dict) -> str:
    return record["answers"][0]["text"] if record["answers"] else "\0"


def _question_pack(
    context: str, records: Sequence[dict], others: Sequence[dict], name: str, rng: random.Random
) -> Pack:
    shift = 0
    if len(context.split()) > MOST_WORDS:  # keep the stretch around the first answer
        first = records[0]["answers"][0]["start"] if records[0]["answers"] else 0
        shift = context.rfind(" ", 0, max(0, first - rng.randint(200, 700))) + 1
        context = " ".join(context[shift:].split(" ")[:MOST_WORDS])
    queries = []
    for record in records:
        spans = [
            (a["start"] - shift, a["start"] - shift + len(a["text"])) for a in record["answers"]
        ]
        spans = [(s, e) for s, e in spans if s >= 0 and e <= len(context)]
        if spans:
            queries.append(Query(record["question"], name, answer=SPAN, spans=spans))
    queries += [Query(r["question"], f"{name}_elsewhere", answer=NONE) for r in others]
    rng.shuffle(queries)
    return Pack(context, queries, name)


def written_question_packs(data: Path) -> Iterator[Pack]:
    """All questions of each passage of the written set."""
    found: dict[str, list[Query]] = defaultdict(list)
    for r in read_jsonl(data / "qa" / "train" / "written_questions.jsonl.gz"):
        kind = {"yes": YES, "no": NO}.get(r["yes_no"] or "", SPAN if r["answerable"] else NONE)
        spans = [(a["start"], a["start"] + len(a["text"])) for a in r["answers"]]
        found[r["context"]].append(Query(r["question"], r["kind"], answer=kind, spans=spans))
    for context, queries in found.items():
        yield Pack(context, queries, "written_questions")


def written_claim_packs(data: Path) -> Iterator[Pack]:
    """All claims of each passage of the written set."""
    found: dict[str, list[Query]] = defaultdict(list)
    languages: dict[str, str] = {}
    for r in read_jsonl(data / "grounding" / "train" / "written.jsonl.gz"):
        languages[r["premise"]] = r["lang"]
        found[r["premise"]].append(Query(r["claim"], r["kind"], label_of(r)))
    for premise, queries in found.items():
        yield Pack(premise, queries, f"written_{languages[premise]}")


def ledger_packs(data: Path, seed: int, *, other_languages: bool) -> list[Pack]:
    """Packs of every source but the written ones."""
    packs: list[Pack] = []
    for name in SHORT:
        packs += short_packs(data, name, seed)
    for name in LONG:
        packs += long_packs(data, name, seed)
    packs += contract_packs(data, seed, 233)
    for name in QUESTIONS:
        packs += question_packs(data, name, seed)
    if other_languages:
        for name in OTHER_LANGUAGES:
            packs += other_language_packs(data, name, seed)
        for name, most in QUESTIONS_ELSEWHERE.items():
            packs += question_packs(data, name, seed, most)
    return [pack for pack in packs if pack.queries and pack.evidence.strip()]


def row_packs(path: Path, most: int, seed: int) -> list[Pack]:
    """Rows of training/cross_encoder (a claim and its evidence each) in which words are marked."""
    rows = [row for row in read_rows(path) if row.claim_wrong is not None and row.label < QUESTION]
    rows = [row for row in rows if not is_kept_out(row.claim)]
    random.Random(f"{seed}-rows").shuffle(rows)
    return [
        Pack(
            row.evidence,
            [
                Query(
                    row.claim,
                    row.kind,
                    row.label,
                    wrong=[tuple(span) for span in row.claim_wrong],
                    conflict=row.evidence_wrong and [tuple(span) for span in row.evidence_wrong],
                    context=row.context,
                )
            ],
            "rows",
        )
        for row in rows[:most]
    ]
