"""How good are answers that are composed without a language model?

    python -m benchmarks.quality.answers --data DATA [--questions 400] [--vectors FOLDER] [--only quality|languages]

Answerable questions of the SQuAD 2.0 half whose id has an odd CRC-32; composition was tuned on
those with an even one. Each is asked of its own paragraph, of that among four others that BM25
finds, and of what retrieval finds among all 3,050 paragraphs of both SQuAD files (tantivy and
exact vectors, ordered by relevance).

- token F1 and exact match of EXTRACTIVE answers, by SQuAD's evaluation;
- share of ABSTRACTIVE and VERBOSE answers that hold a gold answer, their characters and sentences;
- support of the answers by the grounding check, against the same passages;
- "ways": one sentence chosen by each single signal and by all of them joined: does it hold a gold
  answer? "passages read": the same answers with fewer and more of the passages found;
- "yes or no": hypotheses of SNLI's test set with "is" or "are", turned into questions.

"languages": answers to Spanish, Italian and Japanese questions from their own paragraph.

Times are of one question at a time, reading and composing apart; other work on the machine lengthens
those by the clock, and less so those of the processor.
"""

from __future__ import annotations

import argparse
import json
import random
import re
import tempfile
import time
import zlib
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.measurement import RESULTS, circumstances, summary, write_result
from benchmarks.quality.reader import (
    DISTRACTORS,
    MAIN_SET,
    OTHER_SETS,
    Bm25,
    best_exact,
    best_f1,
    normal,
)
from benchmarks.quality.retrieval import Vectors
from benchmarks.retrieval_collections import read
from toulmin.answering.compose import ExtractiveComposer
from toulmin.answering.compose.choosing import readable
from toulmin.answering.compose.question_kind import asked_for
from toulmin.answering.compose.scoring import Scored, score_pieces
from toulmin.answering.compose.sentences import Piece, pieces_of
from toulmin.answering.compose.yes_no import judge
from toulmin.answering.passages import Passage
from toulmin.answering.question import AnswerStyle, Question
from toulmin.answering.reading.reader import Reading
from toulmin.domain import Fact
from toulmin.grounding.check import CheckSpec, GroundingChecker
from toulmin.models.embedder import Embedder
from toulmin.retrieval.fusion import VECTOR_WEIGHT, fuse_scores
from toulmin.retrieval.relevance import coverage, load_relevance
from toulmin.services.wiring import Services, build_services
from toulmin.settings import Settings
from toulmin.stores.index.embedded import EmbeddedIndex
from toulmin.stores.index.protocol import IndexedChunk, Put, Query

FOUND = 10
CANDIDATES = 100
NUMBERS_READ = (1, 3, 5, 8, 10)
COMMAND = "python -m benchmarks.quality.answers --data DATA"


class Corpus:
    """All paragraphs of both SQuAD files, searched as the product searches its chunks."""

    def __init__(self, data: Path, folder: Path, vectors: Vectors) -> None:
        half = {row["context"] for row in read(data / "qa" / "dev" / "squad2_half.jsonl.gz")}
        others = {row["context"] for row in read(data / "qa" / "train" / "squad1_part.jsonl.gz")}
        self.half = sorted(half)
        self.paragraphs = sorted(half | others)
        self._rows = vectors.of(self.paragraphs)
        self._embedder: Embedder = vectors.embedder
        self._relevance = load_relevance()
        self._index = EmbeddedIndex(folder / "index", lineage="benchmark")
        self._index.apply(
            [
                Put(IndexedChunk(key=i, document=i, text=text, vector=self._rows[i]))
                for i, text in enumerate(self.paragraphs)
            ],
            up_to=1,
        )

    def found(self, question: str) -> list[Passage]:
        vector = self._embedder.embed([question])[0]
        hits = self._index.search(Query(text=question, vector=vector, limit=CANDIDATES))
        words = {hit.key: hit.score for hit in hits.lexical}
        near = {hit.key: hit.score for hit in hits.dense}
        weights = [1 - VECTOR_WEIGHT, VECTOR_WEIGHT]
        places = [place for place, _ in fuse_scores([words, near], weights=weights)]
        texts = [self.paragraphs[place] for place in places]
        relevance = self._relevance.predict(
            np.array([words.get(place, 0.0) for place in places]),
            (self._rows[places] @ vector).astype(np.float64),
            coverage(question, texts),
        )
        order = np.argsort(-relevance, kind="stable")[:FOUND]
        return [Passage(text=texts[i], relevance=float(relevance[i])) for i in order]

    def close(self) -> None:
        self._index.close()


