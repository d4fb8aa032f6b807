"""Every option of the server in one table: name, type, default, unit and help.

A value comes from the first of these that has one: a command line flag (`--max-queue`), an
environment variable (`TOULMIN_MAX_QUEUE`), a TOML file (`max_queue = 10`, named by `--config` or
`TOULMIN_CONFIG`), the default. `docs/settings.md`, `toulmin config` and the flags' help are made
from the table. A new option is one more row in `Settings`.
"""

from __future__ import annotations

import dataclasses
import difflib
import logging
import os
import re
import tomllib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from types import MappingProxyType
from typing import Any

from toulmin.errors import FieldViolation, InvalidArgument

ENVIRONMENT_PREFIX = "TOULMIN_"
CONFIG_VARIABLE = "TOULMIN_CONFIG"
_MIB = 1024 * 1024
_TRUE = frozenset({"1", "true", "yes", "on"})
_FALSE = frozenset({"0", "false", "no", "off"})
_SHORTEST_KEY = 8
_OCR_LANGUAGES = re.compile(r"[A-Za-z_]{2,20}(?:\+[A-Za-z_]{2,20})*")

logger = logging.getLogger(__name__)


def _about(
    help_text: str,
    *,
    unit: str = "",
    at_least: float | None = None,
    at_most: float | None = None,
    choices: Sequence[str] = (),
    secret: bool = False,
) -> dict[str, Any]:
    """Return the table's columns beside name, type and default."""
    return {
        "help": help_text,
        "unit": unit,
        "at_least": at_least,
        "at_most": at_most,
        "choices": tuple(choices),
        "secret": secret,
    }


