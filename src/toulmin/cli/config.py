"""`toulmin config`: every setting, its value in force and where it came from."""

from __future__ import annotations

import argparse
import json
import textwrap
from pathlib import Path
from typing import Any, Final

from toulmin.cli.settings_flags import add_settings_flags, settings_from
from toulmin.cli.terminal import print_json
from toulmin.settings import SETTINGS, settings_page, shown

_WIDTH: Final = 96


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the verb's flags."""
    parser.add_argument(
        "--page", action="store_true", help="print docs/settings.md instead of the values"
    )
    parser.add_argument(
        "--example", action="store_true",
        help="print a settings file in which every setting stands with its default, commented out",
    )  # fmt: skip
    parser.add_argument("--json", action="store_true", help="print the values as JSON")
    add_settings_flags(parser)


def run(arguments: argparse.Namespace) -> int:
    """Print the table; return 0."""
    if arguments.page:
        print(settings_page(), end="")
        return 0
    if arguments.example:
        print(example_file(), end="")
        return 0
    settings = settings_from(arguments)
    rows = [(row, shown(row, getattr(settings, row.name))) for row in SETTINGS]
    if arguments.json:
        print_json({r.name: {"value": v, "origin": settings.origins[r.name]} for r, v in rows})
        return 0
    name_width = max(len(row.name) for row, _ in rows)
    value_width = max(len(value) for _, value in rows)
    for row, value in rows:
        origin = settings.origins[row.name]
        print(f"{row.name:<{name_width}}  {value:<{value_width}}  {origin}")
    return 0


def example_file() -> str:
    """Return a TOML file that says of every setting what it does; as it stands it sets nothing."""
    lines = [
        "# Settings of Toulmin: take the # away from a line `# name = value` and change the value."
    ]
    for row in SETTINGS:
        allowed = f"{row.allowed[0].upper()}{row.allowed[1:]}{f', {row.unit}' if row.unit else ''}."
        about = textwrap.wrap(f"{row.help} {allowed}", _WIDTH, break_on_hyphens=False)
        lines += ["", *(f"## {line}" for line in about), f"# {row.name} = {_toml(row.default)}"]
    return "\n".join(lines) + "\n"


def _toml(value: Any) -> str:
    """Return a setting's value in TOML; its strings, numbers and lists are written as JSON's."""
    if isinstance(value, tuple):
        return json.dumps(list(value))
    return json.dumps(str(value) if isinstance(value, Path) else value)
