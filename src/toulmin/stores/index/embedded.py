"""The index in this process: one folder, one process, one writer, any number of readers.

lock              held while the folder is open, so that a second process is refused
current.json      which build is in use, and what it was made for
build-0000000001/ a build (generation.py)
"""

from __future__ import annotations

import fcntl
import os
import shutil
import threading
from collections.abc import Sequence
from pathlib import Path

from toulmin.errors import FailedPrecondition, Unavailable
from toulmin.stores.index.generation import Generation, create_generation
from toulmin.stores.index.manifest import FORMAT, flush_folder, read_json, write_json
from toulmin.stores.index.predicate import EVERYTHING, FieldValue, Predicate
from toulmin.stores.index.protocol import (
    Change,
    Counts,
    FacetValue,
    Hits,
    IndexUnusable,
    Query,
    Selected,
    Selection,
)

_CURRENT = "current.json"
_LOCK = "lock"


class EmbeddedIndex:
    """A `SearchIndex` in a folder.

    Args:
        folder: Made if it is not there.
        lineage: What the index is derived from and with: name of the records' history, version of
            the embedder. An index of another lineage is not taken for this one.
        dimensions: Length of the vectors.

    Raises:
        FailedPrecondition: Another process has the folder open.
        IndexUnusable: The folder is damaged, of another lineage, or of another version's format.
            `discard` it, open it again and apply everything; or copy it away first.
    """

    def __init__(self, folder: Path, *, lineage: str, dimensions: int = 384) -> None:
        self._folder = folder
        self._dimensions = dimensions
        self._made_for = {"format": FORMAT, "lineage": lineage, "dimensions": dimensions}
        self._lock = _lock_folder(folder)
        self._writing = threading.Lock()
        self._rebuild: EmbeddedRebuild | None = None
        self._closed = False
        try:
            self._generation = self._open()
        except BaseException:
            os.close(self._lock)
            raise

    @property
    def position(self) -> int:
        """Number of the last change applied."""
        return self._generation.position

    @property
    def wasted(self) -> float:
        """Share in [0, 1] of what the index holds that is dead: over a third, rebuild it."""
        return self._generation.wasted

    def apply(self, changes: Sequence[Change], *, up_to: int) -> None:
        """Make changes searchable (see `SearchIndex`)."""
        with self._writing:
            self._must_be_open()
            self._generation.apply(changes, up_to=up_to)

    def search(self, query: Query) -> Hits:
        """Return what fits best."""
        return self._generation.snapshot.search(query)

    def select(self, selection: Selection) -> Selected:
        """Return documents in an order that no query has a say in."""
        return self._generation.snapshot.select(selection)

    def values(self, keys: Sequence[int], field: str) -> dict[int, tuple[FieldValue, ...]]:
        """Return the values of `field` of the chunks with `keys`; of those that have any."""
        return self._generation.snapshot.values(keys, field)

    def correct(self, text: str) -> str:
        """Return `text` with misspelt words put right, "" if there are none."""
        return self._generation.snapshot.correct(text)

    def count(self, predicate: Predicate = EVERYTHING) -> Counts:
        """Return how many chunks and documents fulfil `predicate`."""
        return self._generation.snapshot.count(predicate)

    def facet(self, field: str, predicate: Predicate = EVERYTHING) -> tuple[FacetValue, ...]:
        """Return the strings of `field` with their numbers of documents."""
        return self._generation.snapshot.facet(field, predicate)

    def rebuild(self) -> EmbeddedRebuild:
        """Begin a new index beside this one.

        Raises:
            FailedPrecondition: One is under way.
        """
        with self._writing:
            self._must_be_open()
            if self._rebuild is not None:
                raise FailedPrecondition("The search index is being rebuilt already.")
            self._rebuild = EmbeddedRebuild(self, self._new_build())
            return self._rebuild

    def close(self) -> None:
        """Keep what was applied, take no more, let go of the folder."""
        with self._writing:
            if self._closed:
                return
            self._closed = True
            if self._rebuild is not None:
                self._rebuild.drop()
            self._generation.close()
            os.close(self._lock)

    def take_over(self, rebuild: EmbeddedRebuild) -> None:
        """Put a rebuild in use (`Rebuild.swap`)."""
        with self._writing:
            self._must_be_open()
            if self._rebuild is not rebuild:
                raise FailedPrecondition("This rebuild is over.")
            if rebuild.position < self.position:
                raise FailedPrecondition(
                    f"The rebuild is at change {rebuild.position}, the index at {self.position}."
                )
            self._use(rebuild.folder.name)
            old, self._generation = self._generation, rebuild.generation
            self._rebuild = None
            old.close()
            self._remove_others(rebuild.folder.name)

    def give_up(self, rebuild: EmbeddedRebuild) -> None:
        """Throw a rebuild away (`Rebuild.abandon`)."""
        with self._writing:
            if self._rebuild is rebuild:
                self._rebuild = None
                rebuild.drop()

    def _open(self) -> Generation:
        if not (self._folder / _CURRENT).exists():
            if any(self._folder.glob("build-*/rows-*")):
                raise IndexUnusable(f"{self._folder} has lost its {_CURRENT}.")
            self._remove_others("")
            self._use(self._new_build().name)
        current = read_json(self._folder / _CURRENT)
        made_for = {name: current.get(name) for name in self._made_for}
        if made_for != self._made_for:
            raise IndexUnusable(
                f"The search index in {self._folder} was made for {made_for}, not for"
                f" {self._made_for}."
            )
        build = str(current["build"])
        self._remove_others(build)
        return Generation(self._folder / build)

    def _new_build(self) -> Path:
        taken = [int(path.name.removeprefix("build-")) for path in self._folder.glob("build-*")]
        folder = self._folder / f"build-{max(taken, default=0) + 1:010d}"
        create_generation(folder, dimensions=self._dimensions)
        return folder

    def _use(self, build: str) -> None:
        flush_folder(self._folder)
        write_json(self._folder / _CURRENT, {**self._made_for, "build": build})
        flush_folder(self._folder)

    def _remove_others(self, build: str) -> None:
        for path in self._folder.glob("build-*"):
            if path.name != build:
                shutil.rmtree(path)

    def _must_be_open(self) -> None:
        if self._closed:
            raise Unavailable("the search index is closed; the server is shutting down")


