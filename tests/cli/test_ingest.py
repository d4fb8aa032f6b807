import dataclasses
import io
import json
import os
import signal
import threading
import time

import pytest

from tests.patience import PATIENCE_S, wait_for
from toulmin.cli import main
from toulmin.cli.importing.here import ImportHere
from toulmin.cli.importing.job import ImportJob, uri_of, with_roots
from toulmin.cli.importing.status import (
    FileSizes,
    ImportProgress,
    ImportStatus,
    error_lines,
    interruptible,
    progress_line,
)
from toulmin.cli.importing.watch import Snapshot, Watch, changes, snapshot
from toulmin.domain import Branch, DataStore
from toulmin.errors import InvalidArgument, Unavailable
from toulmin.settings import load_settings
from toulmin.stores.records import RecordStore
from toulmin.stores.records.operations import Operations

COLLECTION = "projects/default/locations/global/collections/default_collection"
STORE = f"{COLLECTION}/dataStores/default"


def ingest(*arguments):
    return main(["ingest", *map(str, arguments), "--parser-processes", "1"])


def stored(tmp_path, store="default"):
    """Return the documents of a data store by id."""
    records = RecordStore(tmp_path / "data")
    try:
        with records.read() as transaction:
            page = transaction.documents.list(
                Branch(f"{COLLECTION}/dataStores/{store}"), page_size=100
            )
            return {document.id: document for document in page.items}
    finally:
        records.close()


def titles(tmp_path, store="default"):
    return sorted(
        document.derived.get("title", "") for document in stored(tmp_path, store).values()
    )


def interruption(monkeypatch):
    """Return a function that presses Ctrl-C, once, and returns when the import has been told."""
    told, cancel, once = threading.Event(), Operations.cancel, iter([signal.SIGINT])

    def tell(self, name):
        cancel(self, name)
        told.set()

    def press():
        for number in once:
            os.kill(os.getpid(), number)
            assert told.wait(PATIENCE_S)

    monkeypatch.setattr(Operations, "cancel", tell)
    return press


def counts(lines):
    """Return the numbers of files done that were shown, of 15."""
    return {int(line.split()[1].partition("/")[0]) for line in lines if "/15 files" in line}


