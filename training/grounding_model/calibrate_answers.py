"""Fit how certain an answer is, on questions that no stage of the grounding model's training saw.

    PYTHONPATH=src .venv/bin/python training/grounding_model/calibrate_answers.py --data DATA \
        --model RUN/model

After calibrate_open.py, whose file the reader needs.

Runs in the product's environment. The kept-out passages of the written sets, and those of questions
of the ledger that are kept out, are put into one data store and asked as `:answer` does it. An
answer is right when the sentence that would be said first holds the gold answer; of a question for
yes or no, when it is of the passage that it was asked of. Of some of the ledger's questions the own
passage is taken away, so that they have no answer. The manuals that are kept out
(`training/manuals/`) are in the store as files that were imported, and what is asked of them is
asked with the written questions; there a yes or no needs the sentence that shows it.

Writes certainty.json into the folder of the model, or of the reader beside it, and prints five-fold
figures. With `--cases FILE` what was examined is kept there, and taken from it if the file exists.
"""

from __future__ import annotations

import argparse
import json
import random
import sys
import tempfile
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from pathlib import Path

import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parent))
from manuals import FOLDER as MANUALS
from manuals import read_manual, unmarked
from packs import NO, NONE, YES
from sources import QUESTIONS, read_jsonl, written_question_packs
from written import is_kept_out, read_folder

from toulmin.answering.compose import ExtractiveComposer
from toulmin.answering.compose.certainty import CERTAINTY_FILE, FEATURE_NAMES, Certainty
from toulmin.answering.compose.question_kind import asked_for
from toulmin.answering.passages import Passage
from toulmin.answering.reading.answerability import Answerability
from toulmin.answering.searching import search_passages
from toulmin.answering.understanding.typed import as_read
from toulmin.domain import Branch, DataStore, Document, DocumentContent, IngestedDocument
from toulmin.retrieval.query import ResultMode, Scope, SearchQuery
from toulmin.services import Services, build_services
from toulmin.services.readers import reader_folder
from toulmin.settings import load_settings

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "cross_encoder"))
from data.rows import is_kept_out as is_question_kept_out

COLLECTION = "projects/p/locations/global/collections/default_collection"
BRANCH = Branch(f"{COLLECTION}/dataStores/s")
FOLDS = 5
PENALTY = 2.0
WRITTEN_SHARE = 0.75
"""Weight of the written questions, which are such as people ask of handbooks and notices."""
WITHOUT_OWN = 0.5
"""Share of the ledger's questions whose own passage is taken away."""
SIGNS = {
    "odds": 1,
    "relevance": 1,
    "coverage": 1,
    "share": 1,
    "lead": 1,
    "answerable": 1,
    "terms_found": 1,
    "numbers_missing": -1,
    "names_missing": -1,
    "heaviest_missing": -1,
}
"""The way that each may count; others are free."""


@dataclass(kw_only=True)
class Case:
    question: str
    passage: str
    answers: list[str]
    yes_no: bool
    written: bool
    answerable: bool
    right: bool = False
    features: tuple[float, ...] = ()


def cases(data: Path, most: int, *, own: bool) -> Iterator[Case]:
    """English questions: kept-out written ones, and at most so many of each set of the ledger."""
    packs = list(written_question_packs(data))
    if own:
        packs += [passage.pack() for passage in read_folder()]
    for pack in packs:
        if not is_kept_out(pack.evidence):
            continue
        for query in pack.queries:
            if query.answer is not None and asked_for(query.text).language == "en":
                answers = [pack.evidence[start:end] for start, end in query.spans]
                yield Case(
                    question=query.text,
                    passage=pack.evidence,
                    answers=answers,
                    yes_no=query.answer in (YES, NO),
                    written=True,
                    answerable=query.answer != NONE,
                )
    rng = random.Random(1)
    for name in QUESTIONS:
        records = [
            record
            for record in read_jsonl(data / "qa" / "train" / f"{name}.jsonl.gz")
            if is_question_kept_out(record["question"])
        ]
        for record in rng.sample(records, min(most, len(records))):
            yield Case(
                question=record["question"],
                passage=record["context"],
                answers=[answer["text"] for answer in record["answers"]],
                yes_no=False,
                written=False,
                answerable=rng.random() >= WITHOUT_OWN,
            )


