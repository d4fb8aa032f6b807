"""A server on this machine that speaks the protocol of OpenAI's chat completions.

What it answers is a script: a list of replies, used up in order, the last one for ever.
"""

import json
import threading
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer


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
        breaks_off: Whether the connection ends before the whole body is sent.
    """

    content: object = ""
    status: int = 200
    headers: dict = field(default_factory=dict)
    raw: bytes | None = None
    wait: threading.Event | None = None
    accepts: tuple = ("json_schema", "json_object", "text")
    breaks_off: bool = False

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


class ChatServer:
    """The script and what was asked.

    Attributes:
        url: For the setting `llm_base_url`.
        replies: The script.
        requests: The JSON of each request, in order.
        headers: The headers of each request, in order.
        most_at_once: Most requests that were being answered at the same time.
    """

    def __init__(self, replies):
        self.url = ""
        self.replies = list(replies)
        self.requests = []
        self.headers = []
        self.most_at_once = 0
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


@contextmanager
def serve_chat(*replies, tls=None):
    """Yield a `ChatServer`; held-back replies are let go at the end."""
    chat = ChatServer(replies)

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self):
            request = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
            reply = chat.next_reply(request | {"path": self.path}, dict(self.headers))
            with chat.busy():
                status, body = reply.render(request)
                if reply.wait is not None:
                    reply.wait.wait(20)
                self.send_response(status)
                for name, value in reply.headers.items():
                    self.send_header(name, value)
                self.send_header("Content-Length", str(len(body)))
                self.end_headers()
                self.wfile.write(body[:-5] if reply.breaks_off else body)

        def log_message(self, *_):
            pass

        def handle(self):
            with suppress(OSError):  # the client gave up, as some tests want
                super().handle()

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    chat.url = f"http://127.0.0.1:{server.server_port}/v1"
    if tls is not None:
        server.socket = tls.wrap_socket(server.socket, server_side=True)
        chat.url = f"https://localhost:{server.server_port}/v1"
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
    thread.start()
    try:
        yield chat
    finally:
        for reply in replies:
            if reply.wait is not None:
                reply.wait.set()
        server.shutdown()
        thread.join()
        server.server_close()
