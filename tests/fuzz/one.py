"""One target under atheris: `python -m tests.fuzz.one TARGET [libFuzzer's arguments]`."""

from __future__ import annotations

import logging
import sys

import atheris

with atheris.instrument_imports(include=["toulmin", "xml", "email", "html", "csv", "json"]):
    from tests.fuzz.targets import TARGETS


def main() -> None:
    """Fuzz until libFuzzer's own limits end it."""
    name = sys.argv.pop(1)
    logging.disable(logging.CRITICAL)
    atheris.Setup(sys.argv, TARGETS[name])
    atheris.Fuzz()


if __name__ == "__main__":
    main()
