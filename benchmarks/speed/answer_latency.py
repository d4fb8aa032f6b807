"""How long does an answer take over 100,000 chunks, without a language model?

    python -m benchmarks.speed.answer_latency --data DATA [--chunks 100000] [--questions 100]

A data store of the paragraphs of both SQuAD files, embedded as an import would, and as many chunks
of their sentences shuffled, with random vectors, as it takes. Questions of the SQuAD half through
the answer method in this process (no HTTP): unary with citations and supports, the first sentence
of a stream, 16 askers at the same time; and generateAnswer's way with 10 passages given.
"""

from __future__ import annotations

import argparse
import random
import tempfile
import time
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.measurement import circumstances, summary, write_result
from benchmarks.retrieval_collections import read
from toulmin.answering.answer import AnswerState
from toulmin.answering.passages import Passage, SourceKind
from toulmin.answering.question import AnswerStyle, Question
from toulmin.domain import Branch, Chunk, DataStore, Document, IngestedDocument
from toulmin.retrieval.query import ResultMode, Scope, SearchQuery
from toulmin.services import Services, build_services
from toulmin.settings import load_settings
from toulmin.text.sentences import split_sentences
from toulmin.work import Work

COLLECTION = "projects/p/locations/global/collections/default_collection"
BRANCH = Branch(f"{COLLECTION}/dataStores/s")
SEED = 5
BATCH = 500
ASKERS = 16
WARM_UP = 10


def fill(services: Services, paragraphs: Sequence[str], chunks: int) -> None:
    """Store the paragraphs as documents, and filler up to so many chunks."""
    documents = services.documents()
    with documents.records.write() as transaction:
        transaction.resources.create(DataStore(parent=COLLECTION, id="s"))
        store = transaction.resources.get(DataStore, BRANCH.data_store)
    for start in range(0, len(paragraphs), 200):
        part = [
            Document(id=f"p{start + i}", struct_data={"text": text})
            for i, text in enumerate(paragraphs[start : start + 200])
        ]
        made = documents.ingestor.ingest_many(part, store=store)
        with documents.records.write() as transaction:
            transaction.documents.upsert(
                BRANCH, [x for x in made if isinstance(x, IngestedDocument)]
            )
    generator = np.random.default_rng(SEED)
    chooser = random.Random(SEED)
    sentences = [paragraph[s:e] for paragraph in paragraphs for s, e in spans_of(paragraph)]
    model = f"embedder {services.embedder().version}"
    number = 0
    while number < chunks - len(paragraphs):
        batch = []
        for _ in range(BATCH // 5):
            batch.append(filler(f"f{number}", sentences, chooser, generator, model))
            number += 5
        with documents.records.write() as transaction:
            transaction.documents.upsert(BRANCH, batch)
    documents.wait_searchable(transaction.sequence)


def spans_of(text: str) -> list[tuple[int, int]]:
    return list(split_sentences(text))


def filler(
    id_: str, sentences: list[str], chooser: random.Random, generator: Any, model: str
) -> IngestedDocument:
    chunks, start = [], 0
    vectors = generator.normal(size=(5, 384)).astype(np.float32)
    vectors /= np.linalg.norm(vectors, axis=1, keepdims=True)
    for number in range(5):
        text = " ".join(chooser.choices(sentences, k=5))
        chunks.append(
            Chunk(
                id=f"c{number + 1}",
                document_id=id_,
                content=text,
                start=start,
                end=start + len(text),
                embedding=vectors[number].astype("<f2").tobytes(),
                embedding_model=model,
            )
        )
        start += len(text) + 1
    whole = "\n".join(chunk.content for chunk in chunks)
    return IngestedDocument(document=Document(id=id_), text=whole, chunks=tuple(chunks))


def timed(work: Callable[[], object]) -> float:
    started = time.perf_counter()
    work()
    return (time.perf_counter() - started) * 1000


def question_of(text: str) -> Question:
    search = SearchQuery(
        scopes=[Scope(data_store=BRANCH.data_store)], mode=ResultMode.CHUNKS, page_size=10
    )
    return Question(text=text, search=search, with_citations=True, with_supports=True)


def first_sentence(services: Services, text: str) -> float:
    started = time.perf_counter()
    for answer in services.answerer().stream(question_of(text)):
        if answer.state is not AnswerState.IN_PROGRESS:
            break
    return (time.perf_counter() - started) * 1000


def given(text: str, passages: Sequence[str]) -> Question:
    return Question(
        text=text,
        style=AnswerStyle.ABSTRACTIVE,
        given=tuple(
            Passage(text=p, kind=SourceKind.INLINE, id=str(i)) for i, p in enumerate(passages)
        ),
        with_citations=True,
        safety={},
        always=True,
    )


def measure(services: Services, asked: Sequence[str], paragraphs: list[str]) -> dict[str, Any]:
    answer = services.answerer().answer
    for text in asked[:WARM_UP]:
        answer(question_of(text))
    steps: dict[str, float] = {}
    work = Work(timings=steps)
    unary = [timed(lambda t=text: answer(question_of(t), work=work)) for text in asked]
    first = [first_sentence(services, text) for text in asked]
    chooser = random.Random(SEED)
    inline = [
        timed(lambda t=text: answer(given(t, chooser.sample(paragraphs, 10)))) for text in asked
    ]
    started = time.perf_counter()
    with ThreadPoolExecutor(ASKERS) as pool:
        crowd = list(pool.map(lambda text: timed(lambda: answer(question_of(text))), asked))
    seconds = time.perf_counter() - started
    return {
        "answer_ms": summary(unary),
        "steps_mean_ms": {name: round(value / len(asked), 2) for name, value in steps.items()},
        "first_streamed_sentence_ms": summary(first),
        "generate_answer_10_passages_ms": summary(inline),
        f"{ASKERS}_askers_ms": summary(crowd),
        f"{ASKERS}_askers_per_s": round(len(asked) / seconds, 2),
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--chunks", type=int, default=100_000)
    parser.add_argument("--questions", type=int, default=100)
    args = parser.parse_args()
    half = read(args.data / "qa" / "dev" / "squad2_half.jsonl.gz")
    others = read(args.data / "qa" / "train" / "squad1_part.jsonl.gz")
    paragraphs = sorted({row["context"] for row in (*half, *others)})
    answerable = sorted({row["question"] for row in half if row["answerable"]})
    asked = random.Random(SEED).sample(answerable, args.questions)
    found = circumstances()
    with tempfile.TemporaryDirectory() as folder:
        settings = load_settings(environment={"TOULMIN_DATA_DIR": folder})
        services = build_services(settings)
        try:
            started = time.perf_counter()
            fill(services, paragraphs, args.chunks)
            print(f"filled in {time.perf_counter() - started:.0f} s", flush=True)
            figures = measure(services, asked, paragraphs)
        finally:
            services.close()
    print(figures)
    write_result(
        "answer_latency", {**found, "chunks": args.chunks, "paragraphs": len(paragraphs), **figures}
    )


if __name__ == "__main__":
    main()