def manual_cases() -> Iterator[Case]:
    """What is asked of the manuals that are kept out; `passage` is the whole manual."""
    for path in sorted(path for path in MANUALS.glob("*.md") if path.stem != "README"):
        manual = read_manual(path)
        if not manual.is_kept_out:
            continue
        text, spans = unmarked(manual.text)
        for asked in manual.asked:
            answers = []
            if asked.mark:
                start, end = spans[asked.mark]
                answers = [text[start:end]]
            yield Case(
                question=asked.text,
                passage=text,
                answers=answers,
                yes_no=False,
                written=True,
                answerable=bool(asked.mark),
            )


def others(data: Path, count: int) -> list[str]:
    """Return written passages that were trained on, to be found beside those asked about."""
    known = sorted({pack.evidence for pack in written_question_packs(data)})
    return random.Random(4).sample([text for text in known if not is_kept_out(text)], count)


def fill(services: Services, passages: list[str], manuals: list[str]) -> None:
    """Make a data store of the passages, a document each, and of manuals in Markdown."""
    documents = services.documents()
    with documents.records.write() as transaction:
        transaction.resources.create(DataStore(parent=COLLECTION, id="s"))
        store = transaction.resources.get(DataStore, BRANCH.data_store)
    given = [Document(id=f"p{i}", struct_data={"text": text}) for i, text in enumerate(passages)]
    for i, text in enumerate(manuals):
        content = DocumentContent(mime_type="text/markdown", raw_bytes=text.encode())
        given.append(Document(id=f"m{i}", content=content))
    made = documents.ingestor.ingest_many(given, store=store)
    with documents.records.write() as transaction:
        transaction.documents.upsert(BRANCH, [x for x in made if isinstance(x, IngestedDocument)])
    documents.wait_searchable(transaction.sequence)


def plain(text: str) -> str:
    return " ".join("".join(c if c.isalnum() else " " for c in text.casefold()).split())


def is_of(found: Passage, passage: str) -> bool:
    """Whether what was found is of a passage; a short one is read with the name of its field."""
    return plain(found.text).removeprefix("text ") in plain(passage)


def examine(services: Services, certainty: Certainty, case: Case) -> None:
    """Fill in what is known of the sentence that would be said, and whether it is right."""
    query = as_read(case.question)
    search = SearchQuery(
        text=query,
        scopes=[Scope(data_store=BRANCH.data_store)],
        mode=ResultMode.CHUNKS,
        page_size=10,
    )
    found = search_passages(services.searcher(), search).passages
    if not case.answerable and not case.written:
        found = [passage for passage in found if not is_of(passage, case.passage)]
    composer = ExtractiveComposer(services.reader(), services.checker(), certainty=certainty)
    said = composer.examine(query, found)
    if said is None or said.piece is None:
        return
    case.features = tuple(float(value) for value in said.features)
    held = plain(said.piece.text)
    of_own = is_of(found[said.piece.passage], case.passage)
    case.right = case.answerable and (
        of_own if case.yes_no else any(f" {plain(text)} " in f" {held} " for text in case.answers)
    )


class Fit:
    """A logistic regression whose weights keep to given signs, by projected gradients."""

    def __init__(self, x: np.ndarray, y: np.ndarray, weights: np.ndarray) -> None:
        mean, scale = x.mean(0), x.std(0) + 1e-9
        z = np.column_stack(((x - mean) / scale, np.ones(len(x))))
        signs = np.array([SIGNS.get(name, 0) for name in FEATURE_NAMES] + [0])
        penalty = np.append(np.full(len(FEATURE_NAMES), PENALTY), 0.0)
        step = 1 / (0.25 * np.linalg.eigvalsh(z.T @ (z * weights[:, None]))[-1] + PENALTY)
        w = np.zeros(z.shape[1])
        for _ in range(20_000):
            p = 1 / (1 + np.exp(-(z @ w)))
            w = w - step * (z.T @ (weights * (p - y)) + penalty * w)
            w = np.where(signs * w < 0, 0.0, w)
        self.weights = w[:-1] / scale
        self.bias = float(w[-1] - self.weights @ mean)

    def predict(self, x: np.ndarray) -> np.ndarray:
        return 1 / (1 + np.exp(-(x @ self.weights + self.bias)))


def weights_of(written: np.ndarray) -> np.ndarray:
    """The written questions have `WRITTEN_SHARE` of the weight, the others the rest."""
    shares = np.where(written, WRITTEN_SHARE / max(written.sum(), 1), 0.0)
    shares = shares + np.where(written, 0.0, (1 - WRITTEN_SHARE) / max((~written).sum(), 1))
    return shares * len(written) / shares.sum()


