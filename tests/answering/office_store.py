"""A small data store of documents that are easily mixed up, answered with the embedded models."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from toulmin.answering.answer import Answer
from toulmin.answering.question import Question
from toulmin.domain import Branch, DataStore, Document, DocumentContent, IngestedDocument
from toulmin.retrieval.query import Scope, SearchQuery
from toulmin.services import Services, build_services
from toulmin.settings import load_settings

FOLDER = Path(__file__).parent / "office"
COLLECTION = "projects/p/locations/global/collections/default_collection"
_TYPES = {
    ".md": "text/markdown",
    ".html": "text/html",
    ".txt": "text/plain",
    ".csv": "text/csv",
}
BRANCH = Branch(f"{COLLECTION}/dataStores/office")


def open_office(data: Path, folder: Path = FOLDER) -> Services:
    """Return services whose data store `office` holds the files of a folder."""
    services = build_services(
        load_settings(environment={"TOULMIN_DATA_DIR": str(data)}, flags={"parser_processes": 1})
    )
    documents = services.documents()
    with documents.records.write() as transaction:
        transaction.resources.create(
            DataStore(parent=COLLECTION, id="office", content_config="CONTENT_REQUIRED")
        )
        store = transaction.resources.get(DataStore, BRANCH.data_store)
    made = documents.ingestor.ingest_many(
        [_document(path) for path in sorted(folder.iterdir())], store=store
    )
    with documents.records.write() as transaction:
        transaction.documents.upsert(BRANCH, [x for x in made if isinstance(x, IngestedDocument)])
    documents.wait_searchable(transaction.sequence)
    return services


def ask(services: Services, text: str, **changes: Any) -> Answer:
    """Return the answer to a question, as `:answer` asks it by default."""
    search = SearchQuery(scopes=[Scope(data_store=BRANCH.data_store)], text=text, page_size=10)
    return services.answerer().answer(
        Question(text=text, search=search, with_citations=True, with_supports=True, **changes)
    )


def _document(path: Path) -> Document:
    content = DocumentContent(mime_type=_TYPES[path.suffix], raw_bytes=path.read_bytes())
    return Document(id=path.stem, content=content)
