"""Where verbs find things in the API: its version, the collection of data stores."""

from __future__ import annotations

from typing import Final

COLLECTION: Final = "projects/{project}/locations/{location}/collections/default_collection"
VERSION: Final = "v1"