@dataclass(frozen=True, slots=True, kw_only=True)
class Settings:
    """The values in force. The rows below are the table; help and limits stand beside each.

    Attributes:
        origins: Where each value came from: "flag --port", "environment TOULMIN_PORT",
            "file toulmin.toml" or "default".
    """

    host: str = field(
        default="127.0.0.1",
        metadata=_about(
            "Address to listen on. Anything but loopback needs keys or `allow_unauthenticated`.",
        ),
    )
    port: int = field(
        default=8080,
        metadata=_about(
            "Port for REST and gRPC; 0 takes a free one.",
            at_least=0,
            at_most=65535,
        ),
    )
    data_dir: Path = field(
        default=Path("data"),
        metadata=_about(
            "Folder for what the server keeps: records, search indexes, development certificates.",
        ),
    )
    database_url: str = field(
        default="",
        metadata=_about(
            "PostgreSQL database for the records, as in"
            " `postgresql://user:password@host:5432/database`; needs the extra `postgres`. Empty:"
            " SQLite in `data_dir`.",
            secret=True,
        ),
    )
    api_keys: tuple[str, ...] = field(
        default=(),
        metadata=_about(
            "Keys that may do everything (`x-goog-api-key`, `?key=` or `Authorization: Bearer`);"
            " comma-separated, each of 8 characters or more. Keys with roles and projects are made"
            " by `toulmin keys`. While there is none of either kind, nobody is asked for one.",
            secret=True,
        ),
    )
    api_keys_file: str = field(
        default="",
        metadata=_about(
            "File with further keys like those of `api_keys`, one a line; other users of the"
            " machine see them neither in the list of processes nor in the environment. Lines that"
            " begin with `#` are left out.",
        ),
    )
    allow_unauthenticated: bool = field(
        default=False,
        metadata=_about(
            "Serve callers without a key on any address and under any host name. Everybody who can"
            " reach the port can then use and change everything.",
        ),
    )
    oidc_issuer: str = field(
        default="",
        metadata=_about(
            "Address of an OpenID Connect issuer whose tokens callers may present"
            " (`Authorization: Bearer`), as it stands in them; needs the extra `oidc` and"
            " `oidc_audience`. Empty: no tokens.",
        ),
    )
    oidc_audience: tuple[str, ...] = field(
        default=(),
        metadata=_about(
            "Audiences of the tokens that are for this server, comma-separated.",
        ),
    )
    oidc_role_claim: str = field(
        default="roles",
        metadata=_about(
            "Claim that says a caller's role; a dot goes into it, as in `realm_access.roles`.",
        ),
    )
    oidc_roles: tuple[str, ...] = field(
        default=(),
        metadata=_about(
            "What the values of that claim mean, comma-separated, such as"
            " `toulmin-admins=admin,staff=viewer`. Empty: they are roles themselves.",
        ),
    )
    oidc_project_claim: str = field(
        default="projects",
        metadata=_about(
            "Claim that says in which projects.",
        ),
    )
    oidc_projects: tuple[str, ...] = field(
        default=(),
        metadata=_about(
            "What the values of that claim mean, comma-separated, such as `sales=shop,it=*`, `*`"
            " being all projects. Empty: they are ids of projects themselves.",
        ),
    )
    cors_origins: tuple[str, ...] = field(
        default=(),
        metadata=_about(
            "Origins of web pages that may call the API from a browser, comma-separated, such as"
            " `https://example.org`. Empty: only the server's own pages.",
        ),
    )
    tls: bool = field(
        default=False,
        metadata=_about(
            "Serve TLS with a certificate of a development authority made in `data_dir`, or with"
            " `tls_cert` and `tls_key`.",
        ),
    )
    tls_cert: str = field(
        default="",
        metadata=_about(
            "File of your own certificate chain (PEM); turns TLS on.",
        ),
    )
    tls_key: str = field(
        default="",
        metadata=_about(
            "File of the private key of `tls_cert` (PEM).",
        ),
    )
    key_requests_per_minute: int = field(
        default=0,
        metadata=_about(
            "Requests that each key may make in a minute, in this process; 0: as many as it likes.",
            unit="requests",
            at_least=0,
        ),
    )
    project_requests_per_minute: int = field(
        default=0,
        metadata=_about(
            "Requests in each project in a minute, by all keys together; 0: no limit.",
            unit="requests",
            at_least=0,
        ),
    )
    key_tokens_per_minute: int = field(
        default=0,
        metadata=_about(
            "Tokens of answers that each key may have checked in a minute; 0: no limit.",
            unit="tokens",
            at_least=0,
        ),
    )
    project_tokens_per_minute: int = field(
        default=0,
        metadata=_about(
            "Tokens of answers checked in each project in a minute, by all keys together; 0: no"
            " limit.",
            unit="tokens",
            at_least=0,
        ),
    )
    project_documents: int = field(
        default=0,
        metadata=_about(
            "Documents that each project may hold, in all its data stores and corpora; 0: no"
            " limit.",
            unit="documents",
            at_least=0,
        ),
    )
    worker_threads: int = field(
        default=16,
        metadata=_about(
            "Requests worked on at the same time.",
            unit="threads",
            at_least=1,
            at_most=1024,
        ),
    )
    max_queue: int = field(
        default=256,
        metadata=_about(
            "Requests that may wait for a worker; more are refused with RESOURCE_EXHAUSTED.",
            unit="requests",
            at_least=0,
        ),
    )
    request_timeout_s: float = field(
        default=60.0,
        metadata=_about(
            "Longest time for one request, reading its body and waiting included. A caller may ask"
            " for less (`X-Server-Timeout`, gRPC deadline).",
            unit="seconds",
            at_least=0.001,
        ),
    )
    shutdown_timeout_s: float = field(
        default=30.0,
        metadata=_about(
            "Time that requests in flight get to finish after SIGTERM or SIGINT.",
            unit="seconds",
            at_least=0.0,
        ),
    )
    header_timeout_s: float = field(
        default=10.0,
        metadata=_about(
            "Time to send the first bytes, the TLS handshake and the headers of a request.",
            unit="seconds",
            at_least=0.001,
        ),
    )
    idle_timeout_s: float = field(
        default=75.0,
        metadata=_about(
            "Time after which an HTTP connection without requests is closed.",
            unit="seconds",
            at_least=0.001,
        ),
    )
    max_connections: int = field(
        default=1000,
        metadata=_about(
            "Open connections; more are closed at once.",
            unit="connections",
            at_least=1,
        ),
    )
    max_body_bytes: int = field(
        default=32 * _MIB,
        metadata=_about(
            "Largest request body, or gRPC message, after decompression.",
            unit="bytes",
            at_least=1,
            at_most=2**31 - 1,
        ),
    )
    max_buffered_bytes: int = field(
        default=160 * _MIB,
        metadata=_about(
            "Request bodies held in memory at the same time; more are refused with"
            " RESOURCE_EXHAUSTED.",
            unit="bytes",
            at_least=1,
        ),
    )
    max_header_bytes: int = field(
        default=64 * 1024,
        metadata=_about(
            "Largest request line and headers together.",
            unit="bytes",
            at_least=1024,
        ),
    )
    model_threads: int = field(
        default=0,
        metadata=_about(
            "Model runs at the same time, one processor thread each; 0 takes one for each core.",
            unit="threads",
            at_least=0,
            at_most=1024,
        ),
    )
    calibration: str = field(
        default="",
        metadata=_about(
            "File that `toulmin calibrate` made of your own labelled examples: scores are"
            " recalibrated by it. It holds for the models that it was fitted for, and is refused"
            " with others.",
        ),
    )
    support_model: str = field(
        default="embedded",
        metadata=_about(
            "What judges whether evidence supports a claim: `embedded`, the best that is in the"
            " package; `small`, the small cross-encoder; the folder of a grounding model made by"
            " `training/grounding_model` or of a cross-encoder in ONNX form;"
            " `hub:owner/name@revision` for one of a model hub (either may name its file after a"
            " `#`); or `llm` for a language model. See larger-models.md.",
        ),
    )
    support_model_labels: tuple[str, ...] = field(
        default=(),
        metadata=_about(
            "What the outputs of the cross-encoder in `support_model` mean, in order,"
            " comma-separated, each `support`, `contradiction` or `neither`. Empty: as its"
            " configuration names them.",
        ),
    )
    llm_base_url: str = field(
        default="",
        metadata=_about(
            "Address of an OpenAI-compatible server, up to and without `/chat/completions`, such"
            " as `http://127.0.0.1:8000/v1`.",
        ),
    )
    llm_model: str = field(
        default="",
        metadata=_about(
            "Name of the language model, as its server knows it.",
        ),
    )
    llm_api_key: str = field(
        default="",
        repr=False,
        metadata=_about(
            "Key that the language model's server asks for. Empty: none is sent.",
            secret=True,
        ),
    )
    llm_timeout_s: float = field(
        default=30.0,
        metadata=_about(
            "Longest time for one answer of the language model, repeats after failures included.",
            unit="seconds",
            at_least=0.001,
        ),
    )
    llm_seed: int = field(
        default=1,
        metadata=_about(
            "Seed of the language model's sampling; the same seed gives the same answers where"
            " its server keeps that promise.",
            at_least=0,
            at_most=2**31 - 1,
        ),
    )
    llm_concurrency: int = field(
        default=4,
        metadata=_about(
            "Calls of the language model at the same time.",
            unit="calls",
            at_least=1,
            at_most=256,
        ),
    )
    blocked_phrases: tuple[str, ...] = field(
        default=(),
        metadata=_about(
            "Phrases, comma-separated, that neither a question nor an answer may hold; such a"
            " question is skipped with CUSTOMER_POLICY_VIOLATION.",
        ),
    )
    agent_python: bool = field(
        default=False,
        metadata=_about(
            "Run the Python functions and tool fakes of agent apps, each call in a process of its"
            " own without network, files to write or programs to start. It is no wall against code"
            " that wants out: allow it for apps that you trust.",
        ),
    )
    agent_hosts: tuple[str, ...] = field(
        default=(),
        metadata=_about(
            "Hosts that tools of agent apps may call (OpenAPI), comma-separated, each as host or"
            " host:port. Empty: none.",
        ),
    )
    fallback_answer: str = field(
        default="",
        metadata=_about(
            "What is said where a question is not answered. Empty: the sentence of Google's answer"
            " method, in the language that the request asks for.",
        ),
    )
    answer_model: str = field(
        default="builtin",
        metadata=_about(
            "What writes answers: `builtin`, the passages' own sentences; `llm`, the language model"
            " of `llm_base_url`, and the built-in composer where that fails.",
            choices=("builtin", "llm"),
        ),
    )
    answer_llm_temperature: float = field(
        default=0.0,
        metadata=_about(
            "Temperature of answers by a language model, where the request names none; only 0 is"
            " repeatable.",
            at_least=0,
            at_most=2,
        ),
    )
    answer_llm_max_tokens: int = field(
        default=1024,
        metadata=_about(
            "Longest answer of a language model, thoughts included; a sentence cut off by it is"
            " left out. 0: as the server has it.",
            unit="tokens",
            at_least=0,
        ),
    )
    answer_llm_source_tokens: int = field(
        default=3000,
        metadata=_about(
            "About how much of the passages a language model is sent. With some 500 tokens of"
            " instructions and the answer it must fit the model's context.",
            unit="tokens",
            at_least=200,
        ),
    )
    answer_llm_first_token_s: float = field(
        default=10.0,
        metadata=_about(
            "Longest wait for a language model's first token, repeats after failures included;"
            " then the built-in composer answers.",
            unit="seconds",
            at_least=0.001,
        ),
    )
    answer_llm_stall_s: float = field(
        default=10.0,
        metadata=_about(
            "Longest wait between two tokens; then the answer ends with the last whole sentence.",
            unit="seconds",
            at_least=0.001,
        ),
    )
    answer_llm_timeout_s: float = field(
        default=60.0,
        metadata=_about(
            "Longest time for a whole answer of a language model.",
            unit="seconds",
            at_least=0.001,
        ),
    )
    import_roots: tuple[str, ...] = field(
        default=(),
        metadata=_about(
            "What callers may import files from, comma-separated, with all that is beneath:"
            " folders of this machine, and `gs://bucket/folder` or `s3://bucket/folder`, which are"
            " read with the server's own credentials. Empty: no files are imported by the API.",
        ),
    )
    import_https: bool = field(
        default=False,
        metadata=_about(
            "Let callers import files by `https://` from public addresses; the server fetches what"
            " they name.",
        ),
    )
    parser_processes: int = field(
        default=0,
        metadata=_about(
            "Child processes that read documents (PDF, DOCX and so on); 0 takes one for each core.",
            unit="processes",
            at_least=0,
            at_most=256,
        ),
    )
    parse_timeout_s: float = field(
        default=120.0,
        metadata=_about(
            "Longest time for reading one document.",
            unit="seconds",
            at_least=0.1,
            at_most=86400,
        ),
    )
    parse_memory_mib: int = field(
        default=1024,
        metadata=_about(
            "Memory of each child process that reads documents.",
            unit="MiB",
            at_least=128,
            at_most=1024 * 1024,
        ),
    )
    ocr: str = field(
        default="",
        metadata=_about(
            "Languages of the text in images and scanned pages, by Tesseract's names, such as"
            " `eng+deu`; needs the program `tesseract`. Empty: images are not read.",
        ),
    )
    audit_log: str = field(
        default="",
        metadata=_about(
            "File that gets a line of JSON for each request: who asked for what, and what came of"
            " it, never the content. Empty: none.",
        ),
    )
    audit_log_mib: int = field(
        default=64,
        metadata=_about(
            "Size at which a new file of `audit_log` is begun.",
            unit="MiB",
            at_least=1,
        ),
    )
    audit_log_files: int = field(
        default=10,
        metadata=_about(
            "Older files of `audit_log` that are kept (`.1` is the newest of them).",
            unit="files",
            at_least=1,
            at_most=1000,
        ),
    )
    metrics_open: bool = field(
        default=False,
        metadata=_about(
            "Let anybody who reaches the port read `/metrics`, without a key also where keys are"
            " needed.",
        ),
    )
    otel: bool = field(
        default=False,
        metadata=_about(
            "Send traces, metrics and `gen_ai.evaluation.result` events by OpenTelemetry, to where"
            " its own variables say, such as `OTEL_EXPORTER_OTLP_ENDPOINT`; needs the extra"
            " `otel`.",
        ),
    )
    log_format: str = field(
        default="json",
        metadata=_about(
            "Form of the request log on standard error.",
            choices=("json", "text"),
        ),
    )
    origins: Mapping[str, str] = field(default_factory=lambda: MappingProxyType({}), repr=False)


