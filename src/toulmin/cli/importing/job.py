"""What `toulmin ingest` is asked to import: paths of the command line -> URIs and their rules."""

from __future__ import annotations

import contextlib
import dataclasses
import os
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from toulmin.errors import InvalidArgument

if TYPE_CHECKING:
    from toulmin.cli.importing.status import FileSizes
    from toulmin.ingestion.sources import SourceContext
    from toulmin.ingestion.sources.files import FilesRequest, Listing
    from toulmin.settings import Settings

REMOTE_SCHEMES: Final = ("gs", "s3", "https")


@dataclass(frozen=True, slots=True, kw_only=True)
class ImportJob:
    """What to import, and where to.

    Attributes:
        uris: Files, folders and patterns: `file://` URIs, absolute patterns, remote URIs.
        store: Name of the data store.
        schema: "content", "document", "csv" or "custom".
        full: Whether documents that the files no longer have are deleted.
        id_field: Key of the ids in data; empty: `_id`.
        generate_ids: Whether data get hashes as ids.
        force: Whether unchanged files are read again.
        data_only: Whether documents of the schema "document" have data and no content.
    """

    uris: tuple[str, ...]
    store: str
    schema: str = "content"
    full: bool = False
    id_field: str = ""
    generate_ids: bool = False
    force: bool = False
    data_only: bool = False

    @property
    def branch(self) -> str:
        """Name of the branch."""
        return f"{self.store}/branches/0"

    @property
    def content_config(self) -> str:
        """The `ContentConfig` that a data store for these documents has."""
        has_data_only = self.data_only or self.schema in ("csv", "custom")
        return "NO_CONTENT" if has_data_only else "CONTENT_REQUIRED"

    def request(self) -> dict[str, Any]:
        """Return the import as an operation's JSON.

        Raises:
            InvalidArgument: There are more URIs than one operation takes.
        """
        from toulmin.ingestion.sources.files import MAX_URIS

        if len(self.uris) > MAX_URIS:
            raise InvalidArgument(
                f"{len(self.uris):,} paths are more than the {MAX_URIS} of one import: name their"
                " folder, or a pattern in quotes, such as 'reports/**/*.pdf'"
            )
        files: dict[str, Any] = {"uris": list(self.uris), "schema": self.schema}
        if self.schema == "content":
            files["ids"] = "path"
        return {
            "source": {"files": files},
            "reconciliation_mode": "FULL" if self.full else "INCREMENTAL",
            "auto_generate_ids": self.generate_ids,
            "id_field": self.id_field,
            "update_mask": [],
            "force_refresh": self.force,
        }

    def files(self) -> FilesRequest:
        """Return the files as the sources name them, however many paths there are."""
        from toulmin.ingestion.sources.files import FilesRequest

        return FilesRequest(self.uris, self.schema, "path" if self.schema == "content" else "uri")

    def context(self, settings: Settings) -> SourceContext:
        """Return what reads these files in this process: these and no others."""
        from toulmin.ingestion.parsing.limits import ParseLimits
        from toulmin.ingestion.sources import SourceContext

        return SourceContext.from_settings(
            with_roots(settings, self.uris),
            limits=ParseLimits(),
            auto_generate_ids=self.generate_ids,
            id_field=self.id_field,
        )

    def listing(self, context: SourceContext) -> Listing:
        """Return the files that there are now."""
        from toulmin.ingestion.sources.files import list_files

        return list_files(self.files(), context)

    def sizes(self, context: SourceContext) -> FileSizes:
        """Return how large its files are; nothing is known of others than local whole files."""
        from toulmin.cli.importing.status import FileSizes
        from toulmin.ingestion.sources.uri import local_target, scheme_of

        if self.schema != "content" or any(scheme_of(uri) != "file" for uri in self.uris):
            return FileSizes()
        listing = self.listing(context)
        sizes = [0] * len(listing.problems)
        for file in listing.files:
            with contextlib.suppress(OSError):  # gone meanwhile
                sizes.append(Path(local_target(file.uri).base).stat().st_size)
        return FileSizes.of(sizes)


def uri_of(path: str) -> str:
    """Return the URI of a path of the command line, or an absolute pattern; remote URIs stay.

    Raises:
        InvalidArgument: There is no such file or folder, or the scheme is not read.
    """
    from toulmin.ingestion.sources.uri import local_uri, scheme_of

    if "://" in path:
        scheme = scheme_of(path)
        if scheme not in ("file", *REMOTE_SCHEMES):
            known = ", ".join(f"{name}://" for name in ("file", *REMOTE_SCHEMES))
            raise InvalidArgument(f"{path}: the scheme {scheme}:// is not read; there are {known}")
        return path
    absolute = Path(os.path.abspath(Path(path).expanduser()))  # noqa: PTH100 - links stay
    if os.path.lexists(absolute):
        return local_uri(str(absolute))
    if "*" in path:
        return str(absolute)
    raise InvalidArgument(f"{path}: there is no such file or folder")


def with_roots(settings: Settings, uris: Sequence[str]) -> Settings:
    """Return settings that allow to read the URIs: who is at the keyboard named them.

    Holds for this process only; what the process may not read, it still does not.
    """
    from toulmin.ingestion.sources.uri import local_target, scheme_of

    roots = list(settings.import_roots)
    for uri in uris:
        scheme = scheme_of(uri)
        if scheme == "file":
            roots.append(local_target(uri).base)
        elif scheme != "https":
            roots.append(uri.partition("*")[0].rpartition("/")[0] if "*" in uri else uri)
    is_web = any(scheme_of(uri) == "https" for uri in uris)
    return dataclasses.replace(
        settings,
        import_roots=tuple(dict.fromkeys(roots)),
        import_https=settings.import_https or is_web,
    )
