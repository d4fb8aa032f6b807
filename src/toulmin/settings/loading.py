"""The values in force, from flags, environment, file and defaults."""

from __future__ import annotations

import difflib
import logging
import os
import tomllib
from collections.abc import Mapping, Sequence
from pathlib import Path
from types import MappingProxyType
from typing import Any, Final

from toulmin.errors import FieldViolation, InvalidArgument
from toulmin.settings.row import ENVIRONMENT_PREFIX
from toulmin.settings.server import wrong_keys
from toulmin.settings.table import SETTINGS, Settings
from toulmin.settings.values import convert

CONFIG_VARIABLE: Final = "TOULMIN_CONFIG"

logger = logging.getLogger(__name__)


def load_settings(
    *,
    flags: Mapping[str, object] | None = None,
    environment: Mapping[str, str] | None = None,
    file: Path | None = None,
) -> Settings:
    """Return the values in force, each with its origin.

    Args:
        flags: Values from the command line by setting name; None means not given.
        environment: Environment variables; by default the process's own.
        file: TOML file; by default the one that `TOULMIN_CONFIG` names, or none.

    Raises:
        InvalidArgument: a value is not allowed, a name is unknown, or the file cannot be read.
            The message has the name, the origin, the value and what is allowed.
    """
    environment = os.environ if environment is None else environment
    if file is None and environment.get(CONFIG_VARIABLE):
        file = Path(environment[CONFIG_VARIABLE])
    from_file = {} if file is None else _read_file(file)
    _warn_of_unknown_variables(environment)
    values: dict[str, Any] = {}
    origins: dict[str, str] = {}
    for row in SETTINGS:
        flag = (flags or {}).get(row.name)
        origin, raw = "default", row.default
        if flag is not None:
            origin, raw = f"flag {row.flag}", flag
        elif row.environment in environment:
            origin, raw = f"environment {row.environment}", environment[row.environment]
        elif row.name in from_file:
            origin, raw = f"file {file}", from_file[row.name]
        values[row.name] = convert(row, raw, origin)
        origins[row.name] = origin
    if values["api_keys_file"]:
        values["api_keys"] += _keys_in_file(values["api_keys_file"], origins["api_keys_file"])
        if origins["api_keys"] == "default":
            origins["api_keys"] = "setting api_keys_file"
    return Settings(**values, origins=MappingProxyType(origins))


def _read_file(file: Path) -> dict[str, object]:
    try:
        content = tomllib.loads(file.read_text(encoding="utf-8"))
    except (OSError, UnicodeDecodeError) as error:
        raise InvalidArgument(f"The settings file {file} cannot be read: {error}") from error
    except tomllib.TOMLDecodeError as error:
        raise InvalidArgument(f"The settings file {file} is not valid TOML: {error}") from error
    known = [row.name for row in SETTINGS]
    for name in content:
        if name not in known:
            raise InvalidArgument(
                f"The settings file {file} has an unknown setting {name!r}.{_suggest(name, known)}",
                violations=[FieldViolation(name, "unknown setting")],
            )
    return content


def _warn_of_unknown_variables(environment: Mapping[str, str]) -> None:
    known = [row.environment for row in SETTINGS] + [CONFIG_VARIABLE]
    for name in environment:
        if name.startswith(ENVIRONMENT_PREFIX) and name not in known:
            logger.warning(
                "The environment variable %s is no setting and is ignored.%s",
                name,
                _suggest(name, known),
            )


def _suggest(name: str, known: Sequence[str]) -> str:
    close = difflib.get_close_matches(name, known, n=1)
    return f" Did you mean {close[0]!r}?" if close else ""


def _keys_in_file(path: str, origin: str) -> tuple[str, ...]:
    """Return the keys of the file; a file without any is a mistake, for it would lock nothing."""
    where = f"Setting api_keys_file ({origin}): the file {path}"
    try:
        lines = Path(path).read_text(encoding="utf-8").splitlines()
    except (OSError, UnicodeDecodeError) as error:
        raise InvalidArgument(f"{where} cannot be read: {error}") from error
    keys = tuple(key for line in lines if (key := line.strip()) and not key.startswith("#"))
    if not keys:
        raise InvalidArgument(f"{where} has no key.")
    if must_be := wrong_keys(keys):
        raise InvalidArgument(
            f"{where} must have {must_be}.",
            violations=[FieldViolation("api_keys_file", f"must have {must_be}")],
        )
    return keys
