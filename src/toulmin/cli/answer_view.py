"""Answers as a terminal shows them: sentences as they come, with the numbers of their sources."""

from __future__ import annotations

import re
import textwrap
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, Final

from toulmin.cli.search import place_of
from toulmin.cli.terminal import Paint, printable, wrapped
from toulmin.errors import Unavailable
from toulmin.text.sentences import split_sentences
from toulmin.text.tables import is_table_rule

NOT_SUPPORTED: Final = "(not supported)"
CORRECTED: Final = "Corrected:"
_QUOTE_CHARS: Final = 200
_INDENT: Final = "    "
_WORD: Final = re.compile(r"\w+")
_ENDS: Final = ("SUCCEEDED", "FAILED")
_WHY: Final[Mapping[str, str]] = {
    "ADVERSARIAL_QUERY_IGNORED": "the question looks adversarial.",
    "NON_ANSWER_SEEKING_QUERY_IGNORED": "this is no question.",
    "NON_ANSWER_SEEKING_QUERY_IGNORED_V2": "it is not clear what is asked.",
    "OUT_OF_DOMAIN_QUERY_IGNORED": "no document is about this.",
    "POTENTIAL_POLICY_VIOLATION": "question or answer may be harmful.",
    "NO_RELEVANT_CONTENT": "the documents do not say it.",
    "JAIL_BREAKING_QUERY_IGNORED": "the question tries to get round the rules.",
    "CUSTOMER_POLICY_VIOLATION": "question or answer has a phrase that the operator has blocked.",
    "LOW_GROUNDED_ANSWER": "what could be said is not well enough supported by the documents.",
    "USER_DEFINED_CLASSIFICATION_QUERY_IGNORED": "the question is of a class that is not answered.",
    "UNHELPFUL_ANSWER": "what could be said does not help with the question.",
}


@dataclass(slots=True)
class Told:
    """An answer put together from the parts of a stream, or from the one response there is.

    Attributes:
        text: The answer so far.
        claims: Its grounding supports, or its citations where there are none.
        references: What it cites.
        related: What might be asked next.
        skipped: Why there is no answer, in the API's names.
        state: How far it is, in the API's names.
        session: Name of the session; empty: none.
    """

    text: str = ""
    claims: list[dict[str, Any]] = field(default_factory=list)
    references: list[dict[str, Any]] = field(default_factory=list)
    related: list[str] = field(default_factory=list)
    skipped: list[str] = field(default_factory=list)
    state: str = ""
    session: str = ""

    @property
    def is_answer(self) -> bool:
        """Whether the question is answered."""
        return self.state == "SUCCEEDED" and not self.skipped

    @property
    def titles(self) -> list[str]:
        """Numbers and titles of the sources: "[1] Otters, page 3"."""
        return [
            f"[{number}] {_Source.of(reference).heading}"
            for number, reference in enumerate(self.references, 1)
        ]

    def add(self, response: Mapping[str, Any], paint: Paint) -> str:
        """Take the next part and return what it adds, marked with sources, for the terminal.

        The last part repeats the whole answer; the parts before it each have what is new. What was
        corrected at the end is returned whole.
        """
        part = response.get("answer", {})
        self.state = part.get("state", self.state)
        self.session = response.get("session", {}).get("name", self.session)
        before = Told() if self.state == "SUCCEEDED" else self
        start = len(self.text.encode())
        seen = max((int(claim.get("endIndex", 0)) for claim in self.claims), default=0)
        claims = part.get("groundingSupports") or part.get("citations", [])
        text = before.text + str(part.get("answerText", ""))
        corrected = bool(self.text) and not text.startswith(self.text)
        new = text.removeprefix(self.text)
        self.text = text
        self.claims = before.claims + claims
        self.references = before.references + part.get("references", [])
        self.related = before.related + part.get("relatedQuestions", [])
        self.skipped = before.skipped + part.get("answerSkippedReasons", [])
        if self.skipped:
            return ""
        if corrected:
            return f"\n\n{paint('33', CORRECTED)} {marked(new, claims, 0, paint)}"
        unseen = [claim for claim in claims if int(claim.get("endIndex", 0)) > seen]
        return marked(new, unseen, start, paint)

    def end(self) -> None:
        """Make sure that the answer came to its end.

        Raises:
            Unavailable: The stream was cut off, or the answer failed.
        """
        if self.state not in _ENDS:
            raise Unavailable("the answer was cut off before its end; ask again")
        if self.state == "FAILED":
            raise Unavailable("the answer failed; the server's log says why")


def marked(text: str, claims: Iterable[Mapping[str, Any]], start: int, paint: Paint) -> str:
    """Return a text with its marks: [1][2] behind what is cited, words behind what none bears out.

    Args:
        text: The text.
        claims: Grounding supports or citations of it, in order.
        start: Where the text begins in the answer, in UTF-8 bytes, as the claims count.
        paint: Colours.
    """
    content = text.encode()
    pieces, done = [], 0
    for claim in claims:
        mark = _mark(claim, paint)
        end = int(claim.get("endIndex", 0)) - start
        if not mark or not done <= end <= len(content):
            continue
        pieces.append(f"{_printable(content[done:end])} {mark}")
        done = end
    return "".join(pieces) + _printable(content[done:])


