"""`toulmin completion`: a script with which a shell completes verbs, flags and files."""

from __future__ import annotations

import argparse
import importlib
from collections.abc import Iterator
from pathlib import Path
from typing import Final

from toulmin.cli.fish_completion import fish_script
from toulmin.errors import FailedPrecondition
from toulmin.settings import SETTINGS

SHELLS: Final = ("bash", "fish", "tcsh", "zsh")
_FILES: Final = ("FILE", "FILE_OR_FOLDER", "PATH")
_FOLDERS: Final = ("DIR",)
_EPILOG = """\
bash:  toulmin completion bash > ~/.local/share/bash-completion/completions/toulmin
fish:  toulmin completion fish > ~/.config/fish/completions/toulmin.fish
zsh:   toulmin completion zsh > "${fpath[1]}/_toulmin"
tcsh:  toulmin completion tcsh > /etc/profile.d/toulmin.completion.csh

Shells that are started from then on complete `toulmin`. Made for this version: make it again
after an upgrade. All but fish need shtab: pip install 'toulmin[completion]'
"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the verb's options to its parser."""
    parser.formatter_class = argparse.RawDescriptionHelpFormatter
    parser.epilog = _EPILOG
    parser.add_argument("shell", choices=SHELLS, help="whose script")


def run(arguments: argparse.Namespace) -> int:
    """Print the script and return 0.

    Raises:
        FailedPrecondition: The extra is not installed, which all but fish need.
    """
    if arguments.shell == "fish":
        print("\n".join(fish_script(whole_parser(), takes)))
        return 0
    try:
        import shtab
    except ModuleNotFoundError as error:
        raise FailedPrecondition(
            "toulmin completion needs shtab: pip install 'toulmin[completion]'"
        ) from error
    parser = whole_parser()
    for action in actions_of(parser):
        if complete := {"file": shtab.FILE, "folder": shtab.DIRECTORY}.get(takes(action)):
            action.complete = complete  # type: ignore[attr-defined] # shtab's way to say it
    print(shtab.complete(parser, shell=arguments.shell))
    return 0


def whole_parser() -> argparse.ArgumentParser:
    """Return one parser with every verb in it; to run one, only its own is made."""
    from toulmin.cli import VERBS

    parser = argparse.ArgumentParser(prog="toulmin")
    parser.add_argument("--version", action="store_true", help="print the version")
    verbs = parser.add_subparsers(metavar="VERB")
    for verb, about in VERBS.items():
        module = importlib.import_module(f"toulmin.cli.{verb.replace('-', '_')}")
        module.add_arguments(verbs.add_parser(verb, help=about, description=about))
    # Settings refuse a wrong word by themselves; only here argparse is to know the right ones.
    words = {row.name: row.choices for row in SETTINGS if row.choices}
    for action in actions_of(parser):
        action.choices = action.choices or words.get(action.dest)
    return parser


def actions_of(parser: argparse.ArgumentParser) -> Iterator[argparse.Action]:
    """Yield the flags and arguments of a parser and of those within it."""
    for action in parser._actions:  # argparse has no public way; shtab does the same
        if isinstance(action, argparse._SubParsersAction):
            for within in action.choices.values():
                yield from actions_of(within)
        else:
            yield action


def takes(action: argparse.Action) -> str:
    """Return "file" or "folder" where the path of one is to be given; else ""."""
    if any(row.name == action.dest and row.type == "path" for row in SETTINGS):
        return "folder"  # of settings, only folders are of this type
    if action.metavar in _FOLDERS:
        return "folder"
    return "file" if action.metavar in _FILES or action.type is Path else ""
