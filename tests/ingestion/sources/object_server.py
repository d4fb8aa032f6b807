"""A server that keeps objects in memory and speaks as much of S3 and of GCS as reading needs.

S3: ListObjectsV2, HeadObject, GetObject with ranges, at the paths of path-style buckets.
GCS: objects.list, objects.get and its media, at the paths of the JSON API.
"""

import hashlib
import http.server
import json
import re
import threading
import urllib.parse
from email.utils import formatdate
from xml.sax.saxutils import escape

from tests.patience import POLL_S

BUCKET = "bucket"


class ObjectServer:
    """Serves `objects`, bytes by key, in one bucket; a page of a list has two keys."""

    def __init__(self):
        self.objects = {}
        self.requests = []
        self._server = http.server.ThreadingHTTPServer(
            ("127.0.0.1", 0), type("Own", (Handler,), {"outer": self})
        )
        self._server.daemon_threads = True
        threading.Thread(target=self._server.serve_forever, args=(POLL_S,), daemon=True).start()
        self.url = f"http://127.0.0.1:{self._server.server_address[1]}"

    def close(self):
        self._server.shutdown()
        self._server.server_close()

    def page(self, prefix, delimiter, token):
        """Return keys, folders and the next token of a list."""
        keys, folders = [], []
        for key in sorted(self.objects):
            if not key.startswith(prefix):
                continue
            rest = key[len(prefix) :]
            if delimiter and delimiter in rest:
                folder = prefix + rest.partition(delimiter)[0] + delimiter
                if folder not in folders:
                    folders.append(folder)
            else:
                keys.append(key)
        start = int(token or 0)
        following = str(start + 2) if start + 2 < len(keys) else ""
        return keys[start : start + 2], folders if not start else [], following


class Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    outer: "ObjectServer"

    def do_HEAD(self):
        self.do_GET()

    def do_GET(self):
        parts = urllib.parse.urlsplit(self.path)
        path = urllib.parse.unquote(parts.path)
        query = dict(urllib.parse.parse_qsl(parts.query, keep_blank_values=True))
        self.outer.requests.append((self.command, path, query, self.headers.get("Range")))
        if "/storage/v1/" in path:
            self.gcs(path, query)
        elif path.rstrip("/") == f"/{BUCKET}":
            self.s3_list(query)
        else:
            self.media(path.removeprefix(f"/{BUCKET}/"))

    def gcs(self, path, query):
        bucket, _, key = path.partition("/storage/v1/b/")[2].partition("/o")
        key = key.removeprefix("/")
        if bucket != BUCKET:
            self.answer(404, b'{"error": {"message": "no bucket"}}', "application/json")
        elif key and (query.get("alt") == "media" or "/download/" in path):
            self.media(key)
        elif key:
            self.as_json(self.outer.objects.get(key) and gcs_object(key, self.outer.objects[key]))
        else:
            keys, folders, token = self.outer.page(
                query.get("prefix", ""), query.get("delimiter"), query.get("pageToken")
            )
            items = [gcs_object(key, self.outer.objects[key]) for key in keys]
            found = {"kind": "storage#objects", "items": items, "prefixes": folders}
            self.as_json(found | ({"nextPageToken": token} if token else {}))

    def as_json(self, value):
        if value:
            self.answer(200, json.dumps(value).encode(), "application/json")
        else:
            self.answer(404, b'{"error": {"message": "no object"}}', "application/json")

    def s3_list(self, query):
        keys, folders, token = self.outer.page(
            query.get("prefix", ""), query.get("delimiter"), query.get("continuation-token")
        )
        contents = "".join(
            f"<Contents><Key>{escape(key)}</Key><Size>{len(self.outer.objects[key])}</Size>"
            f"<ETag>&quot;{etag(self.outer.objects[key])}&quot;</ETag>"
            "<LastModified>2026-01-01T00:00:00.000Z</LastModified></Contents>"
            for key in keys
        )
        contents += "".join(
            f"<CommonPrefixes><Prefix>{escape(folder)}</Prefix></CommonPrefixes>"
            for folder in folders
        )
        more = f"<NextContinuationToken>{token}</NextContinuationToken>" if token else ""
        xml = (
            f"<ListBucketResult><Name>{BUCKET}</Name>{contents}{more}"
            f"<KeyCount>{len(keys)}</KeyCount>"
            f"<IsTruncated>{str(bool(token)).lower()}</IsTruncated></ListBucketResult>"
        )
        self.answer(200, xml.encode(), "application/xml")

    def media(self, key):
        if key not in self.outer.objects:
            xml = b"<Error><Code>NoSuchKey</Code><Message>none</Message></Error>"
            self.answer(404, xml, "application/xml")
            return
        content = self.outer.objects[key]
        status, extra = 200, {"ETag": f'"{etag(content)}"'}
        found = re.fullmatch(r"bytes=(\d+)-(\d*)", self.headers.get("Range") or "")
        if found:
            start, end = int(found[1]), int(found[2] or len(content))
            extra["Content-Range"] = f"bytes {start}-{end}/{len(content)}"
            content, status = content[start : end + 1], 206
        self.answer(status, content, "application/octet-stream", extra)

    def answer(self, status, body, mime_type, extra=None):
        self.send_response(status)
        for name, value in (extra or {}).items():
            self.send_header(name, value)
        self.send_header("Last-Modified", formatdate(1_700_000_000, usegmt=True))
        self.send_header("Content-Type", mime_type)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        if self.command != "HEAD":
            self.wfile.write(body)

    def log_message(self, *_):
        pass


def etag(content):
    return hashlib.md5(content).hexdigest()


def gcs_object(key, content):
    return {
        "kind": "storage#object",
        "name": key,
        "bucket": BUCKET,
        "size": str(len(content)),
        "etag": etag(content),
        "generation": str(int(etag(content)[:8], 16)),
        "contentType": "application/octet-stream",
        "updated": "2026-01-01T00:00:00.000Z",
        "timeCreated": "2026-01-01T00:00:00.000Z",
    }
