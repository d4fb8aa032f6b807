import json
import os
import signal
import subprocess
import sys
import threading
from pathlib import Path

import pytest

from tests.ingestion.importing import (
    Files,
    Importing,
    ListSource,
    file_document,
    stored,
    text_document,
)
from tests.ingestion.imports import killed_import
from tests.patience import PATIENCE_S
from tests.stores.records.nouns import BRANCH, make_branch, make_document, upsert
from toulmin.domain import Document, DocumentContent, Schema
from toulmin.errors import InvalidArgument, NotFound, Unavailable
from toulmin.ingestion.document_ids import check_document_id
from toulmin.ingestion.imports.importing import import_documents_handler
from toulmin.ingestion.imports.update_masks import read_update_mask
from toulmin.ingestion.progress import IMPORTS
from toulmin.ingestion.sources.items import ImportItem
from toulmin.stores.records import OperationRunner, RecordStore

FULL = {"reconciliation_mode": "FULL"}


@pytest.fixture
def store(tmp_path):
    opened = RecordStore(tmp_path / "data", busy_timeout_s=5.0)
    make_branch(opened)
    yield opened
    opened.close()


def texts(store, *ids):
    with store.read() as transaction:
        found = [transaction.documents.text(BRANCH, id_) for id_ in ids]
    return [text.removeprefix("text: ") for text in found]


def test_an_import_says_how_far_its_file_is_and_then_no_more(store):
    paragraphs = "\n\n".join(f"Paragraph {n} has its own words. " * 60 for n in range(40))
    importing = Importing(store, [text_document("long", paragraphs)])
    embed, told = importing.embedder.embed, []

    def watched(batch):
        told.append(IMPORTS.of(operation.name))
        return embed(batch)

    importing.embedder.embed = watched
    operation = importing.begin()
    importing.run(operation)
    assert len(told) > 1
    assert [said.done for said in told] == list(range(0, 16 * len(told), 16))
    assert {said.total for said in told} == {len(importing.embedder.texts)}
    assert IMPORTS.of(operation.name) is None


def test_documents_are_stored_counted_and_waited_for(store):
    importing = Importing(store, [text_document(f"d{n}", f"Words {n}.") for n in range(3)])
    done = importing.run()
    assert (done.success_count, done.failure_count, done.total_count) == (3, 0, 3)
    assert done.result == {
        "success_count": 3,
        "failure_count": 0,
        "unchanged_count": 0,
        "deleted_count": 0,
        "sweep_skipped": False,
    }
    assert texts(store, "d0", "d2") == ["Words 0.", "Words 2."]
    with store.read() as transaction:
        assert importing.waited == [transaction.outbox.head().sequence] == [3]


def test_a_second_import_of_the_same_makes_nothing_anew(store):
    files = Files(a="One.", b="Two.")
    importing = Importing(store, [file_document("a"), file_document("b")], files=files)
    importing.run()
    generations = {id_: found.generation for id_, found in stored(store).items()}
    files.read.clear()
    again = importing.run()
    assert files.read == []  # the source's word is enough
    assert (again.success_count, again.result["unchanged_count"]) == (2, 2)
    files.put("b", "Three.", "2")
    assert importing.run().result["unchanged_count"] == 1
    assert files.read == ["file:///b.txt"]
    assert texts(store, "a", "b") == ["One.", "Three."]
    assert stored(store)["a"].generation == generations["a"] == 1
    forced = importing.run(force_refresh=True)
    assert forced.result["unchanged_count"] == 0
    assert stored(store)["a"].generation == 2


def test_items_that_fail_are_named_and_hurt_no_other(store):
    bad = Document(id="bad", content=DocumentContent(mime_type="application/pdf", raw_bytes=b"x"))
    importing = Importing(
        store,
        [
            text_document("good"),
            bad,
            InvalidArgument("This is no JSON."),
            file_document("missing"),
            text_document("has space"),
            text_document(""),
            text_document("surrogate", "\ud800"),
            Document(id="json", json_data="{"),
            text_document("also-good"),
        ],
    )
    done = importing.run()
    assert (done.success_count, done.failure_count, done.total_count) == (2, 7, 9)
    assert sorted(stored(store)) == ["also-good", "good"]
    errors = {error.item: error.message for error in done.error_samples}
    assert list(errors) == [f"line {n}" for n in range(2, 9)]
    assert "is text and not PDF" in errors["line 2"]
    assert errors["line 3"] == "This is no JSON."
    assert errors["line 4"] == "file:///missing.txt does not exist."
    assert errors["line 5"].startswith("id: is 'has space'; an id has 1 to 128 characters")
    assert "auto_generate_ids" in errors["line 6"]
    assert "struct_data: cannot be kept as JSON" in errors["line 7"]
    assert "json_data: is not JSON" in errors["line 8"]


