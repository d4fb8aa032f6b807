"""A program within limits of memory, processor time and files: `python -m ... LIMITS PROGRAM ...`.

    python -m toulmin.ingestion.parsing.limited '{"memory_bytes": ..., ...}' soffice --headless ...

The limits are set in this process, which then becomes the program.
"""

from __future__ import annotations

import json
import os
import sys

from toulmin.ingestion.parsing.worker import set_limits


def main() -> None:
    """Set the limits and become the program; exits with 127 when it cannot be run."""
    limits, program, *arguments = sys.argv[1:]
    set_limits(**json.loads(limits))
    try:
        os.execv(program, [program, *arguments])  # noqa: S606 - no shell
    except OSError as error:
        sys.exit(f"{program}: {error.strerror}")


if __name__ == "__main__":
    main()