@dataclass(frozen=True, slots=True)
class Setting:
    """One row of the table.

    Attributes:
        name: As in the file, "max_queue".
        type: "text", "integer", "number", "boolean", "list" or "path".
        default: The value when nobody sets one.
        unit: "seconds", "bytes", ...; empty when the value has none.
        help: What it does, in a sentence or two.
        at_least: Smallest allowed number, inclusive; None when there is no bound.
        at_most: Largest allowed number, inclusive; None when there is no bound.
        choices: The allowed words; empty when any will do.
        secret: Whether the value must not be shown.
    """

    name: str
    type: str
    default: Any
    unit: str
    help: str
    at_least: float | None
    at_most: float | None
    choices: tuple[str, ...]
    secret: bool

    @property
    def environment(self) -> str:
        """Return the environment variable's name."""
        return ENVIRONMENT_PREFIX + self.name.upper()

    @property
    def flag(self) -> str:
        """Return the command line flag."""
        return "--" + self.name.replace("_", "-")

    @property
    def allowed(self) -> str:
        """Return in words which values are allowed."""
        if self.choices:
            return "one of " + ", ".join(self.choices)
        noun = {
            "text": "a text",
            "integer": "a whole number",
            "number": "a number",
            "boolean": "true or false",
            "list": "a list of texts",
            "path": "the path of a folder",
        }[self.type]
        if self.at_least is not None and self.at_most is not None:
            return f"{noun} from {self.at_least:g} to {self.at_most:.0f}"
        if self.at_least is not None:
            return f"{noun} of at least {self.at_least:g}"
        return noun


