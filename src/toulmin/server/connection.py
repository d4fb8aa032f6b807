"""One client's connection, and whose it is."""

from __future__ import annotations

import asyncio
from abc import abstractmethod
from functools import lru_cache
from ipaddress import IPv6Address, ip_address
from typing import Final

_NETWORK_BITS: Final = 64
"""Of an IPv6 address: what one customer of a provider has to choose from for itself."""


class Connection(asyncio.Protocol):
    """One client's connection.

    Attributes:
        active_at: `time.monotonic()` second at which the client last said something.
    """

    active_at: float

    @property
    def is_new(self) -> bool:
        """Return whether it has just come, so that a request may be on its way."""
        return False

    @property
    @abstractmethod
    def is_working(self) -> bool:
        """Return whether somebody waits on it for an answer to a whole request."""

    @abstractmethod
    def abort(self) -> None:
        """Close the connection at once."""


def client_of(transport: asyncio.BaseTransport) -> str:
    """Return the address that a connection counts for; empty where there is none.

    An IPv4 address counts for itself. An IPv6 address counts for its network of 64 bits, as
    "2001:db8:0:1::/64", since whoever has one address there has them all.
    """
    peer = transport.get_extra_info("peername")
    return _counted(str(peer[0])) if isinstance(peer, tuple) and peer else ""


@lru_cache(maxsize=1024)
def _counted(host: str) -> str:
    try:
        address = ip_address(host.partition("%")[0])
    except ValueError:
        return host
    if not isinstance(address, IPv6Address):
        return str(address)
    if address.ipv4_mapped is not None:
        return str(address.ipv4_mapped)
    if address.is_loopback:
        return str(address)
    free = 128 - _NETWORK_BITS
    return f"{IPv6Address(int(address) >> free << free)}/{_NETWORK_BITS}"
