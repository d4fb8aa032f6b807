"""Settings of the check of claims."""

from __future__ import annotations

from dataclasses import dataclass

from toulmin.settings.row import option


@dataclass(frozen=True, kw_only=True)
class SupportSettings:
    """What judges whether evidence supports a claim."""

    calibration: str = option(
        "File that `toulmin calibrate` made of your own labelled examples: scores are"
        " recalibrated by it. It holds for the models that it was fitted for, and is refused"
        " with others.",
        default="",
    )
    support_model: str = option(
        "What judges whether evidence supports a claim: `embedded`, the best that is in the"
        " package; `small`, the small cross-encoder; the folder of a grounding model made by"
        " `training/grounding_model` or of a cross-encoder in ONNX form;"
        " `hub:owner/name@revision` for one of a model hub (either may name its file after a"
        " `#`); or `llm` for a language model. See larger-models.md.",
        default="embedded",
    )
    support_model_labels: tuple[str, ...] = option(
        "What the outputs of the cross-encoder in `support_model` mean, in order,"
        " comma-separated, each `support`, `contradiction` or `neither`. Empty: as its"
        " configuration names them.",
        default=(),
    )
