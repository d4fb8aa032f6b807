"""The network's folder: what it refuses, and that a hand-made one gives what its weights say."""

import hashlib
import json

import numpy as np
import pytest

from toulmin.errors import FailedPrecondition
from toulmin.safety.concepts import CONCEPTS
from toulmin.safety.features import NUMBERS, PLACES
from toulmin.safety.network import Network

DIM = 3
DENSE = DIM + NUMBERS + len(CONCEPTS)


class Embeds:
    """Three numbers a text: nothing of it."""

    version = "1"
    dim = DIM

    def embed(self, texts, *, work=None):
        return np.zeros((len(texts), DIM), np.float32)


def folder(path, *, dense=DENSE, places=PLACES, embedder="1"):
    """Write a network of one unit that the concept "kill" alone switches on."""
    hidden = np.zeros((dense, 1), np.int8)
    hidden[DIM + NUMBERS + CONCEPTS.index("kill")] = 100
    np.savez(
        path / "weights.npz",
        hidden=hidden,
        hidden_scale=np.array([0.02]),
        hidden_bias=np.array([-1.0]),
        out=np.array([[4.0]]),
        sparse=np.zeros((places, 1), np.int8),
        sparse_scale=np.array([1.0]),
        bias=np.array([-2.0]),
    )
    digest = hashlib.sha256((path / "weights.npz").read_bytes()).hexdigest()
    spec = {
        "name": "test",
        "version": "1",
        "licence": "Apache-2.0",
        "embedder": embedder,
        "classes": ["adversarial"],
        "files": {"weights.npz": digest},
    }
    (path / "spec.json").write_text(json.dumps(spec))
    return path


def test_one_row_a_piece_by_the_weights(tmp_path):
    network = Network(folder(tmp_path), Embeds())
    for text, logit in (("kill", 2.0), ("matar", 2.0), ("kettle", -2.0)):
        assert network.probabilities(text) == pytest.approx(np.array([[1 / (1 + np.exp(-logit))]]))
    assert network.probabilities("word " * 200).shape[0] > 1


@pytest.mark.parametrize(
    ("made", "said"),
    [
        ({"embedder": "2"}, "fitted on embedder 2, this is 1"),
        ({"places": 7}, r"\(7, 1\) n-gram weights"),
        ({"dense": DENSE + 1}, "dense features"),
    ],
)
def test_weights_for_something_else_are_refused(tmp_path, made, said):
    with pytest.raises(FailedPrecondition, match=said):
        Network(folder(tmp_path, **made), Embeds())
