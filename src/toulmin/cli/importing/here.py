"""An import into the data folder, done by this process."""

from __future__ import annotations

import dataclasses
import threading
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any, Final

from toulmin.cli.importing.status import ImportStatus, named

if TYPE_CHECKING:
    from toulmin.cli.importing.job import ImportJob
    from toulmin.domain import Document
    from toulmin.services import Services
    from toulmin.stores.records import Operation

KIND: Final = "import-documents"
_LOOK_S: Final = 0.2
_OPERATIONS: Final = 100


class ImportHere:
    """Imports by this process's own operation runner.

    Args:
        services: Made with settings that allow to read the job's URIs.
        job: What to import.
    """

    def __init__(self, services: Services, job: ImportJob) -> None:
        self._services = services
        self._job = job

    def run(self, stop: threading.Event) -> Iterator[ImportStatus]:
        """Import all of it, yielding how far it is; the last status is the outcome.

        Args:
            stop: Set to end after the batch in hand.
        """
        yield from self._run(self._job.request(), stop)

    def run_some(
        self, documents: Sequence[Document], stop: threading.Event
    ) -> Iterator[ImportStatus]:
        """Import documents whose content is at URIs of the job, by their ids; see `run`."""
        from toulmin.ingestion.sources.document_json import document_to_json

        inline = [document_to_json(document) for document in documents]
        request = {"source": {"inline": inline}, "reconciliation_mode": "INCREMENTAL"}
        places = [document.content.uri if document.content else "" for document in documents]
        for status in self._run(request, stop):
            samples = tuple(named(*sample, places) for sample in status.samples)
            yield dataclasses.replace(status, samples=samples)

    def _run(self, request: dict[str, Any], stop: threading.Event) -> Iterator[ImportStatus]:
        records, runner = self._services.records(), self._services.operations()
        name = self._begun(request)
        runner.wake()
        is_cancelled = False
        while True:
            done = records.wait_for_operation(name, timeout_s=_LOOK_S)
            if stop.is_set() and not is_cancelled and not done:
                is_cancelled = True
                with records.write() as transaction:
                    transaction.operations.cancel(name)
                runner.wake()
            with records.read() as transaction:
                status = status_of(transaction.operations.get(name))
            yield status
            if status.done:
                return

    def _begun(self, request: dict[str, Any]) -> str:
        """Return the name of the operation: the same one, if it was begun and killed before."""
        with self._services.records().write() as transaction:
            latest = transaction.operations.list(self._job.branch, page_size=_OPERATIONS)
            for operation in latest.items:
                if operation.kind == KIND and not operation.done and operation.request == request:
                    return operation.name
            return transaction.operations.create(
                parent=self._job.branch, kind=KIND, request=request
            ).name


def status_of(operation: Operation) -> ImportStatus:
    """Return how far an operation of the records is."""
    result = operation.result or {}
    is_cancelled = operation.state == "CANCELLED"
    return ImportStatus(
        success=operation.success_count,
        failure=operation.failure_count,
        total=operation.total_count,
        done=operation.done,
        cancelled=is_cancelled,
        problem=operation.error.message if operation.error and not is_cancelled else "",
        samples=tuple((error.item, error.message) for error in operation.error_samples),
        unchanged=result.get("unchanged_count"),
        deleted=result.get("deleted_count", 0),
    )
