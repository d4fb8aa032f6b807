"""The figures of imports: where the time goes, and what changes a vector."""

import time

import numpy as np
import pytest

from tests.benchmarks.modules import load

ingest = load("speed.ingest")

TEXTS = [
    "The tent sleeps four people.",
    "A kettle boils one litre of water.",
    "Fog stopped every ferry on Tuesday.",
    "Stars are suns that are far away from here.",
]


def test_a_stopwatch_adds_up_what_its_calls_take():
    clock = ingest.Stopwatch()
    nap = clock.timed("nap", lambda seconds: time.sleep(seconds) or seconds)
    assert nap(0.01) == 0.01
    with pytest.raises(TypeError):
        nap("long")
    nap(0.02)
    assert clock.seconds["nap"] >= 0.03


def test_shares_of_what_follows_one_another_make_up_the_whole():
    found = ingest.shares({"prepare": 1.0, "embed": 7.0, "store": 0.5, "parse": 1.6}, 10.0)
    row = found["one_after_the_other"]
    assert row["rest"] == {"seconds": 1.5, "share": 0.15}
    assert sum(step["share"] for step in row.values()) == pytest.approx(1)
    assert found["inside_prepare_or_beside"] == {
        "fetch": 0,
        "parse": 1.6,
        "chunk": 0,
        "index": 0,
    }


def test_only_one_text_a_run_leaves_vectors_as_they_are():
    ways = ingest.Ways(TEXTS)
    alone = ways.one_a_run(1)
    assert np.array_equal(ways.one_a_run(2), alone)
    together = ways.one_session(1, batch=16)
    assert ways.took > 0
    assert (together * alone).sum(1) == pytest.approx(1, abs=0.05)


def test_chunks_are_given_to_the_embedder_as_imports_give_them():
    rows = [["Kettles", ["Use"], "Fill it. Switch it on."]] * (2 * ingest.ALONE)
    texts = ingest.pieces(rows)
    assert texts == ["Kettles\nUse\nFill it. Switch it on."] * ingest.ALONE
