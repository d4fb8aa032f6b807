"""The console's files at `/`: read once, sent to anybody, under a policy that lets nothing in.

The pages hold nothing secret, so they need no key; what they show they ask the API for, with the
key of whoever reads them. What is not among the files read at the start is not served, so no path
leads out of the folder.
"""

from __future__ import annotations

import gzip
import hashlib
from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Final

from toulmin.server.exchange import Exchange

_FOLDER: Final = Path(__file__).parent.parent / "console"
_PREFIX: Final = "/console/"

_TYPES: Final = {
    ".css": b"text/css; charset=UTF-8",
    ".html": b"text/html; charset=UTF-8",
    ".js": b"text/javascript; charset=UTF-8",
    ".svg": b"image/svg+xml",
}
"""The files that are served; others in the folder (licences) are not."""

_POLICY: Final = "; ".join(
    (
        "default-src 'none'",
        "script-src 'self'",
        "style-src 'self'",
        "img-src 'self' blob:",
        "connect-src 'self'",
        "base-uri 'none'",
        "form-action 'none'",
        "frame-ancestors 'none'",
        "require-trusted-types-for 'script'",
        "trusted-types 'none'",
    )
).encode("ascii")

_HEADERS: Final = [
    (b"content-security-policy", _POLICY),
    (b"referrer-policy", b"no-referrer"),
    (b"cross-origin-opener-policy", b"same-origin"),
    (b"cross-origin-resource-policy", b"same-origin"),
    # Asked for again each time, and answered 304: an upgrade shows at once.
    (b"cache-control", b"no-cache"),
    (b"vary", b"Accept-Encoding"),
]


@dataclass(frozen=True, slots=True)
class ConsoleFile:
    """One file of the console.

    Attributes:
        content: Its bytes.
        packed: The same, by gzip.
        content_type: Value of Content-Type.
        tag: Value of ETag.
    """

    content: bytes
    packed: bytes
    content_type: bytes
    tag: str


@lru_cache(maxsize=1)
def console_files() -> Mapping[str, ConsoleFile]:
    """Return the console's files by their paths: "/", "/console/app.js"."""
    files = {}
    for path in sorted(_FOLDER.rglob("*")):
        if path.suffix in _TYPES and path.is_file():
            name = path.relative_to(_FOLDER).as_posix()
            url = "/" if name == "index.html" else _PREFIX + name
            files[url] = _read(path)
    return files


def _read(path: Path) -> ConsoleFile:
    content = path.read_bytes()
    return ConsoleFile(
        content=content,
        packed=gzip.compress(content, mtime=0),
        content_type=_TYPES[path.suffix],
        tag=f'"{hashlib.sha256(content).hexdigest()[:20]}"',
    )


def console_file(exchange: Exchange) -> ConsoleFile | None:
    """Return the file that a request is for; None: it is for none."""
    if exchange.method not in ("GET", "HEAD"):
        return None
    return console_files().get(exchange.raw_path)


async def answer(exchange: Exchange, file: ConsoleFile) -> None:
    """Send the file, or 304 when the browser has it."""
    exchange.record.path = f"{exchange.method} {exchange.raw_path}"
    response = exchange.response
    response.headers += [*_HEADERS, (b"etag", file.tag.encode("ascii"))]
    if file.tag in exchange.headers.get("if-none-match", ""):
        await response.start(304, b"")
        await response.write(b"", more=False)
        return
    content = file.content
    if "gzip" in exchange.headers.get("accept-encoding", "").lower():
        response.headers.append((b"content-encoding", b"gzip"))
        content = file.packed
    await response.whole(200, content, file.content_type)
