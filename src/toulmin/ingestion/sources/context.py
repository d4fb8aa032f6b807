"""What an import may read, and how its items get their ids."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Self

from toulmin.errors import InvalidArgument
from toulmin.ingestion.parsing.limits import ParseLimits
from toulmin.ingestion.sources.https import HttpsStorage
from toulmin.ingestion.sources.local import LocalStorage
from toulmin.ingestion.sources.objects import PACKAGES, ObjectStorage
from toulmin.ingestion.sources.storage import Fetched, Storage
from toulmin.ingestion.sources.uri import scheme_of
from toulmin.settings import Settings

FETCH_SECONDS = 120.0
DEFAULT_ID_FIELD = "_id"


@dataclass(frozen=True, slots=True, kw_only=True)
class SourceContext:
    """What the settings allow, and what the request says of ids. Safe to use from many threads.

    Attributes:
        import_roots: Folders of this machine, and `gs://bucket/folder` or `s3://bucket/folder`,
            that may be read with all that is beneath; no others may.
        import_https: Whether `https://` may be read, on public addresses.
        storage_options: By scheme, arguments of fsspec's file system, such as an endpoint.
        limits: Limits of one file.
        fetch_seconds: Time for one file of a web server.
        auto_generate_ids: Whether items of the schemas `custom` and `csv` get hashes as ids.
        id_field: Key of these items' ids otherwise; empty: `_id`.
    """

    import_roots: tuple[str, ...] = ()
    import_https: bool = False
    storage_options: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)
    limits: ParseLimits = field(default_factory=ParseLimits)
    fetch_seconds: float = FETCH_SECONDS
    auto_generate_ids: bool = False
    id_field: str = ""
    _storages: dict[str, Storage] = field(
        default_factory=dict, init=False, repr=False, compare=False
    )

    @classmethod
    def from_settings(
        cls,
        settings: Settings,
        *,
        limits: ParseLimits,
        auto_generate_ids: bool = False,
        id_field: str = "",
    ) -> Self:
        """Return what these settings allow."""
        return cls(
            import_roots=settings.import_roots,
            import_https=settings.import_https,
            limits=limits,
            auto_generate_ids=auto_generate_ids,
            id_field=id_field,
        )

    def fetch(self, uri: str) -> Fetched:
        """Return one file.

        Raises:
            InvalidArgument: The URI is not one, or of a scheme that is not known.
            PermissionDenied: The settings do not allow it, or the place does not.
            FailedPrecondition: A package is missing.
            NotFound: There is no such file.
            ResourceExhausted: It is larger than `limits.file_bytes`.
            Aborted: It changed each time that it was read.
            DeadlineExceeded: It took too long.
            Unavailable: It cannot be read for another reason.
        """
        return self.storage(uri).read(uri, self.limits.file_bytes)

    def version(self, uri: str) -> str:
        """Return what differs when the file differs, without reading it; "" when not known.

        Raises:
            As `fetch`.
        """
        return self.storage(uri).stat(uri).version

    def check(self, uri: str) -> None:
        """Raise, as `fetch` does, when the settings do not allow a URI; nothing is read."""
        self.storage(uri).check(uri)

    def storage(self, uri: str) -> Storage:
        """Return the place that a URI belongs to."""
        scheme = scheme_of(uri)
        if scheme == "http":
            raise InvalidArgument(
                f"{uri!r}: http:// is not read, as anybody could change it on its way; use https://"
            )
        found = self._storages.get(scheme)
        if found is None:
            found = self._storages.setdefault(scheme, self._make(scheme, uri))
        return found

    def _make(self, scheme: str, uri: str) -> Storage:
        if scheme == "file":
            return LocalStorage([root for root in self.import_roots if "://" not in root])
        if scheme == "https":
            return HttpsStorage(
                enabled=self.import_https,
                seconds=self.fetch_seconds,
                limit=self.limits.file_bytes,
            )
        if scheme in PACKAGES:
            roots = [root for root in self.import_roots if root.startswith(f"{scheme}://")]
            return ObjectStorage(scheme, roots, self.storage_options.get(scheme, {}))
        known = ", ".join(f"{name}://" for name in ("file", *PACKAGES, "https"))
        raise InvalidArgument(f"{uri!r} has a scheme that is not read; there are {known}")
