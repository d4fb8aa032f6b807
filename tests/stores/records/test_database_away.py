"""Operations while the database is away: they wait, they do not fail, and count nothing twice."""

import threading
from contextlib import contextmanager

import pytest

from tests.patience import PATIENCE_S
from tests.stores.records.nouns import BRANCH, ids, make_branch, make_document
from toulmin.domain import NO_FIELDS
from toulmin.errors import Unavailable
from toulmin.stores.records import OperationRunner, Progress
from toulmin.stores.records.postgresql_servers import DATABASE_UNAVAILABLE

AWAY = Unavailable("The database server cannot be reached; try again.", reason=DATABASE_UNAVAILABLE)


class Away:
    """The writes of a store, in a row, each of which may be lost or have its end unknown.

    Attributes:
        plan: For each write that comes, "": it is done; "lost": it is not; "unknown": it is, and
            nobody is told.
    """

    def __init__(self, store, monkeypatch):
        self.plan = []
        self._write = store.write
        monkeypatch.setattr(store, "write", self.write)

    @contextmanager
    def write(self):
        # Leases are renewed beside the work, at their own times.
        is_work = threading.current_thread().name == "operations-0"
        outcome = self.plan.pop(0) if self.plan and is_work else ""
        with self._write() as transaction:
            yield transaction
            if outcome == "lost":
                raise AWAY
        if outcome == "unknown":
            raise AWAY


@pytest.fixture
def away(store, monkeypatch):
    make_branch(store)
    return Away(store, monkeypatch)


def importer(away, plan, runs):
    """A handler that writes two documents in two batches; `plan` is for what follows the first."""

    def handle(operation, stop):
        runs.append(dict(operation.cursor))
        for number in range(operation.cursor.get("next", 0), 2):

            def write(transaction, number=number):
                transaction.documents.upsert(BRANCH, [make_document(f"d{number}", "x")])
                return Progress(cursor={"next": number + 1}, success=1)

            if number == 1 and len(runs) == 1:
                away.plan = list(plan)
            yield write
        return NO_FIELDS

    return handle


@pytest.mark.parametrize(
    ("plan", "runs"),
    [
        pytest.param(["lost"], 1, id="once"),
        pytest.param(["unknown"], 1, id="the end of a commit is not known"),
        pytest.param(["unknown", "lost", "lost"], 1, id="nor is it told soon"),
        pytest.param(["lost"] * 5, 2, id="too long for one batch"),
        pytest.param(["lost"] * 7, 2, id="also when the operation is given back"),
        pytest.param(["", "lost"], 1, id="at the end"),
        pytest.param(["", "unknown"], 1, id="after the end"),
    ],
)
def test_an_operation_goes_on_when_the_database_is_back(store, away, plan, runs):
    done = []
    runner = OperationRunner(store, {"import": importer(away, plan, done)})
    with store.write() as transaction:
        operation = transaction.operations.create(parent="p/branches/0", kind="import", request={})
    runner.start()
    try:
        assert store.wait_for_operation(operation.name, timeout_s=PATIENCE_S)
    finally:
        runner.close()
    with store.read() as transaction:
        ended = transaction.operations.get(operation.name)
        written = [transaction.documents.get(BRANCH, id_) for id_ in ids(store)]
    assert (ended.state, ended.success_count) == ("SUCCEEDED", 2)
    assert [(document.id, document.generation) for document in written] == [("d0", 1), ("d1", 1)]
    assert done == [{}, {"next": 1}][:runs]


def test_a_runner_closes_while_the_database_is_away(store, away):
    """What it was at is taken up when the lease has run out."""
    runs = []
    runner = OperationRunner(store, {"import": importer(away, ["lost"] * 10**6, runs)})
    with store.write() as transaction:
        operation = transaction.operations.create(parent="p/branches/0", kind="import", request={})
    runner.start()
    assert store.wait_for_changes(after=0, timeout_s=PATIENCE_S)
    runner.close()
    away.plan = []
    with store.read() as transaction:
        left = transaction.operations.get(operation.name)
    assert (left.state, left.success_count) in (("RUNNING", 1), ("PENDING", 1))