def auroc(p: np.ndarray, y: np.ndarray) -> float:
    order = p[:, None] - p[None, :]
    pairs = order[np.ix_(y, ~y)]
    return float((pairs > 0).mean() + 0.5 * (pairs == 0).mean())


def calibration_error(p: np.ndarray, y: np.ndarray) -> float:
    which = np.minimum((p * 10).astype(int), 9)
    return sum(
        (which == i).mean() * abs(p[which == i].mean() - y[which == i].mean())
        for i in range(10)
        if (which == i).any()
    )


def show(name: str, p: np.ndarray, y: np.ndarray, answerable: np.ndarray, silent: int) -> None:
    """Print how good probabilities are, and what each threshold would let through."""
    print(
        f"{name:8} {len(y)} questions, {int(y.sum())} would be right, {silent} have nothing to say;"
        f" AUROC {auroc(p, y):.3f}, calibration error {calibration_error(p, y):.3f}"
    )
    for least in (0.2, 0.25, 0.3, 0.35, 0.4, 0.45, 0.5, 0.6):
        said = p >= least
        print(
            f"  from {least:.2f}: right {int((said & y).sum())}, wrong"
            f" {int((said & ~y & answerable).sum())}, no answer {int((said & ~answerable).sum())}"
            f" of {int((~answerable).sum())}"
        )


def examined(data: Path, model: Path, found: list[Case], beside: int) -> None:
    """Ask all questions of one data store of their passages and so many others."""
    none = Answerability(np.zeros(len(FEATURE_NAMES)), 0.0)
    with tempfile.TemporaryDirectory() as folder:
        environment = {"TOULMIN_DATA_DIR": folder, "TOULMIN_SUPPORT_MODEL": str(model)}
        services = build_services(load_settings(environment=environment))
        try:
            manuals = {case.passage for case in found if case.passage.startswith("# ")}
            passages = {case.passage for case in found} - manuals
            fill(services, sorted(passages | set(others(data, beside))), sorted(manuals))
            for number, case in enumerate(found):
                if number % 100 == 0:
                    print(f"{number} of {len(found)} questions", flush=True)
                examine(services, Certainty(none), case)
        finally:
            services.close()


def five_folds(said: list[Case], x: np.ndarray, y: np.ndarray, weights: np.ndarray) -> np.ndarray:
    """Return the probability of each, fitted on the questions of other passages."""
    names = {text: i for i, text in enumerate(dict.fromkeys(case.passage for case in said))}
    folds = np.array([names[case.passage] for case in said]) % FOLDS
    p = np.zeros(len(y))
    for fold in range(FOLDS):
        rest = folds != fold
        p[~rest] = Fit(x[rest], y[rest], weights[rest]).predict(x[~rest])
    return p


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--model", type=Path, required=True)
    parser.add_argument("--most", type=int, default=0, help="questions of each set of the ledger")
    parser.add_argument("--beside", type=int, default=31, help="passages that nothing is asked of")
    parser.add_argument("--own", action="store_true", help="those of training/written, too")
    parser.add_argument("--cases", type=Path, help="where what was examined is kept")
    args = parser.parse_args()

    if args.cases and args.cases.exists():
        found = [Case(**fields) for fields in json.loads(args.cases.read_text("utf-8"))]
    else:
        found = list(cases(args.data, args.most, own=args.own)) + list(manual_cases())
        examined(args.data, args.model, found, args.beside)
        if args.cases:
            args.cases.write_text(json.dumps([asdict(case) for case in found]), encoding="utf-8")

    said = [case for case in found if case.features]
    x = np.array([case.features for case in said])
    y = np.array([case.right for case in said])
    written = np.array([case.written for case in said])
    answerable = np.array([case.answerable for case in said])
    weights = weights_of(written)
    p = five_folds(said, x, y, weights)
    for name, side in (("written", written), ("ledger", ~written)):
        if side.any():
            silent = sum(
                not case.features and case.written == (name == "written") for case in found
            )
            show(name, p[side], y[side], answerable[side], silent)
    final = Fit(x, y, weights)
    reads = reader_folder(args.model.absolute())
    result = {
        "model": json.loads((reads / "spec.json").read_text())["version"],
        "features": list(FEATURE_NAMES),
        "weights": [round(float(weight), 6) for weight in final.weights],
        "bias": round(final.bias, 6),
    }
    print(dict(zip(FEATURE_NAMES, result["weights"], strict=True)), result["bias"])
    (reads / CERTAINTY_FILE).write_text(json.dumps(result, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
