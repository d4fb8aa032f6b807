"""A server on this machine that speaks the protocol of OpenAI's chat completions.

What it answers is a script: a list of replies, used up in order, the last one for ever. Asked for a
stream, it sends the reply in pieces, as chunks of HTTP/1.1.
"""

import json
import threading
import time
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

from tests.patience import PATIENCE_S, POLL_S


@dataclass
class Reply:
    """One answer.

    Attributes:
        content: The model's message: a text, or a function from the request's JSON to one.
        status: HTTP status; other than 200, `content` is an error's message.
        headers: Beside the usual ones.
        raw: The body, in place of a chat completion.
        wait: Held back until this is set.
        accepts: Types of `response_format` that are understood; others are refused with 400.
        breaks_off: Whether the connection ends before the whole body is sent; in a stream, in the
            middle of the last chunk.
        streams: What a request for a stream gets: True, a stream; False, the whole completion;
            a text, a refusal with it.
        pieces: What is streamed in place of `content`: a text is a piece of the message, bytes are
            sent as they are, an event is waited for.
        finish: The last piece's `finish_reason`; empty: none comes.
        done: Whether `[DONE]` ends the stream.
    """

    content: object = ""
    status: int = 200
    headers: dict = field(default_factory=dict)
    raw: bytes | None = None
    wait: threading.Event | None = None
    accepts: tuple = ("json_schema", "json_object", "text")
    breaks_off: bool = False
    streams: object = True
    pieces: tuple | None = None
    finish: str = "stop"
    done: bool = True

    def chunks(self, request):
        """Yield what is sent for a stream: bytes, and events to wait for."""
        content = self.content(request) if callable(self.content) else self.content
        cut = tuple(content[at : at + 5] for at in range(0, len(content), 5))
        yield event({"delta": {"role": "assistant", "content": ""}, "finish_reason": None})
        for piece in cut if self.pieces is None else self.pieces:
            if isinstance(piece, str):
                yield event({"delta": {"content": piece}, "finish_reason": None})
            else:
                yield piece
        if self.finish:
            yield event({"delta": {}, "finish_reason": self.finish})
        if self.done:
            yield b"data: [DONE]\n\n"

    def render(self, request):
        """Return status and body."""
        form = request.get("response_format", {"type": "text"})["type"]
        if form not in self.accepts:
            return 400, b'{"error": {"message": "response_format is not supported"}}'
        content = self.content(request) if callable(self.content) else self.content
        if self.raw is not None:
            return self.status, self.raw
        if self.status != 200:
            return self.status, json.dumps({"error": {"message": content}}).encode()
        message = {"role": "assistant", "content": content}
        choice = {"index": 0, "message": message, "finish_reason": "stop"}
        completion = {"id": "chatcmpl-1", "object": "chat.completion", "choices": [choice]}
        return 200, json.dumps(completion).encode()


def event(choice):
    """Return a server-sent event with a chunk of a completion."""
    chunk = {"object": "chat.completion.chunk", "choices": [{"index": 0, **choice}]}
    return b"data: " + json.dumps(chunk, ensure_ascii=False).encode() + b"\n\n"


class ChatServer:
    """The script and what was asked.

    Attributes:
        url: For the setting `llm_base_url`.
        replies: The script.
        requests: The JSON of each request, in order.
        headers: The headers of each request, in order.
        most_at_once: Most requests that were being answered at the same time.
        hung_up: Set when a client went away in the middle of a stream.
    """

    def __init__(self, replies):
        self.url = ""
        self.replies = list(replies)
        self.requests = []
        self.headers = []
        self.most_at_once = 0
        self.hung_up = threading.Event()
        self._at_once = 0
        self._lock = threading.Lock()

    def next_reply(self, request, headers):
        with self._lock:
            self.requests.append(request)
            self.headers.append(headers)
            return self.replies.pop(0) if len(self.replies) > 1 else self.replies[0]

    @contextmanager
    def busy(self):
        with self._lock:
            self._at_once += 1
            self.most_at_once = max(self.most_at_once, self._at_once)
        try:
            yield
        finally:
            with self._lock:
                self._at_once -= 1


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def do_POST(self):
        chat = self.server.chat
        request = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        reply = chat.next_reply(request | {"path": self.path}, dict(self.headers))
        self.close_connection = True
        with chat.busy():
            status, body = reply.render(request)
            if reply.wait is not None:
                reply.wait.wait(PATIENCE_S)
            streamed = reply.streams if request.get("stream") and reply.raw is None else False
            if streamed is True and status == 200:
                self.stream(reply, request)
                return
            if isinstance(streamed, str):
                status, body = 400, json.dumps({"error": streamed}).encode()
            self.send_head(status, {"Content-Length": str(len(body)), **reply.headers})
            self.wfile.write(body[:-5] if reply.breaks_off else body)

    def stream(self, reply, request):
        named = {"Content-Type": "text/event-stream", "Transfer-Encoding": "chunked"}
        self.send_head(200, named | reply.headers)
        try:
            for part in reply.chunks(request):
                if isinstance(part, threading.Event):
                    self.wait_for(part)
                else:
                    self.wfile.write(b"%x\r\n%b\r\n" % (len(part), part))
            self.wfile.write(b"ff\r\ndata: {" if reply.breaks_off else b"0\r\n\r\n")
        except OSError:
            self.server.chat.hung_up.set()
            raise

    def wait_for(self, moment):
        """Wait for an event, or until the client hangs up."""
        self.connection.settimeout(0.01)
        until = time.monotonic() + PATIENCE_S
        while not moment.is_set() and time.monotonic() < until:
            with suppress(TimeoutError):
                if not self.connection.recv(1):
                    raise ConnectionResetError
        self.connection.settimeout(None)

    def send_head(self, status, named):
        self.send_response(status)
        for name, value in named.items():
            self.send_header(name, value)
        self.end_headers()

    def log_message(self, *_):
        pass

    def handle(self):
        with suppress(OSError):  # the client gave up, as some tests want
            super().handle()


@contextmanager
def serve_chat(*replies, tls=None):
    """Yield a `ChatServer`; held-back replies are let go at the end."""
    chat = ChatServer(replies)

    server = ThreadingHTTPServer(("127.0.0.1", 0), _Handler)
    server.chat = chat
    chat.url = f"http://127.0.0.1:{server.server_port}/v1"
    if tls is not None:
        server.socket = tls.wrap_socket(server.socket, server_side=True)
        chat.url = f"https://localhost:{server.server_port}/v1"
    thread = threading.Thread(target=server.serve_forever, args=(POLL_S,))
    thread.start()
    try:
        yield chat
    finally:
        for reply in replies:
            for moment in (reply.wait, *(reply.pieces or ())):
                if isinstance(moment, threading.Event):
                    moment.set()
        server.shutdown()
        thread.join()
        server.server_close()
