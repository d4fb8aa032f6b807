"""Where it is asked how something is done: the section that says so, with its steps or its code.

"How do I restore a backup?" is answered by what stands under "Back up, restore": a command, which
no reader of sentences points at. A section can answer if it has numbered steps or code. It does if
the verb of the question, or one that means the same, stands in its heading, in the code or before
it, and either it has nearly all words that the verb is about, or nothing that was found is nearer
to the question in meaning. So "How do I delete a user?" is not answered by how one is created, and
not by how a data store is deleted.
"""

from __future__ import annotations

import functools
import re
import tomllib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from importlib.resources import files
from itertools import groupby
from typing import Final

import numpy as np
import numpy.typing as npt

from toulmin.answering.compose.counted import stems
from toulmin.answering.compose.fit import telling_words
from toulmin.answering.compose.question_kind import AskedFor
from toulmin.answering.compose.sentences import Piece, PieceKind, pieces_of, step_number
from toulmin.answering.passages import Passage
from toulmin.retrieval.coverage import QueryWords
from toulmin.work import UNLIMITED, Work

LEAST_WHOLE: Final = 0.6
"""Share of the words that the verb is about, by weight, in a section with title and headings."""
LEAST_NEAR: Final = 0.3
"""The same in its headings and in what is said of it."""
LEAST_OBJECT: Final = 0.5
"""The same, of the words for what the verb is done to, in the section itself."""
NEAREST: Final = 0.03
"""How much farther from the question than the nearest section one may be, as a cosine."""
LEAST_COSINE: Final = 0.4
"""Cosine of the nearest section and the question from which on it may be what is asked."""
MOST_STEPS: Final = 20
LONGEST: Final = 1_500
"""Characters of a section whose code is said as a whole."""
_MOST_PARTS: Final = 24
"""Steps and code, of the best passages first, that are looked at: each is embedded."""
_LONGEST_LOOK: Final = 600
"""Characters of a section that its meaning is told by."""
_TYPED: Final = 2
"""Words of what is typed into a search box among which the verb is: "tarnhub change log level"."""

Nearness = Callable[[str, Sequence[str], Work], npt.NDArray[np.float32]]
"""A question and texts -> the cosine of each text with it, in [-1, 1], shape (texts,)."""


@dataclass(frozen=True, slots=True)
class Instructions:
    """How something is done.

    Attributes:
        pieces: What is said, in the order of the passage: what leads in, then steps and code.
        points: Numbers of the steps among them, by place in `pieces`.
    """

    pieces: tuple[Piece, ...]
    points: Mapping[int, int]

    @property
    def passage(self) -> int:
        """Place of the passage."""
        return self.pieces[0].passage


def instructions(
    query: str,
    asked: AskedFor,
    passages: Sequence[Passage],
    nearness: Nearness | None = None,
    *,
    work: Work = UNLIMITED,
) -> Instructions | None:
    """Return what says how to do what a question asks for; None: it asks for else, or none does.

    Args:
        query: The question as it was understood.
        asked: What it asks for.
        passages: What was found, best first.
        nearness: How near texts are to the question in meaning; None: words alone tell.
        work: Asked before every text that `nearness` embeds.

    Raises:
        Cancelled: Nobody waits any more.
    """
    task = _task(query, asked)
    if task is None:
        return None
    found = groupby(pieces_of(passages), key=lambda piece: (piece.passage, piece.under))
    sections = [_Section(task, tuple(pieces), passages) for _, pieces in found]
    able = [part for section in sections for part in section.parts()][:_MOST_PARTS]
    if not able:
        return None
    if nearness is not None:
        near = nearness(query, [part.look for part in able], work)
        for part, cosine in zip(able, near.tolist(), strict=True):
            part.cosine = cosine
    most = max(part.cosine for part in able)
    answering = [part for part in able if part.answers(most)]
    best = max(answering, key=lambda part: round(part.fitness, 6), default=None)
    return best.said() if best is not None else None


@dataclass(frozen=True, slots=True)
class _Task:
    """What is to be done.

    Attributes:
        verbs: Stems of the verbs that say it.
        about: The words that say with what.
        done_to: Those right behind the verb.
        has_words: Whether there are any.
        says_little: Whether the verb says nothing of what is done, as "use" does.
    """

    verbs: frozenset[str]
    about: QueryWords
    done_to: QueryWords
    has_words: bool
    says_little: bool = False

    def names_verb(self, text: str) -> bool:
        """Return whether a text has the verb, or one that means the same."""
        return not self.verbs.isdisjoint(stems(text))


def _task(query: str, asked: AskedFor) -> _Task | None:
    """Return what is to be done; None: it is not asked how."""
    data = _data()
    command = data.command.match(query.strip())
    rest = query[command.end() :] if command else query
    words = telling_words(rest)
    if not words:
        return None
    verb = words[0]
    if asked.kind != "manner" and command is None:
        typed = words[:_TYPED] if asked.kind == "thing" and "?" not in rest else []
        verb = next((w for w in typed if any(stems(w) & group for group in data.same)), "")
        if not verb:
            return None
    about = [word for word in words if word != verb]
    own = stems(verb)
    if particle := re.search(rf"\b{re.escape(verb)} (?:\w+ )?({data.particles})\b", rest):
        own |= stems(verb + particle[1])
        about = [word for word in about if word != particle[1]]
    same = {stem for group in data.same if group & own for stem in group}
    behind = rest.partition(verb)[2]
    done_to = telling_words(re.split(rf"\b(?:{data.prepositions})\b", behind)[0]) or about
    return _Task(
        frozenset(own | same),
        QueryWords(" ".join(about)),
        QueryWords(" ".join(done_to)),
        bool(about),
        says_little=not own.isdisjoint(data.vague),
    )


