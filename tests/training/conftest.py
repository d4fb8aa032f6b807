"""Training folders are beside the package and import each other by plain names."""

import sys
from pathlib import Path

TRAINING = Path(__file__).parents[2] / "training"
for folder in ("cross_encoder", "reader", "grounding_model"):
    if str(TRAINING / folder) not in sys.path:
        sys.path.append(str(TRAINING / folder))
