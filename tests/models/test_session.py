"""How networks are opened."""

from __future__ import annotations

import numpy as np
import onnx
import pytest
from onnx import TensorProto, helper, numpy_helper

from toulmin.models.session import open_session


@pytest.mark.parametrize("columns", [1, 32, 768])
def test_products_of_8_bit_numbers_are_exact_on_every_processor(tmp_path, columns):
    """Two neighbouring products of 255 and 127 do not fit into 16 bits."""
    rng = np.random.default_rng(7)
    weights = rng.integers(-127, 128, (768, columns)).astype(np.int8)
    weights[:, 0] = 127
    given = rng.integers(0, 256, (5, 768)).astype(np.uint8)
    given[0] = 255
    node = helper.make_node("MatMulInteger", ["given", "weights"], ["product"])
    graph = helper.make_graph(
        [node],
        "product",
        [helper.make_tensor_value_info("given", TensorProto.UINT8, given.shape)],
        [helper.make_tensor_value_info("product", TensorProto.INT32, (5, columns))],
        [numpy_helper.from_array(weights, "weights")],
    )
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8)
    onnx.save(model, tmp_path / "model.onnx")
    (product,) = open_session(tmp_path / "model.onnx").run(None, {"given": given})
    expected = given.astype(np.int64) @ weights.astype(np.int64)
    assert expected[0, 0] == 768 * 255 * 127
    assert np.array_equal(product, expected)
