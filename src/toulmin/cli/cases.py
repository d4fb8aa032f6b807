"""What goldens, tool and callback tests share: their files, how a case went, the report."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final
from xml.etree import ElementTree as ET

from toulmin.errors import FailedPrecondition, InvalidArgument

FLAG: Final = "--goldens"
"""What errors name: the flag, or else the folder, that the files come from."""


@dataclass(slots=True)
class CaseResult:
    """How a case went.

    Attributes:
        name: What the case is called.
        file: Where it stands.
        kind: "golden", "tool test" or "callback test".
        note: What is said of it beside the verdict; empty: nothing.
        differences: What was other than it should be; empty: it passed.
    """

    name: str
    file: Path
    kind: str
    note: str = ""
    differences: list[str] = field(default_factory=list)

    def report(self) -> str:
        """Return it as text."""
        verdict = "FAIL" if self.differences else "PASS"
        return "\n".join([f"{verdict} {self.name}{self.note}", *self.differences])


def find_cases(folder: Path, kind: str) -> Path | None:
    """Return `evals/<kind>` of an app folder, in it or in the two folders above it; None: none."""
    for place in (folder, *folder.resolve().parents[:2]):
        found = place / "evals" / kind
        if found.is_dir():
            return found
    return None


def case_files(path: Path) -> list[Path]:
    """Return a file, or the YAML and JSON files of a folder in order of name."""
    return sorted(path.glob("*.y*ml")) + sorted(path.glob("*.json")) if path.is_dir() else [path]


def read_case_file(file: Path) -> Any:
    """Return the value of a file in YAML or JSON.

    Raises:
        InvalidArgument: It cannot be read; says where.
        FailedPrecondition: It is YAML, and nothing here reads that.
    """
    try:
        text = file.read_text(encoding="utf-8")
        if file.suffix == ".json":
            return json.loads(text)
        try:
            import yaml
        except ImportError:
            raise FailedPrecondition(
                "Goldens and tool tests in YAML need PyYAML: pip install 'toulmin[agents]'"
            ) from None
        return yaml.safe_load(text)
    except (OSError, UnicodeDecodeError, ValueError) as error:
        raise InvalidArgument.of_field(FLAG, f"{file}: {error}") from None
    except Exception as error:
        if type(error).__module__.startswith("yaml"):
            raise InvalidArgument.of_field(FLAG, f"{file}: {error}") from None
        raise


def totals(results: Sequence[CaseResult]) -> str:
    """Return how many of each kind passed, a line for each kind that there is."""
    kinds = list(dict.fromkeys(result.kind for result in results))
    lines = []
    for kind in kinds:
        of_kind = [result for result in results if result.kind == kind]
        passed = sum(not result.differences for result in of_kind)
        lines.append(f"{passed} of {len(of_kind)} {kind}s passed")
    return "\n".join(lines)


def write_junit(path: Path, results: Sequence[CaseResult]) -> None:
    """Write a JUnit report: a suite for each kind, the totals at the top.

    Raises:
        InvalidArgument: The file cannot be written.
    """
    failed = sum(bool(result.differences) for result in results)
    whole = ET.Element("testsuites", tests=str(len(results)), failures=str(failed))
    suites: dict[str, list[CaseResult]] = {}
    for result in results:
        suites.setdefault(result.kind, []).append(result)
    for kind, of_kind in suites.items():
        failures = sum(bool(result.differences) for result in of_kind)
        suite = ET.SubElement(
            whole, "testsuite", name=f"{kind}s", tests=str(len(of_kind)), failures=str(failures)
        )
        for result in of_kind:
            case = ET.SubElement(suite, "testcase", classname=result.file.stem, name=result.name)
            if result.differences:
                failure = ET.SubElement(case, "failure", message="differs")
                failure.text = "\n".join(result.differences)
    try:
        ET.ElementTree(whole).write(path, encoding="utf-8", xml_declaration=True)
    except OSError as error:
        raise InvalidArgument.of_field("--junit", f"{path} cannot be written: {error}") from None
