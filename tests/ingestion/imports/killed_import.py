"""A process to be killed: imports documents, one line on standard output for each batch.

python killed_import.py FOLDER DOCUMENTS
"""

from __future__ import annotations

import sys
import threading
from pathlib import Path

from tests.ingestion.importing import Importing, run_batches, text_document
from toulmin.stores.records import RecordStore


def documents(count: int) -> list:
    return [text_document(f"d{n:05}", f"Words of document {n}.") for n in range(count)]


def main() -> None:
    store = RecordStore(Path(sys.argv[1]))
    importing = Importing(store, documents(int(sys.argv[2])))
    with store.read() as transaction:
        (page,) = [transaction.operations.list(sys.argv[3], page_size=1)]

    def handler(operation, stop):
        for number, batch in enumerate(importing.handler(operation, stop)):
            yield batch
            sys.stdout.write(f"{number}\n")
            sys.stdout.flush()
        return {}

    run_batches(store, handler, page.items[0], threading.Event())


if __name__ == "__main__":
    main()
