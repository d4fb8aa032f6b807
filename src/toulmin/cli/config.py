"""`toulmin config`: every setting, its value in force and where it came from."""

from __future__ import annotations

import argparse

from toulmin.cli.settings_flags import add_settings_flags, settings_from
from toulmin.cli.terminal import print_json
from toulmin.settings import SETTINGS, settings_page, shown


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the verb's flags."""
    parser.add_argument(
        "--page", action="store_true", help="print docs/settings.md instead of the values"
    )
    parser.add_argument("--json", action="store_true", help="print the values as JSON")
    add_settings_flags(parser)


def run(arguments: argparse.Namespace) -> int:
    """Print the table; return 0."""
    if arguments.page:
        print(settings_page(), end="")
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