def reported(data: Path, count: int, seed: int, name: str = MAIN_SET) -> list[dict]:
    """Questions that nothing was tuned on."""
    rows = read(data / "qa" / "dev" / f"{name}.jsonl.gz")
    kept = [r for r in rows if r["answerable"] and zlib.crc32(r["id"].encode()) % 2]
    return random.Random(seed).sample(kept, min(count, len(kept)))


def has_gold(text: str, row: dict) -> bool:
    return any(normal(gold["text"]) in normal(text) for gold in row["answers"])


def answered(
    composer: ExtractiveComposer, row: dict, passages: list[Passage], reading: Reading, style: str
) -> tuple[str, int, float]:
    """Text, number of sentences and milliseconds of processor time of an answer."""
    question = Question(text=row["question"], style=AnswerStyle(style))
    began = time.process_time()
    sentences = list(composer.compose(question, row["question"], passages, reading=reading))
    spent = 1000 * (time.process_time() - began)
    return "".join(s.lead + s.text for s in sentences), len(sentences), spent


def read_all(
    composer: ExtractiveComposer, rows: list[dict], sets: list[list[Passage]]
) -> tuple[list[Reading], dict[str, Any]]:
    """Readings, with their milliseconds by the clock and of processor time on all cores."""
    readings, wall, cpu = [], [], []
    for row, passages in zip(rows, sets, strict=True):
        began, worked = time.perf_counter(), time.process_time()
        readings.append(composer.read(row["question"], passages))
        wall.append(1000 * (time.perf_counter() - began))
        cpu.append(1000 * (time.process_time() - worked))
    return readings, {"reading_ms": summary(wall), "reading_cpu_ms": summary(cpu)}


def measure_set(
    services: Services, rows: list[dict], sets: list[list[Passage]], *, checked: int
) -> dict[str, Any]:
    composer = ExtractiveComposer(services.reader(), services.checker())
    readings, times = read_all(composer, rows, sets)
    result: dict[str, Any] = {"questions": len(rows), **times}
    for style in AnswerStyle:
        texts, lengths, spent = zip(
            *(
                answered(composer, row, passages, reading, style)
                for row, passages, reading in zip(rows, sets, readings, strict=True)
            ),
            strict=True,
        )
        pairs = list(zip(texts, rows, strict=True))
        figures: dict[str, Any] = {
            "f1": percent([best_f1(t, r) for t, r in pairs]),
            "exact": percent([best_exact(t, r) for t, r in pairs]),
            "holds_gold": percent([has_gold(t, r) for t, r in pairs]),
            "characters": round(float(np.mean([len(t) for t in texts])), 1),
            "sentences": round(float(np.mean(lengths)), 2),
            "composing_cpu_ms": summary(spent),
        }
        if style is not AnswerStyle.EXTRACTIVE:
            del figures["f1"], figures["exact"]
            figures["support"] = support(services.checker(), texts[:checked], sets[:checked])
        result[style.value] = figures
    result["one_sentence_holds_gold"] = ways(services.embedder(), rows, sets, readings)
    return result


def support(
    checker: GroundingChecker, texts: Sequence[str], sets: Sequence[list[Passage]]
) -> dict[str, float]:
    """Mean support of the answers, and the share of their claims that is below 0.6."""
    scores, claims = [], []
    for text, passages in zip(texts, sets, strict=True):
        if not text:
            continue
        facts = [Fact(passage.text) for passage in passages]
        report = checker.check(text, facts, CheckSpec())
        scores.append(report.support_score)
        claims += [claim.score for claim in report.claims if claim.score is not None]
    return {
        "answers": len(scores),
        "mean": round(float(np.mean(scores)), 4),
        "claims_below_0.6": percent([score < 0.6 for score in claims]),
    }


