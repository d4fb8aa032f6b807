"""`toulmin demo`: imports the sample documents, then serves them with the console."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import Final

import toulmin
from toulmin.cli import ingest, serve
from toulmin.cli.settings_flags import add_settings_flags
from toulmin.errors import FailedPrecondition
from toulmin.settings import SETTINGS

STORE: Final = "sample"
_SAMPLES: Final = ("docs", "README.md", "examples/library")
_PAGES: Final = "docs/*.md"
"""What is imported of the documentation: what users read. Records of decisions quote questions and
answers, which would be found for them."""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the verb's flags, which are those of `serve`."""
    add_settings_flags(parser)


def run(arguments: argparse.Namespace) -> int:
    """Import what is not there yet, serve until SIGTERM or SIGINT; return the exit code.

    Raises:
        ToulminError: As `ingest` and `serve`, or there are no sample documents.
    """
    ended = ingest.run(_import_of(sample_paths(Path(toulmin.__file__).parent), arguments))
    if ended not in (ingest.ALL_WELL, ingest.SOME_FAILED):
        return ended
    return serve.run(arguments)


def sample_paths(package: Path) -> list[Path]:
    """Return the sample documents: those in the wheel, or those of the source checkout.

    Args:
        package: Folder of the package `toulmin`.

    Raises:
        FailedPrecondition: They are in neither place.
    """
    tried = (package / "samples", package.parent.parent)
    for folder in tried:
        paths = [folder / name for name in _SAMPLES]
        if all(path.exists() for path in paths):
            return paths
    raise FailedPrecondition(
        f"the sample documents are neither in {tried[0]} nor in {tried[1]}: install the wheel again"
    )


def _import_of(paths: list[Path], arguments: argparse.Namespace) -> argparse.Namespace:
    """Return the arguments of `ingest` for these files, with the settings of `arguments`."""
    parser = argparse.ArgumentParser()
    ingest.add_arguments(parser)
    named = [str(path.parent / _PAGES) if path.name == "docs" else str(path) for path in paths]
    parsed = parser.parse_args([*named, "--store", STORE])
    for name in ("config", *(row.name for row in SETTINGS)):
        setattr(parsed, name, getattr(arguments, name, None))
    return parsed