@pytest.mark.usefixtures("fake_embedder")
class TestHere:
    def test_a_folder_becomes_documents_and_the_second_time_nothing_is_done(
        self, files, data, tmp_path, capsys
    ):
        assert ingest(files, *data) == 0
        assert capsys.readouterr().out.startswith("default: 3 documents, in ")
        assert titles(tmp_path) == ["Herons", "Otters", "notes"]
        before = stored(tmp_path)
        assert ingest(files, *data) == 0
        assert "3 of them unchanged" in capsys.readouterr().out
        assert stored(tmp_path) == before
        assert ingest(files, *data, "--force") == 0
        assert "unchanged" not in capsys.readouterr().out
        assert all(document.generation == 2 for document in stored(tmp_path).values())

    def test_ids_come_from_paths_and_stay_when_the_folder_moves(self, files, data, tmp_path):
        assert ingest(files, *data) == 0
        ids = set(stored(tmp_path))
        assert any(id_.startswith("birds-herons-md-") for id_ in ids)
        moved = files.rename(tmp_path / "elsewhere")
        assert ingest(moved, *data) == 0
        assert set(stored(tmp_path)) == ids

    def test_what_fails_is_named_and_the_rest_is_imported(self, files, data, tmp_path, capsys):
        (files / "broken.pdf").write_bytes(b"no PDF at all \x00\xff\xfe")
        (files / "program.exe").write_bytes(b"MZ")
        assert ingest(files, *data, "--quiet") == 1
        streams = capsys.readouterr()
        assert streams.out == ""
        lines = streams.err.splitlines()
        assert len(lines) == 2
        assert "program.exe: its name does not end" in lines[0]
        assert "files/broken.pdf: is neither" in lines[1]
        assert titles(tmp_path) == ["Herons", "Otters", "notes"]

    def test_full_deletes_what_the_paths_no_longer_have(self, files, data, tmp_path, capsys):
        assert ingest(files, *data) == 0
        (files / "notes.txt").unlink()
        assert ingest(files, *data) == 0
        assert len(stored(tmp_path)) == 3
        assert ingest(files, *data, "--full") == 0
        assert "1 deleted" in capsys.readouterr().out
        assert titles(tmp_path) == ["Herons", "Otters"]

    def test_rows_take_their_ids_from_a_column(self, data, tmp_path, capsys):
        rows = tmp_path / "rows.csv"
        rows.write_text("sku,title\na1,First\na2,Second\n,Third\n")
        assert ingest(rows, *data, "--schema", "csv", "--id-field", "sku", "--store", "rows") == 1
        found = stored(tmp_path, "rows")
        assert {id_: dict(found[id_].struct_data) for id_ in found} == {
            "a1": {"sku": "a1", "title": "First"},
            "a2": {"sku": "a2", "title": "Second"},
        }
        assert "rows.csv line 4" in capsys.readouterr().err
        more = ["--schema", "csv", "--generate-ids", "--store", "hashed"]
        assert ingest(rows, *data, *more) == 0
        assert len(stored(tmp_path, "hashed")) == 3

    def test_patterns_and_documents_as_json_lines(self, data, tmp_path):
        lines = [{"id": f"d{n}", "content": {"mimeType": "text/plain", "rawBytes": "aGk="}}
                 for n in range(3)]  # fmt: skip
        (tmp_path / "x.jsonl").write_text("\n".join(map(json.dumps, lines)))
        assert ingest(f"{tmp_path}/*.jsonl", *data, "--schema", "document") == 0
        assert sorted(stored(tmp_path)) == ["d0", "d1", "d2"]

    def test_a_file_with_a_star_in_its_name_is_that_file(self, files, data, tmp_path):
        (files / "a*.md").write_text("# Star\n")
        (files / "ab.md").write_text("# Other\n")
        assert ingest(files / "a*.md", *data) == 0
        assert titles(tmp_path) == ["Star"]

    def test_an_import_that_was_killed_is_taken_up(self, files, data, tmp_path, monkeypatch):
        """The operation that is in the records goes on; no second one is made."""
        from tests.cli.conftest import FakeEmbedder

        looked, begun, embed = threading.Event(), ImportHere._begun, FakeEmbedder.embed

        def look(self, request):
            name = begun(self, request)
            looked.set()
            return name

        monkeypatch.setattr(ImportHere, "_begun", look)
        monkeypatch.setattr(
            FakeEmbedder,
            "embed",
            lambda *given, **more: looked.wait(PATIENCE_S) and embed(*given, **more),
        )
        records = RecordStore(tmp_path / "data")
        request = ImportJob(uris=(uri_of(str(files)),), store=STORE).request()
        with records.write() as transaction:
            transaction.resources.create(
                DataStore(parent=COLLECTION, id="default", content_config="CONTENT_REQUIRED")
            )
            left = transaction.operations.create(
                parent=f"{STORE}/branches/0", kind="import-documents", request=request
            )
        records.close()
        assert ingest(files, *data) == 0
        records = RecordStore(tmp_path / "data")
        with records.read() as transaction:
            latest = transaction.operations.list(f"{STORE}/branches/0", page_size=10).items
        records.close()
        assert [(operation.id, operation.state) for operation in latest] == [(left.id, "SUCCEEDED")]

    def test_ctrl_c_stops_after_the_batch_in_hand(self, files, data, tmp_path, capsys, monkeypatch):
        from tests.cli.conftest import FakeEmbedder

        embed = FakeEmbedder.embed
        interrupted = interruption(monkeypatch)

        def slow(self, texts, **more):
            interrupted()
            return embed(self, texts, **more)

        monkeypatch.setattr(FakeEmbedder, "embed", slow)
        assert ingest(files, *data) == 130
        streams = capsys.readouterr()
        assert "the same command goes on" in streams.err
        monkeypatch.setattr(FakeEmbedder, "embed", embed)
        assert ingest(files, *data) == 0
        assert len(stored(tmp_path)) == 3

    def test_what_is_done_is_shown_and_kept_before_the_end(
        self, files, data, tmp_path, capsys, monkeypatch
    ):
        from tests.cli.conftest import FakeEmbedder

        for number in range(12):
            (files / f"more-{number:02}.md").write_text(f"# Number {number}\n")
        embed = FakeEmbedder.embed
        interrupted, drawn = interruption(monkeypatch), []
        draw = ImportProgress._draw
        monkeypatch.setattr(
            ImportProgress, "_draw", lambda self, line: drawn.append(line) or draw(self, line)
        )

        def slow(self, texts, **more):
            time.sleep(0.7)
            if len(counts(drawn)) > 1 and max(counts(drawn)) >= 2:
                interrupted()
            return embed(self, texts, **more)

        monkeypatch.setattr(FakeEmbedder, "embed", slow)
        assert ingest(files, *data) == 130
        lines = capsys.readouterr().err.splitlines()
        assert lines[0] == "looking for files  0:00"
        assert max(counts(lines)) >= 2
        assert 2 <= len(stored(tmp_path)) < 15

    def test_an_empty_folder_is_no_failure_and_an_empty_pattern_is(self, data, tmp_path, capsys):
        (tmp_path / "empty").mkdir()
        assert ingest(tmp_path / "empty", *data) == 0
        streams = capsys.readouterr()
        assert streams.out.startswith("default: 0 documents, in ")
        assert streams.err.endswith("empty: holds nothing to import\n")
        assert ingest(f"{tmp_path}/empty/*.md", *data) == 1
        assert "1 failed" in capsys.readouterr().out

    def test_the_outcome_as_json(self, files, data, capsys):
        (files / "broken.pdf").write_bytes(b"no PDF at all \x00\xff\xfe")
        assert ingest(files, *data, "--json") == 1
        outcome = json.loads(capsys.readouterr().out)
        assert outcome | {"errors": 0, "seconds": 0} == {
            "store": "default",
            "documents": 3,
            "unchanged": 0,
            "deleted": 0,
            "failed": 1,
            "interrupted": False,
            "problem": "",
            "errors": 0,
            "seconds": 0,
        }
        assert outcome["errors"][0]["item"].endswith("broken.pdf")

    def test_a_folder_in_use_names_the_server_that_has_it(self, server, files, tmp_path, capsys):
        served = server()
        assert ingest(files, "--data-dir", tmp_path / "served") == 2
        assert f"--server {served.url}\n" in capsys.readouterr().err
        assert "127.0.0.1:8080" not in served.url

    def test_a_folder_in_use_that_nobody_serves(self, files, data, tmp_path, capsys):
        records = RecordStore(tmp_path / "data")
        try:
            assert ingest(files, *data) == 2
        finally:
            records.close()
        message = capsys.readouterr().err
        assert "is in use by process" in message
        assert "wait until it has ended" in message
        assert "--server" not in message

    def test_watching_follows_the_files(self, files, data, tmp_path, capsys):
        """New, changed and deleted files are told and imported; Ctrl-C ends."""

        def work():
            seen = ""

            def wait(text):
                nonlocal seen
                until = time.monotonic() + PATIENCE_S
                while text not in seen and time.monotonic() < until:
                    time.sleep(0.02)
                    seen += capsys.readouterr().out

            try:
                wait("watching")
                (files / "new.md").write_text("# Newts\n\nNewts swim.\n")
                wait("new ")
                (files / "otters.md").write_text("# Sea otters\n\nThey live in the sea.\n")
                wait("changed ")
                (files / "notes.txt").unlink()
                wait("deleted ")
            finally:
                told.append(seen)
                os.kill(os.getpid(), signal.SIGINT)

        told = []
        thread = threading.Thread(target=work)
        thread.start()
        assert ingest(files, *data, "--watch", "--interval", "0.1") == 0
        thread.join()
        assert titles(tmp_path) == ["Herons", "Newts", "Sea otters"]
        lines = told[0].splitlines()[2:]
        assert [line.split()[0] for line in lines] == ["new", "changed", "deleted"]
        assert lines[0].endswith("files/new.md")


