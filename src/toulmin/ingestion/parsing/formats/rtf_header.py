"""What RTF says besides its body: fonts, styles, its own properties, pictures."""

from __future__ import annotations

import binascii
import re
from dataclasses import dataclass, field

from toulmin.ingestion.parsing.document import DocumentMetadata
from toulmin.ingestion.parsing.formats.rtf_tokens import CHARSETS, code_page
from toulmin.ingestion.parsing.images import image_mime_type

SKIPPED = frozenset(
    """
    annotation atnauthor atnid atrfend atrfstart background bkmkend bkmkstart colortbl comment
    datafield do fldinst filetbl footer footerf footerl footerr ftncn ftnsep ftnsepc generator
    header headerf headerl headerr hlinkbase htmltag latentstyles listoverridetable listtable
    mhtmltag nonesttables nonshppict objalias objclass objdata objname objsect pgptbl pnseclvl
    private revtbl rsidtbl shprslt sn sp sv tc template themedata themedatamso txe
    wgrffmtfilter xe xmlnstbl
    """.split()  # noqa: SIM905 - read as words
)
"""Destinations that no reader shows."""
_INFO = frozenset({"title", "subject", "author", "keywords", "doccomm", "company", "category"})
_DATES = frozenset({"creatim", "revtim"})
_HEADING = re.compile(r"heading (\d)", re.IGNORECASE)
_LIST = re.compile(r"list (?:bullet|number|paragraph)(?: (\d))?", re.IGNORECASE)
_LONGEST_NAME = 200
_LONGEST_PROPERTY = 10_000
_NOT_HEX = re.compile(rb"[^0-9a-fA-F]+")


@dataclass(slots=True)
class _Style:
    name: bytes = b""
    level: int = 0


@dataclass(slots=True)
class Header:
    """Collects the header's groups as they go by."""

    _charsets: dict[int, str] = field(default_factory=dict)
    _font: int = 0
    _default_font: int | None = None
    _page: str = "cp1252"
    _styles: dict[int, _Style] = field(default_factory=dict)
    _style: int = 0
    _said: dict[str, bytearray] = field(default_factory=dict)
    _dates: dict[str, dict[str, int]] = field(default_factory=dict)
    _picture: bytearray = field(default_factory=bytearray)

    def enters(self, destination: str, name: str) -> str:
        """Return the destination that a group's first word leads to, "" for none of this."""
        if name in ("fonttbl", "stylesheet", "info") and not destination:
            return name
        if destination == "info" and name in _INFO | _DATES:
            return f"info.{name}"
        if destination == "stylesheet":
            return "skip" if name in ("cs", "ds", "ts", "tsrowd") else "style"
        return ""

    def begin(self, destination: str, name: str, value: int | None) -> None:
        """Begin a destination whose first word this is."""
        if destination == "style":
            self._style = 0
            self.word(destination, name, value)
        elif destination == "picture":
            self._picture.clear()

    def word(self, destination: str, name: str, value: int | None) -> None:
        """Take a control word that stands in a destination of the header."""
        if destination == "fonttbl":
            self._font_word(name, value or 0)
        elif destination == "style":
            self._style_word(name, value or 0)
        elif destination.startswith("info.") and destination[5:] in _DATES:
            self._dates.setdefault(destination[5:], {})[name] = value or 0
        elif name == "ansicpg":
            self._page = code_page(value or 1252)
        elif name == "mac":
            self._page = "mac-roman"
        elif name in ("pc", "pca"):
            self._page = "cp437" if name == "pc" else "cp850"
        elif name == "deff":
            self._default_font = value or 0

    def _font_word(self, name: str, value: int) -> None:
        if name == "f":
            self._font = value
        elif name == "fcharset" and value > 1:
            self._charsets[self._font] = CHARSETS.get(value, self._page)
        elif name == "cpg" and value:
            self._charsets[self._font] = code_page(value)

    def _style_word(self, name: str, value: int) -> None:
        if name == "s":
            self._style = value
        elif name == "outlinelevel" and 0 <= value < 9:
            self._styles.setdefault(self._style, _Style()).level = value + 1

    def add(self, destination: str, data: bytes) -> None:
        """Add bytes that stand in a destination of the header."""
        if destination == "picture":
            self._picture += data
        elif destination == "style":
            style = self._styles.setdefault(self._style, _Style())
            if len(style.name) < _LONGEST_NAME:
                style.name += data
        elif destination.startswith("info."):
            said = self._said.setdefault(destination[5:], bytearray())
            if len(said) < _LONGEST_PROPERTY:
                said += data

    def encoding(self, font: int | None) -> str:
        """Return the encoding of a font's bytes; None: of the font that is not named."""
        if font is None:
            font = self._default_font
        return self._charsets.get(font, self._page) if font is not None else self._page

    def style(self, number: int) -> tuple[int, int]:
        """Return what a paragraph style means: the level of a heading, the depth of a list."""
        style = self._styles.get(number)
        if style is None:
            return 0, 0
        # Other names of the style may follow, and a semicolon does.
        name = re.split(r"[,;]", style.name.decode("ascii", "replace"))[0].strip().lower()
        if name in ("title", "subtitle"):
            return (1 if name == "title" else 2), 0
        if heading := _HEADING.fullmatch(name):
            return int(heading[1]), 0
        listed = _LIST.fullmatch(name)
        return style.level, (int(listed[1] or 1) if listed and "paragraph" not in name else 0)

    def picture(self) -> tuple[bytes, str] | None:
        """Return the image that ended and its MIME type; None if it is of no known kind."""
        for data in (bytes(self._picture), _unhex(self._picture)):
            mime_type = image_mime_type(data)
            if mime_type:
                return data, mime_type
        return None

    @property
    def metadata(self) -> DocumentMetadata:
        """What the file says about itself."""
        said = {key: self._text(value) for key, value in self._said.items()}
        return DocumentMetadata(
            title=said.pop("title", ""),
            author=said.pop("author", ""),
            created=self._date("creatim"),
            modified=self._date("revtim"),
            properties={key: value for key, value in said.items() if value.strip()},
        )

    def _text(self, value: bytearray) -> str:
        try:
            return value.decode("utf-8")
        except UnicodeDecodeError:
            return value.decode(self._page, "replace")

    def _date(self, name: str) -> str:
        date = self._dates.get(name, {})
        if not (0 < date.get("yr", 0) < 10_000 and 0 < date.get("mo", 0) < 13):
            return ""
        day = f"{date['yr']:04}-{date['mo']:02}-{date.get('dy', 1):02}"
        return day + (f"T{date['hr']:02}:{date.get('min', 0):02}:00" if "hr" in date else "")


def _unhex(picture: bytearray) -> bytes:
    digits = _NOT_HEX.sub(b"", picture)
    try:
        return binascii.unhexlify(digits[: len(digits) & ~1])
    except binascii.Error:
        return b""
