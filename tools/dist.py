"""Build the wheels of a release from the last commit, each under 100 MB.

    python tools/dist.py [--out dist] [--twice]

`toulmin` has everything but the weights of the grounding models, which are
`toulmin-grounding-model`, `toulmin-reader-model` and `toulmin-multilingual-model`; the first
requires exactly the others of the same commit. Such a wheel has its model's version and behind it
how many commits have changed what is in it: 1.0.0.7. All are made from the tracked files of HEAD,
with SOURCE_DATE_EPOCH (by default the commit's time) on every file, so that the same commit,
hatchling and zlib give the same bytes. `--twice` builds again elsewhere and compares.

Why several: docs/decisions/0023-two-wheels.md.
"""

from __future__ import annotations

import argparse
import hashlib
import io
import json
import os
import shutil
import subprocess
import sys
import tarfile
import tempfile
from pathlib import Path

ROOT = Path(__file__).parent.parent
# The folders of weights that are wheels of their own; one inside another goes before it.
MODELS = {"reader": "grounding/reader", "grounding": "grounding", "multilingual": "multilingual"}
WEIGHTS = Path("src/toulmin/models/weights")
NOTICES = ("LICENSE", "NOTICE")  # every wheel has them
VERSION_FILE = "version.txt"  # where pyproject.toml of a model's project reads its wheel's number
LARGEST = 100_000_000  # bytes; what PyPI takes without asking, and what code hosts take in a file
_DEPENDENCIES = "dependencies = [\n"


def git(*arguments: str) -> bytes:
    """Return what git prints about this checkout."""
    return subprocess.run(["git", *arguments], cwd=ROOT, check=True, capture_output=True).stdout


def stage(folder: Path) -> None:
    """Write the tracked files of HEAD into `folder` and move the weights into their project."""
    with tarfile.open(fileobj=io.BytesIO(git("archive", "--format=tar", "HEAD"))) as archive:
        archive.extractall(folder, filter="data")
    required = "".join(f'  "{stage_model(folder, name)}",\n' for name in MODELS)
    project = folder / "pyproject.toml"
    text = project.read_text("utf-8")
    if text.count(f"\n{_DEPENDENCIES}") != 1:
        sys.exit(f"tools/dist.py: pyproject.toml has not one line {_DEPENDENCIES.strip()!r}")
    project.write_text(text.replace(_DEPENDENCIES, _DEPENDENCIES + required, 1), "utf-8")


def project_of(name: str) -> Path:
    """Return the folder of a model's project."""
    return Path("packaging") / f"{name}_model"


def stage_model(folder: Path, name: str) -> str:
    """Move a model's weights into their project; return what requires its wheel."""
    project = folder / project_of(name)
    package = project / f"toulmin_{name}_model"
    weights = folder / WEIGHTS / MODELS[name]
    for path in weights.iterdir():
        path.rename(package / path.name)
    weights.rmdir()
    for text in NOTICES:
        shutil.copyfile(folder / text, project / text)
    version = wheel_version(name, json.loads((package / "spec.json").read_text("utf-8"))["version"])
    (project / VERSION_FILE).write_text(f"{version}\n", "utf-8")
    return f"toulmin-{name}-model=={version}"


def wheel_version(name: str, model_version: str) -> str:
    """Return the number of a model's wheel: no two wheels with other contents have the same.

    The model's version alone says nothing of its calibrations, nor of an embedder beside it.
    """
    if git("rev-parse", "--is-shallow-repository").strip() == b"true":
        sys.exit("tools/dist.py: numbers of wheels need the whole history: git fetch --unshallow")
    others = [
        f":(exclude){(WEIGHTS / path).as_posix()}"
        for path in MODELS.values()
        if path.startswith(f"{MODELS[name]}/")
    ]
    weights = (WEIGHTS / MODELS[name]).as_posix()
    inside = [weights, *others, project_of(name).as_posix(), *NOTICES]
    count = git("rev-list", "--count", "HEAD", "--", *inside).decode().strip()
    return f"{model_version}.{count}"


def build(out: Path) -> list[Path]:
    """Write the wheels into `out`; return them by name."""
    epoch = os.environ.get("SOURCE_DATE_EPOCH") or git("log", "-1", "--format=%ct").decode().strip()
    command = [sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", str(out.resolve())]
    with tempfile.TemporaryDirectory() as scratch:
        stage(Path(scratch))
        for project in (Path(scratch), *(Path(scratch) / project_of(name) for name in MODELS)):
            environment = os.environ | {"SOURCE_DATE_EPOCH": epoch}
            subprocess.run(
                command, cwd=project, env=environment, check=True, stdout=subprocess.DEVNULL
            )
    return sorted(out.glob("toulmin*.whl"))


def digest(path: Path) -> str:
    """Return the SHA-256 of a file."""
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def differing(first: list[Path], again: list[Path]) -> list[str]:
    """Return the names of files that are not in both lists with the same bytes."""
    one, two = ({path.name: digest(path) for path in paths} for paths in (first, again))
    return sorted(name for name in one.keys() | two.keys() if one.get(name) != two.get(name))


def main() -> int:
    """Build, print sizes and hashes; return 1 if a wheel is too large or comes out differently."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--out", type=Path, default=ROOT / "dist", help="default: dist")
    parser.add_argument("--twice", action="store_true", help="build again and compare")
    arguments = parser.parse_args()
    if git("status", "--porcelain", "--untracked-files=no"):
        print("tools/dist.py: changes that are not committed are left out", file=sys.stderr)
    for old in arguments.out.glob("toulmin*.whl"):
        old.unlink()
    wheels = build(arguments.out)
    for wheel in wheels:
        print(f"{digest(wheel)}  {wheel.stat().st_size / 1e6:5.1f} MB  {wheel.name}")
    too_large = [wheel.name for wheel in wheels if wheel.stat().st_size > LARGEST]
    for name in too_large:
        print(f"tools/dist.py: {name} is larger than 100 MB", file=sys.stderr)
    changed: list[str] = []
    if arguments.twice:
        with tempfile.TemporaryDirectory() as scratch:
            changed = differing(wheels, build(Path(scratch)))
        for name in changed:
            print(f"tools/dist.py: {name} came out differently", file=sys.stderr)
        if not changed:
            print("built twice, the same bytes")
    return 1 if too_large or changed else 0


if __name__ == "__main__":
    sys.exit(main())
