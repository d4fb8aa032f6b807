"""Which RPCs this version answers. Everything else in the contract answers UNIMPLEMENTED."""

from __future__ import annotations

from toulmin.apis.aip.registry import Registry
from toulmin.apis.discoveryengine.grounded_generation import check_grounding_handler
from toulmin.apis.schema import load_schema
from toulmin.services import Services


def build_registry(services: Services) -> Registry:
    """Return every handler, bound to `services`."""
    registry = Registry(load_schema())
    registry.register(
        "discoveryengine",
        "GroundedGenerationService",
        "CheckGrounding",
        check_grounding_handler(services.checker),
    )
    return registry
