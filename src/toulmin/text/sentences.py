# ruff: noqa: RUF001 - the marks of many scripts are the subject of this file.
"""Sentences of any text, as character ranges: one function for answers and for facts.

In: text in any language, which need not be named. Out: ranges that tile the text in order, without
the white space around them. One compiled expression finds every place that could end a sentence
(a stop mark, a line break); cheap rules then look at the word before and the character after.
Where the two readings are equally likely, the text is left whole: half a sentence can be judged
neither true nor false, two sentences together still can. Words with a meaning of their own before
a full stop are data: `data/abbreviations.toml`. Why rules and not a library:
docs/decisions/0002-sentence-segmentation.md.
"""

from __future__ import annotations

import re
import tomllib
from importlib.resources import files

from toulmin.text.scripts import KANA, LINE_BREAKS, PICTOGRAPHS, is_cjk, is_greek

_DATA = tomllib.loads(
    files("toulmin.text").joinpath("data/abbreviations.toml").read_text(encoding="utf-8")
)


def _words(key: str) -> frozenset[str]:
    return frozenset(str(_DATA[key]).split())


_OPEN = _words("open")
_MIDDLE = _words("middle")
_REFERENCE = _words("reference")
STARTERS = _words("starters")
"""Words that open a sentence, with the capital they have there."""
_MONTHS = _words("months")
_EXCLAIMED = _words("exclaimed")
_ORDINAL_HINT = re.compile(rf"(?<!\w)(?:{'|'.join(sorted(_words('ordinal_hints')))})(?!\w)")
_ORDINAL_HINT_CHARS = 2000
"""How much of a text is read to learn whether its ordinal numbers take a full stop."""

_CLOSERS = r"[\"'”’»›)\]}」』】）］》〉“‘*_`~⁰¹²³⁴-⁹]"
WEAK_STOPS = ".!?…‼⁇⁈⁉"
FULL_STOPS = "。！？｡．؟۔։።፧។៕။।॥"
_CANDIDATE = re.compile(
    # One leading character class, so that the scan for it is a table look-up.
    rf"[{WEAK_STOPS}{FULL_STOPS};\u037e{LINE_BREAKS}](?:(?<=[{LINE_BREAKS}])\s*+"
    r"|([.!?…‼⁇⁈⁉。！？｡]*+)"
    rf"((?:[ \u00a0\u202f]?»(?!\w))?+{_CLOSERS}*+"
    r"(?:[ \t]?\[(?:\d[\d,;\u2013 -]{0,15}|[a-z]|citation needed)\])*+"
    rf"(?:[ \t]?[{PICTOGRAPHS}]++)*+)"
    r"(\s*+))"
)
_RUN, _TAIL = 1, 2  # groups: more stop marks; closing marks, citation marks and emoji
_GREEK_QUESTION = ";\u037e"
_OPENERS = re.compile(r"[\"'“‘«‹„(\[{¿¡*_`>~\u2012-\u2015 \u00a0\u202f-]*+")
_WORD = re.compile(r"\w++")
_ELISION = re.compile(r"(?:l|d|un|s|qu|c|n|(?:d|n|s|d|qu)?[eau]ll)['’](?=\w\w)", re.IGNORECASE)
_BLANK_LINE = re.compile(r"\n[ \t\r]*+\n|\r[ \t]*+\r|[\x0c\u2029]")
_MARKER = re.compile(r"\d{1,3}|[A-Za-z]|[ivxIVX]{1,5}")
_BLOCK = re.compile(
    r"[ \t>]*+(?:[-*+•‣◦▪●○■□–—·・※➢✓✔✅][ \t\u3000]*(?=\S)(?<![-*+–—])"
    r"|[-*+–—][ \t]++\S|\(?(?:\d{1,3}|[A-Za-z]|[ivx]{1,5})[.)](?=\s)|\d{1,3}[、．]"
    r"|#{1,6}[ \t]|\||```|~~~|(?:[-*_=][ \t]*){3,}+(?:[\r\n]|\Z)|・|[①-⑳])"
)
_ALONE = re.compile(r"[ \t>]*+(?:#{1,6}[ \t]|\||```|~~~|(?:[-*_=][ \t]*){3,}+(?:[\r\n]|\Z))")
_LABELLED = re.compile(r"[^\W\d_][\w /()-]{0,30}[:：](?=\s|\w)")
_CAMEL = re.compile(r"[^\W\d_]{1,5}[A-Z]")
_ACRONYM = re.compile(r"(?:[^\W\d_]{1,2}\.)+[^\W\d_]{1,2}")
_NO_VOWEL = re.compile(r"[bcdfghjklmnpqrstvwxz]{2,5}")
_ROMAN = re.compile(r"[IVXLC]{1,6}|[A-Z]|[ivx]{1,5}")
_SHORT_CHARS = 4
"""Words up to this length may be abbreviations that no list has."""
_CONNECTORS = _words("connectors")
_QUOTES_OPEN = "「『（《“"
_QUOTES_CLOSE = "」』）》”"
_QUOTE_LOOKAHEAD = 200
_AFTER_QUOTE = re.compile(
    rf"[とをがはにのもでへやっ、，,]|[^，。！？“「\s{KANA}]{{0,4}}[说説問问道喊答叫想]"
)
"""What goes on with the sentence behind a closing quotation mark ("… he said")."""
_MIN_WRAP, _MAX_WRAP = 40, 130
_MIN_WRAP_CJK = 20


