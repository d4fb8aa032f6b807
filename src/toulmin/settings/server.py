"""Settings of the server: address, access, limits, logs."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from toulmin.settings.row import option

_MIB: Final = 1024 * 1024
_SHORTEST_KEY: Final = 8


def wrong_keys(keys: Sequence[str]) -> str:
    """Return what keys must be, when one of them is too short to be one."""
    short = any(len(key) < _SHORTEST_KEY for key in keys)
    return f"keys of at least {_SHORTEST_KEY} characters" if short else ""


@dataclass(frozen=True, kw_only=True)
class AddressSettings:
    """Where the server listens."""

    host: str = option(
        "Address to listen on. Anything but loopback needs keys or `allow_unauthenticated`.",
        default="127.0.0.1",
    )
    port: int = option(
        "Port for REST and gRPC; 0 takes a free one.", default=8080, at_least=0, at_most=65535
    )


@dataclass(frozen=True, kw_only=True)
class AccessSettings:
    """Who may call."""

    api_keys: tuple[str, ...] = option(
        "Keys that may do everything (`x-goog-api-key`, `?key=` or `Authorization: Bearer`);"
        " comma-separated, each of 8 characters or more. Keys with roles and projects are made"
        " by `toulmin keys`. While there is none of either kind, nobody is asked for one.",
        default=(),
        secret=True,
        wrong=wrong_keys,
    )
    api_keys_file: str = option(
        "File with further keys like those of `api_keys`, one a line; other users of the"
        " machine see them neither in the list of processes nor in the environment. Lines that"
        " begin with `#` are left out.",
        default="",
    )
    allow_unauthenticated: bool = option(
        "Serve callers without a key on any address and under any host name. Everybody who can"
        " reach the port can then use and change everything.",
        default=False,
    )
    oidc_issuer: str = option(
        "Address of an OpenID Connect issuer whose tokens callers may present"
        " (`Authorization: Bearer`), as it stands in them; needs the extra `oidc` and"
        " `oidc_audience`. Empty: no tokens.",
        default="",
    )
    oidc_audience: tuple[str, ...] = option(
        "Audiences of the tokens that are for this server, comma-separated.", default=()
    )
    oidc_role_claim: str = option(
        "Claim that says a caller's role; a dot goes into it, as in `realm_access.roles`.",
        default="roles",
    )
    oidc_roles: tuple[str, ...] = option(
        "What the values of that claim mean, comma-separated, such as"
        " `toulmin-admins=admin,staff=viewer`. Empty: they are roles themselves.",
        default=(),
    )
    oidc_project_claim: str = option("Claim that says in which projects.", default="projects")
    oidc_projects: tuple[str, ...] = option(
        "What the values of that claim mean, comma-separated, such as `sales=shop,it=*`, `*`"
        " being all projects. Empty: they are ids of projects themselves.",
        default=(),
    )
    chat_token_s: int = option(
        "How long a chat token (`generateChatToken`) holds. Its holder may talk in one session"
        " and do nothing else.",
        default=3600,
        unit="seconds",
        at_least=60,
        at_most=86400,
    )
    chat_token_file: str = option(
        "File of the secret that chat tokens are signed with, 32 bytes or more that only its"
        " owner may read; processes that share a database must share it. Empty:"
        " `chat_tokens.key` in `data_dir`, made when the first token is.",
        default="",
    )
    cors_origins: tuple[str, ...] = option(
        "Origins of web pages that may call the API from a browser, comma-separated, such as"
        " `https://example.org`. Empty: only the server's own pages.",
        default=(),
    )


@dataclass(frozen=True, kw_only=True)
class TlsSettings:
    """Certificates."""

    tls: bool = option(
        "Serve TLS with a certificate of a development authority made in `data_dir`, or with"
        " `tls_cert` and `tls_key`.",
        default=False,
    )
    tls_cert: str = option("File of your own certificate chain (PEM); turns TLS on.", default="")
    tls_key: str = option("File of the private key of `tls_cert` (PEM).", default="")


@dataclass(frozen=True, kw_only=True)
class QuotaSettings:
    """How much a caller may ask for."""

    key_requests_per_minute: int = option(
        "Requests that each key may make in a minute, in this process; 0: as many as it likes.",
        default=0,
        unit="requests",
        at_least=0,
    )
    project_requests_per_minute: int = option(
        "Requests in each project in a minute, by all keys together; 0: no limit.",
        default=0,
        unit="requests",
        at_least=0,
    )
    key_tokens_per_minute: int = option(
        "Tokens of answers that each key may have checked in a minute; 0: no limit.",
        default=0,
        unit="tokens",
        at_least=0,
    )
    project_tokens_per_minute: int = option(
        "Tokens of answers checked in each project in a minute, by all keys together; 0: no limit.",
        default=0,
        unit="tokens",
        at_least=0,
    )
    project_documents: int = option(
        "Documents that each project may hold, in all its data stores and corpora; 0: no limit.",
        default=0,
        unit="documents",
        at_least=0,
    )


@dataclass(frozen=True, kw_only=True)
class LimitSettings:
    """What one request, and all together, may take."""

    worker_threads: int = option(
        "Requests worked on at the same time.", default=16, unit="threads", at_least=1, at_most=1024
    )
    max_queue: int = option(
        "Requests that may wait for a worker; more are refused with RESOURCE_EXHAUSTED.",
        default=256,
        unit="requests",
        at_least=0,
    )
    request_timeout_s: float = option(
        "Longest time for one request, reading its body and waiting included. A caller may ask"
        " for less (`X-Server-Timeout`, gRPC deadline).",
        default=60.0,
        unit="seconds",
        at_least=0.001,
    )
    shutdown_timeout_s: float = option(
        "Time that requests in flight get to finish after SIGTERM or SIGINT.",
        default=30.0,
        unit="seconds",
        at_least=0.0,
    )
    header_timeout_s: float = option(
        "Time to send the first bytes, the TLS handshake and the headers of a request.",
        default=10.0,
        unit="seconds",
        at_least=0.001,
    )
    idle_timeout_s: float = option(
        "Time after which an HTTP connection without requests is closed.",
        default=75.0,
        unit="seconds",
        at_least=0.001,
    )
    talk_idle_s: float = option(
        "Time after which a WebSocket on which nothing is said is closed (BidiRunSession).",
        default=600.0,
        unit="seconds",
        at_least=0.001,
    )
    max_connections: int = option(
        "Open connections; more are closed at once.", default=1000, unit="connections", at_least=1
    )
    max_connections_per_address: int = option(
        "Open connections of one address (of IPv6: of one network of 64 bits), where all are at"
        " work; more are refused with RESOURCE_EXHAUSTED. 0: no limit, as for a server behind a"
        " proxy, whose address all connections have.",
        default=256,
        unit="connections",
        at_least=0,
    )
    max_body_bytes: int = option(
        "Largest request body, or gRPC message, after decompression.",
        default=32 * _MIB,
        unit="bytes",
        at_least=1,
        at_most=2**31 - 1,
    )
    max_buffered_bytes: int = option(
        "Request bodies held in memory at the same time; more are refused with RESOURCE_EXHAUSTED.",
        default=160 * _MIB,
        unit="bytes",
        at_least=1,
    )
    max_unsent_bytes: int = option(
        "Responses that clients have not taken yet, all together; when there are more, the client"
        " that has been at its own for longest is cut off, not before a second.",
        default=96 * _MIB,
        unit="bytes",
        at_least=1,
    )
    max_header_bytes: int = option(
        "Largest request line and headers together.", default=64 * 1024, unit="bytes", at_least=1024
    )


@dataclass(frozen=True, kw_only=True)
class NoteSettings:
    """What is noted about requests, and who may see it."""

    audit_log: str = option(
        "File that gets a line of JSON for each request: who asked for what, and what came of"
        " it, never the content. Empty: none.",
        default="",
    )
    audit_log_mib: int = option(
        "Size at which a new file of `audit_log` is begun.", default=64, unit="MiB", at_least=1
    )
    audit_log_files: int = option(
        "Older files of `audit_log` that are kept (`.1` is the newest of them).",
        default=10,
        unit="files",
        at_least=1,
        at_most=1000,
    )
    metrics_open: bool = option(
        "Let anybody who reaches the port read `/metrics`, without a key also where keys are"
        " needed.",
        default=False,
    )
    otel: bool = option(
        "Send traces, metrics and `gen_ai.evaluation.result` events by OpenTelemetry, to where"
        " its own variables say, such as `OTEL_EXPORTER_OTLP_ENDPOINT`; needs the extra"
        " `otel`.",
        default=False,
    )
    log_format: str = option(
        "Form of the request log on standard error.", default="json", choices=("json", "text")
    )
