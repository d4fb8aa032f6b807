"""What the tests store."""

from __future__ import annotations

from toulmin.domain import BlobAttachment, Branch, Chunk, DataStore, Document, IngestedDocument

PARENT = "projects/p/locations/global/collections/default_collection"
BRANCH = Branch(f"{PARENT}/dataStores/books")


def make_branch(store) -> Branch:
    with store.write() as transaction:
        transaction.resources.create(DataStore(parent=PARENT, id="books", display_name="Books"))
    return BRANCH


def make_document(document_id: str, *words: str, **more) -> IngestedDocument:
    """Return a document with one chunk for each word and a picture."""
    text = " ".join(words)
    chunks, start = [], 0
    for number, word in enumerate(words):
        chunks.append(
            Chunk(
                id=f"c{number}",
                document_id=document_id,
                content=word,
                start=start,
                end=start + len(word),
                page_start=1,
                page_end=2,
                headings=("Top", "Sub"),
                blob_ids=("b1",),
                embedding=b"\x00\xff",
                embedding_model="m@1",
            )
        )
        start += len(word) + 1
    return IngestedDocument(
        document=Document(id=document_id, **more),
        text=text,
        chunks=tuple(chunks),
        blobs=(BlobAttachment(id="b1", mime_type="image/png", data=b"\x89PNG\x00", page=1),),
    )


def upsert(store, *documents: IngestedDocument, **more):
    with store.write() as transaction:
        return transaction.documents.upsert(BRANCH, documents, **more)


def ids(store) -> list[str]:
    with store.read() as transaction:
        page = transaction.documents.list(BRANCH, page_size=1000)
        return [document.id for document in page.items]
