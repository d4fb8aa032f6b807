"""Bytes on a socket: HTTP and gRPC on one port, keys, limits, health, request log.

lifecycle.py   starts and stops everything: `create_server`
listener.py    the port: first bytes decide between HTTP and gRPC
http_protocol.py, http.py, exchange.py, body.py, responses.py, rest.py
               a connection, the ASGI application, one request, its body, its response, its RPC
grpc.py        every RPC over gRPC
calls.py, workers.py
               one RPC in flight, and the threads that handlers run in
auth.py, browser.py, limits.py, tls.py, development_authority.py
               who may call, from which pages, how much, and how it is encrypted
state.py, request_log.py
               whether the server is ready, and what it writes down
"""

from __future__ import annotations

from toulmin.server.lifecycle import Server, create_server

__all__ = ["Server", "create_server"]
