"""Every option of the server in one table: name, type, default, unit and help.

A value comes from the first of these that has one: a command line flag (`--max-queue`), an
environment variable (`TOULMIN_MAX_QUEUE`), a TOML file (`max_queue = 10`, named by `--config` or
`TOULMIN_CONFIG`), the default. `docs/settings.md`, `toulmin config` and the flags' help are made
from the table. A new option is one more row in the file of its room.

    server.py        address, who may call, TLS, quotas, limits of requests, logs and metrics
    stores.py        data folder, database
    models.py        threads of the embedded models; the language model's server
    grounding.py     what judges claims, and its calibration
    answering.py     what is not answered, what is said then, how a language model writes
    conversation.py  what agent apps may do
    ingestion.py     what is imported from where; parsers, OCR
    table.py         all of them together: `Settings`, `SETTINGS`
    row.py           what one setting is
    values.py        a written value into its setting's type, and back for people
    loading.py       flags, environment and file
    page.py          docs/settings.md
"""

from toulmin.settings.loading import CONFIG_VARIABLE, load_settings
from toulmin.settings.page import settings_page
from toulmin.settings.row import ENVIRONMENT_PREFIX, Setting
from toulmin.settings.table import SETTINGS, Settings
from toulmin.settings.values import shown

__all__ = [
    "CONFIG_VARIABLE",
    "ENVIRONMENT_PREFIX",
    "SETTINGS",
    "Setting",
    "Settings",
    "load_settings",
    "settings_page",
    "shown",
]
