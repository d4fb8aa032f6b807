"""The embedded index answers as the oracle does, whatever happens to both."""

import pytest

from tests.stores.index.agreement import assert_alike
from tests.stores.index.chunks import Random
from tests.stores.index.oracle import OracleIndex
from toulmin.stores.index.protocol import Put


@pytest.mark.parametrize("seed", [1, 2])
def test_random_changes(open_index, seed):
    random, index, oracle = Random(seed), open_index(), OracleIndex()
    for step, size in enumerate([60, 0, 1, 25, 3, 40, 1, 1, 12, 30], start=1):
        changes = random.changes(size, keys=80)
        index.apply(changes, up_to=10 * step)
        oracle.apply(changes, up_to=10 * step)
        assert_alike(index, oracle, random)
    index.close()
    assert_alike(open_index(), oracle, random)


def test_many_small_changes_are_merged_and_answer_alike(open_index):
    random, index, oracle = Random(3), open_index(), OracleIndex()
    for step in range(1, 20):
        changes = random.changes(3, keys=30)
        index.apply(changes, up_to=step)
        oracle.apply(changes, up_to=step)
    assert len(index._generation.snapshot.segments) < 8
    assert_alike(index, oracle, random)
    index.close()
    assert_alike(open_index(), oracle, random)


def test_changes_applied_again_change_no_answer(open_index):
    random, index, oracle = Random(4), open_index(), OracleIndex()
    changes = random.changes(40, keys=40)
    for target in (index, oracle):
        target.apply(changes, up_to=4)
        target.apply(changes, up_to=4)
    assert_alike(index, oracle, random)
    index.apply([], up_to=2)
    assert index.position == 4


def test_rebuilt_index_equals_one_that_was_never_changed(open_index, tmp_path):
    random, index, oracle = Random(5), open_index(), OracleIndex()
    for step in range(1, 5):
        changes = random.changes(30, keys=50)
        index.apply(changes, up_to=step)
        oracle.apply(changes, up_to=step)
    assert index.wasted > 0.2
    rebuild = index.rebuild()
    alive = [Put(chunk) for chunk, _ in oracle.chunks.values()]
    fresh = OracleIndex()
    for target in (rebuild, fresh):
        target.apply(alive, up_to=4)
    assert_alike(index, oracle, random, queries=2)  # which serves on
    rebuild.swap()
    assert index.wasted == 0
    assert_alike(index, fresh, random)
    index.close()
    assert_alike(open_index(), fresh, random)
