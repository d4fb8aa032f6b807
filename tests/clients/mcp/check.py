"""The `mcp` package's client against `toulmin mcp`: over standard input and output, and over HTTP.

`toulmin mcp` runs in this environment and asks the server that is under test.
"""

from __future__ import annotations

import asyncio
import base64
import contextlib
import os
import socket
import subprocess
import sys
import time
import urllib.request
from collections.abc import AsyncIterator, Callable
from functools import partial
from pathlib import Path
from typing import Any

from checks import expect, expect_equal, run_checks
from mcp import Client, StdioServerParameters

SOURCE = str(Path(__file__).parents[3] / "src")
SERVER = f"http://{os.environ['CLIENT_HTTP']}"
COMMAND = ["-m", "toulmin", "mcp", "--server", SERVER, "--project", "mcp"]
ENVIRONMENT = {**os.environ, "PYTHONPATH": SOURCE}
STORES = f"{SERVER}/v1/projects/mcp/locations/global/collections/default_collection/dataStores"
TEXT = "The Elbe Bridge opened on 4 May 1998. It is 312 metres long."
TIMEOUT_S = 60.0


def fill() -> None:
    """Make the data store `bridges` with one document."""
    post(
        f"{STORES}?dataStoreId=bridges",
        b'{"displayName": "Bridges", "contentConfig": "CONTENT_REQUIRED"}',
    )
    raw = base64.b64encode(TEXT.encode()).decode()
    body = f'{{"content": {{"mimeType": "text/plain", "rawBytes": "{raw}"}}}}'
    post(f"{STORES}/bridges/branches/0/documents?documentId=elbe", body.encode())


def post(url: str, body: bytes) -> None:
    request = urllib.request.Request(url, body, {"content-type": "application/json"})
    urllib.request.urlopen(request, timeout=TIMEOUT_S).read()


@contextlib.asynccontextmanager
async def over_stdio() -> AsyncIterator[Client]:
    parameters = StdioServerParameters(command=sys.executable, args=COMMAND, env=ENVIRONMENT)
    async with Client(parameters) as client:
        yield client


@contextlib.asynccontextmanager
async def over_http() -> AsyncIterator[Client]:
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    command = [sys.executable, *COMMAND, "--http", str(port)]
    process = subprocess.Popen(command, env=ENVIRONMENT)  # noqa: ASYNC220 - alone in its loop
    try:
        until = time.monotonic() + TIMEOUT_S
        while socket.socket().connect_ex(("127.0.0.1", port)):
            expect(time.monotonic() < until, "toulmin mcp --http does not listen")
            await asyncio.sleep(0.1)
        async with Client(f"http://127.0.0.1:{port}/mcp") as client:
            yield client
    finally:
        process.terminate()
        process.wait(TIMEOUT_S)


async def tools(connect: Callable[[], Any]) -> None:
    async with connect() as client:
        listed = {tool.name: tool for tool in (await client.list_tools()).tools}
        expect_equal(listed.keys(), {"ask", "check", "search"}, "tools")
        for tool in listed.values():
            expect(tool.annotations.read_only_hint, f"{tool.name} is not marked as read only")

        arguments = {"text": "The bridge opened in 1999.", "facts": [TEXT]}
        checked = (await client.call_tool("check", arguments)).structured_content
        expect(checked["support"] < 0.6, checked)
        arguments = {"text": "The Elbe Bridge opened in 1998.", "store": "bridges"}
        checked = (await client.call_tool("check", arguments)).structured_content
        expect(checked["support"] > 0.6, checked)
        expect("documents/elbe" in checked["sources"][0]["name"], checked["sources"])

        arguments = {"question": "When did the Elbe Bridge open?", "store": "bridges"}
        answer = (await client.call_tool("ask", arguments)).structured_content
        expect(answer["answered"] and "1998" in answer["text"] and "[1]" in answer["text"], answer)
        expect("documents/elbe" in answer["sources"][0]["name"], answer)
        arguments["question"] = "Who was the first person on the moon?"
        answer = (await client.call_tool("ask", arguments)).structured_content
        expect_equal(answer["answered"], False, "answered")

        arguments = {"query": "length of the bridge", "store": "bridges"}
        found = (await client.call_tool("search", arguments)).structured_content
        expect("312 metres" in found["passages"][0]["text"], found)
        missing = await client.call_tool("search", {"query": "x", "store": "nothing"})
        expect(missing.is_error and "nothing" in missing.content[0].text, missing)


def check(connect: Callable[[], Any]) -> None:
    asyncio.run(tools(connect))


fill()
run_checks(
    "mcp", {"stdio": partial(check, over_stdio), "streamable HTTP": partial(check, over_http)}
)
