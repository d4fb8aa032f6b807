"""All settings in one table, put together from the rooms'."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from types import MappingProxyType

from toulmin.settings.answering import AnswerSettings, PhraseSettings
from toulmin.settings.conversation import AgentSettings
from toulmin.settings.grounding import SupportSettings
from toulmin.settings.ingestion import ImportSettings
from toulmin.settings.models import LanguageModelSettings, ModelRunSettings
from toulmin.settings.row import Setting, rows_of
from toulmin.settings.server import (
    AccessSettings,
    AddressSettings,
    LimitSettings,
    NoteSettings,
    QuotaSettings,
    TlsSettings,
)
from toulmin.settings.stores import RecordSettings


# The fields of the last base come first: read from the bottom, this is the order of the table.
@dataclass(frozen=True, kw_only=True)
class Settings(
    NoteSettings,
    ImportSettings,
    AnswerSettings,
    AgentSettings,
    PhraseSettings,
    LanguageModelSettings,
    SupportSettings,
    ModelRunSettings,
    LimitSettings,
    QuotaSettings,
    TlsSettings,
    AccessSettings,
    RecordSettings,
    AddressSettings,
):
    """The values in force; secrets are not in its `repr`.

    Attributes:
        origins: Where each value came from: "flag --port", "environment TOULMIN_PORT",
            "file toulmin.toml" or "default".
    """

    origins: Mapping[str, str] = field(default_factory=lambda: MappingProxyType({}), repr=False)


SETTINGS: tuple[Setting, ...] = rows_of(Settings)
