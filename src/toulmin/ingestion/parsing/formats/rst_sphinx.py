"""Directives and roles that docutils does not know: their text is kept.

Sphinx and its extensions have hundreds; docutils gives an error with the source of each. Here each
gives its argument and its content, read as reStructuredText, and a role what it shows.
"""

from __future__ import annotations

import re
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import cache
from typing import Any

from docutils import nodes
from docutils.parsers.rst import Directive, directives, roles

_INCLUDING = frozenset({"include", "literalinclude", "raw"})
_SILENT = frozenset(
    """
    autoclass autodata autoexception autofunction automethod automodule autosummary contents
    currentmodule date default-domain default-role graphviz header highlight index meta module
    py:currentmodule py:module sectnum tabularcolumns toctree
    """.split()  # noqa: SIM905 - read as words
)
"""Directives with nothing to read: names of other files, settings, what changes by the day."""
_CODE = frozenset({"doctest", "ipython", "prompt", "productionlist", "testcode", "testoutput"})
_CODE_IN = frozenset({"code", "code-block", "sourcecode"})
"""Directives of code whose argument is a language."""
_VERSIONS = {
    "deprecated": "Deprecated since version",
    "versionadded": "Added in version",
    "versionchanged": "Changed in version",
    "versionremoved": "Removed in version",
}
_EXPLICIT = re.compile(r"(.+?)\s*<[^<>]*>\s*", re.DOTALL)
_lock = threading.Lock()


class _AnyOption(dict[str, Callable[[str], str]]):
    """Takes every option of a directive, as text."""

    def __missing__(self, key: str) -> Callable[[str], str]:
        return str


class _Any(Directive):
    """A directive of which only the name is known."""

    optional_arguments = 1
    final_argument_whitespace = True
    has_content = True
    option_spec = _AnyOption({"class": directives.unchanged})

    def run(self) -> list[nodes.Node]:
        """Return its argument as a paragraph, and its content."""
        argument = " ".join(self.arguments)
        if self.name in _CODE | _CODE_IN:
            first = self.arguments if self.name in _CODE else []
            text = "\n".join([*first, *self.content])
            return [nodes.literal_block(text, text)]
        if self.name in _VERSIONS:
            argument = f"{_VERSIONS[self.name]} {argument}"
        holder = nodes.container()
        if argument:
            holder += nodes.paragraph("", argument)
        self.state.nested_parse(self.content, self.content_offset, holder)
        return [holder]


class _Silent(_Any):
    """A directive with nothing to read."""

    def run(self) -> list[nodes.Node]:
        """Return nothing."""
        return []


def _role(
    _name: str, rawtext: str, text: str, *_: Any, **__: Any
) -> tuple[list[nodes.Node], list[nodes.system_message]]:
    """Return what a reference shows: "Title" of `Title <target>`, "f" of `~package.module.f`."""
    said = nodes.unescape(text)
    explicit = _EXPLICIT.fullmatch(said)
    if explicit:
        said = explicit[1]
    elif said.startswith("~"):
        said = said[1:].rpartition(".")[2]
    return [nodes.inline(rawtext, said.removeprefix("!"))], []


@cache
def _with_any_option(known: type[Directive]) -> type[Directive]:
    """Return a directive of docutils that also takes the options that Sphinx gives it."""
    spec = _AnyOption(known.option_spec or {})
    return type(known.__name__, (known,), {"option_spec": spec})


@contextmanager
def any_directives_and_roles() -> Iterator[set[str]]:
    """Read unknown directives and roles as text while the context is open, as Sphinx hooks in.

    Yields:
        A set that fills with the files that the document would include.
    """
    left_out: set[str] = set()
    known_directive, known_role, before = directives.directive, roles.role, dict(roles._roles)

    class Including(_Silent):
        def run(self) -> list[nodes.Node]:
            left_out.update(self.arguments if self.name != "raw" else ())
            return []

    def directive(name: str, language: Any, document: Any) -> tuple[Any, list[Any]]:
        if name in _INCLUDING:
            return Including, []
        if name in _SILENT:
            return _Silent, []
        found, _ = known_directive(name, language, document)
        if not found or name in _CODE_IN:
            return _Any, []
        return _with_any_option(found), []

    def role(name: str, language: Any, lineno: int, reporter: Any) -> tuple[Any, list[Any]]:
        found, _ = known_role(name, language, lineno, reporter)
        return found or _role, []

    with _lock:  # the hooks are the module's own, and a document's roles are left behind in it
        directives.directive, roles.role = directive, role
        try:
            yield left_out
        finally:
            directives.directive, roles.role = known_directive, known_role
            roles._roles.clear()
            roles._roles.update(before)
