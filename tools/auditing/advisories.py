"""Known vulnerabilities of locked packages, and which packages nobody could be asked about."""

from __future__ import annotations

import json
import subprocess
import zipfile
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from packaging.version import InvalidVersion, Version

from tools.auditing.locked import Locked, canonical

_TIMEOUT_S = 600


@dataclass(frozen=True, slots=True)
class Advisory:
    """A known vulnerability of a locked package.

    Attributes:
        package: Which one.
        id: As its database names it: "PYSEC-2026-1", "GHSA-...".
        aliases: Its names elsewhere.
        fixed_in: Versions without it; empty: none is known.
    """

    package: Locked
    id: str
    aliases: tuple[str, ...] = ()
    fixed_in: tuple[str, ...] = ()

    def __str__(self) -> str:
        fixed = f"fixed in {', '.join(self.fixed_in)}" if self.fixed_in else "no fix is known"
        also = f" ({', '.join(self.aliases)})" if self.aliases else ""
        return f"{self.package}: {self.id}{also}, {fixed}"


@dataclass(slots=True)
class Answers:
    """What was found out.

    Attributes:
        source: Who was asked.
        advisories: What is known.
        asked: How many packages got an answer.
        unknown: Those that got none, with why.
    """

    source: str
    advisories: list[Advisory] = field(default_factory=list)
    asked: int = 0
    unknown: dict[Locked, str] = field(default_factory=dict)


def ask_registry(program: Path, files: Iterable[Path], packages: Sequence[Locked]) -> Answers:
    """Ask the registry by pip-audit, file by file.

    Args:
        program: pip-audit.
        files: Lock files with hashes; those for another platform are asked for all the same.
        packages: What is in them.
    """
    answers = Answers("the package registry, by pip-audit")
    seen: set[Locked] = set()
    failure = "it is not for this platform"
    for file in files:
        report, error = _run(program, file)
        if report is None:
            failure = error
            continue
        for row in report["dependencies"]:
            package = Locked(canonical(row["name"]), row.get("version") or _version(row, packages))
            if package not in seen:
                seen.add(package)
                _note(answers, package, row)
    for package in packages:
        if package not in seen:
            answers.unknown[package] = failure
    return answers


def _run(program: Path, file: Path) -> tuple[dict[str, Any] | None, str]:
    """Return pip-audit's report on a lock file, or None and why there is none."""
    command = [str(program), "--disable-pip", "--require-hashes", "--progress-spinner", "off"]
    try:
        ended = subprocess.run(
            [*command, "--aliases", "on", "--desc", "off", "-f", "json", "-r", str(file)],
            capture_output=True,
            text=True,
            timeout=_TIMEOUT_S,
            check=False,
        )
    except (OSError, subprocess.TimeoutExpired) as error:
        return None, f"pip-audit did not run: {error}"
    try:
        report = json.loads(ended.stdout)
    except ValueError:
        said = ended.stderr.strip().splitlines()
        return None, said[-1][:200] if said else f"pip-audit ended with {ended.returncode}"
    return report, ""


def _version(row: Mapping[str, Any], packages: Sequence[Locked]) -> str:
    """Return the locked version of a package that pip-audit names without one."""
    name = canonical(row["name"])
    return next((package.version for package in packages if package.name == name), "")


def _note(answers: Answers, package: Locked, row: Mapping[str, Any]) -> None:
    if "skip_reason" in row:
        answers.unknown[package] = str(row["skip_reason"])
        return
    answers.asked += 1
    answers.advisories += [
        Advisory(
            package,
            found["id"],
            tuple(found.get("aliases") or ()),
            tuple(found.get("fix_versions") or ()),
        )
        for found in row.get("vulns") or ()
    ]


def look_up(export: Path, packages: Sequence[Locked]) -> Answers:
    """Look packages up in an export of OSV (https://osv.dev): a zip of one JSON for each advisory.

    Raises:
        OSError, ValueError: It cannot be read, or is no such zip.
    """
    answers = Answers(f"{export.name}, an export of OSV", asked=len(packages))
    by_name: dict[str, list[Locked]] = {}
    for package in packages:
        by_name.setdefault(package.name, []).append(package)
    count = 0
    try:
        with zipfile.ZipFile(export) as archive:
            for name in sorted(archive.namelist()):
                if name.endswith(".json"):
                    count += 1
                    answers.advisories += _matches(json.loads(archive.read(name)), by_name)
    except zipfile.BadZipFile as error:
        raise ValueError(f"{export} is no zip: {error}") from error
    if not count:
        raise ValueError(f"{export} has no advisories in it")
    return answers


def _matches(entry: Mapping[str, Any], by_name: Mapping[str, list[Locked]]) -> list[Advisory]:
    """Return what an advisory says of the packages; one that was withdrawn says nothing."""
    if entry.get("withdrawn"):
        return []
    found = []
    for affected in entry.get("affected") or ():
        about = affected.get("package") or {}
        if about.get("ecosystem") != "PyPI":
            continue
        found += [
            Advisory(package, entry["id"], tuple(entry.get("aliases") or ()), _fixes(affected))
            for package in by_name.get(canonical(about.get("name", "")), ())
            if _affects(affected, package.version)
        ]
    return found


def _fixes(affected: Mapping[str, Any]) -> tuple[str, ...]:
    return tuple(event["fixed"] for event in _events(affected) if "fixed" in event)


def _events(affected: Mapping[str, Any]) -> list[Mapping[str, str]]:
    ranges = [r for r in affected.get("ranges") or () if r.get("type") == "ECOSYSTEM"]
    return [event for one in ranges for event in one.get("events") or ()]


def _affects(affected: Mapping[str, Any], version: str) -> bool:
    """Return whether a version is one that is listed, or in one of the ranges."""
    if version in (affected.get("versions") or ()):
        return True
    ranges = [r for r in affected.get("ranges") or () if r.get("type") == "ECOSYSTEM"]
    return any(_in_range(one.get("events") or (), Version(version)) for one in ranges)


def _in_range(events: Iterable[Mapping[str, str]], version: Version) -> bool:
    """Return what the last event at or before a version says; see OSV's schema, `events`."""
    is_in = False
    for event in sorted(events, key=_place):
        ((kind, at),) = event.items()
        if kind == "introduced" and (at == "0" or version >= _parsed(at)):
            is_in = True
        elif (kind == "fixed" and version >= _parsed(at)) or (
            kind == "last_affected" and version > _parsed(at)
        ):
            is_in = False
    return is_in


def _place(event: Mapping[str, str]) -> tuple[Version, bool]:
    ((kind, at),) = event.items()
    return (Version("0.dev0") if at == "0" else _parsed(at)), kind != "introduced"


def _parsed(text: str) -> Version:
    try:
        return Version(text)
    except InvalidVersion:  # of a time before versions were ordered: older than all
        return Version("0.dev0")