class TestServer:
    def test_files_are_sent_and_found(self, server, files, capsys):
        served = server()
        assert ingest(files, "--server", served.url, "--store", "sent") == 0
        assert main(["stores", "--server", served.url]) == 0
        assert "sent          3" in capsys.readouterr().out

    def test_full_deletes_and_errors_have_the_files_names(self, server, files, capsys):
        served = server()
        assert ingest(files, "--server", served.url) == 0
        (files / "notes.txt").unlink()
        (files / ".hidden").touch()
        assert ingest(files, "--server", served.url, "--full") == 1
        assert "2 documents, 1 deleted, 1 failed" in capsys.readouterr().out
        (files / "broken.pdf").write_bytes(b"no PDF at all \x00\xff\xfe")
        assert ingest(files, "--server", served.url) == 1
        assert "files/broken.pdf: " in capsys.readouterr().err

    def test_full_deletes_nothing_when_a_line_cannot_be_read(self, server, tmp_path, capsys):
        lines, flags = tmp_path / "x.jsonl", ["--server", server().url, "--schema", "custom"]
        lines.write_text('{"_id": "a", "t": "x"}\n{"_id": "b", "t": "y"}\n')
        assert ingest(lines, *flags) == 0
        lines.write_text('{"_id": "a", "t": "x"}\n{"_id": \n')
        assert ingest(lines, *flags, "--full") == 1
        streams = capsys.readouterr()
        assert "deleted" not in streams.out
        assert "Nothing was deleted: some items could not be read." in streams.err

    def test_a_file_that_no_request_holds_fails_alone(self, server, files, capsys):
        served = server()
        (files / "long.txt").write_text("much text. " * 20_000)
        flags = ["--server", served.url, "--max-body-bytes", "150000"]
        assert ingest(files, *flags) == 1
        streams = capsys.readouterr()
        assert "3 documents, 1 failed" in streams.out
        assert "long.txt: is larger than a request" in streams.err

    def test_by_path_the_server_reads_what_it_may(self, server, files, capsys):
        served = server(import_roots=str(files / "birds"))
        flags = ["--server", served.url, "--by-path"]
        assert ingest(files / "birds", *flags) == 0
        assert "1 document," in capsys.readouterr().out
        assert ingest(files / "otters.md", *flags) == 2
        assert "import_roots" in capsys.readouterr().err

    def test_a_key_is_sent(self, server, files, capsys):
        served = server(api_keys="a-long-key")
        assert ingest(files, "--server", served.url) == 2
        assert "a-long-key" not in capsys.readouterr().err
        assert ingest(files, "--server", served.url, "--api-key", "a-long-key") == 0

    def test_what_is_no_server_is_said(self, files, capsys):
        assert ingest(files, "--server", "http://127.0.0.1:9") == 2
        assert "cannot be reached" in capsys.readouterr().err
        assert ingest(files, "--server", "ftp://127.0.0.1") == 2
        assert "must be an address" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("flags", "message"),
    [
        (["nowhere.md"], "nowhere.md: there is no such file or folder"),
        (["ssh://host/x"], "the scheme ssh:// is not read"),
        ([".", "--id-field", "x"], "--id-field"),
        ([".", "--schema", "csv", "--id-field", "x", "--generate-ids"], "choose one"),
        ([".", "--by-path"], "needs --server"),
        ([".", "--watch", "--schema", "csv"], "--watch"),
        (["gs://bucket/x", "--watch"], "only for files of this machine"),
        ([".", "--watch", "--interval", "0"], "0.1 to 86400"),
        ([".", "--store", "No Good"], "--store"),
        ([".", "--project", "a/b"], "--project"),
    ],
)
def test_wrong_usage_is_refused_before_anything_is_opened(flags, message, data, tmp_path, capsys):
    assert main(["ingest", *flags, *data]) == 2
    assert message in capsys.readouterr().err
    assert not (tmp_path / "data").exists()


