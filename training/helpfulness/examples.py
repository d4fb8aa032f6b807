"""Question-answering records -> graded answers to their questions.

Every example is (prompt, answer, kind, target). The targets are design decisions, not labels that
people gave: docs/decisions/0007-helpfulness.md. Records that mention the example of the
check-grounding guide are left out, so that it stays a test.
"""

from __future__ import annotations

import gzip
import json
import random
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from wording import (
    EMPTY,
    FLOURISHES,
    JOINERS,
    LEAD_INS,
    OFFICIALESE,
    OPEN_PROMPTS,
    REFUSALS,
    YES_NO,
)

from toulmin.grounding.prompt_intent import read_intent
from toulmin.text.sentences import split_sentences

TARGETS = {
    "full": 0.98, "fragment": 0.94, "lead_in": 0.93, "padded": 0.62, "ornate": 0.78,
    "officialese": 0.75, "repeated": 0.60, "partial": 0.55, "partial_fragment": 0.50,
    "on_topic": 0.30, "on_topic_long": 0.25, "wrong_kind": 0.30, "off_topic": 0.05,
    "off_fragment": 0.08, "off_long": 0.04, "refusal": 0.05, "empty": 0.05, "echo": 0.10,
    "stated_echo": 0.10,
    "asks_back": 0.08, "complete": 0.98, "complete_fragment": 0.94, "open_full": 0.96,
    "open_thin": 0.35, "open_endless": 0.70, "yes_no_full": 0.98, "yes_no_bare": 0.93,
}  # fmt: skip
"""Grade of each kind; "verbose" is graded by its length."""

KEPT_OUT = ("titanic", "タイタニック")
_FULL_STOP = {"ja": "。"}
_MAX_STATEMENT = {"ja": 90}
_CAPITALS = re.compile(r"[A-ZÁÉÍÓÚÈ][\w'-]+(?: [A-Z][\w'-]+)*")
_JA_TOPIC = re.compile("[\u4e00-\u9fff\u30a1-\u30fc]{2,}")
_ASKING = re.compile(
    r"\b(?:who|whom|whose|what|which|when|where|why|how|many|much|did|does|do|quién(?:es)?|qué|cuál"
    r"|cuándo|dónde|cómo|cuánt[oa]s?|chi|cosa|quale|quali|quando|dove|come|quant[oaie])\b",
    re.IGNORECASE,
)
_ASKS_FOR_SUBJECT = re.compile(
    r"(?:who|which \w+|what \w+) (?!is|are|was|were|do|did|does|ha|can|wi|wo|kind|type)"
    r"(\w+(?:ed|s|de|ote|ain)\b .+?)\??$",
    re.IGNORECASE,
)
_JA_ASKED = re.compile(
    "誰|だれ|いつ|どこ|何年|何月|何日|何人|何歳|何世紀|何という[^はがをにでの]{1,6}|いくつ|いくら|どのくらい|何"
)


@dataclass(frozen=True, slots=True)
class Record:
    """One question with its passage, cut to sentences, and its answer."""

    lang: str
    question: str
    answer: str
    sentences: tuple[str, ...]
    passage_id: int


@dataclass(frozen=True, slots=True)
class Example:
    """One graded answer; examples of one `group` answer the same prompt."""

    lang: str
    group: str
    prompt: str
    answer: str
    kind: str
    target: float


def read_records(file: Path) -> list[Record]:
    """Return the answerable records of a ledger file that have a usable answer."""
    passages: dict[str, int] = {}
    cut: dict[str, tuple[str, ...]] = {}
    records = []
    with gzip.open(file, "rt", encoding="utf-8") as lines:
        for line in lines:
            raw = json.loads(line)
            context, question = raw["context"], raw["question"].strip().strip('"')
            whole = f"{context} {question}".lower()
            if not raw["answers"] or any(word in whole for word in KEPT_OUT):
                continue
            if context not in cut:
                passages[context] = len(passages)
                cut[context] = tuple(context[a:b] for a, b in split_sentences(context))
            answer = raw["answers"][0]["text"].strip(" .,。、")
            if answer:
                records.append(
                    Record(raw["lang"], question, answer, cut[context], passages[context])
                )
    return records


def grade(records: Sequence[Record], source: str, rng: random.Random) -> Iterator[Example]:
    """Yield the graded answers of every record; other records of `records` lend the rest."""
    by_passage: dict[int, list[Record]] = {}
    for record in records:
        by_passage.setdefault(record.passage_id, []).append(record)
    for index, record in enumerate(records):
        stranger = rng.choice(records)
        if stranger.passage_id == record.passage_id:
            continue
        siblings = [r for r in by_passage[record.passage_id] if r.question != record.question]
        made = [
            *_of_one(record, stranger, siblings, rng),
            *_of_two(record, siblings, rng),
            *_of_open(record, stranger, rng),
            *_of_yes_no(record, stranger, rng),
        ]
        for prompt, answer, kind, target in made:
            group = f"{source}-{index}-{hash_of(prompt)}"
            yield Example(record.lang, group, prompt, answer, kind, target)


