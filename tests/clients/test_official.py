"""Google's client and the guide's own requests against a live server, as part of `make test-all`.

The same check.py files as in `make test-clients`, with the client that the development
environment has. One test per group of checks; a group's failures are listed together.
"""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

from tests.clients.server import client_environment, serve

pytestmark = [
    pytest.mark.client,
    pytest.mark.model,
    pytest.mark.slow,
    pytest.mark.thorough,
    pytest.mark.timeout(900),
]

HERE = Path(__file__).parent
VERSIONS = ("v1", "v1beta", "v1alpha")
TRANSPORTS = ("rest", "grpc", "grpc_tls", "environment", "asyncio")
DOCUMENT_TRANSPORTS = ("rest", "grpc", "environment")
LEAST_CHECKS = {"official": 12, "documents": 15, "answers": 13, "curl": 9}


@pytest.fixture(scope="module")
def environment(tmp_path_factory):
    folder = tmp_path_factory.mktemp("servers")
    with (
        serve(folder / "plain", remembers=True) as plain,
        serve(folder / "tls", tls=True, remembers=True) as tls,
    ):
        yield client_environment(plain, tls)


def outcomes_of(client, environment):
    """Return the outcomes of the client's checks by group."""
    ended = subprocess.run(
        [sys.executable, str(HERE / client / "check.py")],
        env=environment,
        capture_output=True,
        text=True,
        timeout=840,
        check=False,
    )
    assert ended.returncode == 0, ended.stderr
    groups = {}
    for line in ended.stdout.splitlines():
        outcome = json.loads(line)
        groups.setdefault(outcome["group"], []).append(outcome)
    return groups


@pytest.fixture(scope="module")
def official(environment):
    return outcomes_of("official", environment)


@pytest.fixture(scope="module")
def curl(environment):
    return outcomes_of("curl", environment)


def assert_all_passed(outcomes, least):
    assert len(outcomes) >= least
    failures = [f"{row['check']}: {row['detail']}" for row in outcomes if not row["ok"]]
    assert not failures, "\n".join(failures)


@pytest.mark.parametrize("transport", TRANSPORTS)
@pytest.mark.parametrize("version", VERSIONS)
def test_official_client(version, transport, official):
    assert_all_passed(official[f"{version}-{transport}"], LEAST_CHECKS["official"])


@pytest.mark.parametrize("transport", DOCUMENT_TRANSPORTS)
@pytest.mark.parametrize("version", VERSIONS)
def test_official_client_with_documents(version, transport, official):
    group = official[f"documents-{version}-{transport}"]
    assert_all_passed(group, LEAST_CHECKS["documents"])


@pytest.mark.parametrize("transport", DOCUMENT_TRANSPORTS)
@pytest.mark.parametrize("version", VERSIONS)
def test_official_client_with_answers(version, transport, official):
    assert_all_passed(official[f"answers-{version}-{transport}"], LEAST_CHECKS["answers"])


@pytest.mark.parametrize("version", VERSIONS)
def test_bodies_of_the_guide(version, curl):
    assert_all_passed(curl[f"{version}-curl"], LEAST_CHECKS["curl"])
