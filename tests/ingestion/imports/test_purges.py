import threading

import pytest

from tests.ingestion.importing import run_batches
from tests.stores.records.nouns import BRANCH, ids, make_branch, make_document, upsert
from toulmin.errors import InvalidArgument
from toulmin.ingestion.imports.purges import purge_documents_handler
from toulmin.stores.records import RecordStore


@pytest.fixture
def store(tmp_path):
    opened = RecordStore(tmp_path / "data", busy_timeout_s=5.0)
    make_branch(opened)
    upsert(
        opened,
        *(make_document(f"d{n:04}", struct_data={"n": n, "even": n % 2 == 0}) for n in range(1100)),
    )
    yield opened
    opened.close()


def begin(store, **request):
    with store.write() as transaction:
        return transaction.operations.create(
            parent=BRANCH.name, kind="purge-documents", request=request
        )


def matches(expression):
    if expression != "even":
        raise InvalidArgument.of_field("filter", "is not understood.")
    return lambda document: document.struct_data["even"]


def run(store, operation=None, *, batches=None, **request):
    waited = []
    handler = purge_documents_handler(
        records=lambda: store, matches=matches, wait_searchable=waited.append
    )
    done = run_batches(
        store, handler, operation or begin(store, **request), threading.Event(), batches
    )
    assert batches or waited
    return done


def test_without_force_it_only_says_what_would_go(store):
    done = run(store, filter="even", force=False)
    assert done.result["purge_count"] == 550
    assert len(done.result["purge_sample"]) == 100
    assert done.result["purge_sample"][:2] == [
        f"{BRANCH.name}/documents/d0000",
        f"{BRANCH.name}/documents/d0002",
    ]
    assert done.success_count == 0
    assert len(ids(store)) == 1000  # a page; all are there


def test_with_force_the_filter_decides(store):
    done = run(store, filter="even", force=True)
    assert done.result == {"purge_count": 550, "purge_sample": [], "ignored_count": 0}
    assert done.success_count == 550
    assert ids(store) == [f"d{n:04}" for n in range(1, 1100, 2)]


def test_a_star_is_everything_that_was_there(store):
    operation = begin(store, filter="*", force=True)
    upsert(store, make_document("d0500", "anew"), make_document("zzz", "new"))
    assert run(store, operation).result["purge_count"] == 1099
    assert ids(store) == ["d0500", "zzz"]


def test_it_goes_on_where_it_was_stopped(store):
    paused = run(store, filter="even", force=True, batches=1)
    assert (paused.success_count, len(ids(store))) == (250, 850)
    done = run(store, paused)
    assert (done.success_count, done.result["purge_count"]) == (550, 550)


def test_by_ids(store):
    names = ["d0003", "missing", "d0001", "d0003"]
    asked = run(store, ids=names)
    assert asked.result == {
        "purge_count": 2,
        "purge_sample": [f"{BRANCH.name}/documents/{id_}" for id_ in ("d0003", "d0001")],
        "ignored_count": 1,
    }
    done = run(store, ids=names, force=True)
    assert (done.result["purge_count"], done.result["ignored_count"]) == (2, 1)
    assert not {"d0001", "d0003"} & set(ids(store))
    many = run(store, ids=[f"d{n:04}" for n in range(1100)], force=True)
    assert (many.result["purge_count"], many.result["ignored_count"]) == (1098, 2)
    assert ids(store) == []


@pytest.mark.parametrize("expression", ["", "nonsense"])
def test_wrong_filters_delete_nothing(store, expression):
    with pytest.raises(InvalidArgument) as caught:
        run(store, filter=expression, force=True)
    assert caught.value.violations[0].field == "filter"
    assert len(ids(store)) == 1000
