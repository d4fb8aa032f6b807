"""`python -m toulmin` is the command `toulmin`."""

from __future__ import annotations

import sys

from toulmin.cli import main

if __name__ == "__main__":
    sys.exit(main())
