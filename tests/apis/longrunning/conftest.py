from tests.apis.discoveryengine.conftest import (
    beta,
    clients,
    resource_records,
    resource_server,
    resource_transport,
)

__all__ = ["beta", "clients", "resource_records", "resource_server", "resource_transport"]
