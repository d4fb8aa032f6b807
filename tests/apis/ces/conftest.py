"""A whole server: real models, real records, a small library of documents."""

from __future__ import annotations

import pytest

from tests.apis.ces.clients import Clients
from tests.apis.discoveryengine.answer_backend import AnswerBackend


@pytest.fixture(scope="package")
def backend(tmp_path_factory):
    made = AnswerBackend(tmp_path_factory.mktemp("apps"))
    yield made
    made.close()


@pytest.fixture(scope="package", params=["v1-rest", "v1-grpc", "v1beta-rest", "v1beta-grpc"])
def clients(request, backend):
    made = Clients(*request.param.split("-"), backend.server.port)
    yield made
    made.close()


@pytest.fixture(scope="package")
def beta(backend):
    """One version over one transport, for what does not depend on either."""
    made = Clients("v1beta", "grpc", backend.server.port)
    yield made
    made.close()
