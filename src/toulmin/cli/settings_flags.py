"""Command line flags for the settings table, the same for every verb that takes settings."""

from __future__ import annotations

import argparse
from collections.abc import Collection
from pathlib import Path

from toulmin.settings import SETTINGS, Setting, Settings, load_settings, shown


def add_settings_flags(
    parser: argparse.ArgumentParser, *, only: Collection[str] | None = None
) -> None:
    """Add `--config` and a flag for each setting.

    Args:
        parser: The verb's parser.
        only: Names of the settings to offer; None means all.
    """
    group = parser.add_argument_group(
        "settings", "each can also be set in the environment or in the file of --config"
    )
    group.add_argument("--config", type=Path, metavar="FILE", help="TOML file with settings")
    for row in SETTINGS:
        if only is None or row.name in only:
            _add_flag(group, row)


def settings_from(arguments: argparse.Namespace) -> Settings:
    """Return the settings in force, given the parsed flags.

    Raises:
        InvalidArgument: A value is not allowed, or the file cannot be read.
    """
    flags = {row.name: getattr(arguments, row.name, None) for row in SETTINGS}
    return load_settings(flags=flags, file=arguments.config)


def _add_flag(group: argparse._ArgumentGroup, row: Setting) -> None:
    unit = f" {row.unit}" if row.unit else ""
    default = shown(row, row.default)
    text = row.help.replace("`", "").replace("%", "%%")
    help_text = f"{text} [{row.environment}; {default + unit if default else 'empty'}]"
    if row.type == "boolean":
        group.add_argument(
            row.flag,
            dest=row.name,
            default=None,
            action=argparse.BooleanOptionalAction,
            help=help_text,
        )
        return
    group.add_argument(row.flag, dest=row.name, default=None, metavar="VALUE", help=help_text)
