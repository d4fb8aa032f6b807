"""Small test collections in six languages, and of questions in one language over text in another.

Nothing of them was used for an embedder of ours. At most 300 passages and 150 questions each,
seeded; the passage that a question was asked about is the relevant one. `A over B` are questions in
A over passages in B: XQuAD's and SQuAD-it's are translations of SQuAD, so their paragraphs are
found again in the English files by the names and numbers in them (a pair in doubt is left out).
`written` are passages written for Toulmin, with their answerable questions and supported claims.
"""

from __future__ import annotations

import math
import random
import re
from collections import Counter
from collections.abc import Iterable, Iterator
from pathlib import Path

from benchmarks.retrieval_collections import SEED, Collection, cranfield, read

PASSAGES, QUESTIONS = 300, 150
LANGUAGES = ("es", "it", "ja", "fr", "de")
_SEPARATOR = "[SEP]"  # between title and text in JSQuAD
_LIKE, _AHEAD = 0.45, 1.5

Pairs = list[tuple[str, str]]  # question, passage


def language_collections(data: Path) -> Iterator[Collection]:
    """Yield every collection, English first."""
    yield _small_cranfield(data)
    files = {
        "en": "dev/squad2_half",
        "es": "dev/xquad_es",
        "it": "dev/squad_it",
        "ja": "dev/jsquad_ja",
        "ja, JaQuAD": "dev/jaquad",
        "fr": "train/piaf_fr",
    }
    pairs = {name: _pairs(data, file) for name, file in files.items()}
    for name, found in pairs.items():
        yield _collection(name, found)
    english = pairs["en"] + _pairs(data, "train/squad1_part")
    for language in ("es", "it"):
        same = _aligned(pairs[language], english)
        over = [(q, same[p]) for q, p in pairs[language] if p in same]
        yield _collection(f"{language} over en", over, others=[p for _, p in english])
        back = {there: here for here, there in same.items()}
        over = [(q, back[p]) for q, p in english if p in back]
        yield _collection(f"en over {language}", over, others=[p for _, p in pairs[language]])
    yield from _written(data)


def paired_questions(data: Path) -> dict[str, tuple[list[tuple[dict, str]], list[str]]]:
    """Return for each direction rows with their paragraph in the other language.

    And all paragraphs of that language, to stand beside them.
    """
    english = _rows(data, "dev/squad2_half")
    found = {}
    for language, file in (("es", "dev/xquad_es"), ("it", "dev/squad_it")):
        rows = _rows(data, file)
        texts = [[(row["question"], _paragraph(row)) for row in side] for side in (rows, english)]
        same = _aligned(*texts)
        back = {there: here for here, there in same.items()}
        for name, asked, other, held in (
            (f"{language} over en", rows, same, texts[1]),
            (f"en over {language}", english, back, texts[0]),
        ):
            pairs = [(row, other[_paragraph(row)]) for row in asked if _paragraph(row) in other]
            found[name] = (pairs, sorted({paragraph for _, paragraph in held}))
    return found


def _pairs(data: Path, file: str) -> Pairs:
    return [(row["question"], _paragraph(row)) for row in _rows(data, file)]


def _rows(data: Path, file: str) -> list[dict]:
    return [row for row in read(data / "qa" / f"{file}.jsonl.gz") if row["answerable"]]


def _paragraph(row: dict) -> str:
    return row["context"].replace(_SEPARATOR, "\n").strip("\ufeff")


def _collection(name: str, pairs: Pairs, others: Iterable[str] = ()) -> Collection:
    """Some of the questions, their passages, and other passages up to as many as there may be."""
    rng = random.Random(SEED)
    asked = rng.sample(pairs, min(QUESTIONS, len(pairs)))
    documents = list(dict.fromkeys(passage for _, passage in asked))
    rest = sorted({*(passage for _, passage in pairs), *others} - set(documents))
    documents += rng.sample(rest, min(PASSAGES - len(documents), len(rest)))
    place = {text: i for i, text in enumerate(documents)}
    return Collection(
        name, documents, [q for q, _ in asked], [{place[passage]: 1} for _, passage in asked]
    )


def _small_cranfield(data: Path) -> Collection:
    """75 queries of Cranfield, the abstracts that answer them, and others up to 600."""
    whole = cranfield(data)
    rng = random.Random(SEED)
    chosen = sorted(rng.sample(range(len(whole.queries)), 75))
    kept = sorted({place for i in chosen for place in whole.relevant[i]})
    rest = sorted(set(range(len(whole.documents))) - set(kept))
    kept += rng.sample(rest, max(0, 2 * PASSAGES - len(kept)))
    place = {old: new for new, old in enumerate(kept)}
    return Collection(
        "en, Cranfield",
        [whole.documents[i] for i in kept],
        [whole.queries[i] for i in chosen],
        [{place[d]: grade for d, grade in whole.relevant[i].items()} for i in chosen],
    )


def _names(text: str) -> set[str]:
    return set(re.findall(r"\d[\d.,]*\d|\d+|[A-Z]\w{3,}", text))


def _aligned(pairs: Pairs, english: Pairs) -> dict[str, str]:
    """Return the English paragraph of each translated one that has one beyond doubt."""
    texts = sorted({passage for _, passage in english})
    names = [_names(text) for text in texts]
    count = Counter(name for found in names for name in found)
    rare = {name: math.log(len(texts) / n) for name, n in count.items()}
    weight = [sum(rare[name] for name in found) for found in names]
    same: dict[str, str] = {}
    for passage in dict.fromkeys(passage for _, passage in pairs):
        own = {name for name in _names(passage) if name in rare}
        total = sum(rare[name] for name in own)
        scores = [
            2 * sum(rare[name] for name in own & found) / max(total + weight[i], 1e-9)
            for i, found in enumerate(names)
        ]
        first, second = sorted(range(len(texts)), key=lambda i: -scores[i])[:2]
        if scores[first] > _LIKE and scores[first] > _AHEAD * scores[second]:
            same[passage] = texts[first]
    return same


def _written(data: Path) -> Iterator[Collection]:
    """Yield one collection for each language, and one of English over all of them and English."""
    asked = []
    for part in ("train", "dev"):
        rows = read(data / "qa" / part / "written_questions.jsonl.gz")
        asked += [
            (row["question"], row["context"], row["lang"], row["question_lang"])
            for row in rows
            if row["answerable"]
        ]
        rows = read(data / "grounding" / part / "written.jsonl.gz")
        asked += [
            (row["claim"], row["premise"], row["lang"], row["claim_lang"])
            for row in rows
            if row["label"] == 1
        ]
    everything = sorted({passage for _, passage, _, _ in asked})
    elsewhere = sorted({passage for _, passage, language, _ in asked if language != "en"})
    for language in LANGUAGES:
        own = [(q, p) for q, p, text, query in asked if text == query == language]
        yield _collection(f"written, {language}", own, others=elsewhere)
    over = [(q, p) for q, p, text, query in asked if query == "en" and text != "en"]
    yield _collection("written, en over others", over, others=everything)
