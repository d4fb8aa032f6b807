"""Resource names (AIP-122): "projects/p/locations/global/groundingConfigs/c" and their parts."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Final

from toulmin.errors import InvalidArgument

_VARIABLE: Final = re.compile(r"\{([a-z][a-z0-9_]*)\}\Z")
_MAX_QUOTED_CHARS: Final = 200


@dataclass(frozen=True, slots=True)
class ResourceName:
    """A name taken apart.

    Attributes:
        pattern: The pattern it matches.
        ids: Value of each variable of the pattern.
    """

    pattern: ResourcePattern
    ids: Mapping[str, str]

    def __getitem__(self, variable: str) -> str:
        """Return the id that a variable of the pattern stands for."""
        return self.ids[variable]

    def __str__(self) -> str:
        return self.pattern.format(**self.ids)


@dataclass(frozen=True, slots=True)
class ResourcePattern:
    """A pattern such as "projects/{project}/locations/{location}".

    Attributes:
        text: The pattern.
        segments: Its segments; (text, True) for a variable.
    """

    text: str
    segments: tuple[tuple[str, bool], ...]

    @classmethod
    def of(cls, text: str) -> ResourcePattern:
        """Return the pattern.

        Raises:
            ValueError: a segment is neither plain text nor one variable in braces, or a variable
                is there twice.
        """
        segments = []
        for segment in text.split("/"):
            found = _VARIABLE.match(segment)
            if not segment or (found is None and ("{" in segment or "}" in segment)):
                raise ValueError(f'"{segment}" is no segment of a resource pattern: {text}')
            segments.append((found[1], True) if found else (segment, False))
        names = [name for name, is_variable in segments if is_variable]
        if len(names) != len(set(names)):
            raise ValueError(f"a variable is there twice: {text}")
        return cls(text, tuple(segments))

    def match(self, name: str) -> ResourceName | None:
        """Return the name taken apart, or None when it has another form."""
        parts = name.split("/")
        if len(parts) != len(self.segments):
            return None
        ids = {}
        for (text, is_variable), part in zip(self.segments, parts, strict=True):
            if is_variable and _is_id(part):
                ids[text] = part
            elif is_variable or text != part:
                return None
        return ResourceName(self, ids)

    def format(self, **ids: str) -> str:
        """Return the name with these ids.

        Raises:
            ValueError: an id is missing, has no place, is empty, or has a "/" or a control
                character.
        """
        wanted = {text for text, is_variable in self.segments if is_variable}
        if wanted != set(ids):
            raise ValueError(f"{self.text} takes {sorted(wanted)}, not {sorted(ids)}")
        for variable, value in ids.items():
            if not _is_id(value) or "/" in value:
                raise ValueError(f"{variable} cannot be {value!r} in {self.text}")
        return "/".join(ids[text] if is_variable else text for text, is_variable in self.segments)


def _is_id(text: str) -> bool:
    return bool(text) and text.isprintable()


@cache
def _pattern(text: str) -> ResourcePattern:
    return ResourcePattern.of(text)


def parse_name(name: str, patterns: str | Sequence[str], *, field: str) -> ResourceName:
    """Return a name taken apart by the first pattern that it matches.

    Args:
        name: What the caller sent.
        patterns: One, or several that name the same kind of resource under other parents.
        field: Path of the request field, for the error.

    Raises:
        InvalidArgument: no pattern matches; names the field, the value and the patterns.
    """
    choices = [patterns] if isinstance(patterns, str) else list(patterns)
    for text in choices:
        found = _pattern(text).match(name)
        if found is not None:
            return found
    quoted = name if len(name) <= _MAX_QUOTED_CHARS else name[:_MAX_QUOTED_CHARS] + "..."
    raise InvalidArgument.of_field(field, f'"{quoted}" must have the form {" or ".join(choices)}')
