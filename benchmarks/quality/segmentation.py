"""Sentence segmentation: ours and libraries on the same gold boundaries, and the speed of each.

    python -m venv build/segmentation && build/segmentation/bin/pip install \\
        sentencex pysbd syntok blingfire nltk sentence-splitter sentencesplit
    PYTHONPATH=src build/segmentation/bin/python benchmarks/quality/segmentation.py

A library that is not installed is left out. Libraries are told the language, ours is not.
A boundary is counted in characters that are not white space, so that a library which changes
white space is not punished for it. The end of the text is not counted.
"""

from __future__ import annotations

import importlib.metadata
import json
import time
import warnings
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator
from pathlib import Path

from toulmin.text.sentences import split_sentences

ROOT = Path(__file__).resolve().parents[2]
DATA = ROOT / "tests" / "text" / "data"
RESULT = ROOT / "benchmarks" / "results" / "segmentation.json"
MARK = "¦"
SPEED_SECONDS = 1.0
Segmenter = Callable[[str, str], list[str]]


def ours(text: str, _language: str) -> list[str]:
    return [text[start:end] for start, end in split_sentences(text)]


def sentencex() -> Segmenter:
    import sentencex as library

    return lambda text, language: list(library.segment(language, text))


def pysbd() -> Segmenter:
    import pysbd as library

    cached: dict[str, library.Segmenter] = {}

    def segment(text: str, language: str) -> list[str]:
        code = language if language in library.languages.LANGUAGE_CODES else "en"
        if code not in cached:
            cached[code] = library.Segmenter(language=code, clean=False)
        return cached[code].segment(text)

    return segment


def sentencesplit() -> Segmenter:
    import sentencesplit as library

    cached: dict[str, library.Segmenter] = {}

    def segment(text: str, language: str) -> list[str]:
        if language not in cached:
            try:
                cached[language] = library.Segmenter(language=language)
            except ValueError:
                cached[language] = library.Segmenter(language="en")
        return [str(part) for part in cached[language].segment(text)]

    return segment


def syntok() -> Segmenter:
    from syntok import segmenter

    def segment(text: str, _language: str) -> list[str]:
        return [
            "".join(token.spacing + token.value for token in sentence)
            for paragraph in segmenter.process(text)
            for sentence in paragraph
        ]

    return segment


def blingfire() -> Segmenter:
    import blingfire as library

    return lambda text, _language: library.text_to_sentences(text).split("\n")


def nltk() -> Segmenter:
    from nltk.tokenize.punkt import PunktSentenceTokenizer

    tokenizer = PunktSentenceTokenizer()  # untrained: the trained tables come from a hub
    return lambda text, _language: tokenizer.tokenize(text)


def sentence_splitter() -> Segmenter:
    from sentence_splitter import SentenceSplitter

    cached: dict[str, SentenceSplitter] = {}

    def segment(text: str, language: str) -> list[str]:
        if language not in cached:
            try:
                cached[language] = SentenceSplitter(language=language)
            except Exception:  # noqa: BLE001 - the library's own error for unknown languages
                cached[language] = SentenceSplitter(language="en")
        return cached[language].split(text)

    return segment


LIBRARIES: dict[str, Callable[[], Segmenter]] = {
    "sentencex": sentencex,
    "pysbd": pysbd,
    "sentencesplit": sentencesplit,
    "syntok": syntok,
    "blingfire": blingfire,
    "nltk": nltk,
    "sentence-splitter": sentence_splitter,
}


def available() -> Iterator[tuple[str, str, Segmenter]]:
    yield "toulmin", "", ours
    for name, load in LIBRARIES.items():
        try:
            yield name, importlib.metadata.version(name), load()
        except (ImportError, importlib.metadata.PackageNotFoundError):
            continue


def boundaries(parts: list[str]) -> set[int]:
    found, seen = set(), 0
    for part in parts:
        seen += len("".join(part.split()))
        found.add(seen)
    return found - {0, seen}


def quality(segment: Segmenter, cases: list[dict[str, str]]) -> dict[str, object]:
    right: Counter[str] = Counter()
    extra: Counter[str] = Counter()
    missed: Counter[str] = Counter()
    whole = failed = 0
    for case in cases:
        gold = boundaries(case["marked"].split(MARK))
        try:
            found = boundaries(segment(case["marked"].replace(MARK, ""), case["lang"]))
        except Exception:  # noqa: BLE001 - a library that raises on a case has failed it
            found, failed = set(), failed + 1
        for key in ("all", case["lang"]):
            right[key] += len(gold & found)
            extra[key] += len(found - gold)
            missed[key] += len(gold - found)
        whole += gold == found
    languages = {
        key: _scores(right[key], extra[key], missed[key]) for key in sorted(right) if key != "all"
    }
    return {
        **_scores(right["all"], extra["all"], missed["all"]),
        "cases_right": whole,
        "cases": len(cases),
        "raised": failed,
        "languages": languages,
    }


def _scores(right: int, extra: int, missed: int) -> dict[str, float | int]:
    precision = right / (right + extra) if right + extra else 1.0
    recall = right / (right + missed) if right + missed else 1.0
    f1 = 2 * precision * recall / (precision + recall) if precision + recall else 0.0
    return {
        "precision": round(precision, 4),
        "recall": round(recall, 4),
        "f1": round(f1, 4),
        "extra": extra,
        "missed": missed,
    }


PROSE = (
    "Titanic is a 1997 American epic romantic disaster movie that was directed, written and "
    "produced by James Cameron. It stars Kate Winslet and Leonardo DiCaprio in the leading roles "
    "of Rose and Jack. The movie was released on December 19, 1997, and it received positive "
    "critical reviews. The U.S. release earned approx. $600.8 million, according to Dr. J. Smith "
    "(see p. 12).\n\n"
)
PROSE_JA = (
    "『タイタニック』はジェームズ・キャメロンが監督した1997年の映画である。"
    "彼は「成功する」と言った。\n"
)


def speed(segment: Segmenter, text: str, language: str) -> float:
    """Return megabytes (10^6 UTF-8 bytes) per second of processor time, best of several."""
    size = len(text.encode()) / 1e6
    best, begun = 0.0, time.process_time()
    while True:
        start = time.process_time()
        segment(text, language)
        best = max(best, size / (time.process_time() - start))
        if time.process_time() - begun > SPEED_SECONDS:
            return round(best, 2)


def main() -> None:
    warnings.simplefilter("ignore")
    names = ("sentences", "sentences_held_out", "sentences_fresh")
    sets = {name: json.loads((DATA / f"{name}.json").read_text(encoding="utf-8")) for name in names}
    result: dict[str, dict[str, object]] = defaultdict(dict)
    for name, version, segment in available():
        entry = result[name]
        entry["version"] = version
        for set_name, cases in sets.items():
            entry[set_name] = quality(segment, cases)
        entry["mb_per_s"] = {
            "en_10_kb": speed(segment, PROSE * 25, "en"),
            "en_100_kb": speed(segment, PROSE * 250, "en"),
            "ja_10_kb": speed(segment, PROSE_JA * 70, "ja"),
        }
        line = {key: {k: v for k, v in entry[key].items() if k != "languages"} for key in sets}
        print(name, version, json.dumps(line), entry["mb_per_s"])
    RESULT.parent.mkdir(parents=True, exist_ok=True)
    RESULT.write_text(json.dumps(result, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
