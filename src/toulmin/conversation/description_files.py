"""A description of a server's tools -> an object: JSON, or YAML as far as it says what JSON can.

Of YAML only what JSON has, too, is read: a day stays text, and a tag of YAML's own is a fault.
Where one mapping is merged into others again and again, a few lines would be more than any memory
holds; so what they come to is counted.
"""

from __future__ import annotations

from functools import cache
from typing import Any, Final

import orjson

from toulmin.errors import InvalidArgument

LONGEST_YAML: Final = 1_000_000
"""Characters; JSON is read a hundred times faster and may be as long as a request."""
MOST_MERGED: Final = 10_000
"""Keys of a mapping of YAML, with those that it merges from others."""
_DAYS: Final = "tag:yaml.org,2002:timestamp"
_KINDS: Final = ("null", "bool", "int", "float", "str", "seq", "map")


def loaded(text: str, field_name: str) -> dict[str, Any]:
    """Return the object that a text is.

    Args:
        text: JSON or YAML.
        field_name: Path of the text in the request, for errors.

    Raises:
        InvalidArgument: It is neither, no object, nested too deeply, or too long for YAML.
    """
    try:
        value = orjson.loads(text)
    except ValueError as not_json:
        value = _of_yaml(text, str(not_json), field_name)
    if not isinstance(value, dict):
        raise InvalidArgument.of_field(field_name, "must be an object")
    return value


def _of_yaml(text: str, not_json: str, field_name: str) -> Any:
    try:
        import yaml
    except ImportError:
        raise InvalidArgument.of_field(
            field_name, f"is no JSON ({not_json}); YAML needs pip install 'toulmin[agents]'"
        ) from None
    if len(text) > LONGEST_YAML:
        raise InvalidArgument.of_field(
            field_name,
            f"is no JSON ({not_json}), and has {len(text):,} characters; YAML may have"
            f" {LONGEST_YAML:,}",
        )
    try:
        return yaml.load(text, Loader=_loader())  # noqa: S506 - it makes what JSON has and no more
    except (yaml.YAMLError, ValueError) as error:
        raise InvalidArgument.of_field(field_name, f"is neither JSON nor YAML: {error}") from None
    except RecursionError:
        raise InvalidArgument.of_field(field_name, "is nested too deeply") from None


@cache
def _loader() -> Any:
    """Return a loader of YAML that makes what JSON has."""
    import yaml

    base: Any = yaml.SafeLoader

    class Loader(base):  # type: ignore[misc]
        """See above."""

        yaml_implicit_resolvers = {  # noqa: RUF012 - as PyYAML has it
            first: [(tag, pattern) for tag, pattern in patterns if tag != _DAYS]
            for first, patterns in base.yaml_implicit_resolvers.items()
        }
        yaml_constructors = {  # noqa: RUF012
            tag: made
            for tag, made in base.yaml_constructors.items()
            if tag is None or tag.rpartition(":")[2] in _KINDS
        }

        def flatten_mapping(self, node: Any) -> None:
            super().flatten_mapping(node)
            if len(node.value) > MOST_MERGED:
                raise yaml.constructor.ConstructorError(
                    None, None, f"over {MOST_MERGED:,} keys are merged", node.start_mark
                )

    return Loader