def _printable(content: bytes) -> str:
    """Return text without what a document could steer a terminal by."""
    return printable(content.decode(errors="replace"))


def _mark(claim: Mapping[str, Any], paint: Paint) -> str:
    numbers = _numbers(claim)
    if numbers:
        return paint("36", "".join(f"[{number + 1}]" for number in numbers))
    return paint("33", NOT_SUPPORTED) if claim.get("groundingCheckRequired") else ""


def _numbers(claim: Mapping[str, Any]) -> list[int]:
    """Return the places of the references that a claim rests on."""
    found = [int(source.get("referenceId", 0)) for source in claim.get("sources", [])]
    return list(dict.fromkeys(found))


def why_not(skipped: Iterable[str]) -> str:
    """Return a sentence that says why there is no answer."""
    reasons = list(dict.fromkeys(_WHY.get(name, f"{name}.") for name in skipped))
    return f"No answer: {' Also, '.join(reasons)}"


def source_lines(told: Told, paint: Paint) -> Iterator[str]:
    """Yield the numbered sources of an answer: title, page, address, the words that bear it out."""
    for number, reference in enumerate(told.references):
        source = _Source.of(reference)
        yield from wrapped(
            f"{paint('36', f'[{number + 1}]')} {paint('1', source.heading)}", _INDENT
        )
        if source.link:
            yield from wrapped(f"{_INDENT}{paint('36', place_of(source.link))}", _INDENT)
        if quote := _quote(source.text, _said_from(told, number)):
            yield from wrapped(f"{_INDENT}“{quote}”", _INDENT)


def related_lines(told: Told, paint: Paint) -> Iterator[str]:
    """Yield what might be asked next; nothing where there is nothing."""
    if told.related:
        yield paint("2", "You may also ask:")
        for question in told.related:
            yield from wrapped(f"  - {printable(question)}", _INDENT)


@dataclass(frozen=True, slots=True)
class _Source:
    """A reference of any of the API's kinds."""

    title: str
    document: str
    page: str
    link: str
    text: str

    @property
    def heading(self) -> str:
        """Title, or else the document's id, and page."""
        page = f", page {self.page}" if self.page else ""
        return f"{self.title or self.document}{page}"

    @classmethod
    def of(cls, reference: Mapping[str, Any]) -> _Source:
        if "chunkInfo" in reference:
            chunk = reference["chunkInfo"]
            return cls._of(chunk.get("documentMetadata", {}), chunk)
        if "unstructuredDocumentInfo" in reference:
            info = reference["unstructuredDocumentInfo"]
            return cls._of(info, next(iter(info.get("chunkContents", [])), {}))
        info = reference.get("structuredDocumentInfo", {})
        data = info.get("structData", {})
        text = "; ".join(f"{key}: {value}" for key, value in data.items())
        return cls._of(info, {"content": text})

    @classmethod
    def _of(cls, info: Mapping[str, Any], part: Mapping[str, Any]) -> _Source:
        return cls(
            title=printable(str(info.get("title", ""))),
            document=str(info.get("document", "")).rpartition("/")[2] or "?",
            page=str(part.get("pageIdentifier") or info.get("pageIdentifier", "")),
            link=printable(str(info.get("uri", ""))),
            text=printable(str(part.get("content", ""))),
        )


def _said_from(told: Told, number: int) -> str:
    """Return what of the answer rests on a reference."""
    content = told.text.encode()
    said = [
        content[int(claim.get("startIndex", 0)) : int(claim.get("endIndex", 0))]
        for claim in told.claims
        if number in _numbers(claim)
    ]
    return b" ".join(said).decode(errors="replace")


def _quote(text: str, said: str) -> str:
    """Return the sentence, or row of a table, that shares most words with what was said from it.

    A row is read with the words of its table's head, which says nothing by itself.
    """
    wanted = _words_of(said)
    lines = [text[start:end] for start, end in split_sentences(text)]
    head: set[str] = set()
    best, most = "", -1
    for line, following in zip(lines, [*lines[1:], ""], strict=True):
        if is_table_rule(line):
            continue
        if is_table_rule(following) and line.startswith("|"):
            head = _words_of(line)
            continue
        is_row = line.startswith("|")
        head = head if is_row else set()
        words = wanted & _words_of(line)
        shared = len(words | (wanted & head) if is_row and words else words)
        if shared > most:
            best, most = (line.strip("| ") if is_row else line), shared
    return textwrap.shorten(best, _QUOTE_CHARS, placeholder=" …")


def _words_of(text: str) -> set[str]:
    return set(_WORD.findall(text.casefold()))