_TYPE_NAMES: Mapping[str, str] = {
    "str": "text",
    "int": "integer",
    "float": "number",
    "bool": "boolean",
    "tuple[str, ...]": "list",
    "Path": "path",
}

SETTINGS: tuple[Setting, ...] = tuple(
    Setting(name=row.name, type=_TYPE_NAMES[str(row.type)], default=row.default, **row.metadata)
    for row in dataclasses.fields(Settings)
    if row.metadata
)


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
        values[row.name] = _convert(row, raw, origin)
        origins[row.name] = origin
    if values["api_keys_file"]:
        values["api_keys"] += _keys_in_file(values["api_keys_file"], origins["api_keys_file"])
        if origins["api_keys"] == "default":
            origins["api_keys"] = "setting api_keys_file"
    return Settings(**values, origins=MappingProxyType(origins))


def shown(row: Setting, value: object) -> str:
    """Return a value as people may see it; a secret shows only how many there are."""
    if row.secret:
        number = len(value) if isinstance(value, tuple) else int(bool(value))
        return f"({number} set)" if number else ""
    if isinstance(value, tuple):
        return ",".join(str(item) for item in value)
    return str(value).lower() if isinstance(value, bool) else str(value)


def settings_page() -> str:
    """Return the text of docs/settings.md."""
    lines = [
        "# Settings",
        "",
        "A value comes from the first of these that has one: the command line flag, the",
        "environment variable, the TOML file that `--config` or `TOULMIN_CONFIG` names, the",
        "default. `toulmin config` prints every value in force and where it came from.",
        "",
        "This page is made from the table in `src/toulmin/settings.py` by",
        "`python -m toulmin config --page`.",
        "",
        "| Name in the file | Flag | Environment variable | Default | Allowed | What it does |",
        "|--|--|--|--|--|--|",
    ]
    for row in SETTINGS:
        default = shown(row, row.default)
        unit = f" {row.unit}" if row.unit else ""
        cells = (
            f"`{row.name}`",
            f"`{row.flag}`",
            f"`{row.environment}`",
            f"`{default}`{unit}" if default else "(empty)",
            row.allowed,
            row.help,
        )
        lines.append("| " + " | ".join(cells) + " |")
    return "\n".join(lines) + "\n"


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


