"""The wiring: models are made once, on first use, and let go together."""

from __future__ import annotations

from toulmin.safety.query_classes import QueryClass
from toulmin.services import build_services
from toulmin.settings import Settings


def test_one_embedder_serves_both_classifiers() -> None:
    services = build_services(Settings())
    try:
        assert services.embedder() is services.embedder()
        found = services.query_classifier().classify("Hello there, how are you today?")
        assert QueryClass.CHIT_CHAT in found.positive
        assert not services.query_classifier().classify("What is the boiling point?").positive
        assert services.safety_rater() is services.safety_rater()
        assert not services.is_ready()
    finally:
        services.close()


def test_closed_services_start_again() -> None:
    services = build_services(Settings())
    before = services.embedder()
    services.close()
    assert services.embedder() is not before
    services.close()
