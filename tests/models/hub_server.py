"""A model hub on this machine: the few addresses that fetching a model's files needs."""

import hashlib
import json
import threading
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from urllib.parse import unquote, urlsplit

from tests.patience import POLL_S

COMMIT = "0123456789abcdef0123456789abcdef01234567"
REPOSITORY = "acme/judge"
REVISIONS = ("main", "v1", COMMIT)


class Hub:
    """One repository with one commit.

    Attributes:
        files: Content by path.
        requests: (method, path) of each request, in order.
        failure: A status to answer everything with; 0 for none.
    """

    def __init__(self, files):
        self.files = files
        self.requests = []
        self.failure = 0

    def respond(self, path):
        """Return status, headers and body."""
        api = f"/api/models/{REPOSITORY}/"
        files = f"/{REPOSITORY}/resolve/"
        if self.failure:
            return self.failure, {}, b"{}"
        if path.startswith(f"{api}revision/"):
            return self._revision(path.rpartition("/")[2])
        if path == f"{api}tree/{COMMIT}":
            return 200, {}, json.dumps([self._entry(name) for name in self.files]).encode()
        if path.startswith(files):
            revision, _, name = path.removeprefix(files).partition("/")
            if revision in REVISIONS and name in self.files:
                etag = f'"{self._entry(name)["oid"]}"'
                return 200, {"ETag": etag, "X-Repo-Commit": COMMIT}, self.files[name]
            return 404, {"X-Error-Code": "EntryNotFound"}, b"{}"
        return 404, {"X-Error-Code": "RepoNotFound"}, b'{"error": "Repository not found"}'

    def _revision(self, revision):
        if revision not in REVISIONS:
            return 404, {"X-Error-Code": "RevisionNotFound"}, b'{"error": "no such revision"}'
        siblings = [{"rfilename": name} for name in self.files]
        about = {"id": REPOSITORY, "sha": COMMIT, "private": False, "siblings": siblings}
        return 200, {}, json.dumps(about).encode()

    def _entry(self, name):
        content = self.files[name]
        oid = hashlib.sha1(content).hexdigest()
        return {"type": "file", "path": name, "size": len(content), "oid": oid}


@contextmanager
def serve_hub(files):
    """Yield a `Hub` and its address."""
    hub = Hub(files)

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_GET(self):
            path = unquote(urlsplit(self.path).path)
            hub.requests.append((self.command, path))
            status, headers, body = hub.respond(path)
            self.send_response(status)
            for name, value in headers.items():
                self.send_header(name, value)
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            if self.command == "GET":
                self.wfile.write(body)

        do_HEAD = do_GET  # noqa: N815 - the base class's name for it

        def log_message(self, *_):
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    server.daemon_threads = True
    thread = threading.Thread(target=server.serve_forever, args=(POLL_S,))
    thread.start()
    try:
        yield hub, f"http://127.0.0.1:{server.server_port}"
    finally:
        server.shutdown()
        thread.join()
        server.server_close()
