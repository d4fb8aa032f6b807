"""Names of apps and of what is in them, and the ids in them."""

from __future__ import annotations

import re
import uuid
from dataclasses import dataclass
from typing import Final

from toulmin.apis.aip.names import parse_name
from toulmin.errors import InvalidArgument

_LOCATION: Final = "projects/{project}/locations/{location}"
_APP: Final = _LOCATION + "/apps/{app}"
_ID: Final = re.compile(r"[A-Za-z0-9_][A-Za-z0-9_-]{0,62}\Z")
_SESSION_ID: Final = re.compile(r"[A-Za-z0-9][A-Za-z0-9_-]{0,62}\Z")


@dataclass(frozen=True, slots=True)
class NameInApp:
    """Name of something in an app.

    Attributes:
        app: Name of the app.
        id: Last part of the name.
        name: The whole.
    """

    app: str
    id: str
    name: str


def parse_location(name: str, *, field: str) -> str:
    """Return the name of a location.

    Raises:
        InvalidArgument: It has another form.
    """
    return str(parse_name(name, _LOCATION, field=field))


def parse_app(name: str, *, field: str) -> str:
    """Return the name of an app.

    Raises:
        InvalidArgument: It has another form.
    """
    return str(parse_name(name, _APP, field=field))


def parse_in_app(name: str, collection: str, *, field: str) -> NameInApp:
    """Return the name of something in an app, taken apart.

    Args:
        name: What the caller sent.
        collection: "agents", "tools", "conversations", "sessions", ...
        field: Path of the request field, for the error.

    Raises:
        InvalidArgument: It has another form.
    """
    parse_name(name, f"{_APP}/{collection}/{{id}}", field=field)
    app, id_ = name.rsplit(f"/{collection}/", 1)
    return NameInApp(app, id_, name)


def parse_session(name: str, *, field: str) -> NameInApp:
    """Return the name of a session, taken apart.

    The service takes `[a-zA-Z0-9][a-zA-Z0-9-_]{4,62}`; shorter ids are taken here, too
    (docs/decisions/0066).

    Raises:
        InvalidArgument: It has another form, or its id is not 1 to 63 letters, digits, "-" and
            "_", the first a letter or a digit.
    """
    found = parse_in_app(name, "sessions", field=field)
    if not _SESSION_ID.match(found.id):
        raise InvalidArgument.of_field(
            field,
            f'"{found.id[:200]}" must have 1 to 63 characters of a-z, A-Z, 0-9, "-" and "_", the'
            " first a letter or a digit",
        )
    return found


def parse_result(name: str, *, field: str) -> str:
    """Return the name of the result of an evaluation.

    Raises:
        InvalidArgument: It has another form.
    """
    return str(
        parse_name(name, f"{_APP}/evaluations/{{evaluation}}/results/{{result}}", field=field)
    )


def location_of(app: str) -> str:
    """Return the name of an app's location."""
    return app.rpartition("/apps/")[0]


def new_id(asked: str, *, field: str) -> str:
    """Return the id of a new resource: the one that was asked for, or a random one.

    Raises:
        InvalidArgument: It is not 1 to 63 letters, digits, "-" and "_", the first no "-".
    """
    if not asked:
        return str(uuid.uuid4())
    if not _ID.match(asked):
        raise InvalidArgument.of_field(
            field,
            f'"{asked[:200]}" must have 1 to 63 characters of a-z, A-Z, 0-9, "-" and "_", the first'
            ' none of "-"',
        )
    return asked