def ways(
    embedder: Embedder, rows: list[dict], sets: list[list[Passage]], readings: list[Reading]
) -> dict[str, float]:
    """Share of questions whose one best sentence, by each way to choose it, holds a gold answer."""
    held: dict[str, list[bool]] = {}
    for row, passages, reading in zip(rows, sets, readings, strict=True):
        used = readable(row["question"], passages)
        pieces = pieces_of(used)
        scored = score_pieces(row["question"], used, pieces, reading)
        nearness = near_the_question(embedder, row["question"], pieces, scored)
        chosen = {
            "first sentence of the first passage": 0,
            "most words of the question": best_by(scored.coverage, scored),
            "nearest in meaning, of the six with most words": best_by(nearness, scored),
            "reader alone": best_by(scored.beliefs, scored),
            "reader and search": best_by(
                [
                    s - 4.0 * c  # the weight of coverage, taken away again
                    for s, c in zip(scored.scores, scored.coverage, strict=True)
                ],
                scored,
            ),
            "reader, search and words (chosen)": scored.order[0] if scored.order else 0,
            "the same and nearness": best_by(
                [s + 2.0 * n for s, n in zip(scored.scores, nearness, strict=True)], scored
            ),
        }
        for name, index in chosen.items():
            held.setdefault(name, []).append(has_gold(pieces[index].text, row))
    return {name: percent(values) for name, values in held.items()}


def near_the_question(
    embedder: Embedder, question: str, pieces: Sequence[Piece], scored: Scored
) -> list[float]:
    most = sorted(range(len(pieces)), key=lambda i: (-scored.coverage[i], i))[:6]
    found = [0.0] * len(pieces)
    rows = embedder.embed([question, *(pieces[i].text for i in most)])
    for i, cosine in zip(most, (rows[1:] @ rows[0]).tolist(), strict=True):
        found[i] = cosine
    return found


def best_by(values: Sequence[float], scored: Scored) -> int:
    return max(scored.order, key=lambda i: (values[i], -i), default=0)


def numbers_read(services: Services, rows: list[dict], sets: list[list[Passage]]) -> dict[str, Any]:
    """The same answers with another number of passages read."""
    result = {}
    for number in NUMBERS_READ:
        composer = ExtractiveComposer(services.reader(), services.checker(), read_passages=number)
        readings, times = read_all(composer, rows, sets)
        brief, short = [], []
        for row, passages, reading in zip(rows, sets, readings, strict=True):
            brief.append(answered(composer, row, passages, reading, "EXTRACTIVE")[0])
            short.append(answered(composer, row, passages, reading, "ABSTRACTIVE")[0])
        result[str(number)] = {
            "extractive_f1": percent([best_f1(t, r) for t, r in zip(brief, rows, strict=True)]),
            "abstractive_holds_gold": percent(
                [has_gold(t, r) for t, r in zip(short, rows, strict=True)]
            ),
            **times,
        }
    return result


def yes_or_no(services: Services, data: Path, count: int, seed: int) -> dict[str, Any]:
    """Of the questions answered yes (no): how many hypotheses are entailed (contradicted)."""
    rows = [
        (row, match)
        for row in read(data / "grounding" / "dev" / "snli.test.jsonl.gz")
        if (match := re.fullmatch(r"(.*?) (is|are) ([\w' -]+?) ?\.", row["claim"]))
    ]
    said: dict[str, Counter[str]] = {"yes": Counter(), "no": Counter(), "neither": Counter()}
    for row, match in random.Random(seed).sample(rows, count):
        subject = match[1][0].lower() + match[1][1:]
        question = f"{match[2].capitalize()} {subject} {match[3]}?"
        gold = "yes" if row["label"] else "no" if row["contradiction"] else "neither"
        verdict = judge(question, "en", [Passage(text=row["premise"])], services.checker())
        answer = "neither" if verdict is None else "yes" if verdict.yes else "no"
        said[answer][gold] += 1
    return {
        answer: {"questions": sum(golds.values()), "right": golds[answer], "gold": dict(golds)}
        for answer, golds in said.items()
    }


