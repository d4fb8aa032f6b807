"""Parser -> completion script for fish, which shtab does not write.

Source: https://fishshell.com/docs/current/completions.html
"""

from __future__ import annotations

import argparse
from collections.abc import Callable, Iterator
from typing import Final

_FUNCTIONS: Final = """\
function __toulmin_at
    for word in (commandline -opc)[2..-1]
        if not string match -q -- '-*' $word
            test "$word" = "$argv"
            return
        end
    end
    test -z "$argv"
end
"""
"""Whether the first word is a certain verb; without one, whether there is none yet."""

_FOLDERS: Final = "-x -a '(__fish_complete_directories)'"


def fish_script(
    parser: argparse.ArgumentParser, takes: Callable[[argparse.Action], str]
) -> Iterator[str]:
    """Yield the lines of the script.

    Args:
        parser: With every verb in it.
        takes: Returns "file" or "folder" where the path of one is to be given; else "".
    """
    yield "# toulmin completion fish"
    yield _FUNCTIONS
    yield "complete -c toulmin -f"
    yield from _of_verb("", parser, takes)
    for action in parser._actions:  # argparse has no public way; shtab does the same
        if isinstance(action, argparse._SubParsersAction):
            for verb, within in action.choices.items():
                yield from _of_verb(verb, within, takes)


def _of_verb(
    verb: str, parser: argparse.ArgumentParser, takes: Callable[[argparse.Action], str]
) -> Iterator[str]:
    condition = _quoted(f"__toulmin_at {verb}".rstrip())
    for action in parser._actions:
        for offer in _offers(action, takes(action)):
            yield f"complete -c toulmin -n {condition} {offer}"


def _offers(action: argparse.Action, path: str) -> Iterator[str]:
    """Yield what to offer for a flag, an argument or verbs, as options of `complete`."""
    if isinstance(action, argparse._SubParsersAction):
        about = {one.dest: one.help or "" for one in action._choices_actions}
        for name in action.choices:
            yield f"-a {_quoted(name)} -d {_quoted(about.get(name, ''))}"
        return
    if action.help == argparse.SUPPRESS:
        return
    values = _values(action, path)
    if not action.option_strings:
        if values:
            yield values
        return
    names = " ".join(
        f"-l {name[2:]}" if name.startswith("--") else f"-s {name[1:]}"
        for name in action.option_strings
    )
    takes_none = action.nargs == 0
    first_sentence = (action.help or "").replace("%%", "%").split(". ")[0]
    yield " ".join(
        part
        for part in (names, "" if takes_none else values or "-x", f"-d {_quoted(first_sentence)}")
        if part
    )


def _values(action: argparse.Action, path: str) -> str:
    if action.choices:
        return f"-x -a {_quoted(' '.join(map(str, action.choices)))}"
    return {"file": "-r -F", "folder": _FOLDERS}.get(path, "")


def _quoted(text: str) -> str:
    line = " ".join(text.split())
    return "'" + line.replace("\\", "\\\\").replace("'", "\\'") + "'"
