"""Settings of the stores."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from toulmin.settings.row import option


@dataclass(frozen=True, kw_only=True)
class RecordSettings:
    """Where the records are."""

    data_dir: Path = option(
        "Folder for what the server keeps: records, search indexes, development certificates.",
        default=Path("data"),
    )
    database_url: str = option(
        "PostgreSQL database for the records, as in"
        " `postgresql://user:password@host:5432/database`; needs the extra `postgres`. Empty:"
        " SQLite in `data_dir`.",
        default="",
        secret=True,
    )
    user_event_days: int = option(
        "How long user events are kept after they came; then they are deleted.",
        default=365,
        unit="days",
        at_least=1,
        at_most=36_500,
    )
