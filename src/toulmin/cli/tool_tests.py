"""Tool tests: tools of an app called by themselves, and what they return compared.

The files are those of the makers' tool kit: `tests`, each with `tool` (its display name), `args`,
`variables` or `context`, and `expectations` of the `response` and of the `variables` afterwards: a
`path` such as `$.result.account.balance`, an `operator` and a `value`.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from toulmin.cli.access import Api
from toulmin.cli.cases import FLAG, CaseResult, case_files, read_case_file
from toulmin.errors import InvalidArgument, ToulminError

KIND: Final = "tool test"
_PAGE: Final = 200
_STEP: Final = re.compile(r"\.(?P<name>\w[\w-]*)|\[(?P<number>\d+)\]|\['(?P<quoted>[^']*)'\]")


class _Absent:
    """There is nothing at a path."""

    def __repr__(self) -> str:
        return "(nothing)"


_ABSENT: Final = _Absent()


def _contains(found: Any, wanted: Any) -> bool:
    if isinstance(found, (Mapping, list)):
        return wanted in found
    return found is not None and str(wanted) in str(found)


_OPERATORS: Final[Mapping[str, Callable[[Any, Any], bool]]] = {
    "equals": lambda found, wanted: bool(found == wanted),
    "contains": _contains,
    "greater_than": lambda found, wanted: bool(found > wanted),
    "less_than": lambda found, wanted: bool(found < wanted),
    "length_equals": lambda found, wanted: len(found) == wanted,
    "length_greater_than": lambda found, wanted: bool(len(found) > wanted),
    "length_less_than": lambda found, wanted: bool(len(found) < wanted),
    "is_null": lambda found, _: found is None,
    "is_not_null": lambda found, _: found is not None,
}
_WITHOUT_VALUE: Final = frozenset({"is_null", "is_not_null"})


@dataclass(frozen=True, slots=True)
class Expectation:
    """What must be at a place of a response.

    Attributes:
        part: "response" or "variables", what the place is in.
        path: As in the file.
        steps: The names and numbers of the path.
        operator: How it is compared.
        value: What with.
    """

    part: str
    path: str
    steps: tuple[str | int, ...]
    operator: str
    value: Any

    def difference(self, answer: Mapping[str, Any]) -> str:
        """Return what of an answer of ExecuteTool is other than it should be; empty: nothing."""
        found = _at(answer.get(self.part, {}), self.steps)
        try:
            known = None if found is _ABSENT else found
            if _OPERATORS[self.operator](known, self.value):
                return ""
        except TypeError:  # a text is not greater than a number, a number has no length
            pass
        wanted = (
            self.operator if self.operator in _WITHOUT_VALUE else f"{self.operator} {self.value!r}"
        )
        shown = self.path if self.part == "response" else f"{self.part} {self.path}"
        return f"  {shown}: {found!r}\n      wanted: {wanted}"


@dataclass(frozen=True, slots=True)
class ToolTest:
    """A call of a tool, and what it must return.

    Attributes:
        name: What it is called.
        file: Where it stands.
        tool: Display name of the tool.
        args: Its arguments.
        sees: Its `variables` or its `context`, as the API has them.
        expectations: What its `response` and its `variables` must be like.
    """

    name: str
    file: Path
    tool: str
    args: dict[str, Any]
    sees: dict[str, Any]
    expectations: tuple[Expectation, ...]


def read_tool_tests(path: Path) -> list[ToolTest]:
    """Return the tool tests of a file or of all files of a folder, in order of name.

    Raises:
        InvalidArgument: Files are wrong; says everything that is, with the test.
    """
    tests: list[ToolTest] = []
    problems: list[str] = []
    for file in case_files(path):
        value = read_case_file(file)
        items = value.get("tests") if isinstance(value, Mapping) else None
        if not isinstance(items, list):
            problems.append(f"{file}: must have a list `tests`")
            continue
        for number, item in enumerate(items):
            try:
                tests.append(_test(item, number, file))
            except ValueError as error:
                problems.append(f"{file}: tests[{number}] {error}")
    if not tests and not problems:
        problems.append(f"{path} has no tests")
    if problems:
        raise InvalidArgument.of_field(FLAG, "\n".join(problems))
    return tests


def run_tool_tests(api: Api, app: str, tests: Sequence[ToolTest]) -> list[CaseResult]:
    """Run tool tests and return how each went.

    Args:
        api: Where the app is.
        app: Its name.
        tests: The tests.
    """
    names = dict(_tools(api, app)) if tests else {}
    return [_run(api, app, test, names) for test in tests]


def _run(api: Api, app: str, test: ToolTest, names: Mapping[str, str]) -> CaseResult:
    result = CaseResult(test.name, test.file, KIND)
    if test.tool not in names:
        known = ", ".join(names) or "no tool"
        result.differences.append(f"  tool: the app has no {test.tool}\n      it has: {known}")
        return result
    body = {"tool": names[test.tool], "args": test.args, **test.sees}
    try:
        answer = api.call("POST", f"{app}:executeTool", body)
    except ToulminError as error:
        result.differences.append(f"  error: {error.message}")
        return result
    found = (expectation.difference(answer) for expectation in test.expectations)
    result.differences += [difference for difference in found if difference]
    if result.differences:
        result.differences.append(f"  returned: {str(answer.get('response', {}))[:500]}")
    return result


def _tools(api: Api, app: str) -> Iterator[tuple[str, str]]:
    """Yield the display name and the name of each tool of an app."""
    token = ""
    while True:
        query = {"pageSize": _PAGE, "pageToken": token}
        page = api.call("GET", f"{app}/tools", query=query)
        for tool in page.get("tools", ()):
            yield tool.get("displayName", ""), tool["name"]
        token = page.get("nextPageToken", "")
        if not token:
            return


def _test(item: Any, number: int, file: Path) -> ToolTest:
    """Return a test of a file.

    Raises:
        ValueError: It is wrong; says why, as the end of a sentence.
    """
    if not isinstance(item, Mapping) or not item.get("tool"):
        raise ValueError("has no `tool`")
    sees = {name: value for name in ("variables", "context") if (value := _object(item, name))}
    if len(sees) > 1:
        raise ValueError("has `variables` and `context`; it may have one of them")
    wanted = _object(item, "expectations")
    return ToolTest(
        name=str(item.get("name") or number),
        file=file,
        tool=str(item["tool"]),
        args=_object(item, "args"),
        sees=sees,
        expectations=(
            *_expectations("response", wanted.get("response") or ()),
            *_expectations("variables", wanted.get("variables") or ()),
        ),
    )


def _object(item: Mapping[str, Any], name: str) -> dict[str, Any]:
    value = item.get(name) or {}
    if not isinstance(value, Mapping):
        raise ValueError(f"has `{name}` that is no object")  # noqa: TRY004 - of the file, not of Python
    return dict(value)


def _expectations(part: str, items: Any) -> Iterator[Expectation]:
    if not isinstance(items, (list, tuple)):
        raise ValueError(f"has `expectations.{part}` that is no list")  # noqa: TRY004 - as above
    for item in items:
        if not isinstance(item, Mapping):
            raise ValueError("has an expectation that is no object")  # noqa: TRY004 - as above
        operator = str(item.get("operator", ""))
        if operator not in _OPERATORS:
            raise ValueError(f'has the operator "{operator}"; known: {", ".join(_OPERATORS)}')
        if operator not in _WITHOUT_VALUE and "value" not in item:
            raise ValueError(f"has the operator {operator} without a `value`")
        if operator.startswith("length_") and not isinstance(item["value"], int):
            raise ValueError(f"has the operator {operator} with a `value` that is no whole number")
        path = str(item.get("path", ""))
        yield Expectation(part, path, _steps(path), operator, item.get("value"))


def _steps(path: str) -> tuple[str | int, ...]:
    steps: list[str | int] = []
    at = 1
    while at < len(path):
        found = _STEP.match(path, at)
        if found is None:
            break
        number, name = found["number"], found["name"] or found["quoted"] or ""
        steps.append(name if number is None else int(number))
        at = found.end()
    if not path.startswith("$") or at < len(path):
        raise ValueError(f'has the path "{path}"; one is like $.result.items[0].name')
    return tuple(steps)


def _at(value: Any, steps: Sequence[str | int]) -> Any:
    for step in steps:
        is_there = (
            isinstance(value, Mapping) and step in value
            if isinstance(step, str)
            else isinstance(value, list) and step < len(value)
        )
        if not is_there:
            return _ABSENT
        value = value[step]
    return value