def hash_of(text: str) -> int:
    """A small stable number for a text."""
    return sum((i + 1) * ord(c) for i, c in enumerate(text)) % 999_983


Made = tuple[str, str, str, float]


def _of_one(
    record: Record, stranger: Record, siblings: Sequence[Record], rng: random.Random
) -> Iterator[Made]:
    statement = _statement(record)
    rest = [s for s in record.sentences if record.answer not in s]
    answers = [
        ("echo", record.question),
        ("stated_echo", _stated(record.question, record.lang)),
        ("refusal", rng.choice(REFUSALS[record.lang]).format(topic=_topic(record))),
        ("empty", rng.choice(EMPTY[record.lang])),
        ("off_topic", rng.choice(stranger.sentences)),
        ("off_long", _joined(stranger.sentences[:6], record.lang)),
    ]
    if _kind(record.question) != "yes_no":
        answers.append(("fragment", _stopped(record.answer, record.lang)))
    if _kind(stranger.question) != _kind(record.question):
        answers.append(("off_fragment", _stopped(stranger.answer, record.lang)))
    answers += [("asks_back", s.question) for s in siblings[:1]]
    answers += [
        ("wrong_kind", _stopped(s.answer, record.lang))
        for s in siblings
        if _clearly_another_kind(record, s.answer)
    ][:1]
    beside = [s for s in rest if _lacks_kind(record, s)]
    if beside:
        answers.append(("on_topic", rng.choice(beside)))
    if len(beside) > 2:
        answers.append(("on_topic_long", _joined(beside[:4], record.lang)))
    if statement:
        answers += _around(statement, record, stranger, rng)
        yield _verbose(record, statement, rest, rng)
    for kind, answer in answers:
        yield record.question, answer, kind, TARGETS[kind]


def _around(
    statement: str, record: Record, stranger: Record, rng: random.Random
) -> list[tuple[str, str]]:
    """The direct answer, and the direct answer with something done to it."""
    lang = record.lang
    padding = rng.sample(stranger.sentences, min(len(stranger.sentences), rng.randint(2, 4)))
    made = [
        ("full", statement),
        ("lead_in", rng.choice(LEAD_INS[lang]) + statement),
        ("repeated", _joined([statement] * rng.randint(3, 6), lang)),
        ("padded", _joined([statement, *padding], lang)),
    ]
    if lang == "en":
        bare = statement.rstrip(".")
        made.append(("ornate", bare + "".join(rng.sample(FLOURISHES, rng.randint(2, 4))) + "."))
        made.append(
            ("officialese", bare + "".join(rng.sample(OFFICIALESE, rng.randint(2, 3))) + ".")
        )
    return made


def _verbose(record: Record, statement: str, rest: Sequence[str], rng: random.Random) -> Made:
    """The answer among the rest of its passage, in passage order or in front."""
    if rng.random() < 0.5:
        answer = _joined([statement, *rest[: rng.randint(2, 8)]], record.lang)
    else:
        answer = _joined(record.sentences, record.lang)
    return record.question, answer, "verbose", _verbose_target(record.question, answer)


def _verbose_target(prompt: str, answer: str) -> float:
    """0.93 within the room that the question gives, 0.8 at twice that, 0.62 far beyond."""
    ratio = _size(answer) / read_intent(prompt).room
    if ratio <= 1.0:
        return 0.93
    return max(0.62, 0.86 - 0.06 * min(4.0, ratio - 1.0))


def _of_two(record: Record, siblings: Sequence[Record], rng: random.Random) -> Iterator[Made]:
    """Two questions in one: answered, half answered, answered at length."""
    first = _statement(record)
    pairs = [(s, _statement(s)) for s in siblings if s.answer != record.answer]
    pairs = [(s, text) for s, text in pairs if text and text != first]
    if not first or not pairs:
        return
    other, second = rng.choice(pairs)
    lang = record.lang
    prompt = _two_questions(record.question, other.question, lang)
    join = {"en": " and ", "ja": "と", "es": " y ", "it": " e "}[lang]
    yield prompt, _joined([first, second], lang), "complete", TARGETS["complete"]
    both = _stopped(record.answer + join + other.answer, lang)
    yield prompt, both, "complete_fragment", TARGETS["complete_fragment"]
    part, whole = rng.choice([(first, other.answer), (second, record.answer)])
    if whole not in part:
        yield prompt, part, "partial", TARGETS["partial"]
    half = _stopped(rng.choice([record.answer, other.answer]), lang)
    yield prompt, half, "partial_fragment", TARGETS["partial_fragment"]
    long = _joined(record.sentences, lang)
    yield prompt, long, "verbose", _verbose_target(prompt, long)


def _two_questions(first: str, second: str, lang: str) -> str:
    first = first.rstrip("?？ 。")
    if lang == "ja":
        return f"{first}。{JOINERS[lang]}{second}"
    second = second.lstrip("¿ ")
    return f"{first}{JOINERS[lang]}{second[:1].lower()}{second[1:]}"


