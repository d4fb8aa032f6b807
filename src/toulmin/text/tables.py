"""Markdown tables, line by line."""

from __future__ import annotations

import re

_RULE = re.compile(r"\|[\s|:-]*-[\s|:-]*")


def is_table_rule(line: str) -> bool:
    """Return whether a line, without spaces around it, is the dashes between a head and its rows.

    It begins with a bar: dashes alone part sections, too.
    """
    return _RULE.fullmatch(line) is not None
