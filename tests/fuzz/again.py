"""One input again, as users would have it: `python -m tests.fuzz.again TARGET FILE`."""

from __future__ import annotations

import sys
from pathlib import Path

from tests.fuzz.targets import tried

if __name__ == "__main__":
    tried(sys.argv[1], Path(sys.argv[2]).read_bytes())
