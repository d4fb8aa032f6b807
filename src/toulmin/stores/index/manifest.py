"""Which files belong together: small JSON files, each whole or not there at all.

Order of a commit: the files that a manifest names are written and flushed; then the manifest; then
the text is committed, and that is the moment the commit happens. A manifest says at which stamp
the text stood before. So the newest manifest holds if the text has moved on from there, and else
the one before it does.
"""

from __future__ import annotations

import json
import os
import zlib
from collections.abc import Iterable
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any

from toulmin.stores.index.protocol import IndexUnusable

FORMAT = 3  # raise it whenever a file, an analyzer or a score changes its meaning
_NAME = "manifest-{:010d}.json"


@dataclass(frozen=True, slots=True)
class SegmentFiles:
    """The files of one segment, by name; `dead` is empty when no row is dead."""

    rows: str
    dead: str = ""


@dataclass(frozen=True, slots=True)
class Manifest:
    """One commit.

    Attributes:
        number: Counts commits of this generation, and mergers of segments.
        text_before: Stamp of the text before this commit.
        position: The last change that is in it.
        next_serial: Serial of the next row; the text has one document for each serial below.
        segments: In the order of their serials.
    """

    number: int
    text_before: int
    position: int
    next_serial: int
    segments: tuple[SegmentFiles, ...]

    def files(self) -> set[str]:
        """Return the names of all files it needs."""
        return {name for s in self.segments for name in (s.rows, s.dead) if name}


def write_manifest(folder: Path, manifest: Manifest) -> None:
    """Write it and flush the folder with all its names."""
    write_json(folder / _NAME.format(manifest.number), asdict(manifest))
    flush_folder(folder)


def read_current(folder: Path, text_stamp: int) -> Manifest:
    """Return the manifest that holds for text at `text_stamp`.

    Raises:
        IndexUnusable: There is none, or it is damaged.
    """
    names = sorted((path.name for path in folder.glob("manifest-*.json")), reverse=True)
    for name in names:
        manifest = _manifest(read_json(folder / name))
        if manifest.text_before < text_stamp:
            return manifest
    raise IndexUnusable(f"The search index in {folder} has no commit that fits its text.")


def remove_others(folder: Path, kept: Manifest, names: Iterable[str]) -> None:
    """Remove every file of the folder that is none of `kept`'s, of `names`, or a folder."""
    wanted = {*kept.files(), _NAME.format(kept.number), *names}
    for path in folder.iterdir():
        if path.name not in wanted and path.is_file():
            path.unlink(missing_ok=True)


def write_json(path: Path, content: dict[str, Any]) -> None:
    """Put a JSON object with its checksum in the place of `path` (see `write_file`)."""
    body = json.dumps(content, sort_keys=True)
    write_file(path, json.dumps({"checksum": zlib.crc32(body.encode()), "content": body}).encode())


def read_json(path: Path) -> dict[str, Any]:
    """Return what `write_json` wrote.

    Raises:
        IndexUnusable: It cannot be read or does not fit its checksum.
    """
    try:
        outer = json.loads(path.read_bytes())
        body = outer["content"]
        if zlib.crc32(body.encode()) != outer["checksum"]:
            raise IndexUnusable(f"{path} is damaged: its checksum does not fit.")
        content: dict[str, Any] = json.loads(body)
    except (OSError, ValueError, KeyError, TypeError, AttributeError) as error:
        raise IndexUnusable(f"{path} cannot be read: {error}") from error
    return content


def write_file(path: Path, content: bytes) -> None:
    """Put a file in the place of `path`, in one step.

    Its content is flushed to disk; the folder, with its name, is the caller's to flush.
    """
    beside = path.with_name(path.name + ".new")
    with beside.open("wb") as file:
        file.write(content)
        file.flush()
        os.fsync(file.fileno())
    beside.replace(path)


def flush_folder(folder: Path) -> None:
    """Flush the names in a folder to disk."""
    handle = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)


def _manifest(content: dict[str, Any]) -> Manifest:
    manifest = Manifest(**content)
    return replace(manifest, segments=tuple(SegmentFiles(**s) for s in content["segments"]))
