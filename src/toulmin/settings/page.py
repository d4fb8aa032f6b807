"""The page docs/settings.md."""

from __future__ import annotations

from toulmin.settings.table import SETTINGS
from toulmin.settings.values import shown


def settings_page() -> str:
    """Return the text of docs/settings.md."""
    lines = [
        "# Settings",
        "",
        "A value comes from the first of these that has one: the command line flag, the",
        "environment variable, the TOML file that `--config` or `TOULMIN_CONFIG` names, the",
        "default. `toulmin config` prints every value in force and where it came from.",
        "",
        "This page is made from the table in `src/toulmin/settings/` by",
        "`python -m toulmin config --page`.",
        "",
        "| Name in the file | Flag | Environment variable | Default | Allowed | What it does |",
        "|--|--|--|--|--|--|",
    ]
    for row in SETTINGS:
        default = shown(row, row.default)
        unit = f" {row.unit}" if row.unit else ""
        cells = (
            f"`{row.name}`",
            f"`{row.flag}`",
            f"`{row.environment}`",
            f"`{default}`{unit}" if default else "(empty)",
            row.allowed,
            row.help,
        )
        lines.append("| " + " | ".join(cells) + " |")
    return "\n".join(lines) + "\n"
