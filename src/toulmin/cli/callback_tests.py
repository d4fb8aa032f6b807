"""Callback tests: pytest files about an app's callbacks, each run in a process of its own.

Their places are those of the makers' tool kit: `evals/callback_tests/tests/AGENT/KIND/NAME/test.py`
about `evals/callback_tests/agents/AGENT/KIND/NAME/python_code.py`, or `test.py` beside the
callback's `python_code.py`, there or in the app itself. `callback_kit.py` gives them what callbacks
see.
"""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path
from typing import Final
from xml.etree import ElementTree as ET

from toulmin.cli.cases import CaseResult, find_cases

KIND: Final = "callback test"
LONGEST_S: Final = 300.0
"""Longest time of one file."""
_CODE: Final = "python_code.py"
_LONGEST_SHOWN: Final = 2_000


@dataclass(frozen=True, slots=True)
class CallbackTests:
    """A file of tests.

    Attributes:
        name: The callback that they are about: "root_agent/before_model_callbacks/before_model".
        file: Where it stands.
        code: Folder of the callback's `python_code.py`; None: the file knows that itself.
    """

    name: str
    file: Path
    code: Path | None


def find_callback_tests(folder: Path) -> list[CallbackTests]:
    """Return the callback tests of an app folder, by name; a link and its file are one."""
    places = [(place, "agents/*/*_callbacks/*/test.py") for place in _apps(folder)]
    evals = find_cases(folder, "callback_tests")
    if evals:
        places += [(evals, "tests/**/test.py"), (evals, "agents/**/test.py")]
    found: dict[Path, CallbackTests] = {}
    for place, pattern in places:
        for file in sorted(place.glob(pattern)):
            name = "/".join(file.relative_to(place).parts[1:-1])
            tests = CallbackTests(name, file, _code_of(file, place))
            known = found.get(file.resolve())
            if known is None or known.code is None:
                found[file.resolve()] = tests
    return sorted(found.values(), key=lambda tests: (tests.name, tests.file))


def run_callback_tests(tests: Sequence[CallbackTests], *, allowed: bool) -> list[CaseResult]:
    """Run callback tests and return how each went.

    Args:
        tests: The files.
        allowed: Whether the operator allows Python; without that nothing is run, and all fail.
    """
    return [result for item in tests for result in _run(item, allowed=allowed)]


def _apps(folder: Path) -> Iterator[Path]:
    """Yield the folders, at most three down, that have an app.json."""
    for depth in range(4):
        for file in sorted(folder.glob("*/" * depth + "app.json")):
            yield file.parent


def _code_of(file: Path, place: Path) -> Path | None:
    if (file.parent / _CODE).is_file():
        return file.parent
    beside = place / "agents" / Path(*file.relative_to(place).parts[1:-1])
    return beside if (beside / _CODE).is_file() else None


def _run(tests: CallbackTests, *, allowed: bool) -> Iterator[CaseResult]:
    if not allowed:
        why = "callbacks are Python, which is not run; the setting agent_python allows it"
        yield CaseResult(tests.name, tests.file, KIND, differences=[f"  error: {why}"])
        return
    if find_spec("pytest") is None:
        why = "callback tests need pytest: pip install pytest"
        yield CaseResult(tests.name, tests.file, KIND, differences=[f"  error: {why}"])
        return
    with tempfile.TemporaryDirectory(prefix="toulmin-tests-") as folder:
        report = Path(folder) / "report.xml"
        problem = _problem_of_run(tests, report)
        cases = list(_cases(report)) if report.is_file() else []
    if not cases:
        said = problem or "it has no tests"
        yield CaseResult(tests.name, tests.file, KIND, differences=[f"  error: {said}"])
    for case in cases:
        yield _result(tests, case)


def _problem_of_run(tests: CallbackTests, report: Path) -> str:
    """Let pytest write its report; return what it said where it did not end well."""
    command = [sys.executable, "-B", "-m", "pytest", "-q", "-p", "toulmin.cli.callback_kit"]
    command += ["-p", "no:cacheprovider", "-c", os.devnull, f"--rootdir={tests.file.parent}"]
    paths = [str(tests.code.resolve())] if tests.code else []
    paths += [path for path in sys.path if path]
    try:
        done = subprocess.run(  # noqa: S603 - our own interpreter, on files of who asks for it
            [*command, f"--junitxml={report}", str(tests.file.absolute())],
            cwd=tests.file.parent,
            env={**os.environ, "PYTHONPATH": os.pathsep.join(paths)},
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            timeout=LONGEST_S,
            check=False,
        )
    except subprocess.TimeoutExpired:
        return f"the tests did not end within {LONGEST_S:.0f} s"
    return done.stdout.decode(errors="replace")[-_LONGEST_SHOWN:] if done.returncode else ""


def _cases(report: Path) -> Iterator[ET.Element]:
    yield from ET.parse(report).getroot().iter("testcase")  # noqa: S314 - pytest wrote it


def _result(tests: CallbackTests, case: ET.Element) -> CaseResult:
    group = case.get("classname", "").rpartition(".")[2]
    inside = "" if group in ("", "test") else f"{group}."
    result = CaseResult(f"{tests.name}: {inside}{case.get('name', '')}", tests.file, KIND)
    for item in case:
        if item.tag in ("failure", "error"):
            lines = [item.get("message", ""), *(item.text or "").splitlines()]
            wrong = [line for line in lines if line.startswith("E  ")] or lines[:10]
            result.differences += [f"  {line}"[:_LONGEST_SHOWN] for line in wrong]
        elif item.tag == "skipped":
            result.note = f" (skipped: {item.get('message', '')})"
    return result
