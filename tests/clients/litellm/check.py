"""`toulmin.integrations.litellm` in LiteLLM's proxy, which is started with a configuration file.

The models are LiteLLM's mocks, which say what they are told to.
"""

from __future__ import annotations

import json
import os
import secrets
import socket
import subprocess
import sys
import tempfile
import time
import urllib.error
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import samples
from checks import expect, expect_equal, run_checks

SRC = Path(__file__).parents[3] / "src"
SERVER = f"http://{os.environ['CLIENT_HTTP']}"
STORE = "litellm-native"
START_TIMEOUT_S = 240
QUERY = "How long is the Elbe Bridge?"
TRUE, FALSE = "The Elbe Bridge opened in 1998.", "It is 450 metres long."
FACTS = {"metadata": {"facts": [samples.TEXT]}}
PLACE = {"port": 0}
KEY = f"sk-{secrets.token_hex(32)}"

# Beside the page's own guardrail, `grounded`.
MORE = """
  - guardrail_name: by-request
    litellm_params:
      {{guardrail: toulmin.integrations.litellm.GroundingGuardrail, mode: post_call, server: "{server}"}}
  - guardrail_name: no-store
    litellm_params:
      {{guardrail: toulmin.integrations.litellm.GroundingGuardrail, mode: post_call, server: "{server}", store: nowhere}}
  - guardrail_name: no-server
    litellm_params:
      {{guardrail: toulmin.integrations.litellm.GroundingGuardrail, mode: post_call, server: "http://127.0.0.1:9"}}
model_list:
  - {{model_name: "true", litellm_params: {{model: openai/x, api_key: x, mock_response: "{true}"}}}}
  - {{model_name: "false", litellm_params: {{model: openai/x, api_key: x, mock_response: "{true} {false}"}}}}
"""


@contextmanager
def proxy() -> Iterator[None]:
    """Run LiteLLM's proxy until the checks are done."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        PLACE["port"] = free.getsockname()[1]
    folder = Path(tempfile.mkdtemp())
    config = folder / "config.yaml"
    page = samples.example("litellm", SERVER, STORE)
    config.write_text(page + MORE.format(true=TRUE, false=FALSE, server=SERVER))
    command = [str(Path(sys.executable).with_name("litellm")), "--config", str(config)]
    environment = os.environ | {
        "PYTHONPATH": str(SRC),
        "LITELLM_LOCAL_MODEL_COST_MAP": "True",
        "LITELLM_MASTER_KEY": KEY,
    }
    with (folder / "log").open("wb") as log:
        process = subprocess.Popen(
            [*command, "--host", "127.0.0.1", "--port", str(PLACE["port"])],
            cwd=folder,
            env=environment,
            stdout=log,
            stderr=subprocess.STDOUT,
        )
    try:
        wait(process, folder / "log")
        yield
    finally:
        process.terminate()
        process.wait(60)


def wait(process: subprocess.Popen[bytes], log: Path) -> None:
    """Return when the proxy answers."""
    deadline = time.monotonic() + START_TIMEOUT_S
    while time.monotonic() < deadline and process.poll() is None:
        try:
            urllib.request.urlopen(f"http://127.0.0.1:{PLACE['port']}/health/liveliness", timeout=5)
        except OSError:
            time.sleep(0.5)
        else:
            return
    raise RuntimeError(f"the proxy does not answer:\n{log.read_text(errors='replace')[-3000:]}")


def ask(model: str, guardrail: str, **more: Any) -> tuple[int, str]:
    """Return the status and body of a chat completion with one guardrail."""
    body = {
        "model": model,
        "messages": [{"role": "user", "content": QUERY}],
        "guardrails": [guardrail],
        **more,
    }
    request = urllib.request.Request(
        f"http://127.0.0.1:{PLACE['port']}/v1/chat/completions",
        json.dumps(body).encode(),
        {"content-type": "application/json", "authorization": f"Bearer {KEY}"},
    )
    try:
        with urllib.request.urlopen(request, timeout=120) as reply:
            return reply.status, reply.read().decode()
    except urllib.error.HTTPError as error:
        return error.code, error.read().decode()


def expect_held_back(status: int, said: str, *words: str) -> None:
    """Raise AssertionError unless the proxy refused, saying these words."""
    expect_equal(status, 400, said)
    for word in words:
        expect(word in said, f"{word!r} is not in {said}")


def said_by(body: str) -> str:
    """Return the text of a completion."""
    return str(json.loads(body)["choices"][0]["message"]["content"])


def a_store_bears_it_out() -> None:
    status, body = ask("true", "grounded")
    expect_equal(status, 200, body)
    expect_equal(said_by(body), TRUE, "text")


def a_store_does_not() -> None:
    expect_held_back(*ask("false", "grounded"), "not grounded", FALSE)


def facts_of_a_request_do_not_stand_in_for_a_stores() -> None:
    facts = {"metadata": {"facts": [f"{TRUE} {FALSE}"]}}
    expect_held_back(*ask("false", "grounded", **facts), FALSE)


def facts_come_with_the_request() -> None:
    expect_equal(ask("true", "by-request", **FACTS)[0], 200, "status")
    expect_held_back(*ask("false", "by-request", **FACTS), FALSE)


def facts_are_tool_messages() -> None:
    call = {"id": "c1", "type": "function", "function": {"name": "find", "arguments": "{}"}}
    messages = [
        {"role": "user", "content": QUERY},
        {"role": "assistant", "content": None, "tool_calls": [call]},
        {"role": "tool", "tool_call_id": "c1", "content": samples.TEXT},
    ]
    expect_equal(ask("true", "by-request", messages=messages)[0], 200, "status")
    expect_held_back(*ask("false", "by-request", messages=messages), FALSE)


def no_facts_are_no_pass() -> None:
    expect_held_back(*ask("true", "by-request"), "no facts", "metadata.facts")


def failures_are_no_pass() -> None:
    for guardrail, word in (("no-store", "nowhere"), ("no-server", "cannot be reached")):
        status, said = ask("true", guardrail, **FACTS)
        expect(status >= 400, said)
        expect(word in said and TRUE not in said, said)


def a_stream_is_held_until_it_is_checked() -> None:
    status, body = ask("true", "grounded", stream=True)
    expect_equal(status, 200, body)
    events = [line[6:] for line in body.splitlines() if line.startswith("data: {")]
    deltas = [json.loads(event)["choices"][0]["delta"].get("content") or "" for event in events]
    expect_equal("".join(deltas), TRUE, "text")
    status, body = ask("false", "grounded", stream=True)
    expect("not grounded" in body, body)
    expect('"content":"' not in body.replace(" ", ""), body)


def main() -> None:
    """Run all checks."""
    samples.fill(SERVER, STORE)
    with proxy():
        run_checks(
            "proxy",
            {
                "store: grounded": a_store_bears_it_out,
                "store: not grounded": a_store_does_not,
                "store: facts of a request": facts_of_a_request_do_not_stand_in_for_a_stores,
                "request: facts": facts_come_with_the_request,
                "request: tool messages": facts_are_tool_messages,
                "request: no facts": no_facts_are_no_pass,
                "no store, no server": failures_are_no_pass,
                "stream": a_stream_is_held_until_it_is_checked,
            },
        )


if __name__ == "__main__":
    main()