def test_of_two_items_with_one_id_the_later_one_counts(store):
    done = Importing(store, [text_document("d", "Old."), text_document("d", "New.")]).run()
    assert texts(store, "d") == ["New."]
    assert done.success_count == 2


def test_full_reconciliation_deletes_what_the_source_no_longer_has(store):
    things = [text_document(f"d{n:04}", f"Words {n}.") for n in range(1200)]
    importing = Importing(store, things)
    importing.run()
    importing.things = [things[3], text_document("new")]
    assert importing.run().result["deleted_count"] == 0  # incremental
    done = importing.run(**FULL)
    assert sorted(stored(store)) == ["d0003", "new"]
    assert done.result["deleted_count"] == 1199
    assert done.success_count == 2


def test_full_keeps_documents_that_failed_to_parse_and_those_written_meanwhile(store):
    importing = Importing(store, [text_document("a", "Old."), text_document("gone")])
    importing.run()
    importing.things = [Document(id="a", json_data="{")]
    operation = importing.begin(**FULL)
    upsert(store, make_document("meanwhile", "word"))
    done = importing.run(operation)
    assert sorted(stored(store)) == ["a", "meanwhile"]
    assert texts(store, "a") == ["Old."]
    assert (done.result["deleted_count"], done.failure_count) == (1, 1)


def test_full_spares_a_document_whose_item_says_only_its_id(store):
    importing = Importing(store, [text_document("a"), text_document("b"), text_document("c")])
    importing.run()
    problem = InvalidArgument("The file is of a format that is not read.")
    importing.things = [
        text_document("a"),
        ImportItem(where="", cursor={}, document=Document(id="b"), error=problem),
    ]
    done = importing.run(**FULL)
    assert sorted(stored(store)) == ["a", "b"]
    assert (done.success_count, done.failure_count, done.result["deleted_count"]) == (1, 1, 1)


def test_full_minds_no_files_that_are_no_documents(store):
    importing = Importing(store, [text_document("a"), text_document("b")])
    importing.run()
    hidden = InvalidArgument("file:///.x: is hidden", reason="DOCUMENT_HIDDEN")
    importing.things = [hidden, text_document("a")]
    assert importing.run(**FULL).result["deleted_count"] == 1


def test_what_the_data_store_does_not_take_is_an_error(store):
    with store.write() as transaction:
        schema = {"type": "object", "properties": {"year": {"type": "integer"}}}
        transaction.resources.create(
            Schema(parent=BRANCH.data_store, id="years", json_schema=schema)
        )
    things = [
        text_document("good"),
        file_document("file"),
        Document(id="wrong", schema_id="years", struct_data={"year": "long ago"}),
        Document(id="right", schema_id="years", struct_data={"year": 1990}),
        text_document("other", schema_id="nowhere"),
        Document(id="json", json_data="{"),
    ]
    done = Importing(store, things, files=Files(file="x"), check=None).run()
    assert sorted(stored(store)) == ["good", "right"]
    errors = [error.message for error in done.error_samples]
    assert [message.partition(":")[0] for message in errors] == [
        "content",
        "struct_data.year",
        "schema_id",
        "json_data",
    ]


@pytest.mark.parametrize(
    ("things", "why"),
    [
        ([text_document("a"), NotFound("The folder is gone.")], "1 items of the source"),
        ([], "the source has no documents at all"),
    ],
)
def test_full_deletes_nothing_when_it_is_not_known_what_is_there(store, things, why):
    importing = Importing(store, [text_document("a"), text_document("b")])
    importing.run()
    importing.things = things
    done = importing.run(**FULL)
    assert sorted(stored(store)) == ["a", "b"]
    assert (done.result["sweep_skipped"], done.result["deleted_count"]) == (True, 0)
    assert why in done.error_samples[-1].message


