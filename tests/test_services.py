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


def test_the_reader_reads() -> None:
    services = build_services(Settings())
    passage = "The Varn Bridge was opened by Queen Ingrid on 3 May 1932."
    found = services.reader().read("Who opened the Varn Bridge?", [passage])
    services.close()
    assert found.answers[0].text == "Queen Ingrid"
    assert found.answers[0].start == passage.index("Queen Ingrid")
