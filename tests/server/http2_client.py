"""A client that says no more than it is told to, for what no real one does."""

from __future__ import annotations

import contextlib
import socket
import struct
import time

from h2.config import H2Configuration
from h2.connection import H2Connection
from h2.events import (
    ConnectionTerminated,
    DataReceived,
    ResponseReceived,
    StreamEnded,
    StreamReset,
    TrailersReceived,
)

from tests.patience import PATIENCE_S

CHECK = "/google.cloud.discoveryengine.v1.GroundedGenerationService/CheckGrounding"


def framed(message, *, compressed=False):
    return struct.pack(">BI", compressed, len(message)) + message


class Http2Client:
    """One connection."""

    def __init__(self, port):
        self.socket = socket.create_connection(("127.0.0.1", port), timeout=PATIENCE_S)
        self.h2 = H2Connection(H2Configuration(header_encoding="utf-8"))
        self.h2.initiate_connection()
        self.headers = {}
        self.body = {}
        self.ended = set()
        self.resets = {}
        self.goodbye = None
        self.is_closed = False
        self.flush()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.socket.close()

    def flush(self):
        self.socket.sendall(self.h2.data_to_send())

    def open(self, path=CHECK, *, end=False, **metadata):
        """Send the headers of a call; return its stream."""
        stream = self.h2.get_next_available_stream_id()
        headers = {
            ":method": "POST",
            ":scheme": "http",
            ":path": path,
            ":authority": "localhost",
            "te": "trailers",
            "content-type": "application/grpc",
        }
        metadata = {name.replace("_", "-"): value for name, value in metadata.items()}
        self.h2.send_headers(stream, [*(headers | metadata).items()], end_stream=end)
        self.flush()
        return stream

    def send(self, stream, data, *, end=False):
        """Send data at the pace of the server; stop when it ends the stream."""
        while data and stream not in self.resets and not self.is_closed:
            size = min(
                len(data),
                self.h2.local_flow_control_window(stream),
                self.h2.max_outbound_frame_size,
            )
            if not size:
                self.read()
                continue
            self.h2.send_data(stream, data[:size])
            data = data[size:]
            self.flush()
        if end:
            self.h2.end_stream(stream)
            self.flush()

    def read(self, timeout=PATIENCE_S):
        """Take what the server says next."""
        self.socket.settimeout(timeout)
        try:
            data = self.socket.recv(65536)
        except (ConnectionResetError, BrokenPipeError):
            data = b""
        self.is_closed = not data
        for event in self.h2.receive_data(data) if data else ():
            self._take(event)
        if not self.is_closed:
            with contextlib.suppress(OSError):
                self.flush()

    def _take(self, event):
        match event:
            case ResponseReceived() | TrailersReceived():
                self.headers.setdefault(event.stream_id, {}).update(event.headers)
            case DataReceived():
                self.body[event.stream_id] = self.body.get(event.stream_id, b"") + event.data
                self.h2.acknowledge_received_data(event.flow_controlled_length, event.stream_id)
            case StreamEnded():
                self.ended.add(event.stream_id)
            case StreamReset():
                self.resets[event.stream_id] = event.error_code
            case ConnectionTerminated():
                self.goodbye = event.error_code

    def status(self, stream, timeout=PATIENCE_S):
        """Wait for a call's end; return its status."""
        limit = time.monotonic() + timeout
        while stream not in self.ended:
            assert not self.is_closed, "the server closed the connection"
            self.read(max(limit - time.monotonic(), 0.01))
        return int(self.headers[stream]["grpc-status"])
