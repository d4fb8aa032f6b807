"""Crashes, failures and damage: never a wrong answer."""

import errno
import resource
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from tests.stores.index.agreement import assert_alike
from tests.stores.index.chunks import DIMENSIONS, Random
from tests.stores.index.oracle import OracleIndex
from toulmin.errors import FailedPrecondition
from toulmin.stores.index import generation
from toulmin.stores.index.embedded import EmbeddedIndex, discard
from toulmin.stores.index.protocol import IndexedChunk, IndexUnusable, Query
from toulmin.stores.index.text import TextIndex

STEPS = [
    (generation, "write_rows"),
    (generation, "write_dead"),
    (generation, "write_manifest"),
    (TextIndex, "commit"),
    (generation, "remove_others"),
]


def test_a_file_system_that_takes_no_more_is_named_as_the_reason(tmp_path):
    """tantivy's own word for it is a ValueError, which would look like a defect."""
    text = TextIndex(tmp_path / "text")
    text.commit()
    stamp = text.stamp()
    text.add([(1, IndexedChunk(1, 1, "orion pump"))])
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (0, hard))
    try:
        with pytest.raises(OSError, match="File too large") as caught:
            text.commit()
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))
    assert caught.value.errno == errno.EFBIG
    assert text.stamp() == stamp
    text.drop_writer()
    text.add([(1, IndexedChunk(1, 1, "orion pump"))])
    text.commit()
    assert text.reader().documents == 1


def changes_of(step):
    return Random(100 + step).changes(12, keys=20)


def oracle_at(position):
    oracle = OracleIndex()
    for step in range(1, position + 1):
        oracle.apply(changes_of(step), up_to=step)
    return oracle


def filled(index, upto):
    for step in range(1, upto + 1):
        index.apply(changes_of(step), up_to=step)
    return index


def take_image(folder, images):
    """Copy what is on disk, as a crash would leave it."""
    images.append(folder.with_name(f"image-{len(images)}"))
    # A thread of tantivy's is writing what is not committed yet, and renames these.
    shutil.copytree(folder, images[-1], ignore=shutil.ignore_patterns(".tmp*"))


@pytest.mark.parametrize(("where", "name"), STEPS, ids=[name for _, name in STEPS])
def test_crash_at_any_step_leaves_all_or_nothing(open_index, tmp_path, monkeypatch, where, name):
    # Few commits, so that tantivy does not merge in the background while the folder is copied.
    monkeypatch.setattr(generation, "MERGED_AT_ONCE", 4)
    index = filled(open_index(), 3)  # the fourth commit also merges
    images = []
    original = getattr(where, name)

    def crashing(*args, **kwargs):
        take_image(tmp_path / "index", images)
        result = original(*args, **kwargs)
        take_image(tmp_path / "index", images)
        return result

    with monkeypatch.context() as patched:
        patched.setattr(where, name, crashing)
        index.apply(changes_of(4), up_to=4)
    assert len(images) >= 2
    positions = []
    for image in images:
        reopened = open_index(image)
        positions.append(reopened.position)
        assert_alike(reopened, oracle_at(reopened.position), Random(1), queries=2)
        reopened.apply(changes_of(4), up_to=4)
        assert reopened.count() == oracle_at(4).count()
        reopened.close()
    # The merge writes too, after the commit.
    assert set(positions) == {"remove_others": {4}, "write_dead": {3}}.get(name, {3, 4})
    assert positions == sorted(positions)


@pytest.mark.parametrize(("where", "name"), STEPS[:4], ids=[name for _, name in STEPS[:4]])
def test_failed_change_keeps_the_old_answers_and_can_be_repeated(
    open_index, monkeypatch, where, name
):
    index = filled(open_index(), 3)

    def full(*args, **kwargs):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(where, name, full)
    with pytest.raises(OSError, match="No space"):
        index.apply(changes_of(4), up_to=4)
    assert_alike(index, oracle_at(3), Random(1), queries=3)
    monkeypatch.undo()
    index.apply(changes_of(4), up_to=4)
    index.apply(changes_of(5), up_to=5)
    assert index.count() == oracle_at(5).count()
    assert index.position == 5


CHILD = """
import sys
from pathlib import Path
from tests.stores.index.test_faults import DIMENSIONS, EmbeddedIndex, changes_of
index = EmbeddedIndex(Path(sys.argv[1]), lineage="a", dimensions=DIMENSIONS)
print("at", index.position, flush=True)
while True:
    step = index.position + 1
    index.apply(changes_of(step), up_to=step)
    print(step, flush=True)
"""


