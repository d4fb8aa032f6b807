"""A data store with one document, for the frameworks' components."""

from __future__ import annotations

import base64
import urllib.request

TEXT = "The Elbe Bridge opened on 4 May 1998. It is 312 metres long."
_PLACE = "/v1/projects/default/locations/global/collections/default_collection/dataStores"


def fill(server: str, store: str) -> None:
    """Make the data store; a document that is written alone is searchable when the call returns."""
    _post(
        f"{server}{_PLACE}?dataStoreId={store}",
        '{"displayName": "Bridges", "contentConfig": "CONTENT_REQUIRED"}',
    )
    raw = base64.b64encode(TEXT.encode()).decode()
    _post(
        f"{server}{_PLACE}/{store}/branches/0/documents?documentId=elbe",
        f'{{"structData": {{"title": "The Elbe Bridge"}},'
        f' "content": {{"mimeType": "text/plain", "rawBytes": "{raw}"}}}}',
    )


def _post(url: str, body: str) -> None:
    request = urllib.request.Request(url, body.encode(), {"content-type": "application/json"})
    with urllib.request.urlopen(request, timeout=60) as reply:
        reply.read()