def _of_open(record: Record, stranger: Record, rng: random.Random) -> Iterator[Made]:
    topic = _topic(record)
    whole = _joined(record.sentences, record.lang)
    if rng.random() < 0.6 or topic not in record.sentences[0] or _size(whole) < 35:
        return
    prompt = rng.choice(OPEN_PROMPTS[record.lang]).format(topic=topic)
    if _size(whole) <= 150:
        yield prompt, whole, "open_full", TARGETS["open_full"]
    endless = _joined([whole, *record.sentences[1:], *stranger.sentences], record.lang)
    yield prompt, endless, "open_endless", TARGETS["open_endless"]
    yield prompt, _stopped(record.answer, record.lang), "open_thin", TARGETS["open_thin"]
    yield prompt, _joined(stranger.sentences, record.lang), "off_long", TARGETS["off_long"]
    yield prompt, rng.choice(REFUSALS[record.lang]).format(topic=topic), "refusal", 0.05


def _of_yes_no(record: Record, stranger: Record, rng: random.Random) -> Iterator[Made]:
    statement = _statement(record)
    if not statement or rng.random() < 0.6:
        return
    lang = record.lang
    ask, say, bare = YES_NO[lang]
    said = statement.rstrip(".。 ")
    prompt = ask.format(statement=said)
    yield prompt, say.format(statement=said), "yes_no_full", TARGETS["yes_no_full"]
    yield prompt, bare, "yes_no_bare", TARGETS["yes_no_bare"]
    yield prompt, rng.choice(stranger.sentences), "off_topic", TARGETS["off_topic"]
    yield prompt, rng.choice(REFUSALS[lang]).format(topic=_topic(record)), "refusal", 0.05


def _statement(record: Record) -> str:
    """The answer as a full sentence, or "" where none can be made."""
    if _kind(record.question) == "yes_no":
        return ""
    if record.lang == "ja":
        return _ja_statement(record)
    asked = _ASKS_FOR_SUBJECT.match(record.question)
    if asked and record.lang == "en":
        return f"{record.answer[:1].upper()}{record.answer[1:]} {asked.group(1)}."
    about = set(re.findall(r"\w{4,}", record.question.lower()))
    for sentence in record.sentences:
        words = re.findall(r"\w+", sentence.lower())
        if record.answer in sentence and 4 <= len(words) <= 28 and len(about & set(words)) >= 2:
            return sentence
    return ""


def _ja_statement(record: Record) -> str:
    """The question with its question word replaced by the answer."""
    found = _JA_ASKED.search(record.question)
    if found is None:
        return ""
    text = record.question[: found.start()] + record.answer + record.question[found.end() :]
    text = re.sub(r"(?:でしょう)?か?[?？。]*$", "", text)
    if not text.endswith(("です", "ます", "した", "ん", "る", "た", "い")):
        text += "です"
    return text + "。" if len(text) <= _MAX_STATEMENT["ja"] else ""


def _topic(record: Record) -> str:
    """A name that the question speaks of, or some words of it."""
    pattern = _JA_TOPIC if record.lang == "ja" else _CAPITALS
    names = pattern.findall(record.question[1:] if record.lang != "ja" else record.question)
    names = [n for n in names if n in " ".join(record.sentences)]
    return max(names, key=len) if names else record.question.rstrip("?？")[-20:].strip()


def _stated(question: str, lang: str) -> str:
    """The question as a sentence that tells nothing new."""
    pattern = _JA_ASKED if lang == "ja" else _ASKING
    plain = pattern.sub("", question).strip("¿?？ ,")
    plain = re.sub(r"(?:でしょう)?か$", "", plain) if lang == "ja" else " ".join(plain.split())
    return _stopped(plain, lang)


def _kind(question: str) -> str:
    return read_intent(question).kinds[0]


def _clearly_another_kind(record: Record, answer: str) -> bool:
    kind = _kind(record.question)
    digits = any(c.isdigit() for c in answer)
    if kind in {"time", "number"}:
        return not digits and len(answer) < 40 and record.lang != "ja"
    return kind in {"person", "place"} and re.fullmatch(r"[\d,.%年月日人]+", answer) is not None


def _lacks_kind(record: Record, sentence: str) -> bool:
    """Whether the sentence shows that it does not answer, as far as its form can show it."""
    kind = _kind(record.question)
    if kind in {"time", "number"}:
        return not any(c.isdigit() for c in sentence)
    if kind in {"person", "place"} and record.lang != "ja":
        return re.search(r"(?<=[a-z,] )[A-Z]", sentence) is None
    return True


def _stopped(text: str, lang: str) -> str:
    return text[:1].upper() + text[1:] + _FULL_STOP.get(lang, ".")


def _joined(sentences: Sequence[str], lang: str) -> str:
    return ("" if lang == "ja" else " ").join(sentences)


def _size(text: str) -> float:
    """Length in words; two characters of a script without spaces count as one."""
    dense = len(re.findall("[\u3041-\u30ff\u3400-\u9fff]", text))
    return dense / 2 + len(re.findall(r"[^\W\u3041-\u30ff\u3400-\u9fff]+", text))