def test_a_source_that_breaks_off_deletes_nothing(store):
    Importing(store, [text_document("a"), text_document("b")]).run()
    importing = Importing(store, [text_document("a")])

    class Breaking:
        total = None

        def __iter__(self):
            yield from ()
            raise NotFound("The bucket is gone.")

    importing.handler = _handler_of(importing, Breaking())
    with pytest.raises(NotFound):
        importing.run(**FULL)
    assert sorted(stored(store)) == ["a", "b"]


def _handler_of(importing, source, wait=lambda _: None):
    return import_documents_handler(
        records=lambda: importing.store,
        ingestor=lambda: importing.ingestor,
        open_source=lambda _request, _cursor: source,
        wait_searchable=wait,
    )


def test_a_stopped_import_goes_on_where_it_was(store):
    things = [text_document(f"d{n:03}", f"Words {n}.") for n in range(200)]
    importing = Importing(store, [*things, InvalidArgument("bad")], total=201)
    paused = importing.run(batches=2)
    assert (paused.success_count, paused.total_count) == (128, 201)
    assert paused.cursor["source"] == {"at": 128}
    importing.embedder.texts.clear()
    done = importing.run(paused)
    assert len(importing.embedder.texts) == 72
    assert (done.success_count, done.failure_count) == (200, 1)
    assert len(stored(store)) == 200
    assert {found.generation for found in stored(store).values()} == {1}


def test_a_sweep_that_was_stopped_goes_on(store):
    importing = Importing(store, [text_document(f"d{n:04}") for n in range(1100)])
    importing.run()
    importing.things = [text_document("d0007")]
    paused = importing.run(batches=2, **FULL)
    assert paused.cursor["phase"] == "sweep"
    importing.things = None  # the source is not opened again
    done = importing.run(paused)
    assert done.result["deleted_count"] == 1099
    assert list(stored(store)) == ["d0007"]


def test_a_killed_import_loses_and_repeats_nothing(tmp_path):
    folder, count = tmp_path / "killed", 2000
    store = RecordStore(folder)
    make_branch(store)
    operation = Importing(store).begin()
    store.close()
    command = [sys.executable, killed_import.__file__, str(folder), str(count), BRANCH.name]
    environment = os.environ | {"PYTHONPATH": str(Path(__file__).parents[3])}
    with subprocess.Popen(command, stdout=subprocess.PIPE, env=environment) as child:
        for _ in range(3):
            assert child.stdout.readline()
        child.send_signal(signal.SIGKILL)
        child.wait()
    store = RecordStore(folder)  # ends the dead process's lease
    try:
        with store.read() as transaction:
            left = transaction.operations.get(operation.name)
        assert 3 * 64 <= left.success_count == len(stored(store)) < count
        done = Importing(store, killed_import.documents(count)).run(left)
        assert (done.state, done.success_count) == ("SUCCEEDED", count)
        found = stored(store)
        assert len(found) == count
        assert {document.generation for document in found.values()} == {1}
    finally:
        store.close()


def test_an_update_mask_takes_over_only_what_it_names(store):
    files = Files(a="The file.")
    old = Document(
        id="a",
        struct_data={"title": "Old", "year": 1},
        content=file_document("a").content,
        schema_id="s1",
    )
    importing = Importing(store, [old], files=files)
    importing.run()
    importing.things = [
        Document(id="a", struct_data={"title": "New"}, schema_id="s2"),
        Document(id="b", struct_data={"text": "Whole."}, schema_id="s2"),
    ]
    importing.run(update_mask=["structData"])
    found = stored(store)
    assert found["a"].struct_data == {"title": "New"}
    assert (found["a"].schema_id, found["a"].content) == ("s1", old.content)
    assert found["a"].derived["title"] == "New"
    assert found["b"].schema_id == "s2"
    assert texts(store, "a") == ["The file."]


def test_a_mask_of_one_form_of_data_clears_the_other(store):
    importing = Importing(store, [text_document("a", "Old.")])
    importing.run()
    importing.things = [Document(id="a", json_data=json.dumps({"text": "New."}))]
    importing.run(update_mask=["json_data"])
    assert (stored(store)["a"].struct_data, texts(store, "a")) == (None, ["New."])


