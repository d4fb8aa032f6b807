"""Dependencies against known vulnerabilities and allowed licences: `make audit`.

    python -m tools.audit --pip-audit PROGRAM [--osv ZIP] [--ignore ID ...]

Every package of every lock file is asked about: at the registry by pip-audit, or in an export of
OSV that was fetched elsewhere (`--osv`; OSV publishes one zip for PyPI). Exits with 0 when all that
is locked was asked about and nothing was found; with 1 for a vulnerability or a licence that is not
allowed; with 2 when packages are left that nobody could be asked about, for then nothing is known
of them: no network is no clean bill.
"""

from __future__ import annotations

import argparse
import sys
import sysconfig
from collections import Counter
from pathlib import Path

from tools.auditing.advisories import Answers, ask_registry, look_up
from tools.auditing.licences import licences
from tools.auditing.locked import Locked, locked_in

ROOT = Path(__file__).parents[1]
_SHOWN = 5


def main(arguments: list[str] | None = None) -> int:
    """Ask, print what was found, return the exit code."""
    parser = argparse.ArgumentParser(prog="python -m tools.audit", description=__doc__)
    parser.add_argument("--pip-audit", type=Path, help="the program; needed without --osv")
    parser.add_argument("--osv", type=Path, help="an export of OSV, instead of the registry")
    parser.add_argument("--ignore", action="append", default=[], help="an advisory that is known")
    parser.add_argument("--locks", type=Path, default=ROOT / "requirements")
    chosen = parser.parse_args(arguments)
    files = sorted(chosen.locks.glob("*.txt"))
    packages = locked_in(files)
    if not packages:
        parser.error(f"no lock files with packages in {chosen.locks}")
    if chosen.osv is not None:
        try:
            answers = look_up(chosen.osv, packages)
        except (OSError, ValueError) as error:
            parser.error(f"--osv: {error}")
    elif chosen.pip_audit is not None:
        answers = ask_registry(chosen.pip_audit, files, packages)
    else:
        parser.error("say --pip-audit or --osv")
    print(f"{len(packages)} packages in {', '.join(file.name for file in files)}")
    found = _report_advisories(answers, len(packages), set(chosen.ignore))
    found = _report_licences(packages) or found
    if found:
        return 1
    return 2 if answers.unknown else 0


def _report_advisories(answers: Answers, count: int, ignored: set[str]) -> bool:
    known = [one for one in answers.advisories if not ignored & {one.id, *one.aliases}]
    print(f"\nVulnerabilities, asked of {answers.source}:")
    for advisory in known:
        print(f"  {advisory}")
    left_out = len(answers.advisories) - len(known)
    if left_out:
        print(f"  {left_out} more that --ignore names")
    if not answers.asked:
        print("  NOT CHECKED: no advisories could be fetched. Nothing is known about any package.")
    else:
        print(f"  {len(known)} known, of {answers.asked} packages of {count} that were asked about")
    _report_unknown(answers)
    return bool(known)


def _report_unknown(answers: Answers) -> None:
    if not answers.unknown:
        return
    reasons = Counter(_plain(why, package) for package, why in answers.unknown.items())
    print(f"  {len(answers.unknown)} packages that nobody could be asked about:")
    for why, number in reasons.most_common(_SHOWN):
        print(f"    {number}: {why}")
    print(
        "    Run it where the registry's advisories can be reached, or fetch OSV's export for PyPI"
    )
    print("    (one zip) there and run: make audit OSV=FILE.zip")


def _plain(why: str, package: Locked) -> str:
    """Return a reason without the package that it was given for, so that equal ones are counted."""
    return why.replace(f"{package.name} ({package.version})", "").strip(" :.")


def _report_licences(packages: list[Locked]) -> bool:
    folders = [Path(path) for path in {sysconfig.get_path(name) for name in ("purelib", "platlib")}]
    folders += ROOT.glob(".venv-*/lib/python*/site-packages")
    known, missing = licences(packages, folders)
    refused = [one for one in known if not one.is_allowed]
    print(f"\nLicences, from the metadata of the {len(known)} packages that are installed here:")
    for one in refused:
        print(f"  {one.package}: {one.said or 'says nothing'}: not in the list of allowed licences")
    print(f"  {len(refused)} that are not allowed")
    if missing:
        print(f"  {len(missing)} not installed here and not looked at: {_listed(missing)}")
    return bool(refused)


def _listed(packages: list[Locked]) -> str:
    return ", ".join(package.name for package in packages)


if __name__ == "__main__":
    sys.exit(main())
