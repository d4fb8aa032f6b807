"""Labelled examples from files of JSON lines, plain or gzip; a wrong line is named exactly.

One line: `{"premise": ..., "claim": ..., "label": 1}`. `premise` is a text or a list of texts;
`label` is 1 when the premise supports the claim as a whole, else 0; `contradiction` (true, false
or null: not known), `id`, `kind`, `lang` and `claim_lang` are optional; other fields are ignored.
"""

from __future__ import annotations

import gzip
import json
import random
import zlib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from toulmin.domain import Fact
from toulmin.errors import FieldViolation, InvalidArgument
from toulmin.grounding.check import MAX_FACT_CHARACTERS, MAX_FACTS, CheckSpec, validate

_GZIP_MAGIC = b"\x1f\x8b"
_FAULTS_SHOWN = 10
# Where a long premise is cut, best first.
_BREAKS = ("\n\n", "\n", ". ", " ")


@dataclass(frozen=True, slots=True)
class Example:
    """One labelled line.

    Attributes:
        file: Path as given.
        line: Line in the file, from 1.
        id: The line's `id`, else "line N".
        facts: The premise as the check takes it.
        claim: The text to check.
        label: Whether the premise supports all of the claim.
        contradiction: Whether the premise contradicts it; None when that is not known. A supported
            claim is not contradicted.
        kind: What sort of claim it is, in the file's own words; empty when the line does not say.
        language: "en", or "en over es" for a claim in English about facts in Spanish; empty when
            the line does not say.
    """

    file: str
    line: int
    id: str
    facts: tuple[Fact, ...]
    claim: str
    label: bool
    contradiction: bool | None
    kind: str = ""
    language: str = ""


class _Fault(Exception):
    """What is wrong with one field of a line."""

    def __init__(self, field: str, description: str) -> None:
        super().__init__(f"{field} {description}")
        self.violation = FieldViolation(field, description)


def read_examples(path: str) -> list[Example]:
    """Return the examples in a file.

    Args:
        path: JSON lines, UTF-8; read as gzip when it is.

    Raises:
        InvalidArgument: The file cannot be read, holds no example, or has wrong lines. The message
            has, for each of the first ten, file, line, field and what is wrong with it.
    """
    examples: list[Example] = []
    faults: list[FieldViolation] = []
    for number, line in _lines(path):
        try:
            examples.append(_example(path, number, _object(line)))
        except _Fault as fault:
            faults.append(
                FieldViolation(
                    f"{path}:{number}: {fault.violation.field}", fault.violation.description
                )
            )
    if faults:
        raise _refusal(faults)
    if not examples:
        raise InvalidArgument(f"{path} holds no example")
    return examples


def example_of(row: Mapping[str, Any], *, file: str = "", line: int = 0) -> Example:
    """Return the example that one line's object states.

    Args:
        row: The object.
        file: Where it is from, for whoever names it.
        line: Its line there.

    Raises:
        InvalidArgument: A field is wrong; the violation has its name.
    """
    try:
        return _example(file, line, row)
    except _Fault as fault:
        raise InvalidArgument(str(fault), violations=[fault.violation]) from None


def sample(examples: Sequence[Example], count: int, *, seed: int) -> list[Example]:
    """Return `count` random examples (all, when there are fewer) in their order in the file.

    The choice depends on the number of examples, `count` and `seed` alone.
    """
    if count >= len(examples):
        return list(examples)
    chosen = random.Random(seed).sample(range(len(examples)), count)  # noqa: S311 - no secret
    return [examples[index] for index in sorted(chosen)]


def split_premise(text: str) -> list[str]:
    """Return `text` in parts that fit a fact: whole when it fits, else cut where a reader would.

    A part is as long as it may be; it ends at the last paragraph's end in its second half, else at
    a line's, a sentence's, a word's. Parts that are blank are dropped.
    """
    parts = []
    rest = text
    while len(rest) > MAX_FACT_CHARACTERS:
        cut = _cut(rest)
        parts.append(rest[:cut])
        rest = rest[cut:]
    parts.append(rest)
    return [part for part in parts if part.strip()]


