"""Which RPC an HTTP method and path mean, by the path templates of google.api.http (AIP-127).

Paths are matched while still percent-encoded, so that an id such as "a/b" or "x:check", which
clients send encoded, is never taken for a separator or a custom verb. Templates:

    *                    one segment
    **                   one segment or more
    {name}               one segment, kept as a field
    {name=a/*/b/*}       segments, kept as a field
    ...}:verb            a custom verb, after the last literal colon
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import Final, NamedTuple
from urllib.parse import unquote

from toulmin.apis.schema import HttpRule, Rpc, Schema

_VARIABLE: Final = re.compile(r"\{([^}=]+)(?:=([^}]+))?\}")
_VERB: Final = re.compile(r":([A-Za-z]+)\Z")
_ENCODED_SLASH: Final = re.compile(r"(%2[Ff])")


_WORD: Final = re.compile(r"[A-Za-z0-9]+")
_SEGMENT: Final = re.compile(r"[^/:]+")
_MAX_SEGMENTS: Final = 64  # the longest template without `**` has 19


@dataclass(frozen=True, slots=True)
class RouteMatch:
    """The RPC that a method and a path mean.

    Attributes:
        rpc: The RPC.
        rule: The binding that matched.
        path_fields: Percent-decoded value by request field path ("name", "session.name"). Bytes
            that are not UTF-8 are lone surrogates; `parse_request` refuses them.
    """

    rpc: Rpc
    rule: HttpRule
    path_fields: dict[str, str]


class _Variable(NamedTuple):
    field_path: str
    start: int  # first segment
    end: int  # one past the last segment
    is_multiple: bool  # the template spells out segments, so an encoded slash stays encoded


@dataclass(frozen=True, slots=True)
class PathTemplate:
    """A path template taken apart.

    Attributes:
        segments: Text of each segment, or None for a wildcard; without the custom verb.
        rest: Index of the `**` segment, or None when there is none.
        variables: Which segments belong to which field.
        verb: Custom verb, or "".
    """

    segments: tuple[str | None, ...]
    rest: int | None
    variables: tuple[_Variable, ...]
    verb: str

    @classmethod
    def parse(cls, template: str) -> PathTemplate:
        """Return the parsed template.

        Raises:
            ValueError: a segment is partly a wildcard.
        """
        bare, verb = _split_verb(template)
        variables = []
        for found in _VARIABLE.finditer(bare):
            start = _plain(bare[: found.start()]).count("/")
            shape = found[2] or "*"
            end = start + shape.count("/")
            variables.append(_Variable(found[1], start - 1, end, is_multiple=shape != "*"))
        texts = _plain(bare).split("/")[1:]
        if any("*" in text and text not in {"*", "**"} for text in texts):
            raise ValueError(f"unsupported path template {template}")
        segments = tuple(None if text in {"*", "**"} else text for text in texts)
        return cls(segments, texts.index("**") if "**" in texts else None, tuple(variables), verb)

    def widened(self, count: int) -> PathTemplate:
        """Return the template with `**` as so many `*` that it has `count` segments in all.

        With `count` below the number of segments it has now, the template comes back unchanged.
        """
        if self.rest is None:
            return self
        rest, more = self.rest, count - len(self.segments)
        if more <= 0:
            return self
        segments = (*self.segments[:rest], *(None,) * more, *self.segments[rest:])
        variables = (
            variable._replace(
                start=variable.start + more * (variable.start > rest),
                end=variable.end + more * (variable.end > rest),
            )
            for variable in self.variables
        )
        return PathTemplate(segments, None, tuple(variables), self.verb)

    def fits(self, parts: list[str]) -> bool:
        """Return whether the segments of a raw path, without custom verb, match."""
        return len(parts) == len(self.segments) and all(
            expected == part if expected is not None else bool(part)
            for expected, part in zip(self.segments, parts, strict=True)
        )

    def fields(self, parts: list[str]) -> dict[str, str]:
        """Return the decoded value of each variable from segments that fit."""
        found = {}
        for variable in self.variables:
            value = "/".join(parts[variable.start : variable.end])
            found[variable.field_path] = _decode(value, keeps_slashes=variable.is_multiple)
        return found


def _split_verb(path: str) -> tuple[str, str]:
    """Return a path without its custom verb, and the verb or ""."""
    found = _VERB.search(path)
    return (path[: found.start()], found[1]) if found else (path, "")


def _plain(template: str) -> str:
    """Return a template with each variable replaced by the segments it stands for."""
    return _VARIABLE.sub(lambda found: found[2] or "*", template)


def _decode(value: str, *, keeps_slashes: bool) -> str:
    """Percent-decode a variable; an encoded slash stays so where slashes separate segments.

    Source: "Path template syntax" in google/api/http.proto.
    """
    if "%" not in value:
        return value
    if not keeps_slashes:
        return unquote(value, errors="surrogateescape")
    parts = _ENCODED_SLASH.split(value)
    return "".join(
        part if index % 2 else unquote(part, errors="surrogateescape")
        for index, part in enumerate(parts)
    )


class _Entry(NamedTuple):
    template: PathTemplate
    rpc: Rpc
    rule: HttpRule

    def match(self, parts: list[str]) -> RouteMatch:
        return RouteMatch(self.rpc, self.rule, self.template.fields(parts))


@dataclass(slots=True)
class _Node:
    """One step of the templates that begin alike."""

    literals: dict[str, _Node] = field(default_factory=dict)
    wildcard: _Node | None = None
    entry: _Entry | None = None

    def add(self, entry: _Entry) -> None:
        """Add a template without `**`; the first of two that are the same stays."""
        node = self
        for text in entry.template.segments:
            if text is not None:
                node = node.literals.setdefault(text, _Node())
            else:
                node.wildcard = node.wildcard or _Node()
                node = node.wildcard
        node.entry = node.entry or entry

    def find(self, parts: list[str], index: int = 0) -> _Entry | None:
        """Return the template that the segments match; spelled-out text before wildcards."""
        if index == len(parts):
            return self.entry
        child = self.literals.get(parts[index])
        found = child.find(parts, index + 1) if child is not None else None
        if found is None and self.wildcard is not None and parts[index]:
            found = self.wildcard.find(parts, index + 1)
        return found


class Router:
    """Finds the RPC of an HTTP request.

    Where two RPCs have the very same template (the session methods exist in two services), the
    first in the contract's order answers.
    """

    def __init__(self, schema: Schema) -> None:
        self._trees: dict[tuple[str, str], _Node] = {}
        self._open: dict[tuple[str, str], list[_Entry]] = {}
        for rpc in schema.rpcs.values():
            for rule in rpc.rules:
                entry = _Entry(PathTemplate.parse(rule.template), rpc, rule)
                key = (rule.verb, entry.template.verb)
                if entry.template.rest is None:
                    self._trees.setdefault(key, _Node()).add(entry)
                else:
                    self._open.setdefault(key, []).append(entry)
        templates = {rule.template for rpc in schema.rpcs.values() for rule in rpc.rules}
        self._words = {word for template in templates for word in _WORD.findall(template)}
        self._words |= {"healthz", "readyz"}
        self._methods = sorted({rule.verb for rpc in schema.rpcs.values() for rule in rpc.rules})

    def known_words(self, raw_path: str) -> str:
        """Return a path with `*` for all that is no word of a template: it may be a secret."""
        return _SEGMENT.sub(lambda part: part[0] if part[0] in self._words else "*", raw_path)

    def match(self, http_method: str, raw_path: str) -> RouteMatch | None:
        """Return what a method and a still percent-encoded path mean, or None; raises nothing.

        Args:
            http_method: "GET", "POST", ...
            raw_path: Path as sent, without query string.
        """
        if not raw_path.startswith("/") or raw_path.count("/") > _MAX_SEGMENTS:
            return None
        bare, verb = _split_verb(raw_path)
        found = self._match((http_method, verb), bare) if verb else None
        return found or self._match((http_method, ""), raw_path)

    def _match(self, key: tuple[str, str], path: str) -> RouteMatch | None:
        parts = path.split("/")[1:]
        tree = self._trees.get(key)
        entry = tree.find(parts) if tree is not None else None
        if entry is not None:
            return entry.match(parts)
        for candidate in self._open.get(key, ()):
            template = candidate.template.widened(len(parts))
            if template.fits(parts):
                return candidate._replace(template=template).match(parts)
        return None

    def allowed_methods(self, raw_path: str) -> list[str]:
        """Return the HTTP methods, sorted, under which the path means something."""
        return [method for method in self._methods if self.match(method, raw_path)]
