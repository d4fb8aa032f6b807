from __future__ import annotations

import pytest

from tests.apis.generativelanguage.backend import Backend, Clients


@pytest.fixture(scope="package")
def backend(tmp_path_factory):
    made = Backend(tmp_path_factory.mktemp("backend"))
    yield made
    made.close()


@pytest.fixture(
    scope="package", params=["v1beta-rest", "v1beta-grpc", "v1alpha-rest", "v1alpha-grpc"]
)
def clients(request, backend):
    version, transport = request.param.split("-")
    made = Clients(version, transport, backend.server.port)
    yield made
    made.close()


@pytest.fixture(scope="package")
def beta(backend):
    """One version over one transport, for what does not depend on either."""
    made = Clients("v1beta", "grpc", backend.server.port)
    yield made
    made.close()
