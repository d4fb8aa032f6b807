"""`toulmin keys`: make, list and revoke the keys that callers present."""

from __future__ import annotations

import argparse
import contextlib
import getpass
import re
import sys
from collections.abc import Iterator, Sequence
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING, Any, Final

from toulmin.callers import Role
from toulmin.cli.settings_flags import add_settings_flags, settings_from
from toulmin.cli.terminal import say
from toulmin.errors import InvalidArgument

if TYPE_CHECKING:
    from toulmin.stores.records import ApiKey, ApiKeys

_EPILOG = """\
what to do:
  list       all keys, also expired and revoked ones (the default)
  create     make one; it is written to standard output, once, and only its hash is kept
  revoke ID  refuse one from now on

roles:
  viewer     check, search, ask, read
  editor     documents, data stores and what belongs to them, too
  admin      everything

It takes effect within a second, also while a server runs. From the first key on, the server
answers nobody without one.

example:
  toulmin keys create --name "search page" --role viewer --project shop --expires 90d
"""
_DURATION: Final = re.compile(r"([1-9][0-9]{0,5})([hd])")
_UNITS: Final = {"h": timedelta(hours=1), "d": timedelta(days=1)}


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the verb's options to its parser."""
    parser.formatter_class = argparse.RawDescriptionHelpFormatter
    parser.epilog = _EPILOG
    parser.add_argument(
        "action", nargs="?", choices=["list", "create", "revoke"], default="list",
        help="(default: list)",
    )  # fmt: skip
    parser.add_argument("id", nargs="?", metavar="ID", help="of the key to revoke")
    parser.add_argument("--json", action="store_true", help="print what came of it as JSON")
    new = parser.add_argument_group("a new key")
    new.add_argument("--name", metavar="TEXT", help="who or what it is for")
    new.add_argument(
        "--role", choices=[role.value for role in Role], default=Role.VIEWER.value,
        help="what it may do (default: viewer)",
    )  # fmt: skip
    new.add_argument(
        "--project", action="append", metavar="ID", dest="projects",
        help="where it may do it; can be given several times",
    )  # fmt: skip
    new.add_argument("--all-projects", action="store_true", help="it may do it everywhere")
    new.add_argument(
        "--expires", metavar="WHEN",
        help="after some days or hours (90d, 12h) or at a time in UTC (2027-01-31T12:00)",
    )  # fmt: skip
    add_settings_flags(parser, only=("data_dir", "database_url", "audit_log"))


def run(arguments: argparse.Namespace) -> int:
    """Do what is asked and return 0.

    Raises:
        ToulminError: A flag is wrong, there is no such key, the database cannot be opened.
    """
    from toulmin.server.audit import AuditLog
    from toulmin.stores.records import editing_keys

    if (arguments.id is not None) != (arguments.action == "revoke"):
        needs = "needs an ID" if arguments.action == "revoke" else "needs no ID"
        raise InvalidArgument(f"{arguments.action} {needs}")
    settings = settings_from(arguments)
    with contextlib.closing(AuditLog.from_settings(settings, rotates=False)) as audit:
        with editing_keys(settings) as keys:
            if arguments.action == "list":
                listed = keys.list()
                say(
                    "\n".join(_table(listed)),
                    [as_json(key) for key in listed],
                    as_json=arguments.json,
                )
                return 0
            if arguments.action == "revoke":
                key = keys.revoke(arguments.id)
                line, value = f"revoked {key.id}", as_json(key)
            else:
                key, line = _create(keys, arguments)
                value = as_json(key) | {"key": line}
        say(line, value, as_json=arguments.json)  # after the commit: a key that is shown is kept
        audit.event(
            f"keys.{arguments.action}",
            caller=f"local:{getpass.getuser()}",
            key=f"key:{key.id}",
            role=key.role,
            projects=sorted(key.projects or ()),
        )
    return 0


def as_json(key: ApiKey) -> dict[str, Any]:
    """Return what is known of a key, which is never the key itself, for `--json`."""
    return {
        "id": key.id,
        "name": key.display_name,
        "state": key.state(datetime.now(UTC)),
        "role": key.role.value,
        "created": key.create_time.isoformat(),
        "expires": key.expire_time and key.expire_time.isoformat(),
        "projects": None if key.projects is None else sorted(key.projects),
    }


def _create(keys: ApiKeys, arguments: argparse.Namespace) -> tuple[ApiKey, str]:
    if bool(arguments.projects) == arguments.all_projects:
        raise InvalidArgument("Say where the key may be used: --project ID, or --all-projects")
    stored, key = keys.create(
        display_name=arguments.name or "",
        role=Role(arguments.role),
        projects=arguments.projects,
        expire_time=_time(arguments.expires) if arguments.expires else None,
    )
    print(
        f"key {stored.id}: {stored.role} of {_places(stored)}, expires"
        f" {_shown(stored.expire_time)}. It is not shown again.",
        file=sys.stderr,
    )
    return stored, key


def _time(text: str) -> datetime:
    """Return the time that --expires says.

    Raises:
        InvalidArgument: It says none.
    """
    found = _DURATION.fullmatch(text)
    if found:
        return datetime.now(UTC) + int(found[1]) * _UNITS[found[2]]
    try:
        time = datetime.fromisoformat(text)
    except ValueError:
        raise InvalidArgument.of_field(
            "--expires", f"{text!r} is neither a time (2027-01-31T12:00) nor a span (90d, 12h)"
        ) from None
    return time if time.tzinfo else time.replace(tzinfo=UTC)


def _table(keys: Sequence[ApiKey]) -> Iterator[str]:
    if not keys:
        yield "no keys; `toulmin keys create` makes one"
        return
    now = datetime.now(UTC)
    rows = [("ID", "STATE", "ROLE", "CREATED", "EXPIRES", "PROJECTS", "NAME")]
    for key in keys:
        times = (_shown(key.create_time), _shown(key.expire_time))
        rows.append((key.id, key.state(now), key.role, *times, _places(key), key.display_name))
    widths = [max(len(row[place]) for row in rows) for place in range(len(rows[0]) - 1)]
    for row in rows:
        columns = [f"{text:<{width}}" for text, width in zip(row[:-1], widths, strict=True)]
        yield "  ".join([*columns, row[-1]])


def _shown(time: datetime | None) -> str:
    return "never" if time is None else f"{time:%Y-%m-%d %H:%M}"


def _places(key: ApiKey) -> str:
    return "all projects" if key.projects is None else ",".join(sorted(key.projects))