def test_killed_process_loses_nothing_it_acknowledged(tmp_path, open_index):
    folder, acknowledged = tmp_path / "index", 0
    for round_, pause in enumerate([0.0, 0.05, 0.11]):
        child = subprocess.Popen(
            [sys.executable, "-c", CHILD, str(folder)],
            stdout=subprocess.PIPE,
            text=True,
            cwd=Path(__file__).parents[3],
        )
        assert child.stdout.readline().startswith("at")
        for _ in range(2):
            acknowledged = int(child.stdout.readline())
        time.sleep(pause)
        child.send_signal(signal.SIGKILL)
        rest = child.communicate()[0].split()
        acknowledged = max([acknowledged, *map(int, rest)])
        index = open_index(folder)
        assert acknowledged <= index.position <= acknowledged + 1
        assert_alike(index, oracle_at(index.position), Random(round_), queries=3)
        index.close()
    assert acknowledged >= 6


def test_damage_is_reported(open_index, tmp_path):
    filled(open_index(), 2).close()
    whole = tmp_path / "index"
    files = [p.relative_to(whole) for p in whole.rglob("*") if p.is_file() and p.stat().st_size]
    assert len(files) >= 10
    for place, name in enumerate(files):
        for damage in (lost, cut, flipped):
            # Each in a folder of its own: just after it opened an index, a thread of tantivy's may
            # still lay a lock there, and a folder that is being removed would not come out empty.
            folder = tmp_path / damage.__name__ / str(place)
            shutil.copytree(whole, folder)
            damage(folder / name)
            # tantivy's lists of files have no checksum: what is wrong there must not show, or must.
            if name.name in (".managed.json", "meta.json") and damage is not cut:
                continue_with_or_refuse(folder)
            else:
                assert refused(folder), f"{name} {damage.__name__} went unnoticed"


def test_a_file_in_the_place_of_one_of_another_kind_is_reported(open_index, tmp_path):
    filled(open_index(), 2).close()
    for terms in (tmp_path / "index").rglob("*.term"):
        shutil.copy(terms, terms.with_suffix(".idx"))  # whole, with the right checksum
    assert refused(tmp_path / "index")


def refused(folder):
    try:
        EmbeddedIndex(folder, lineage="a", dimensions=DIMENSIONS).close()
    except IndexUnusable:
        return True
    return False


def continue_with_or_refuse(folder):
    try:
        index = EmbeddedIndex(folder, lineage="a", dimensions=DIMENSIONS)
    except IndexUnusable:
        return
    assert_alike(index, oracle_at(2), Random(1), queries=2)
    index.close()


def lost(path):
    path.unlink()


def cut(path):
    path.write_bytes(path.read_bytes()[: path.stat().st_size // 2])


def flipped(path):
    content = bytearray(path.read_bytes())
    content[len(content) // 3] ^= 4
    path.write_bytes(content)


def test_damaged_index_is_discarded_and_built_anew(open_index, tmp_path):
    filled(open_index(), 2).close()
    next((tmp_path / "index").glob("build-*/rows-*")).write_bytes(b"nothing")
    with pytest.raises(IndexUnusable):
        open_index()
    discard(tmp_path / "index")
    index = filled(open_index(), 3)
    assert_alike(index, oracle_at(3), Random(1), queries=3)


def test_index_of_another_lineage_is_refused(open_index):
    filled(open_index(lineage="history 1, embedder 2"), 1).close()
    with pytest.raises(IndexUnusable, match="history 1, embedder 2"):
        open_index(lineage="history 1, embedder 3")


def test_second_process_is_refused(open_index, tmp_path):
    open_index()
    with pytest.raises(FailedPrecondition, match="Another process"):
        EmbeddedIndex(tmp_path / "index", lineage="a", dimensions=DIMENSIONS)


def test_reader_of_an_old_moment_is_not_disturbed(open_index):
    index = filled(open_index(), 3)
    snapshot = index._generation.snapshot
    query = Query("w1 w2 w3", Random(7).vector(), limit=50)
    expected = snapshot.search(query)
    for step in range(4, 13):
        index.apply(changes_of(step), up_to=step)
    rebuild = index.rebuild()
    rebuild.apply([], up_to=12)
    rebuild.swap()
    assert snapshot.search(query) == expected
    assert index.count().chunks == 0
