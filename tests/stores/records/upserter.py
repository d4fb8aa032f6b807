"""A process to be killed: stores batches and says which ones it was told are stored.

python upserter.py FOLDER BATCHES BATCH_SIZE
"""

from __future__ import annotations

import sys
from pathlib import Path

from toulmin.domain import Branch, Chunk, DataStore, Document, IngestedDocument
from toulmin.stores.records import RecordStore

STORE = DataStore(parent="p", id="s")
BRANCH = Branch(STORE.name)


def batch(number: int, size: int) -> list[IngestedDocument]:
    """Return a batch; every second one replaces the one before."""
    first = number // 2 * size
    return [
        IngestedDocument(
            document=Document(id=f"d{n:06}", struct_data={"batch": number}),
            text="words " * 50,
            chunks=(
                Chunk(id="c0", document_id=f"d{n:06}", content="words " * 50, start=0, end=300),
            ),
        )
        for n in range(first, first + size)
    ]


def say(what: object) -> None:
    sys.stdout.write(f"{what}\n")
    sys.stdout.flush()


def main() -> None:
    folder, batches, size = Path(sys.argv[1]), int(sys.argv[2]), int(sys.argv[3])
    store = RecordStore(folder)
    with store.write() as transaction:
        transaction.resources.create(STORE)
    say("ready")
    for number in range(batches):
        documents = batch(number, size)
        with store.write() as transaction:
            transaction.documents.upsert(BRANCH, documents)
        say(number)
    sys.stdin.read()


if __name__ == "__main__":
    main()