class _Section:
    """What stands under one heading in one passage."""

    def __init__(self, task: _Task, pieces: tuple[Piece, ...], passages: Sequence[Passage]) -> None:
        self.task = task
        self.pieces = pieces
        self.heading = pieces[0].under[-1] if pieces[0].under else ""
        self.above = " ".join(pieces[0].under)
        self.own = " ".join((self.heading, *(p.text for p in pieces)))
        self._passages = passages

    def parts(self) -> list[_Part]:
        """Return its list of steps with the code between them, or each code with what leads in."""
        steps = [i for i, p in enumerate(self.pieces) if p.said and self.number(p)]
        if len(steps) > 1:
            until = steps[-1] + 1
            while until < len(self.pieces) and self.pieces[until].kind is PieceKind.CODE:
                until += 1
            kept = [
                i
                for i in range(steps[0], until)
                if i in steps or (self.pieces[i].kind is PieceKind.CODE and self.pieces[i].said)
            ]
            return [_Part(self, kept[:MOST_STEPS])]
        codes = [i for i, p in enumerate(self.pieces) if p.kind is PieceKind.CODE and p.said]
        if len(codes) > 1 and self._is_the_task(codes):
            return [_Part(self, self._between(codes[0], codes[-1]))]
        return [_Part(self, [i]) for i in codes]

    def _is_the_task(self, codes: Sequence[int]) -> bool:
        """Return whether its heading says what is to be done: all its code belongs to that."""
        covered = float(self.task.done_to.coverage([self.heading])[0])
        length = sum(len(self.pieces[i].text) for i in self._between(codes[0], codes[-1]))
        return self.task.names_verb(self.heading) and covered >= LEAST_OBJECT and length <= LONGEST

    def _between(self, first: int, last: int) -> list[int]:
        """Return the places of what is said from one code to another, what leads in included."""
        leads = {PieceKind.SENTENCE, PieceKind.SILENT}
        return [
            i
            for i in range(first, last + 1)
            if self.pieces[i].said
            or (self.pieces[i].kind in leads and self.pieces[i].text.endswith((":", "\uff1a")))
        ]

    def number(self, piece: Piece) -> int:
        """Return the number that stands before a step; 0: it is none."""
        return step_number(piece, self._passages[piece.passage]) or 0

    def before(self, at: int) -> tuple[Piece, ...]:
        """Return the sentence right before a piece that leads into it, or explains its code."""
        before = self.pieces[at - 1] if at else None
        if before is None or before.kind not in {PieceKind.SENTENCE, PieceKind.SILENT}:
            return ()
        leads_in = before.text.rstrip().endswith((":", "\uff1a"))
        explains = self.pieces[at].kind is PieceKind.CODE and before.said
        return (before,) if leads_in or explains else ()


class _Part:
    """Steps, or code, that may be said.

    Attributes:
        cosine: How near it is to the question in meaning.
        fitness: How well it answers, once that is known.
    """

    def __init__(self, section: _Section, places: Sequence[int]) -> None:
        self._section = section
        self._places = places
        self._lead = section.before(places[0])
        self._own = "\n".join(section.pieces[place].text for place in places)
        self._near = " ".join((*(piece.text for piece in self._lead), self._own))
        self.cosine = 0.0
        self.fitness = 0.0

    @property
    def look(self) -> str:
        """What its meaning is told by."""
        section = self._section
        heads = dict.fromkeys((*section.pieces[0].under[:1], *section.pieces[0].under[-1:]))
        return ". ".join((*heads, self._near))[:_LONGEST_LOOK]

    def answers(self, most: float) -> bool:
        """Return whether it says how to do what is asked; `most` is the nearest one's cosine."""
        section, task = self._section, self._section.task
        in_heading = task.names_verb(section.heading)
        in_near = task.names_verb(self._near)
        if task.says_little:
            in_heading = in_near = bool(task.done_to.coverage([section.heading])[0] >= LEAST_WHOLE)
        if not (in_heading or in_near):
            return False
        if not task.has_words:
            self.fitness = self.cosine + in_near
            return in_heading
        about, whole = task.about.coverage(
            [f"{section.above} {self._near}", f"{section.above} {section.own}"]
        ).tolist()
        done_to = float(task.done_to.coverage([section.own])[0])
        in_a_line = any(
            task.names_verb(line) and task.done_to.coverage([line])[0] > 0
            for line in self._own.split("\n")
        )
        self.fitness = in_heading + in_near + in_a_line + about + whole + 2 * self.cosine
        by_words = whole >= LEAST_WHOLE and about >= LEAST_NEAR and done_to >= LEAST_OBJECT
        nearest = self.cosine >= max(LEAST_COSINE, most - NEAREST)
        return bool(by_words or nearest)

    def said(self) -> Instructions:
        """Return what is said."""
        section = self._section
        numbers = {
            len(self._lead) + at: number
            for at, place in enumerate(self._places)
            if (number := section.number(section.pieces[place]))
        }
        return Instructions((*self._lead, *(section.pieces[p] for p in self._places)), numbers)


@dataclass(frozen=True, slots=True)
class _Data:
    same: tuple[frozenset[str], ...]
    particles: str
    prepositions: str
    command: re.Pattern[str]
    vague: frozenset[str]


@functools.cache
def _data() -> _Data:
    path = files("toulmin.answering.compose").joinpath("data/instructing.toml")
    raw = tomllib.loads(path.read_text(encoding="utf-8"))
    return _Data(
        tuple(frozenset(stems(group)) for group in raw["same"]),
        "|".join(raw["particles"].split()),
        "|".join(raw["prepositions"].split()),
        re.compile(raw["command"], re.IGNORECASE),
        frozenset(stems(raw["vague"])),
    )