def test_generated_ids_come_from_what_was_given(store):
    importing = Importing(store, [text_document("", "One."), text_document("", "Two.")])
    importing.run(auto_generate_ids=True)
    first = sorted(stored(store))
    assert all(len(id_) == 32 for id_ in first)
    assert importing.run(auto_generate_ids=True).result["unchanged_count"] == 2
    assert sorted(stored(store)) == first


@pytest.mark.parametrize(
    ("request_", "field"),
    [
        ({"reconciliation_mode": "SOME"}, "reconciliation_mode"),
        ({"update_mask": ["content.uri"]}, "update_mask"),
    ],
)
def test_wrong_requests_fail_as_a_whole(store, request_, field):
    with pytest.raises(InvalidArgument) as caught:
        Importing(store).run(**request_)
    assert caught.value.violations[0].field == field


def test_masks_and_ids():
    assert read_update_mask(["structData", "schema_id"]) == {"struct_data", "schema_id"}
    assert read_update_mask(["*", "content"]) == frozenset()
    check_document_id("a" * 128)
    for wrong in ("", "a" * 129, "a.b", "a/b", "ä", "a\n"):
        with pytest.raises(InvalidArgument):
            check_document_id(wrong)


def test_parsers_that_are_shut_down_are_no_failure_of_documents(store, monkeypatch):
    importing = Importing(store, [file_document("a")], files=Files(a="x"))

    def refuse(*_args, **_more):
        raise Unavailable("the parsers are shut down")

    monkeypatch.setattr(importing.parsers, "read", refuse)
    with pytest.raises(Unavailable):
        importing.run()
    assert stored(store) == {}


def test_under_the_runner_with_a_stop_in_between(store):
    things = [text_document(f"d{n:03}", f"Words {n}.") for n in range(300)]
    importing = Importing(store, things)
    reached = threading.Event()
    embed = importing.embedder.embed

    def slowly(rows):
        if len(importing.embedder.texts) >= 100:
            reached.set()
        return embed(rows)

    importing.embedder.embed = slowly
    operation = importing.begin()
    first, runner = (
        OperationRunner(store, {"import-documents": importing.handler}) for _ in range(2)
    )
    first.start()
    assert reached.wait(PATIENCE_S)
    first.close()
    runner.start()
    try:
        assert store.wait_for_operation(operation.name, timeout_s=PATIENCE_S)
    finally:
        runner.close()
    with store.read() as transaction:
        done = transaction.operations.get(operation.name)
    assert (done.state, done.success_count, done.error) == ("SUCCEEDED", 300, None)
    assert {found.generation for found in stored(store).values()} == {1}


def test_big_documents_close_a_batch_early(store, monkeypatch):
    monkeypatch.setattr("toulmin.ingestion.imports.batch._MAX_CHUNKS", 10)
    long = "\n\n".join("A sentence of some words. " * 60 for _ in range(4))
    importing = Importing(store, [text_document(f"d{n:02}", long) for n in range(20)])
    assert importing.run(batches=1).success_count == 10


def test_a_data_store_that_is_gone_ends_the_import(store):
    with store.write() as transaction:
        operation = transaction.operations.create(
            parent="projects/p/dataStores/gone/branches/0", kind="import-documents"
        )
    with pytest.raises(NotFound, match="dataStores/gone does not exist"):
        Importing(store).run(operation)


def test_an_index_that_is_shut_down_ends_no_import(store):
    importing = Importing(store, [text_document("a")])

    def give_up(_sequence):
        importing.stop.set()
        raise Unavailable("the index is shut down")

    importing.handler = _handler_of(importing, ListSource([text_document("a")], {}), give_up)
    importing.run()  # what a runner does then is its own business: it gives the operation back
    assert list(stored(store)) == ["a"]
    importing.stop.clear()
    behind = Unavailable("the index is far behind")
    importing.handler = _handler_of(importing, ListSource([], {}), _raiser(behind))
    with pytest.raises(Unavailable, match="far behind"):
        importing.run()


def _raiser(error):
    def fail(_sequence):
        raise error

    return fail