def _convert(row: Setting, raw: object, origin: str) -> object:
    """Return the value in the row's type, or raise with all that the reader needs to mend it."""
    try:
        value = _CONVERTERS[row.type](raw)
    except (TypeError, ValueError):
        raise _refusal(row, raw, origin) from None
    if row.choices and value not in row.choices:
        raise _refusal(row, raw, origin)
    if isinstance(value, int | float) and not isinstance(value, bool):
        too_small = row.at_least is not None and not value >= row.at_least
        too_large = row.at_most is not None and not value <= row.at_most
        if too_small or too_large:
            raise _refusal(row, raw, origin)
    if row.name == "ocr" and value and not _OCR_LANGUAGES.fullmatch(str(value)):
        raise InvalidArgument(
            f"Setting ocr ({origin}) is {value!r}; it must be names of languages as in 'eng+deu'.",
            violations=[FieldViolation(row.name, "must be names of languages as in 'eng+deu'")],
        )
    if row.name == "api_keys":
        _check_keys(row_items(value), row.name, origin)
    return value


def _check_keys(keys: Sequence[str], name: str, origin: str) -> None:
    if any(len(key) < _SHORTEST_KEY for key in keys):
        raise InvalidArgument(
            f"Setting {name} ({origin}): every key must have at least {_SHORTEST_KEY} characters.",
            violations=[FieldViolation(name, f"a key is shorter than {_SHORTEST_KEY} characters")],
        )


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
    _check_keys(keys, "api_keys_file", origin)
    return keys


