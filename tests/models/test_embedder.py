"""The embedder with its real weights: unit vectors, the same bytes, what it finds alike."""

import json
import shutil
import threading

import numpy as np
import pytest

from toulmin.errors import Cancelled, FailedPrecondition, Unavailable
from toulmin.models.embedder import Embedder
from toulmin.models.spec import EMBEDDED_WEIGHTS
from toulmin.work import Work

pytestmark = pytest.mark.real_runs

TEXTS = [
    "How do I return a damaged parcel?",
    "Send the item back within 30 days for a refund.",
    "The bridge is 312 metres long.",
    "",
    "word " * 600,
]


@pytest.fixture(scope="module")
def embedder():
    one = Embedder(workers=2)
    yield one
    one.close()


def test_a_unit_row_for_each_text(embedder):
    rows = embedder.embed(TEXTS)
    assert rows.shape == (len(TEXTS), 384)
    assert rows.dtype == np.float32
    assert np.linalg.norm(rows, axis=1) == pytest.approx(1, abs=1e-5)


def test_no_texts_no_rows(embedder):
    assert embedder.embed([]).shape == (0, 384)


def test_a_text_has_the_same_bytes_whatever_is_embedded_with_it(embedder):
    together = embedder.embed(TEXTS)
    backwards = embedder.embed(TEXTS[::-1])[::-1]
    alone = np.concatenate([embedder.embed([text]) for text in TEXTS])
    single = Embedder(workers=1)
    assert together.tobytes() == backwards.tobytes() == alone.tobytes()
    assert together.tobytes() == single.embed(TEXTS).tobytes()


def test_callers_at_the_same_time_get_their_own_rows(embedder):
    expected = embedder.embed(TEXTS).tobytes()
    found = [b""] * 4

    def call(at: int) -> None:
        found[at] = embedder.embed(TEXTS).tobytes()

    threads = [threading.Thread(target=call, args=(i,)) for i in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert found == [expected] * 4


def test_related_texts_are_closer_than_unrelated_ones(embedder):
    question, answer, other, _, _ = embedder.embed(TEXTS)
    assert question @ answer > 0.35
    assert question @ other < 0.2
    same = embedder.embed(["A MAN eats.", "a man eats.", "A person is having a meal."])
    assert same[0] @ same[1] == pytest.approx(1, abs=1e-5)
    assert same[0] @ same[2] > 0.5


def test_what_comes_after_256_tokens_is_not_read(embedder):
    long, longer = embedder.embed(["word " * 300, "word " * 300 + "entirely different"])
    assert long.tobytes() == longer.tobytes()


def test_a_caller_who_is_gone_is_not_computed_for(embedder):
    asked = 0

    def gone_after_two() -> bool:
        nonlocal asked
        asked += 1
        return asked > 2

    with pytest.raises(Cancelled):
        embedder.embed(["some text"] * 50, work=Work(is_gone=gone_after_two))
    assert asked < 50
    assert embedder.embed(["works again"]).shape == (1, 384)


def test_closed_takes_no_more():
    one = Embedder(workers=2)
    one.close()
    with pytest.raises(Unavailable):
        one.embed(["text"])


def test_altered_weights_are_refused_on_first_use(tmp_path):
    folder = tmp_path / "embedder"
    folder.mkdir()
    source = EMBEDDED_WEIGHTS / "embedder"
    shutil.copytree(EMBEDDED_WEIGHTS / "static_embedder", tmp_path / "static_embedder")
    shutil.copy(source / "spec.json", folder)
    (folder / "model.onnx").write_bytes((source / "model.onnx").read_bytes()[:-1] + b"?")
    one = Embedder(folder)  # nothing is read yet
    with pytest.raises(FailedPrecondition, match=r"model\.onnx has SHA-256"):
        one.embed(["text"])


def test_the_spec_names_the_shared_tokenizer_with_its_hash():
    spec = json.loads((EMBEDDED_WEIGHTS / "embedder" / "spec.json").read_text())
    assert spec["tokenizer"] in spec["files"]
    assert (EMBEDDED_WEIGHTS / "embedder" / spec["tokenizer"]).exists()