def test_only_the_named_paths_are_allowed(tmp_path):
    settings = load_settings(flags={"import_roots": "/srv"}, environment={})
    uris = (f"file://{tmp_path}/a%20b", f"{tmp_path}/x/**/*.pdf", "gs://b/f/*.pdf", "https://h/x")
    found = with_roots(settings, uris)
    assert found.import_roots == ("/srv", f"{tmp_path}/a b", f"{tmp_path}/x", "gs://b/f")
    assert found.import_https
    assert not with_roots(settings, uris[:2]).import_https


def test_more_paths_than_one_import_takes_are_refused():
    job = ImportJob(uris=tuple(f"file:///{n}" for n in range(101)), store=STORE)
    with pytest.raises(InvalidArgument, match="101 paths"):
        job.request()


def test_the_bar_counts_failures_files_and_bytes():
    status = ImportStatus(success=5, failure=1, total=12)
    sizes = FileSizes.of([2**20] * 12)
    assert progress_line(status, 62.0, sizes) == (
        "████████████░░░░░░░░░░░░  6/12 files  6.0/12.0 MiB  1 failed  0.1/s  1:02"
    )
    assert progress_line(ImportStatus(), 1.0, sizes).startswith(f"{'░' * 24}  0/12 files")
    assert FileSizes.of([512, 512]).line(1) == "0.5/1.0 KiB"
    assert progress_line(status, 2.0, FileSizes()).endswith("6/12 documents  1 failed  3.0/s  0:02")


@pytest.mark.parametrize(
    ("width", "line"),
    [
        (59, "█████░░░░░  6/12 files  6.0/12.0 MiB  1 failed  0.1/s  1:02"),
        (50, "6/12 files  6.0/12.0 MiB  1 failed  0.1/s  1:02"),
        (40, "6/12 files  6.0/12.0 MiB  1 failed  1:02"),
        (30, "6/12 files  1 failed  1:02"),
        (9, "6/12 files  1 failed  1:02"),
    ],
)
def test_a_narrow_terminal_shows_what_it_has_room_for(width, line):
    status = ImportStatus(success=5, failure=1, total=12)
    assert progress_line(status, 62.0, FileSizes.of([2**20] * 12), width=width) == line


