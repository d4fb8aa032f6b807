"""AsciiDoc's marks inside a line: what a reader sees of macros, references and emphasis."""

from __future__ import annotations

import re

# Every span has a most: a mark that is never closed would be looked for to the end of the text.
_ATTRIBUTE = re.compile(r"(?<!\\)\{([\w-]+)\}")
_PASS = re.compile(r"\+\+\+(.{0,2000}?)\+\+\+|pass:\w*\[((?:[^\]\\]|\\.){0,2000})\]", re.DOTALL)
_FOOTNOTE = re.compile(r"footnote(?:ref)?:[\w-]*\[((?:[^\]\\]|\\.){0,2000})\]")
_MENU = re.compile(r"menu:([^\[\n]{1,200})\[([^\]\n]*)\]")
_SHOWN = re.compile(r"(?:kbd|btn|stem|latexmath|asciimath):\w*\[((?:[^\]\\]|\\.){0,2000})\]")
_IMAGE = re.compile(r"(?:image|icon):(?!:)[^\s\[\]]{1,2000}\[([^\]\n]{0,2000})\]")
_NAMED = re.compile(r"(?:link|xref|mailto):(?!:)([^\s\[\]]{1,2000})\[((?:[^\]\\]|\\.){0,2000})\]")
_URL = re.compile(r"((?:https?|ftp|irc)://[^\s\[\]<>]{1,2000})\[((?:[^\]\\]|\\.){0,2000})\]")
_REFERENCE = re.compile(r"<<#?([^<>,\n]+)(?:,[ \t]*([^<>]*))?>>")
_ANCHOR = re.compile(r"\[\[[^\[\]\n]*\]\]|\[#[\w-]+\](?![#\w])|anchor:[\w-]+\[[^\]]*\]")
_INDEX = re.compile(r"\(\(\([^()]*\)\)\)|indexterm:\[[^\]]*\]")
_INDEX_SHOWN = re.compile(r"\(\(([^()]+)\)\)|indexterm2:\[([^\]]*)\]")
_ROLE = re.compile(r"\[[.#%\w-][^\[\]\n]{0,100}\](?=[#*_`]+\S)")
_UNBOUNDED = re.compile(r"(\*\*|__|``|##)(?=\S)(.{1,500}?)(?<=\S)\1")
_BOUNDED = re.compile(r"(?<![\w\\*_`#+~^:;}])([*_`#+])(?=\S)([^\n]{1,500}?)(?<=\S)\1(?!\w)")
_SCRIPT = re.compile(r"([~^])(\S{1,100}?)\1")
_ESCAPE = re.compile(r"\\(?=[*_`#+~^{<\[:]|https?:)")
_WORDS = {"(C)": "\u00a9", "(R)": "\u00ae", "(TM)": "\u2122", "...": "\u2026"}
_KNOWN_ATTRIBUTES = {
    "amp": "&",
    "apos": "'",
    "asterisk": "*",
    "backtick": "`",
    "blank": "",
    "brvbar": "\u00a6",
    "cpp": "C++",
    "deg": "\u00b0",
    "empty": "",
    "endsb": "]",
    "gt": ">",
    "ldquo": "\u201c",
    "lsquo": "\u2018",
    "lt": "<",
    "nbsp": " ",
    "plus": "+",
    "quot": '"',
    "rdquo": "\u201d",
    "rsquo": "\u2019",
    "sp": " ",
    "startsb": "[",
    "tilde": "~",
    "two-colons": "::",
    "two-semicolons": ";;",
    "vbar": "|",
    "zwsp": "",
}
_MAX_EXPANDED = 100_000


def inline(text: str, attributes: dict[str, str]) -> str:
    """Return what is read of a text; references to attributes that nobody set stay as they are."""
    text = expand(text, attributes)
    text = _PASS.sub(lambda found: found[1] or found[2] or "", text)
    text = _FOOTNOTE.sub(lambda note: f" ({note[1]})" if note[1] else "", text)
    text = _MENU.sub(lambda menu: " > ".join(filter(None, [menu[1], menu[2]])), text)
    text = _SHOWN.sub(r"\1", text)
    text = _IMAGE.sub(lambda image: first_value(image[1]), text)
    text = _NAMED.sub(_link_text, text)
    text = _URL.sub(_link_text, text)
    text = _REFERENCE.sub(lambda found: found[2] or found[1].rpartition("#")[2] or found[1], text)
    text = _ANCHOR.sub("", _INDEX.sub("", text))
    text = _INDEX_SHOWN.sub(lambda found: found[1] or found[2] or "", text)
    text = _SCRIPT.sub(r"\2", _without_emphasis(_ROLE.sub("", text)))
    for mark, shown in _WORDS.items():
        text = text.replace(mark, shown)
    return _ESCAPE.sub("", text)


def expand(text: str, attributes: dict[str, str]) -> str:
    """Return a text with its references to attributes replaced, as far as these are set."""

    def value(found: re.Match[str]) -> str:
        name = found[1].lower()
        return attributes.get(name, _KNOWN_ATTRIBUTES.get(name, found[0]))

    expanded = _ATTRIBUTE.sub(value, text)
    return expanded if len(expanded) <= max(_MAX_EXPANDED, len(text)) else text


def first_value(attributes: str) -> str:
    """Return the first value of a macro's list, such as the description of an image."""
    if attributes.startswith('"'):
        return attributes[1:].partition('"')[0]
    first = attributes.partition(",")[0]
    return "" if "=" in first else first.strip()


def _link_text(found: re.Match[str]) -> str:
    text = found[2].replace("\\]", "]").removesuffix("^")
    said = first_value(text) if '="' in text or text.startswith('"') else text
    return said.removesuffix("^") or found[1]


def _without_emphasis(text: str) -> str:
    for _ in range(3):  # one emphasis may stand in another
        text, unbounded = _UNBOUNDED.subn(r"\2", text)
        text, bounded = _BOUNDED.subn(r"\2", text)
        if not unbounded + bounded:
            break
    return text