class EmbeddedRebuild:
    """A `Rebuild`; made by `EmbeddedIndex.rebuild`.

    Attributes:
        folder: Where it is built.
        generation: The build.
    """

    def __init__(self, index: EmbeddedIndex, folder: Path) -> None:
        self._index = index
        self.folder = folder
        self.generation = Generation(folder)

    @property
    def position(self) -> int:
        """Number of the last change applied to it."""
        return self.generation.position

    def apply(self, changes: Sequence[Change], *, up_to: int) -> None:
        """Apply changes to it only; from one thread at a time."""
        self.generation.apply(changes, up_to=up_to)

    def swap(self) -> None:
        """Put it in the index's place."""
        self._index.take_over(self)

    def abandon(self) -> None:
        """Throw it away."""
        self._index.give_up(self)

    def drop(self) -> None:
        """Close it and remove its files."""
        self.generation.close()
        shutil.rmtree(self.folder)


def discard(folder: Path) -> None:
    """Remove an index, so that opening it makes an empty one.

    Raises:
        FailedPrecondition: A process has the folder open.
    """
    lock = _lock_folder(folder)
    try:
        for path in folder.glob("build-*"):
            shutil.rmtree(path)
        (folder / _CURRENT).unlink(missing_ok=True)
    finally:
        os.close(lock)


def _lock_folder(folder: Path) -> int:
    """Return the handle that holds the folder's lock; it goes with the process."""
    folder.mkdir(parents=True, exist_ok=True)
    handle = os.open(folder / _LOCK, os.O_RDWR | os.O_CREAT, 0o600)
    try:
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError as error:
        os.close(handle)
        raise FailedPrecondition(
            f"Another process has the search index in {folder} open."
        ) from error
    return handle
