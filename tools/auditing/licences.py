"""Licences of installed packages, from their own metadata, against those that are allowed."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from importlib.metadata import Distribution, distributions
from pathlib import Path
from typing import Final

from tools.auditing.locked import Locked, canonical

ALLOWED: Final = frozenset(
    {
        "0BSD",
        "Apache-2.0",
        "BSD-2-Clause",
        "BSD-3-Clause",
        "CC0-1.0",
        "CNRI-Python",
        "HPND",
        "ISC",
        "MIT",
        "MIT-0",
        "MIT-CMU",
        "MPL-2.0",  # its files stay under it; nothing else is asked of who uses them
        "PSF-2.0",
        "PostgreSQL",
        "Python-2.0",
        "Unlicense",
        "Zlib",
    }
)

_NAMES: Final[Mapping[str, str]] = {
    "3-clause bsd license": "BSD-3-Clause",
    "apache 2.0": "Apache-2.0",
    "apache license 2.0": "Apache-2.0",
    "apache software license": "Apache-2.0",
    "bsd": "BSD-3-Clause",
    "bsd 2-clause license": "BSD-2-Clause",
    "bsd 3-clause license": "BSD-3-Clause",
    "bsd license": "BSD-3-Clause",
    "isc license (iscl)": "ISC",
    "mit license": "MIT",
    "mozilla public license 2.0 (mpl 2.0)": "MPL-2.0",
    "python software foundation license": "PSF-2.0",
    "the unlicense (unlicense)": "Unlicense",
}
"""What metadata older than SPDX expressions say, in small letters."""

READ: Final[Mapping[str, str]] = {
    "atheris": "Apache-2.0 AND Apache-2.0 WITH LLVM-exception",  # with libFuzzer in it
    # In the public domain but for some files; the one under the GPL is not in its wheel.
    "docutils": "CC0-1.0 AND BSD-2-Clause AND BSD-3-Clause",
    "pypdfium2": "BSD-3-Clause AND Apache-2.0",  # and what PDFium is made of: permissive, too
    "uritemplate": "BSD-3-Clause OR Apache-2.0",
    "hyperframe": "MIT",
    "python-dateutil": "Apache-2.0 AND BSD-3-Clause",
}
"""Packages whose metadata are no expression: what their licence files say, read by a person."""

_TOKEN = re.compile(r"\(|\)|[^\s()]+")


@dataclass(frozen=True, slots=True)
class Licence:
    """What a package says of its licence.

    Attributes:
        package: Which one.
        said: An SPDX expression where it can be told; else what the metadata say, or "".
        is_allowed: Whether one may use it by one of the allowed licences.
    """

    package: Locked
    said: str
    is_allowed: bool


def licences(
    packages: Sequence[Locked], installed: Iterable[Path]
) -> tuple[list[Licence], list[Locked]]:
    """Return what installed packages say, and those of the locked that are not installed.

    Args:
        packages: What to look for; another version of it will do.
        installed: Folders with installed packages.
    """
    found: dict[str, Distribution] = {}
    for distribution in distributions(path=[str(folder) for folder in installed]):
        found.setdefault(canonical(distribution.metadata["Name"]), distribution)
    known, missing = [], []
    for package in packages:
        distribution = found.get(package.name)
        if distribution is None:
            missing.append(package)
        else:
            said = _said(package.name, distribution)
            known.append(Licence(package, said, allows(said)))
    return known, missing


def _said(name: str, distribution: Distribution) -> str:
    metadata = distribution.metadata
    if name in READ:
        return READ[name]
    if expression := metadata.get("License-Expression"):
        return expression
    candidates = [metadata.get("License") or ""]
    candidates += [
        line.rpartition(" :: ")[2]
        for line in metadata.get_all("Classifier") or ()
        if line.startswith("License ::") and not line.endswith("OSI Approved")
    ]
    for said in candidates:
        known = _NAMES.get(said.strip().lower(), said.strip())
        if known and allows(known):
            return known
    return next((said.strip()[:80] for said in candidates if said.strip()), "")


def allows(expression: str) -> bool:
    """Return whether an SPDX expression can be met by allowed licences alone.

    What is no expression is not allowed.
    """
    tokens = _TOKEN.findall(expression)
    try:
        is_allowed = _any(tokens)
    except (IndexError, ValueError):
        return False
    return is_allowed and not tokens


def _any(tokens: list[str]) -> bool:
    is_allowed = _all(tokens)
    while tokens and tokens[0].upper() == "OR":
        tokens.pop(0)
        is_allowed = _all(tokens) or is_allowed
    return is_allowed


def _all(tokens: list[str]) -> bool:
    is_allowed = _one(tokens)
    while tokens and tokens[0].upper() == "AND":
        tokens.pop(0)
        is_allowed = _one(tokens) and is_allowed
    return is_allowed


def _one(tokens: list[str]) -> bool:
    token = tokens.pop(0)
    if token == "(":
        is_allowed = _any(tokens)
        if tokens.pop(0) != ")":
            raise ValueError("a parenthesis is not closed")
        return is_allowed
    if tokens and tokens[0].upper() == "WITH":  # an exception takes nothing away
        del tokens[:2]
    return token.lower() in _ALLOWED_LOWER


_ALLOWED_LOWER: Final = frozenset(name.lower() for name in ALLOWED)
