"""Object stores, `gs://` and `s3://`, through fsspec; the packages come with the extras.

Credentials and endpoints are those of the packages' own environment: `AWS_PROFILE`,
`AWS_ENDPOINT_URL_S3`, `GOOGLE_APPLICATION_CREDENTIALS`, `STORAGE_EMULATOR_HOST` and the like. They
are the server's, so what its callers may read with them is named in `import_roots`.
https://filesystem-spec.readthedocs.io/
"""

from __future__ import annotations

import contextlib
import importlib
import io
import threading
from collections.abc import Iterator, Mapping, Sequence
from contextlib import AbstractContextManager
from typing import Any, BinaryIO

from toulmin.errors import (
    FailedPrecondition,
    NotFound,
    PermissionDenied,
    ToulminError,
    Unavailable,
)
from toulmin.ingestion.parsing.file_format import mime_type_of_name
from toulmin.ingestion.sources.storage import Fetched, Found, Stat, hidden, read_steadily
from toulmin.ingestion.sources.uri import Target, object_target

PACKAGES = {"gs": ("gcsfs", "gcs"), "s3": ("s3fs", "s3")}
"""By scheme: the package that fsspec needs, and the extra of Toulmin that installs it."""
_BUFFER = 1024 * 1024
_VERSION_KEYS = ("generation", "etag", "ETag", "e_tag")
_TIME_KEYS = ("mtime", "LastModified", "updated", "created")
_TYPE_KEYS = ("contentType", "ContentType", "content_type")
_NO_TYPES = ("", "application/octet-stream", "binary/octet-stream")


class ObjectStorage:
    """The objects of one scheme beneath some prefixes.

    Args:
        scheme: One of `PACKAGES`.
        roots: Buckets, or folders in buckets: `gs://bucket/folder`; without one, all is refused.
        options: Arguments of fsspec's file system.
    """

    def __init__(self, scheme: str, roots: Sequence[str], options: Mapping[str, Any]) -> None:
        self._scheme = scheme
        self._roots = tuple(object_target(root).base for root in roots)
        self._options = options
        self._made: Any = None
        self._lock = threading.Lock()

    def check(self, uri: str) -> None:
        """Raise when the URI is outside the roots, or a package is missing."""
        self._target(uri)
        self._files()

    def find(self, uri: str) -> Iterator[Found]:
        """Yield what a URI names; see `Storage.find`."""
        target = self._target(uri)
        with _errors(uri):
            files = self._files()
            if "/" in target.base and not target.pattern and files.isfile(target.base):
                name = target.base.rpartition("/")[2]
                return iter([Found(self._uri(target.base), name, named=True)])
            deepest = None if None in target.pattern or not target.pattern else len(target.pattern)
            names = files.find(target.base, maxdepth=deepest)
        return self._matching(names, target)

    def stat(self, uri: str) -> Stat:
        """Return what the store's metadata say."""
        path = self._target(uri).base
        with _errors(uri):
            info = self._files().info(path)
        if info.get("type") != "file":
            raise NotFound(f"{uri}: there is no such object", reason="DOCUMENT_NOT_FOUND")
        mime_type = next((str(info[key]) for key in _TYPE_KEYS if info.get(key)), "")
        if mime_type in _NO_TYPES:
            mime_type = mime_type_of_name(path)
        return Stat(info.get("size"), _version(info), mime_type)

    def open(self, uri: str) -> AbstractContextManager[BinaryIO]:
        """Return the object; it is fetched in blocks of some MiB as it is read."""
        path = self._target(uri).base
        with _errors(uri):
            return _Named(self._files().open(path, "rb"), uri)

    def read(self, uri: str, limit: int) -> Fetched:
        """Return a whole object; see `Storage.read`."""
        with _errors(uri):
            return read_steadily(self, uri, limit)

    def _files(self) -> Any:
        """Return fsspec's file system, made on the first call: the package is slow to import."""
        with self._lock:
            if self._made is None:
                package, extra = PACKAGES[self._scheme]
                try:
                    importlib.import_module(package)
                    fsspec = importlib.import_module("fsspec")
                except ImportError as error:
                    raise FailedPrecondition(
                        f"{self._scheme}:// needs the package {package}:"
                        f" pip install 'toulmin[{extra}]'",
                        reason="EXTRA_MISSING",
                    ) from error
                # Listings kept from an earlier import would hide what has come since.
                self._made = fsspec.filesystem(
                    self._scheme, use_listings_cache=False, **self._options
                )
            return self._made

    def _target(self, uri: str) -> Target:
        target = object_target(uri)
        allowed = any(
            target.base == root or target.base.startswith(root + "/") for root in self._roots
        )
        if not allowed:
            raise PermissionDenied(
                f"{uri}: is not beneath an entry of the setting import_roots; add"
                f" {self._scheme}://{target.base.partition('/')[0]} or a folder in it",
                reason="IMPORT_NOT_ALLOWED",
            )
        return target

    def _uri(self, path: str) -> str:
        return f"{self._scheme}://{path.lstrip('/')}"

    def _matching(self, names: Sequence[str], target: Target) -> Iterator[Found]:
        above = target.base + "/"
        hidden_folders = set()
        for name in names:
            path = name.lstrip("/")
            relative = path.removeprefix(above)
            if not path.startswith(above) or path.endswith("/") or not target.matches(relative):
                continue
            folders = relative.split("/")[:-1]
            dot = next((n for n, part in enumerate(folders) if part.startswith(".")), None)
            if dot is None:
                yield Found(self._uri(path), relative, bool(target.pattern))
                continue
            folder = self._uri(above + "/".join(folders[: dot + 1]))
            if folder not in hidden_folders:
                hidden_folders.add(folder)
                yield Found(folder, relative, problem=hidden(folder))


class _Named:
    """A file of fsspec whose failures become ours, with its URI."""

    def __init__(self, file: Any, uri: str) -> None:
        # fsspec's own `readline` takes no limit.
        self._file = io.BufferedReader(file, _BUFFER)
        self._uri = uri

    def __enter__(self) -> BinaryIO:
        return self  # type: ignore[return-value]  # what is read of it is below

    def __exit__(self, *_: object) -> None:
        self._file.close()

    def read(self, size: int = -1) -> bytes:
        with _errors(self._uri):
            return self._file.read(size)

    def readline(self, size: int = -1) -> bytes:
        with _errors(self._uri):
            return self._file.readline(size)

    def seek(self, offset: int) -> int:
        with _errors(self._uri):
            return self._file.seek(offset)


def _version(info: Mapping[str, Any]) -> str:
    for key in _VERSION_KEYS:
        if info.get(key):
            return str(info[key]).strip('"')
    time = next((str(info[key]) for key in _TIME_KEYS if info.get(key)), "")
    return f"{info.get('size')}-{time}" if time else ""


@contextlib.contextmanager
def _errors(uri: str) -> Iterator[None]:
    """Turn what fsspec and the packages below it raise into our errors."""
    try:
        yield
    except ToulminError:
        raise
    except FileNotFoundError as error:
        raise NotFound(f"{uri}: there is no such object", reason="DOCUMENT_NOT_FOUND") from error
    except PermissionError as error:
        raise PermissionDenied(
            f"{uri}: the server's credentials may not read it ({error})",
            reason="DOCUMENT_UNREADABLE",
        ) from error
    except Exception as error:  # each package has errors of its own, which are not imported here
        raise Unavailable(
            f"{uri}: cannot be read: {type(error).__name__}: {error}", reason="DOCUMENT_UNREADABLE"
        ) from error
