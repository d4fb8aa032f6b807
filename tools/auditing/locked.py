"""What the lock files hold."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

_LINE = re.compile(r"^([A-Za-z0-9][A-Za-z0-9._-]*)(?:\[[^]]*])?==([^\s;\\]+)")


@dataclass(frozen=True, slots=True, order=True)
class Locked:
    """One version of one package.

    Attributes:
        name: In the index's spelling: lower case, parts joined by hyphens.
        version: As locked.
    """

    name: str
    version: str

    def __str__(self) -> str:
        return f"{self.name} {self.version}"


def canonical(name: str) -> str:
    """Return a package's name in the index's spelling."""
    return re.sub(r"[-_.]+", "-", name).lower()


def locked_in(files: Iterable[Path]) -> list[Locked]:
    """Return all packages of lock files, for every platform and Python, each once, sorted."""
    found = set()
    for file in files:
        for line in file.read_text(encoding="utf-8").splitlines():
            if match := _LINE.match(line):
                found.add(Locked(canonical(match[1]), match[2]))
    return sorted(found)
