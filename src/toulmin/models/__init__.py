"""Numbers from text: ONNX encoders and their workers, the static embedder, the weights.

In: token ids or strings. Out: numpy arrays of logits or unit vectors. Nothing here decides what a
number means; `grounding` does. `grounding_encoder` is the default for verdicts, `cross_encoder` the
small one, `reader_model` finds answer spans. Options beside the embedded models: cross-encoders
from a folder or a hub (`hub`, `sequence_classifier`), language models (`llm`) over HTTP
(`openai_client`, `llm_repeats`, `llm_stream`, `http_post`). All networks are opened by `session`
and take turns in one `pool`; calls of language models have a `task_pool`.
"""

import os

# ONNX Runtime's wheels for Linux and Windows send their maker what is run with them, and keep a
# device's id in the home directory, unless this is set before they are imported, which every
# module that imports them is below this package. Who wants to send it sets it to "0".
os.environ.setdefault("ORT_DISABLE_TELEMETRY", "1")