def row_items(value: object) -> tuple[str, ...]:
    """Return the items of a list setting's value."""
    return value if isinstance(value, tuple) else ()


def _refusal(row: Setting, raw: object, origin: str) -> InvalidArgument:
    value = "(hidden)" if row.secret else repr(raw)
    return InvalidArgument(
        f"Setting {row.name} ({origin}) is {value}; it must be {row.allowed}.",
        violations=[FieldViolation(row.name, f"must be {row.allowed}")],
    )


def _to_text(raw: object) -> str:
    if isinstance(raw, str):
        return raw
    raise TypeError


def _to_integer(raw: object) -> int:
    if isinstance(raw, bool) or not isinstance(raw, int | str):
        raise TypeError
    return int(raw)


def _to_number(raw: object) -> float:
    if isinstance(raw, bool) or not isinstance(raw, int | float | str):
        raise TypeError
    value = float(raw)
    if value != value or value in (float("inf"), float("-inf")):
        raise ValueError
    return value


def _to_boolean(raw: object) -> bool:
    if isinstance(raw, bool):
        return raw
    word = _to_text(raw).strip().lower()
    if word in _TRUE:
        return True
    if word in _FALSE:
        return False
    raise ValueError


def _to_list(raw: object) -> tuple[str, ...]:
    items = raw.split(",") if isinstance(raw, str) else raw
    if not isinstance(items, list | tuple):
        raise TypeError
    return tuple(stripped for item in items if (stripped := _to_text(item).strip()))


def _to_path(raw: object) -> Path:
    if isinstance(raw, Path):
        return raw
    text = _to_text(raw)
    if not text or "\0" in text:
        raise ValueError
    return Path(text).expanduser()


_CONVERTERS: Mapping[str, Callable[[object], object]] = {
    "text": _to_text,
    "integer": _to_integer,
    "number": _to_number,
    "boolean": _to_boolean,
    "list": _to_list,
    "path": _to_path,
}
