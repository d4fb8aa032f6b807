"""One build of the index: a folder of segments, text and manifests, and its commits.

A commit is whole or not there at all, whenever the process is killed: see manifest.py for the
order of writing. Segments are merged eight at a time, neighbours of about one size, so that there
are few; dead rows go then.
"""

from __future__ import annotations

import contextlib
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from toulmin.errors import InvalidArgument
from toulmin.stores.index.manifest import (
    Manifest,
    SegmentFiles,
    flush_folder,
    read_current,
    read_json,
    remove_others,
    write_json,
    write_manifest,
)
from toulmin.stores.index.protocol import Change, IndexedChunk, IndexUnusable, Put
from toulmin.stores.index.segment import (
    Segment,
    merged,
    read_dead,
    read_rows,
    rows_of,
    write_dead,
    write_rows,
)
from toulmin.stores.index.snapshot import Snapshot
from toulmin.stores.index.text import TextIndex

MERGED_AT_ONCE = 8
_DESCRIPTION = "description.json"


class Generation:
    """One build; one writer at a time, which is the caller's to see to.

    Args:
        folder: Holds a build (`create_generation` makes it).

    Attributes:
        snapshot: What readers see; a new one after each commit.

    Raises:
        IndexUnusable: The folder is damaged.
    """

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._dimensions = int(read_json(folder / _DESCRIPTION)["dimensions"])
        self._text = TextIndex(folder / "text")
        self._failed = False
        self._manifest: Manifest
        self.snapshot: Snapshot
        self._load()

    @property
    def position(self) -> int:
        """The last change applied."""
        return self.snapshot.position

    @property
    def wasted(self) -> float:
        """Share in [0, 1] of the text's documents that are dead; a rebuild makes it 0."""
        alive = sum(int(segment.alive.sum()) for segment in self.snapshot.segments)
        return 1 - alive / max(1, self.snapshot.text.documents)

    def apply(self, changes: Sequence[Change], *, up_to: int) -> None:
        """See `SearchIndex.apply`.

        Raises:
            InvalidArgument: A vector has not the length of this index's.
        """
        if self._failed:  # the disk knows what became of the commit that failed
            self._text.drop_writer()
            self._load()
            self._failed = False
        last = {c.chunk.key if isinstance(c, Put) else c.key: c for c in changes}
        chunks = [c.chunk for _, c in sorted(last.items()) if isinstance(c, Put)]
        self._check(chunks)
        position = max(up_to, self.position)
        segments = self._without(np.array(sorted(last), dtype=np.int64))
        if not chunks and segments == self.snapshot.segments:
            # Nothing to keep: after a crash the same nothing is applied again.
            self.snapshot = replace(self.snapshot, position=position)
            return
        try:
            self._commit(segments, chunks, position)
            self._merge()
        except BaseException:
            self._failed = True
            raise

    def close(self) -> None:
        """Let go of the folder; what was applied stays."""
        self._text.close()

    def _commit(
        self, segments: tuple[Segment, ...], chunks: list[IndexedChunk], position: int
    ) -> None:
        number = self._manifest.number + 1
        first = self._manifest.next_serial
        self._text.add(enumerate(chunks, start=first))  # while tantivy cuts words, rows are written
        if chunks:
            rows = rows_of(chunks, first, self._dimensions)
            name = f"rows-{number:010d}"
            write_rows(self._folder / name, rows)
            segments = (*segments, Segment(read_rows(self._folder / name), _all(len(rows)), name))
        kept = tuple(self._with_dead_written(segment, number) for segment in segments)
        manifest = Manifest(
            number=number,
            text_before=self._text.stamp(),
            position=position,
            next_serial=first + len(chunks),
            segments=_files(kept),
        )
        # Until the text moves on the manifest does not hold, so one flush for all names will do.
        write_manifest(self._folder, manifest)
        self._text.commit()
        self._publish(manifest, kept)

    def _publish(self, manifest: Manifest, segments: tuple[Segment, ...]) -> None:
        self._manifest = manifest
        self.snapshot = Snapshot(segments, self._text.reader(), manifest.position)
        # Readers of an earlier snapshot have its files mapped; only their names go. What cannot be
        # removed now is removed another time.
        with contextlib.suppress(OSError):
            remove_others(self._folder, manifest, [_DESCRIPTION])

    def _with_dead_written(self, segment: Segment, number: int) -> Segment:
        """Return the segment with its dead rows on disk; those that changed are written."""
        if segment.dead_name or segment.alive.all():
            return segment
        name = f"{segment.name}-dead-{number:010d}"
        write_dead(self._folder / name, segment.alive)
        return replace(segment, dead_name=name)

    def _without(self, keys: NDArray[np.int64]) -> tuple[Segment, ...]:
        """Return the segments with the rows of `keys` dead.

        Those without any left stay until they are merged, for their words' frequencies.
        """
        changed: list[Segment] = []
        for segment in self.snapshot.segments:
            rows = segment.find(keys)
            if len(rows):
                alive = segment.alive.copy()
                alive[rows] = False
                segment = replace(segment, alive=alive, dead_name="")
            changed.append(segment)
        return tuple(changed)

    def _merge(self) -> None:
        """Merge neighbours of one size; the answers stay as they are."""
        segments = self.snapshot.segments
        while (start := _mergeable(segments)) is not None:
            number = self._manifest.number + 1
            rows = merged(segments[start:])
            name = f"rows-{number:010d}"
            write_rows(self._folder / name, rows)
            one = Segment(read_rows(self._folder / name), _all(len(rows)), name)
            segments = (*segments[:start], one)
            manifest = replace(self._manifest, number=number, segments=_files(segments))
            flush_folder(self._folder)  # the manifest holds as soon as it is there
            write_manifest(self._folder, manifest)
            self._publish(manifest, segments)

    def _load(self) -> None:
        """Take up the last commit on disk."""
        manifest = read_current(self._folder, self._text.stamp())
        segments = []
        for files in manifest.segments:
            rows = read_rows(self._folder / files.rows)
            alive = _all(len(rows))
            if files.dead:
                alive = read_dead(self._folder / files.dead, len(rows))
            segments.append(Segment(rows, alive, files.rows, files.dead))
        self._publish(manifest, tuple(segments))
        if self.snapshot.text.documents != manifest.next_serial:
            raise IndexUnusable(
                f"The text index in {self._folder} has {self.snapshot.text.documents} documents,"
                f" not {manifest.next_serial}."
            )

    def _check(self, chunks: Sequence[IndexedChunk]) -> None:
        for chunk in chunks:
            if chunk.vector is not None and np.shape(chunk.vector) != (self._dimensions,):
                raise InvalidArgument(
                    f"The vector of chunk {chunk.key} has shape {np.shape(chunk.vector)}; this"
                    f" index takes ({self._dimensions},)."
                )


def create_generation(folder: Path, *, dimensions: int) -> None:
    """Make an empty build for vectors of so many dimensions."""
    folder.mkdir(parents=True)
    write_json(folder / _DESCRIPTION, {"dimensions": dimensions})
    text = TextIndex(folder / "text")
    text.close()
    write_manifest(folder, Manifest(0, -1, 0, 0, ()))


def _files(segments: Sequence[Segment]) -> tuple[SegmentFiles, ...]:
    return tuple(SegmentFiles(segment.name, segment.dead_name) for segment in segments)


def _mergeable(segments: Sequence[Segment]) -> int | None:
    """Return from which segment on they are to be merged: eight of the last one's size."""
    sizes = [_size(segment) for segment in segments]
    start = len(sizes)
    while start and sizes[start - 1] <= sizes[-1]:
        start -= 1
    return start if len(sizes) - start >= MERGED_AT_ONCE else None


def _size(segment: Segment) -> int:
    """Return the power of eight that a segment's living rows reach."""
    return (max(1, int(segment.alive.sum())).bit_length() - 1) // 3


def _all(rows: int) -> NDArray[np.bool_]:
    return np.ones(rows, dtype=np.bool_)
