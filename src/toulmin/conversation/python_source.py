"""What a Python function asks for, read from its source without running it."""

from __future__ import annotations

import ast
import re
from dataclasses import dataclass, field
from typing import Any, Final

from toulmin.domain import NO_FIELDS, JsonObject

_TYPES: Final = {
    "str": "STRING",
    "int": "INTEGER",
    "float": "NUMBER",
    "bool": "BOOLEAN",
    "dict": "OBJECT",
    "list": "ARRAY",
}
_ARGUMENT: Final = re.compile(r"^\s+\*?(\w+)(?:\s*\([^)]*\))?:\s*(.+)$")


@dataclass(frozen=True, slots=True)
class FunctionSchema:
    """A function's interface.

    Attributes:
        parameters: Schema of its arguments.
        description: First paragraph of its docstring.
        line: Line of a syntax error; 0: there is none.
        problem: What is wrong with the source; empty: nothing.
    """

    parameters: JsonObject = field(default_factory=lambda: NO_FIELDS)
    description: str = ""
    line: int = 0
    problem: str = ""


def function_schema(source: str, name: str) -> FunctionSchema:
    """Return the interface of the function `name`, or of the first one if there is none of it.

    A parameter without a default is required; its description is its line under "Args:".
    """
    try:
        return _schema_of(source, name)
    except (RecursionError, MemoryError):  # Python's own parser has both to say so
        return FunctionSchema(line=1, problem="is nested too deeply")


def _schema_of(source: str, name: str) -> FunctionSchema:
    try:
        tree = ast.parse(source)
    except (SyntaxError, ValueError) as error:
        line = getattr(error, "lineno", None) or 1
        return FunctionSchema(line=line, problem=f"is not Python: {getattr(error, 'msg', error)}")
    functions = [node for node in tree.body if isinstance(node, ast.FunctionDef)]
    if not functions:
        return FunctionSchema(line=1, problem="has no function")
    function = next((node for node in functions if node.name == name), functions[0])
    documented = ast.get_docstring(function) or ""
    texts = dict(_described(documented))
    first = len(function.args.args) - len(function.args.defaults)
    properties, required = {}, []
    for place, argument in enumerate(function.args.args):
        properties[argument.arg] = _property(argument, texts.get(argument.arg, ""))
        if place < first:
            required.append(argument.arg)
    parameters = {"type": "OBJECT", "properties": properties, "required": required}
    return FunctionSchema(parameters, documented.split("\n\n")[0].replace("\n", " ").strip())


def _property(argument: ast.arg, text: str) -> dict[str, Any]:
    noted = ast.unparse(argument.annotation) if argument.annotation else ""
    base = re.split(r"[\[| ]", noted)[0].lower()
    found: dict[str, Any] = {"type": _TYPES[base]} if base in _TYPES else {}
    return found | ({"description": text} if text else {})


def _described(docstring: str) -> list[tuple[str, str]]:
    _, _, rest = docstring.partition("Args:")
    lines = re.split(r"\n\s*\n|\n(?=\S)", rest)[0].splitlines() if rest else []
    return [(found[1], found[2].strip()) for line in lines if (found := _ARGUMENT.match(line))]
