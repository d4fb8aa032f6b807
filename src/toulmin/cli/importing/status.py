"""How far an import is, and how the terminal shows it."""

from __future__ import annotations

import contextlib
import dataclasses
import itertools
import re
import signal
import threading
import time
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from types import FrameType
from typing import Final, Self, TextIO
from urllib.parse import unquote

from toulmin.cli.terminal import WIDEST, line_width

_INLINE: Final = re.compile(r"documents\[(\d{1,9})\]")
_BAR_WIDTH: Final = 24
_SHORTEST_BAR: Final = 6
_BETWEEN: Final = "  "
_SECONDS_BETWEEN_DRAWINGS: Final = 0.2
_SECONDS_BETWEEN_LINES: Final = 1.0
_SECONDS_BETWEEN_LATER_LINES: Final = 10.0
_LATER_S: Final = 60.0
_NOTHING_MATCHED: Final = ": nothing matched"


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


@dataclass(frozen=True, slots=True)
class FileSizes:
    """How large the files of an import are.

    Attributes:
        sums: Bytes of the first 0, 1, 2, ... items, in the order in which they are read.
    """

    sums: tuple[int, ...] = (0,)

    @classmethod
    def of(cls, sizes: Iterable[int]) -> FileSizes:
        """Return the sums of sizes."""
        return cls((0, *itertools.accumulate(sizes)))

    @property
    def files(self) -> int:
        """How many there are; 0: not known."""
        return len(self.sums) - 1

    def line(self, items: int) -> str:
        """Return how many bytes the first items have, of all: "1.2/3.4 MiB"; "" if not known."""
        if not self.sums[-1]:
            return ""
        done, total = self.sums[min(items, self.files)], self.sums[-1]
        unit, size = ("MiB", 2**20) if total >= 2**20 else ("KiB", 2**10)
        return f"{done / size:,.1f}/{total / size:,.1f} {unit}"


class ImportProgress:
    """A bar on a terminal; else a line every second, and after a minute every ten.

    Drawn by a thread of its own from `__enter__` to `__exit__`, so that it goes on while files are
    looked for, models loaded and a server waited for.

    Args:
        stream: Where to draw.
        quiet: Draw nothing.
        before: What is done while nothing is counted yet.
    """

    def __init__(self, stream: TextIO, *, quiet: bool, before: str = "looking for files") -> None:
        self._before = before
        self._stream = stream
        self._quiet = quiet
        self._is_terminal = stream.isatty()
        self._started = time.monotonic()
        self._status, self._sizes = ImportStatus(), FileSizes()
        self._end, self._drawing = threading.Event(), threading.Lock()
        self._thread = threading.Thread(target=self._run, name="toulmin-progress", daemon=True)

    def __enter__(self) -> Self:
        if not self._quiet:
            self._thread.start()
        return self

    def __exit__(self, *_error: object) -> None:
        self._end.set()
        if not self._quiet:
            self._thread.join()
        self._clear()

    def show(self, status: ImportStatus, sizes: FileSizes | None = None) -> None:
        """Draw this from now on."""
        self._status, self._sizes = status, sizes or self._sizes

    def note(self, text: str) -> None:
        """Say something between drawings."""
        with self._drawing:
            self._clear()
            self._stream.write(f"{text}\n")
            self._stream.flush()

    def pause(self, seconds: float) -> float:
        """Return the time to the next drawing, `seconds` after the start."""
        if self._is_terminal:
            return _SECONDS_BETWEEN_DRAWINGS
        return _SECONDS_BETWEEN_LATER_LINES if seconds > _LATER_S else _SECONDS_BETWEEN_LINES

    def _run(self) -> None:
        with contextlib.suppress(OSError):  # nobody reads it any more; the import goes on
            while True:
                seconds = time.monotonic() - self._started
                width = line_width() - self._is_terminal  # the cursor needs a column, too
                self._draw(
                    progress_line(
                        self._status, seconds, self._sizes, before=self._before, width=width
                    )
                )
                if self._end.wait(self.pause(seconds)):
                    return

    def _draw(self, line: str) -> None:
        with self._drawing:
            self._stream.write(f"\r\x1b[K{line}" if self._is_terminal else f"{line}\n")
            self._stream.flush()

    def _clear(self) -> None:
        if self._is_terminal and not self._quiet:
            self._stream.write("\r\x1b[K")
            self._stream.flush()


def progress_line(
    status: ImportStatus,
    seconds: float,
    sizes: FileSizes,
    *,
    before: str = "looking for files",
    width: int = WIDEST,
) -> str:
    """Return how far an import is, `seconds` after its start.

    Where there is too little room the bar is shorter or left out, then speed and bytes are.
    """
    items = status.success + status.failure
    total = max(status.total, sizes.files, items)
    clock = f"{int(seconds) // 60}:{int(seconds) % 60:02d}"
    if not total:
        return f"{before}  {clock}"
    noun = "files" if sizes.files else "documents"
    failed = f"{status.failure:,} failed" if status.failure else ""
    speed = f"{items / max(seconds, 1e-9):.1f}/s"
    parts = [f"{items:,}/{total:,} {noun}", sizes.line(items), failed, speed, clock]
    left_out = iter((speed, sizes.line(items)))
    while len(line := _BETWEEN.join(filter(None, parts))) > width:
        long = next(left_out, None)
        if long is None:
            return line
        parts = [part for part in parts if part != long]
    room = min(_BAR_WIDTH, width - len(line) - len(_BETWEEN))
    if room < _SHORTEST_BAR:
        return line
    filled = room * items // max(total, 1)
    return "█" * filled + "░" * (room - filled) + _BETWEEN + line


def without_empty_folders(status: ImportStatus) -> tuple[ImportStatus, list[str]]:
    """Return a status in which a folder without files is no failure, and those folders."""
    empty = [
        item
        for item, message in status.samples
        if message.endswith(_NOTHING_MATCHED) and Path(shown_item(item)).is_dir()
    ]
    samples = tuple(sample for sample in status.samples if sample[0] not in empty)
    fewer = dataclasses.replace(status, samples=samples, failure=status.failure - len(empty))
    return (fewer if empty else status), [shown_item(item) for item in empty]


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
