"""Word and PowerPoint from before 2007 -> DOCX and PPTX, by LibreOffice where it is installed.

Each file is converted by a process of its own, within limits, in a folder of its own that is
deleted afterwards. Its profile is new: no macros, no links to other files or to the network.
https://help.libreoffice.org/latest/en-US/text/shared/guide/start_parameters.html
"""

from __future__ import annotations

import contextlib
import json
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from toulmin.errors import (
    DeadlineExceeded,
    FailedPrecondition,
    InvalidArgument,
    ResourceExhausted,
)
from toulmin.ingestion.parsing.file_format import FORMATS, FileFormat
from toulmin.ingestion.parsing.limits import ParseLimits
from toulmin.work import UNLIMITED, Work

PROGRAMS = ("soffice", "libreoffice")
_POLL_S = 0.05
_ENVIRONMENT = ("PATH", "LANG", "LC_ALL", "SYSTEMROOT")
_SETTINGS = {
    "org.openoffice.Office.Common/Security/Scripting": {
        "BlockUntrustedRefererLinks": "true",
        "DisableMacrosExecution": "true",
        "DisableActiveContent": "true",
        "DisableOLEAutomation": "true",
    },
    "org.openoffice.Office.Common/Load": {"UpdateDocMode": "0"},
    "org.openoffice.Office.Common/Misc": {"FirstRun": "false"},
    "org.openoffice.Office.Writer/Content/Update": {"Link": "0"},
    # Were a link followed all the same, it would end at a port that nobody listens at.
    "org.openoffice.Inet/Settings": {
        "ooInetProxyType": "2",
        "ooInetHTTPProxyName": "127.0.0.1",
        "ooInetHTTPProxyPort": "9",
        "ooInetHTTPSProxyName": "127.0.0.1",
        "ooInetHTTPSProxyPort": "9",
    },
}


def convert(
    content: bytes,
    file_format: FileFormat,
    limits: ParseLimits,
    work: Work = UNLIMITED,
) -> bytes:
    """Return a file as the newer format that `FORMATS` names for its own.

    Args:
        content: The file.
        file_format: What it is.
        limits: Its time, memory and what may be unpacked are kept.
        work: Asked every 50 ms; what it raises ends the process at once.

    Raises:
        FailedPrecondition: LibreOffice is not installed.
        InvalidArgument: It made nothing of the file.
        DeadlineExceeded: It took longer than `limits.seconds`.
        ResourceExhausted: What it made is too large.
        Cancelled: Nobody waits any more.
    """
    target = FORMATS[file_format].converted_to
    program = next(filter(None, map(shutil.which, PROGRAMS)), None)
    if target is None or program is None:
        raise FailedPrecondition(
            f"is {file_format.upper()}, of an Office from before 2007; LibreOffice is needed to"
            " read it, and there is no program `soffice`; install it (Debian: apt install"
            " libreoffice-writer-nogui libreoffice-impress-nogui; macOS: brew install --cask"
            f" libreoffice), or save the file as {target and target.upper()}",
            reason="CONVERTER_UNAVAILABLE",
        )
    with tempfile.TemporaryDirectory(prefix="toulmin-office-", ignore_cleanup_errors=True) as made:
        folder = Path(made)
        given = folder / f"document.{file_format}"
        given.write_bytes(content)
        _write_profile(folder / "profile")
        command = [
            *_limited(limits), program, f"-env:UserInstallation={(folder / 'profile').as_uri()}",
            "--headless", "--norestore", "--nolockcheck", "--nodefault",
            "--convert-to", target, "--outdir", str(folder / "out"), str(given),
        ]  # fmt: skip
        _run(command, folder, limits.seconds, work)
        return _result(folder / "out" / f"document.{target}", limits)


def _limited(limits: ParseLimits) -> list[str]:
    kept = {
        "memory_bytes": limits.memory_bytes,
        "seconds": limits.seconds,
        "file_bytes": limits.archive_bytes,
    }
    return [sys.executable, "-m", "toulmin.ingestion.parsing.limited", json.dumps(kept)]


def _run(command: list[str], folder: Path, seconds: float, work: Work) -> None:
    """Run the process until it ends; end it and its children when it may not go on."""
    last = time.monotonic() + seconds
    kept = {key: os.environ[key] for key in _ENVIRONMENT if key in os.environ}
    process = subprocess.Popen(  # noqa: S603 - no shell; the file's name is ours
        command,
        cwd=folder,
        env=kept
        | {
            "HOME": str(folder),
            "TMPDIR": str(folder),
            "PYTHONPATH": os.pathsep.join(path for path in sys.path if path),
            "SAL_USE_VCLPLUGIN": "svp",
        },
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        start_new_session=True,
    )
    try:
        while process.poll() is None:
            if time.monotonic() >= last:
                raise DeadlineExceeded(
                    f"was not converted by LibreOffice within {seconds:g} s, the most allowed",
                    reason="PARSING_TIMED_OUT",
                )
            work.check()
            with contextlib.suppress(subprocess.TimeoutExpired):
                process.wait(_POLL_S)
    finally:
        with contextlib.suppress(ProcessLookupError, PermissionError):
            os.killpg(process.pid, signal.SIGKILL)
        process.wait()


def _result(path: Path, limits: ParseLimits) -> bytes:
    if not path.is_file() or not path.stat().st_size:
        raise InvalidArgument(
            "could not be converted by LibreOffice; it is damaged, or needs a password, or"
            f" needs more than {limits.memory_bytes} bytes of memory",
            reason="DOCUMENT_UNREADABLE",
        )
    if path.stat().st_size > limits.file_bytes:
        raise ResourceExhausted(
            f"becomes {path.stat().st_size} bytes when converted; {limits.file_bytes} are allowed",
            reason="DOCUMENT_TOO_LARGE",
        )
    return path.read_bytes()


def _write_profile(folder: Path) -> None:
    """Write the settings of a new profile."""
    items = "".join(
        f'<item oor:path="/{path}"><prop oor:name="{name}" oor:op="fuse"><value>{value}</value>'
        "</prop></item>"
        for path, values in _SETTINGS.items()
        for name, value in values.items()
    )
    (folder / "user").mkdir(parents=True)
    (folder / "user" / "registrymodifications.xcu").write_text(
        '<?xml version="1.0" encoding="UTF-8"?><oor:items'
        ' xmlns:oor="http://openoffice.org/2001/registry"'
        f' xmlns:xs="http://www.w3.org/2001/XMLSchema">{items}</oor:items>',
        encoding="utf-8",
    )