def _cut(text: str) -> int:
    for mark in _BREAKS:
        start = text.rfind(mark, MAX_FACT_CHARACTERS // 2, MAX_FACT_CHARACTERS)
        if start >= 0:
            return start + len(mark)
    return MAX_FACT_CHARACTERS


def _lines(path: str) -> Iterator[tuple[int, bytes]]:
    """Yield (number, line) of the lines that are not blank."""
    try:
        data = Path(path).read_bytes()
        if data.startswith(_GZIP_MAGIC):
            data = gzip.decompress(data)
    except (OSError, EOFError, zlib.error) as error:
        reason = getattr(error, "strerror", None) or error
        raise InvalidArgument(f"cannot read {path}: {reason}") from error
    # Only "\n" ends a line: JSON strings may hold the other line separators of Unicode.
    for number, line in enumerate(data.removeprefix(b"\xef\xbb\xbf").split(b"\n"), 1):
        if line.strip():
            yield number, line


def _object(line: bytes) -> dict[str, Any]:
    try:
        value = json.loads(line.decode("utf-8"))
    except UnicodeDecodeError as error:
        raise _Fault("line", f"is not UTF-8 text (byte {error.start} of the line)") from error
    except (ValueError, RecursionError) as error:
        raise _Fault("line", f"is not JSON: {error}") from error
    if not isinstance(value, dict):
        raise _Fault("line", f"is {_kind(value)}; it must be an object")
    return value


def _example(path: str, number: int, row: Mapping[str, Any]) -> Example:
    facts = tuple(Fact(part) for text in _premise(row) for part in split_premise(text))
    claim = _required(row, "claim")
    if not isinstance(claim, str):
        raise _Fault("claim", f"is {_kind(claim)}; it must be a string")
    label = _required(row, "label")
    if not isinstance(label, int) or label not in (0, 1):
        raise _Fault("label", f"is {_shown(label)}; it must be 1 (supported) or 0")
    contradiction = row.get("contradiction")
    if contradiction is not None and not isinstance(contradiction, bool):
        raise _Fault("contradiction", f"is {_shown(contradiction)}; it must be true, false or null")
    if contradiction and label:
        raise _Fault("contradiction", "is true and label is 1; a claim is not both")
    _check_limits(claim, facts)
    name = row.get("id")
    return Example(
        file=path,
        line=number,
        id=f"line {number}" if name is None else str(name),
        facts=facts,
        claim=claim,
        label=bool(label),
        contradiction=False if label else contradiction,
        kind=_optional_text(row, "kind"),
        language=_language(row),
    )


def _language(row: Mapping[str, Any]) -> str:
    facts = _optional_text(row, "lang").lower()
    claim = _optional_text(row, "claim_lang").lower()
    return f"{claim} over {facts}" if claim and facts and claim != facts else claim or facts


def _optional_text(row: Mapping[str, Any], name: str) -> str:
    """Return a field's text in one line; empty when it is missing or null."""
    value = row.get(name)
    if value is None:
        return ""
    if not isinstance(value, str):
        raise _Fault(name, f"is {_kind(value)}; it must be a string or null")
    if any("\ud800" <= character <= "\udfff" for character in value):
        raise _Fault(name, "is not valid Unicode")
    return " ".join(value.split())


def _premise(row: Mapping[str, Any]) -> list[str]:
    premise = _required(row, "premise")
    texts = premise if isinstance(premise, list) else [premise]
    for index, text in enumerate(texts):
        field = f"premise[{index}]" if isinstance(premise, list) else "premise"
        if not isinstance(text, str):
            raise _Fault(field, f"is {_kind(text)}; it must be a string")
        if not text.strip():
            raise _Fault(field, "is empty")
    return texts


def _check_limits(claim: str, facts: Sequence[Fact]) -> None:
    """Raise `_Fault` for what the check would refuse, in the words of the file."""
    if len(facts) > MAX_FACTS:
        total = sum(len(fact.text) for fact in facts)
        raise _Fault(
            "premise",
            f"has {total:,} characters, which makes {len(facts)} facts; at most {MAX_FACTS} facts"
            f" of {MAX_FACT_CHARACTERS:,} characters can be checked at once",
        )
    try:
        validate(claim, facts, CheckSpec())
    except InvalidArgument as error:
        violation = error.violations[0]
        field = {"answer": "claim", "facts": "premise"}.get(violation.field, "premise")
        raise _Fault(field, violation.description) from error


def _required(row: Mapping[str, Any], name: str) -> Any:
    if name not in row:
        raise _Fault(name, "is missing")
    return row[name]


def _kind(value: object) -> str:
    names = {dict: "an object", list: "a list", str: "a string", bool: "a boolean"}
    return "null" if value is None else names.get(type(value), "a number")


def _shown(value: object) -> str:
    text = json.dumps(value, ensure_ascii=False)
    return text if len(text) <= 40 else text[:39] + "…"


def _refusal(faults: Sequence[FieldViolation]) -> InvalidArgument:
    shown = [f"{fault.field} {fault.description}" for fault in faults[:_FAULTS_SHOWN]]
    if len(faults) > _FAULTS_SHOWN:
        shown.append(f"and {len(faults) - _FAULTS_SHOWN} more wrong lines")
    return InvalidArgument("\n".join(shown), violations=faults)