def measure_languages(services: Services, args: argparse.Namespace) -> dict[str, Any]:
    """Answers in languages that the reader was hardly trained on, from the own paragraph."""
    composer = ExtractiveComposer(services.reader(), services.checker())
    result: dict[str, Any] = {}
    for name in OTHER_SETS:
        rows = reported(args.data, args.languages, args.seed, name)
        sets = [[Passage(text=row["context"])] for row in rows]
        readings = [composer.read(r["question"], p) for r, p in zip(rows, sets, strict=True)]
        spans = [reading.answers[0].text if reading.answers else "" for reading in readings]
        result[name] = {
            "questions": len(rows),
            "span_f1": percent([best_f1(t, r) for t, r in zip(spans, rows, strict=True)]),
            "span_holds_gold": percent([has_gold(t, r) for t, r in zip(spans, rows, strict=True)]),
        }
        for style in AnswerStyle:
            texts = [
                answered(composer, row, passages, reading, style)[0]
                for row, passages, reading in zip(rows, sets, readings, strict=True)
            ]
            result[name][style.value] = {
                "holds_gold": percent([has_gold(t, r) for t, r in zip(texts, rows, strict=True)]),
                "characters": round(float(np.mean([len(t) for t in texts])), 1),
            }
        print(name, json.dumps(result[name]), flush=True)
    return result


def kinds_of(rows: list[dict]) -> dict[str, int]:
    return dict(Counter(asked_for(row["question"]).kind for row in rows).most_common())


def percent(values: Sequence[float | bool]) -> float:
    return round(100 * float(np.mean(np.asarray(values, dtype=np.float64))), 2)


def measure_quality(services: Services, args: argparse.Namespace) -> dict[str, Any]:
    rows = reported(args.data, args.questions, args.seed)
    result: dict[str, Any] = {"kinds": kinds_of(rows), "sets": {}}
    with tempfile.TemporaryDirectory() as folder:
        vectors = Vectors(args.vectors)
        corpus = Corpus(args.data, Path(folder), vectors)
        bm25 = Bm25(corpus.half)
        order = random.Random(args.seed)
        among = []
        for row in rows:
            texts = [row["context"], *bm25.others(row["question"], row["context"], DISTRACTORS)]
            order.shuffle(texts)
            among.append([Passage(text=text) for text in texts])
        found = [corpus.found(row["question"]) for row in rows]
        corpus.close()
        vectors.embedder.close()
    own = [[Passage(text=row["context"])] for row in rows]
    for name, sets in (("own", own), (f"among_{DISTRACTORS + 1}", among), ("retrieved", found)):
        result["sets"][name] = measure_set(services, rows, sets, checked=args.checked)
        print(name, json.dumps(result["sets"][name]), flush=True)
    result["sets"]["retrieved"]["own_paragraph_among_those_read"] = percent(
        [
            row["context"] in {p.text for p in readable(row["question"], passages)}
            for row, passages in zip(rows, found, strict=True)
        ]
    )
    few = slice(0, args.numbers)
    result["passages_read"] = numbers_read(services, rows[few], found[few])
    result["yes_or_no"] = yes_or_no(services, args.data, args.yes_no, args.seed)
    print(json.dumps({key: result[key] for key in ("passages_read", "yes_or_no")}, indent=1))
    return result


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--questions", type=int, default=400)
    parser.add_argument("--checked", type=int, default=200, help="answers checked of each set")
    parser.add_argument("--numbers", type=int, default=200, help="questions of 'passages read'")
    parser.add_argument("--yes-no", type=int, default=400)
    parser.add_argument("--languages", type=int, default=200, help="questions of each other set")
    parser.add_argument("--only", choices=("quality", "languages"))
    parser.add_argument("--vectors", type=Path, help="keeps embeddings between runs")
    parser.add_argument("--seed", type=int, default=7)
    parser.add_argument("--out", type=Path)
    args = parser.parse_args()

    path = args.out or RESULTS / "answers.json"
    result: dict[str, Any] = (
        json.loads(path.read_text(encoding="utf-8")) if args.only and path.exists() else {}
    )
    result["circumstances"] = {**circumstances(), "command": COMMAND}
    services = build_services(Settings())
    if args.only != "languages":
        result["quality"] = measure_quality(services, args)
    if args.only != "quality":
        result["languages"] = measure_languages(services, args)
    services.close()
    path = write_result("answers", result, out=args.out)
    print(f"wrote {path}")


if __name__ == "__main__":
    main()
