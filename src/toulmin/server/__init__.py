"""Bytes on a socket: HTTP and gRPC on one port, keys, limits, health, request log.

lifecycle.py   starts and stops everything: `create_server`
listener.py    the port: first bytes decide between HTTP and gRPC
connection.py, open_connections.py, refused.py
               one connection, which of them are too many, and how those are told
http_protocol.py, http.py, exchange.py, method_override.py, body.py, responses.py, rest.py, chat.py
               a connection, the ASGI application, one request, the method that it means, its body,
               its response, its RPC, or a chat
websocket.py, talks.py
               a connection that became a WebSocket, and BidiRunSession on it
http2.py, http2_stream.py, grpc_call.py, grpc.py
               an HTTP/2 connection, one request of it, one call as gRPC has it, every RPC over gRPC
calls.py, workers.py, quotas.py
               one RPC in flight, the threads that handlers run in, and how much of them is whose
gate.py, auth.py, stored_keys.py, tokens.py
               what every call passes: who calls, by which key or token
console.py, about.py, calibration.py
               the files of the console; what the server says of itself; calibrations fitted for it
browser.py, limits.py, unsent.py, tls.py, development_authority.py
               from which pages, how much, and how it is encrypted
state.py, request_log.py, audit.py, metrics_page.py, telemetry.py
               whether the server is ready, what it writes down, counts, and sends

It imports none of them: a command that only writes the audit log starts without the server.
"""
