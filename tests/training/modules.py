"""Loads a step of the training by its path: several folders have a build.py or a fit.py."""

import importlib.util
import sys
from pathlib import Path
from types import ModuleType

TRAINING = Path(__file__).parents[2] / "training"


def load(path: str) -> ModuleType:
    """Return the module at a path below training/, without running its main()."""
    name = "training_" + path.removesuffix(".py").replace("/", "_")
    if name not in sys.modules:
        spec = importlib.util.spec_from_file_location(name, TRAINING / path)
        module = importlib.util.module_from_spec(spec)
        sys.modules[name] = module
        spec.loader.exec_module(module)
    return sys.modules[name]
