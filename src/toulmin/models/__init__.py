"""Numbers from text: ONNX encoders, their batcher, the static embedder, the embedded weights.

In: token ids or strings. Out: numpy arrays of logits or unit vectors. Nothing here decides what a
number means; `grounding` does.
"""
