"""Calibrating over HTTP: who may, what it answers, and that nothing changes by it."""

import json
import threading
import time

import pytest

from tests.patience import PATIENCE_S
from tests.server.conftest import post, request
from tests.server.test_about import make_key
from toulmin.apis.aip.registry import Registry
from toulmin.apis.schema import load_schema
from toulmin.callers import Role
from toulmin.domain import Fact
from toulmin.evaluation.calibrating import Calibrator, example_in
from toulmin.grounding.check import CheckSpec
from toulmin.server.lifecycle import create_server
from toulmin.services import build_services, model_versions
from toulmin.settings import load_settings

SCORE = "/v1/toulmin/calibrations:score"
FIT = "/v1/toulmin/calibrations:fit"
EXAMPLE = {"premise": "The bridge opened in 1998.", "claim": "It opened in 1998.", "label": 1}
MODELS = {"encoder": "1"}


def kept(count):
    rows = [{"label": n % 2, "supports": [0.2 + 0.5 * (n % 3 > 0)]} for n in range(count)]
    return {
        "models": MODELS,
        "examples": [row | {"contradiction": None, "contradictions": [0.1]} for row in rows],
    }


class Held:
    """A checker that waits, and then asks whether it should go on."""

    def __init__(self):
        self.begun = threading.Event()
        self.ended = threading.Event()

    def check(self, *_, work):
        assert work.seconds_left > 0
        self.begun.set()
        try:
            while True:
                work.check()
                time.sleep(0.01)
        finally:
            self.ended.set()


@pytest.fixture
def serve_calibrator():
    started = []

    def start(checker=None, **flags):
        settings = load_settings(flags={"port": 0, **flags}, environment={})
        calibrator = Calibrator(lambda: checker, lambda: dict(MODELS))
        server = create_server(empty_registry(), settings, lambda: True, None, calibrator)
        server.start()
        started.append(server)
        return server

    yield start
    for server in started:
        server.stop(timeout_s=0.2)


def empty_registry():
    return Registry(load_schema())


def test_a_fit_answers_with_a_file_and_what_it_is_worth(serve_calibrator):
    said = post(serve_calibrator(), FIT, kept(60)).json
    assert json.loads(said["file"])["models"] == MODELS
    assert said["examples"] == 60
    assert set(said["figures"]) == {"support", "contradiction"}
    assert "60 examples are few" in said["warnings"][0]


def test_what_is_wrong_is_named(serve_calibrator):
    server = serve_calibrator()
    error = post(server, SCORE, EXAMPLE | {"label": 3}).error
    assert error["status"] == "INVALID_ARGUMENT"
    assert "label is 3; it must be 1 (supported) or 0" in error["message"]
    assert "at least 50 are needed" in post(server, FIT, kept(9)).error["message"]
    assert "not JSON" in request(server, "POST", FIT, b"{").error["message"]
    assert post(server, FIT, [1]).error["status"] == "INVALID_ARGUMENT"


def test_it_is_for_admins(keyed_server):
    server, data_dir = keyed_server
    keys = {role: make_key(data_dir, role, ["shop"]) for role in (Role.EDITOR, Role.ADMIN)}
    assert post(server, FIT, kept(60)).status == 401
    for path, body in ((FIT, kept(60)), (SCORE, EXAMPLE)):
        refused = post(server, path, body, headers={"x-goog-api-key": keys[Role.EDITOR]})
        assert refused.status == 403
        assert refused.error["details"][0]["reason"] == "ROLE_INSUFFICIENT"
    admin = {"x-goog-api-key": keys[Role.ADMIN]}
    assert post(server, FIT, kept(60), headers=admin).status == 200


def test_without_a_calibrator_there_are_no_such_paths(server):
    assert post(server, FIT, kept(60)).status == 404
    assert request(server, "GET", FIT).status == 404


def test_a_check_ends_when_its_caller_is_out_of_time(serve_calibrator):
    held = Held()
    # Long enough for a busy machine to begin the check before its time is up.
    server = serve_calibrator(held, request_timeout_s=2.0)
    assert post(server, SCORE, EXAMPLE).error["status"] == "DEADLINE_EXCEEDED"
    assert held.begun.is_set()
    assert held.ended.wait(PATIENCE_S)


def test_quotas_count_it(serve_calibrator):
    server = serve_calibrator(api_keys=("a-long-secret-key",), key_requests_per_minute=1)
    with_key = {"x-goog-api-key": "a-long-secret-key"}
    assert post(server, FIT, kept(60), headers=with_key).status == 200
    assert post(server, FIT, kept(60), headers=with_key).status == 429


@pytest.mark.model
def test_scores_are_those_without_the_calibration_in_use(tmp_path):
    """The running calibration is neither in the scores nor changed by them."""
    facts, spec = [Fact(EXAMPLE["premise"])], CheckSpec(anti_citations=True)
    plain = build_services(load_settings(flags={}, environment={}))
    try:
        models = model_versions()
        calibrator = Calibrator(plain.uncalibrated_checker, lambda: models)
        before = calibrator.score(example_in(EXAMPLE))
        assert plain.uncalibrated_checker() is plain.checker()
        content = calibrator.fit(kept(60) | {"models": models})["file"]
    finally:
        plain.close()
    path = tmp_path / "calibration.json"
    path.write_text(content)
    mapped = build_services(load_settings(flags={"calibration": str(path)}, environment={}))
    try:
        calibrator = Calibrator(mapped.uncalibrated_checker, lambda: models)
        assert calibrator.score(example_in(EXAMPLE)) == before
        (claim,) = mapped.checker().check(EXAMPLE["claim"], facts, spec).claims
        assert claim.score != pytest.approx(before["supports"][0], abs=1e-3)
    finally:
        mapped.close()