def test_sizes_are_in_the_order_in_which_files_are_read(files):
    (files / "program.exe").write_bytes(b"MZ")
    job = ImportJob(uris=(uri_of(str(files)),), store=STORE)
    sizes = job.sizes(job.context(load_settings(environment={})))
    lengths = [
        (files / name).stat().st_size for name in ("birds/herons.md", "notes.txt", "otters.md")
    ]
    assert sizes == FileSizes.of([0, *lengths])
    rows = dataclasses.replace(job, schema="csv")
    assert rows.sizes(rows.context(load_settings(environment={}))) == FileSizes()


def test_before_the_files_are_known_that_is_said():
    assert progress_line(ImportStatus(), 1.5, FileSizes()) == "looking for files  0:01"


def test_there_is_a_line_at_once_and_then_every_second():
    stream = io.StringIO()
    with ImportProgress(stream, quiet=False) as progress:
        wait_for(lambda: stream.getvalue().startswith("looking for files  0:00\n"))
        progress.show(ImportStatus(success=2, total=9))
        wait_for(lambda: "2/9 documents" in stream.getvalue())
        progress.note("stopping")
    assert "stopping\n" in stream.getvalue()
    assert [progress.pause(seconds) for seconds in (0, 59, 61)] == [1, 1, 10]
    with ImportProgress(stream := io.StringIO(), quiet=True) as progress:
        progress.show(ImportStatus())
    assert stream.getvalue() == ""


def test_a_terminal_has_a_bar_that_goes_in_the_end():
    class Terminal(io.StringIO):
        def isatty(self):
            return True

    with ImportProgress(stream := Terminal(), quiet=False):
        wait_for(lambda: stream.getvalue().count("looking for files") > 1)
    assert stream.getvalue().endswith("\r\x1b[K")
    assert "\n" not in stream.getvalue()


def test_errors_say_their_file_once_and_how_many_more_there_are():
    status = ImportStatus(
        failure=3,
        samples=(("file:///a/b%20c.pdf", "b c.pdf: is damaged"), ("", "Nothing was deleted.")),
    )
    assert list(error_lines(status)) == [
        "  /a/b c.pdf: is damaged",
        "  Nothing was deleted.",
        "  and 2 more",
    ]


def test_the_first_ctrl_c_asks_and_the_second_ends():
    before = signal.getsignal(signal.SIGINT)
    with interruptible() as stop:
        os.kill(os.getpid(), signal.SIGINT)
        assert stop.wait(PATIENCE_S)
        with pytest.raises(KeyboardInterrupt):
            _interrupt_and_wait()
    assert signal.getsignal(signal.SIGINT) is before


def _interrupt_and_wait():
    os.kill(os.getpid(), signal.SIGINT)
    time.sleep(PATIENCE_S)


class TestWatch:
    def look(self, files):
        job = ImportJob(uris=(uri_of(str(files)),), store=STORE)
        context = job.context(load_settings(environment={}))
        return snapshot(job, context)

    def test_changes_are_found_by_size_and_time(self, files):
        before = self.look(files)
        assert not changes(before, self.look(files))
        (files / "notes.txt").unlink()
        (files / "otters.md").write_text("# Otters\n")
        (files / "new.md").write_text("# New\n")
        found = changes(before, self.look(files))
        assert [[uri.rpartition("/")[2] for uri in part]
                for part in (found.new, found.changed, found.gone)] == [
            ["new.md"], ["otters.md"], ["notes.txt"],
        ]  # fmt: skip

    def test_an_import_that_did_not_happen_is_tried_again(self, files):
        said, after = [], self.look(files)

        class Away:
            def run_some(self, documents, stop):
                raise Unavailable("the server is away")
                yield

        watch = Watch(importer=Away(), delete=said.append, look=lambda: after, say=said.append)
        with pytest.raises(Unavailable):
            watch.step(Snapshot(), threading.Event())
        stop = threading.Event()
        watch = Watch(
            importer=Away(),
            delete=said.append,
            look=lambda: after,
            say=lambda text: (said.append(text), stop.set()),
        )
        watch.run(Snapshot(), stop, interval_s=0.01)
        assert said == ["waiting: the server is away"]


@pytest.mark.model
def test_from_files_to_a_search_with_the_real_models(files, data, capsys):
    assert ingest(files, *data, "--store", "animals") == 0
    capsys.readouterr()
    assert main(["search", "Which animal waits for its prey?", "--store", "animals", *data]) == 0
    first, place, *rest = capsys.readouterr().out.splitlines()
    assert first.startswith(" 1. Herons  0.")
    assert place.endswith("birds/herons.md")
    assert rest[0].strip() == "Herons Herons wait for fish." or "wait" in rest[0]
