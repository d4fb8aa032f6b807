"""The exported graph computes what the trained model computes."""
# ruff: noqa: E402  (what is skipped must be known before the imports)

import pytest

torch = pytest.importorskip("torch")
onnx = pytest.importorskip("onnx")
pytest.importorskip("safetensors")

import numpy as np
import onnxruntime
from graph import build_graph
from model import CrossEncoder, Size

SIZE = Size(vocabulary=50, width=32, layers=2, heads=4, inner=64, positions=40)


@pytest.fixture(scope="module")
def model():
    torch.manual_seed(3)
    made = CrossEncoder(SIZE).eval()
    with torch.no_grad():
        for parameter in made.parameters():  # fresh norms are all ones: no test of their weights
            parameter.add_(0.2 * torch.randn_like(parameter))
    return made


@pytest.fixture(scope="module")
def batch():
    rng = np.random.default_rng(4)
    ids = rng.integers(4, 50, (5, 17))
    mask, types = np.ones_like(ids), np.zeros_like(ids)
    for row, (length, claim) in enumerate([(17, 12), (9, 5), (3, 2), (12, 11), (6, 6)]):
        mask[row, length:] = 0
        types[row, claim:length] = 1
    return {"input_ids": ids, "attention_mask": mask, "token_type_ids": types}


def test_graph_and_model_agree(model, batch):
    proto = build_graph(model)
    session = onnxruntime.InferenceSession(
        proto.SerializeToString(), providers=["CPUExecutionProvider"]
    )
    names = ["logits", "word_logits", "start_logits", "end_logits"]
    assert [output.name for output in session.get_outputs()] == names
    found = dict(zip(names, session.run(names, batch), strict=True))
    with torch.inference_mode():
        pair, words, spans = model(*(torch.from_numpy(value) for value in batch.values()))
    expected = (pair, words, spans[:, :, 0], spans[:, :, 1])
    seen = batch["attention_mask"] == 1
    for name, values in zip(names, expected, strict=True):
        inside = seen if values.ndim == 2 and name != "logits" else slice(None)
        assert values.std() > 0.05
        np.testing.assert_allclose(found[name][inside], values.numpy()[inside], rtol=0, atol=1e-4)
    assert np.abs(found["start_logits"] - found["end_logits"]).max() > 0.1


def test_padding_changes_nothing(model, batch):
    with torch.inference_mode():
        inputs = [torch.from_numpy(value) for value in batch.values()]
        together = model(*inputs)
        alone = model(*(value[1:2, :9] for value in inputs))
    torch.testing.assert_close(together[0][1:2], alone[0], rtol=0, atol=1e-4)
    torch.testing.assert_close(together[2][1:2, :9], alone[2], rtol=0, atol=1e-4)
