"""How far an import is, and how the terminal shows it."""

from __future__ import annotations

import contextlib
import re
import signal
import threading
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from types import FrameType
from typing import Final, TextIO
from urllib.parse import unquote

_INLINE: Final = re.compile(r"documents\[(\d{1,9})\]")
_BAR_WIDTH: Final = 24
_SECONDS_BETWEEN_DRAWINGS: Final = 0.1
_SECONDS_BETWEEN_LINES: Final = 5.0
_SECONDS_BETWEEN_SAME_LINES: Final = 60.0


@dataclass(frozen=True, slots=True, kw_only=True)
class ImportStatus:
    """How far an import is.

    Attributes:
        success: Documents done, unchanged ones included.
        failure: Items that failed.
        total: Items in all, as far as known.
        done: Whether it has ended.
        cancelled: Whether it ended before its end because somebody wanted it to.
        problem: Why all of it failed; empty: it did not.
        samples: The first errors: what it went wrong with, and the message.
        unchanged: Documents that were there already, the same; None: not known.
        deleted: Documents deleted because the files no longer have them.
    """

    success: int = 0
    failure: int = 0
    total: int = 0
    done: bool = False
    cancelled: bool = False
    problem: str = ""
    samples: tuple[tuple[str, str], ...] = ()
    unchanged: int | None = None
    deleted: int = 0


class ImportProgress:
    """A bar on a terminal, else a line every few seconds.

    Args:
        stream: Where to draw.
        quiet: Draw nothing.
    """

    def __init__(self, stream: TextIO, *, quiet: bool) -> None:
        self._stream = stream
        self._quiet = quiet
        self._is_terminal = stream.isatty()
        self._started = self._shown = time.monotonic()
        self._last = ImportStatus()

    def show(self, status: ImportStatus) -> None:
        """Draw, if it is time to."""
        now = time.monotonic()
        if self._quiet or now - self._shown < self._pause(status):
            return
        self._shown, self._last = now, status
        line = progress_line(status, now - self._started)
        self._stream.write(f"\r\x1b[K{line}" if self._is_terminal else f"{line}\n")
        self._stream.flush()

    def _pause(self, status: ImportStatus) -> float:
        if self._is_terminal:
            return _SECONDS_BETWEEN_DRAWINGS
        is_same = status == self._last
        return _SECONDS_BETWEEN_SAME_LINES if is_same else _SECONDS_BETWEEN_LINES

    def note(self, text: str) -> None:
        """Say something between drawings."""
        self.clear()
        self._stream.write(f"{text}\n")
        self._stream.flush()

    def clear(self) -> None:
        """Remove the bar."""
        if self._is_terminal and not self._quiet:
            self._stream.write("\r\x1b[K")
            self._stream.flush()


def progress_line(status: ImportStatus, seconds: float) -> str:
    """Return how far an import is, `seconds` after its start."""
    items = status.success + status.failure
    total = max(status.total, items)
    filled = _BAR_WIDTH * items // max(total, 1)
    bar = "█" * filled + "░" * (_BAR_WIDTH - filled)
    failed = f"  {status.failure:,} failed" if status.failure else ""
    return f"{bar} {items:,}/{total:,}{failed}  {items / max(seconds, 1e-9):.1f} documents/s"


def summary_line(status: ImportStatus, store: str, seconds: float) -> str:
    """Return what an import did, in one line."""
    parts = [f"{status.success:,} document{'' if status.success == 1 else 's'}"]
    if status.unchanged:
        parts.append(f"{status.unchanged:,} of them unchanged")
    if status.deleted:
        parts.append(f"{status.deleted:,} deleted")
    if status.failure:
        parts.append(f"{status.failure:,} failed")
    return f"{store}: {', '.join(parts)}, in {seconds:.1f} s"


def error_lines(status: ImportStatus) -> Iterator[str]:
    """Yield what went wrong, item by item, and how much more did."""
    for item, message in status.samples:
        name = shown_item(item)
        text = message
        for before in (item, name.rpartition("/")[2]):
            text = text.removeprefix(f"{before}: ") if before else text
        yield f"  {name}: {text}" if name else f"  {text}"
    left = status.failure - sum(1 for item, _ in status.samples if item)
    if left > 0:
        yield f"  and {left:,} more"


def shown_item(item: str) -> str:
    """Return an item as people call it: a local file by its path from here."""
    uri, space, place = item.partition(" ")
    if not uri.startswith("file://"):
        return item
    path = Path(unquote(uri.removeprefix("file://"), errors="surrogateescape"))
    here = Path.cwd()
    shown = path.relative_to(here) if path.is_relative_to(here) else path
    return f"{str(shown).encode(errors='replace').decode()}{space}{place}"


def named(item: str, message: str, places: Sequence[str]) -> tuple[str, str]:
    """Return an error of an inline document, `documents[2]`, with the file that this is."""
    found = _INLINE.fullmatch(item)
    if found is None or int(found[1]) >= len(places):
        return item, message
    return places[int(found[1])], message


@contextlib.contextmanager
def interruptible() -> Iterator[threading.Event]:
    """Yield an event that the first Ctrl-C sets; the second raises `KeyboardInterrupt`.

    Outside the main thread, where signals do not come, nobody sets it.
    """
    stop = threading.Event()
    if threading.current_thread() is not threading.main_thread():
        yield stop
        return

    def interrupt(_number: int, _frame: FrameType | None) -> None:
        if stop.is_set():
            raise KeyboardInterrupt
        stop.set()

    before = signal.signal(signal.SIGINT, interrupt)
    try:
        yield stop
    finally:
        signal.signal(signal.SIGINT, before)