def split_sentences(text: str) -> list[tuple[int, int]]:
    """Return the (start, end) character ranges of the sentences of a text, in order.

    The ranges do not overlap, none begins or ends with white space, and every character that is
    not white space lies in one of them. List items, headings and table rows are sentences of
    their own; a line break inside a hard-wrapped sentence is not an end. Time is linear in the
    length of the text.

    Args:
        text: Any text; offsets count its characters, end exclusive.
    """
    return _Splitter(text).ranges()


class _Splitter:
    """One pass over one text; holds what the rules need to know about where they are."""

    __slots__ = (
        "_depth",
        "_depth_at",
        "_line_start",
        "_lowercase",
        "_ordinals",
        "_paragraph_end",
        "_start",
        "_text",
        "_width",
    )

    def __init__(self, text: str) -> None:
        self._text = text
        self._start = len(text) - len(text.lstrip())
        self._line_start = self._start
        self._lowercase: bool | None = None
        self._ordinals: bool | None = None
        self._paragraph_end = -1
        self._width = 0
        self._depth = 0
        self._depth_at = self._start

    def ranges(self) -> list[tuple[int, int]]:
        text = self._text
        found: list[tuple[int, int]] = []
        for match in _CANDIDATE.finditer(text):
            after = match.end()
            if after <= self._start:
                continue
            end = match.end(_TAIL)
            if end < 0:
                end = match.start()
                ends = self._line_ends(end, after)
                self._line_start = after
            else:
                ends = self._stop_ends(match, end, after)
            if ends:
                found.append((self._start, self._trimmed(end)))
                self._start = self._depth_at = after
                self._depth = 0
        if self._start < len(text):
            found.append((self._start, self._trimmed(len(text))))
        return found

    def _trimmed(self, end: int) -> int:
        while self._text[end - 1].isspace():
            end -= 1
        return end

    def _stop_ends(self, match: re.Match[str], end: int, after: int) -> bool:
        """Whether a stop mark, which may be followed by a line break, ends the sentence."""
        text = self._text
        stop = match.start()
        if text[stop] in _GREEK_QUESTION and not is_greek(text[stop - 1 : stop]):
            return False
        if after == len(text):
            return True
        broken = after > end and not text[end:after].isprintable() and _has_break(text[end:after])
        if text[self._start] == "|" and not broken:
            return False
        if text[stop] in FULL_STOPS:
            ends = broken or self._full_width_ends(match, end, after)
        elif after == end:
            ends = self._unspaced_ends(match, end)
        else:
            ends = self._spaced_ends(match, after)
        if broken:
            ends = ends or self._line_ends(end, after)
            self._line_start = after
        return ends

    def _spaced_ends(self, match: re.Match[str], after: int) -> bool:
        """Whether a Western stop mark with white space behind it ends the sentence."""
        text = self._text
        at = _OPENERS.match(text, after).end()  # type: ignore[union-attr]
        if at >= len(text):
            return True
        char = text[at]
        if char in ",;:)]}.!?…":
            return False
        stop = match.start()
        lower = char.islower()
        single = match.end(_RUN) == stop + 1
        if single and text[stop] == "." and match.end(_TAIL) == stop + 1:
            return self._full_stop_ends(stop, at, lower=lower)
        if lower:
            return single and text[stop] != "…" and bool(_CAMEL.match(text, at))
        if single and text[stop] == "!":
            return self._word_before(stop).casefold() not in _EXCLAIMED
        return True

    def _full_stop_ends(self, stop: int, at: int, *, lower: bool) -> bool:
        """Whether one full stop at `stop`, with the next word at `at`, ends the sentence."""
        text = self._text
        word = self._word_before(stop)
        if not word:
            return not lower
        folded = word.casefold()
        if lower:
            return (
                folded not in _OPEN
                and folded not in _MIDDLE
                and len(word) > 1
                and ("." not in word or word[-1].isdigit())
                and (bool(_CAMEL.match(text, at)) or (len(word) > 2 and self._is_lowercase()))
            )
        if stop - len(word) == self._start and _MARKER.fullmatch(word):
            return False
        if folded in _OPEN or self._is_foreign_initial(word):
            return False
        if not text[at].isalpha():
            return self._ends_before_number(word, folded, at)
        return self._ends_before_letter(word, folded, at)

    def _ends_before_number(self, word: str, folded: str, at: int) -> bool:
        if self._text[at] in "&/=+|<%°":
            return False
        if word.isdigit():
            return len(word) > 2
        return not (
            folded in _REFERENCE
            or folded in _MIDDLE
            or folded.endswith("str")
            or (len(word) == 1 and word.isalpha())
            or "." in word
            or (word.islower() and len(word) < _SHORT_CHARS)
            or (word.istitle() and len(word) <= _SHORT_CHARS)
        )

    def _ends_before_letter(self, word: str, folded: str, at: int) -> bool:
        following = _WORD.match(self._text, at).group()  # type: ignore[union-attr]
        after = at + len(following)
        starter = following in STARTERS and self._text[after : after + 1] != "."
        if word.isdigit() and len(word) <= 2:
            return following not in _MONTHS and (starter or not self._has_ordinals())
        if folded in _REFERENCE and _ROMAN.fullmatch(following):
            return starter and following not in {"I", "A"}
        if len(following) == 1 and following.isupper() and len(word) <= _SHORT_CHARS:
            return starter and not word[0].isupper()
        if (
            (len(word) == 1 and word.isalpha())
            or folded in _MIDDLE
            or folded.endswith("str")
            or _ACRONYM.fullmatch(word)
            or (_NO_VOWEL.fullmatch(folded) and not word.isupper())
            or (_ROMAN.fullmatch(word) and word.isupper() and self._has_ordinals())
        ):
            return starter or (is_cjk(word) and len(word) == 1)
        return True

    def _word_before(self, stop: int) -> str:
        """Return what stands before a stop, back to white space, without opening marks."""
        tail = self._text[max(self._start, stop - 24) : stop]
        if not tail or tail[-1].isspace():
            return ""
        word = tail.rsplit(None, 1)[-1].lstrip("\"'“‘«‹„([{¿¡*_`>~-–—|/")
        elided = _ELISION.match(word)
        return word[elided.end() :] if elided else word

    @staticmethod
    def _is_foreign_initial(word: str) -> bool:
        """Whether a lone letter of a script without capitals abbreviates (Arabic "د.")."""
        return (
            len(word) == 1
            and word.isalpha()
            and not word.isupper()
            and not word.islower()
            and not is_cjk(word)
        )

    def _unspaced_ends(self, match: re.Match[str], end: int) -> bool:
        """Whether a Western stop mark with no white space behind it ends the sentence."""
        text = self._text
        stop, char = match.start(), text[end]
        run = text[stop : match.end(_RUN)]
        if is_cjk(char):
            return "…" not in run and run != "..." and (run != "." or is_cjk(text[stop - 1]))
        if run != "." or not char.isupper():
            return False
        if end > stop + 1:
            return text[end - 1] == "]" and self._word_before(stop) != ""
        following = _WORD.match(text, end)
        return (
            following is not None
            and len(following.group()) > 1
            and following.group() in STARTERS
            and text[following.end() : following.end() + 1] == " "
            and stop - 3 >= self._start
            and text[stop - 3 : stop].isalpha()
            and text[stop - 3 : stop].islower()
        )

    def _full_width_ends(self, match: re.Match[str], end: int, after: int) -> bool:
        """Whether a stop mark that needs no white space behind it ends the sentence."""
        text = self._text
        char = text[after]
        if char in "、，," or (text[match.start()] == "．" and char.isdigit()):
            return False
        if end > match.end(_RUN) and after == end and _AFTER_QUOTE.match(text, after):
            return False
        part = text[self._depth_at : end]
        self._depth_at = end
        for opening, closing in zip(_QUOTES_OPEN, _QUOTES_CLOSE, strict=True):
            self._depth += part.count(opening) - part.count(closing)
        if self._depth <= 0:
            return True
        ahead = text[end : end + _QUOTE_LOOKAHEAD]
        return not any(closing in ahead for closing in _QUOTES_CLOSE)

    def _line_ends(self, end: int, after: int) -> bool:
        """Whether a line break, with the next line at `after`, ends the sentence."""
        text = self._text
        if after >= len(text) or _has_blank_line(text[end:after]):
            return True
        last = text[self._trimmed(end) - 1]
        # Indentation was consumed with the break; the marker itself is what counts.
        if last in ":：" or _BLOCK.match(text, after) or _ALONE.match(text, self._line_start):
            return True
        if last in ",;([{&/、，-–—":
            return False
        if text[after].islower() and not _CAMEL.match(text, after):
            return False
        if self._word_before(self._trimmed(end)) in _CONNECTORS:
            return False
        return not self._is_wrapped(end, after)

    def _is_wrapped(self, end: int, after: int) -> bool:
        """Whether the next line's first word would not have fitted on this line."""
        text = self._text
        if after > self._paragraph_end:
            blank = _BLANK_LINE.search(text, after)
            self._paragraph_end = blank.start() if blank else len(text)
            lines = text[self._line_start : self._paragraph_end].splitlines()
            self._width = max(len(line.rstrip()) for line in lines)
        length = end - self._line_start
        if is_cjk(text[after]) and is_cjk(text[end - 1]):
            return self._width >= _MIN_WRAP_CJK and length + 1 > self._width
        if not _MIN_WRAP <= self._width <= _MAX_WRAP or _LABELLED.match(text, after):
            return False
        first = text[after : after + _MAX_WRAP].split(None, 1)[0]
        return length + 1 + len(first) > self._width

    def _is_lowercase(self) -> bool:
        """Whether the text has no capital letter at all, as in chats."""
        if self._lowercase is None:
            self._lowercase = self._text.islower()
        return self._lowercase

    def _has_ordinals(self) -> bool:
        """Whether the text's language writes "3." for "third"."""
        if self._ordinals is None:
            hints = _ORDINAL_HINT.findall(self._text, 0, _ORDINAL_HINT_CHARS)
            self._ordinals = bool(hints)
        return self._ordinals


def _has_blank_line(space: str) -> bool:
    if len(space) == 1:
        return space in "\x0c\u2029"
    breaks = sum(char in LINE_BREAKS for char in space.replace("\r\n", "\n"))
    return breaks > 1 or "\x0c" in space or "\u2029" in space


def _has_break(space: str) -> bool:
    return any(char in LINE_BREAKS for char in space)
