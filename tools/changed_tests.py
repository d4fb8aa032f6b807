"""Print the tests of what was changed and not yet committed, else of the last commit.

    python tools/changed_tests.py          # used by `make quick`

The tests of src/toulmin/ROOM/FILE.py are tests/ROOM/test_FILE.py, and those whose names begin like
that; a file without tests of its own has those of its folder.
"""

from __future__ import annotations

import subprocess
from collections.abc import Iterable, Iterator
from pathlib import Path

ROOT = Path(__file__).parent.parent
_SOURCE = Path("src/toulmin")
_WINGS = {"benchmarks": "tests/benchmarks", "training": "tests/training"}


def changed_files() -> list[Path]:
    """Return the files that differ from the last commit; when none does, those that it changed."""
    status = ["status", "--porcelain", "--untracked-files=all", "--no-renames"]
    changed = [line[3:] for line in _git(*status)]
    return [Path(name) for name in changed or _git("diff", "--name-only", "HEAD~1", "HEAD")]


def _git(*arguments: str) -> list[str]:
    done = subprocess.run(["git", *arguments], cwd=ROOT, check=True, capture_output=True, text=True)
    return done.stdout.splitlines()


def chosen_tests(files: Iterable[Path]) -> list[Path]:
    """Return test files and folders, none of them within another."""
    found = {path for file in files for path in _tests_for(file) if (ROOT / path).exists()}
    return sorted(path for path in found if not found.intersection(path.parents))


def _tests_for(file: Path) -> Iterator[Path]:
    if file.parts[0] == "tests" and file.suffix == ".py":
        if file.name.startswith("test_"):
            yield file
        elif file.parent != Path("tests"):  # what all tests use is for `make test`
            yield file.parent
    elif file.parts[0] in _WINGS:
        yield Path(_WINGS[file.parts[0]])
    elif file.is_relative_to(_SOURCE):
        inside = file.relative_to(_SOURCE)
        folder = Path("tests") / inside.parent
        while not (ROOT / folder).is_dir():
            folder = folder.parent
        own = sorted((ROOT / folder).glob(f"test_{inside.stem.lstrip('_')}*.py"))
        if own:
            yield from (path.relative_to(ROOT) for path in own)
        elif folder != Path("tests"):
            yield folder


def main() -> None:
    """Print one path a line."""
    for path in chosen_tests(changed_files()):
        print(path)


if __name__ == "__main__":
    main()
