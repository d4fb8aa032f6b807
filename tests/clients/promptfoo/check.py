"""promptfoo's configuration of docs/integrations.md and its assertion, against a running server.

promptfoo itself runs where PROMPTFOO names its command (it is a package of Node, which this virtual
environment cannot have). Elsewhere its request is made as the configuration says, its
`transformResponse` is run by node, where that is there, and the assertion by this Python.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import tempfile
import urllib.request
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parents[3] / "src"))

import samples
import yaml
from checks import expect, expect_equal, run_checks

from toulmin.errors import InvalidArgument, Unavailable
from toulmin.integrations.promptfoo import get_assert

SERVER = f"http://{os.environ['CLIENT_HTTP']}"
STORE = "promptfoo"
QUESTION = "When was the Eiffel Tower opened?"
TRUE, FALSE = "The Elbe Bridge opened in 1998.", "It is 450 metres long."
CONFIG = {"server": SERVER}


def configuration() -> dict[str, Any]:
    """Return the page's configuration, for this server and data store."""
    found: dict[str, Any] = yaml.safe_load(samples.example("promptfoo", SERVER, STORE))
    return found


def answered() -> dict[str, Any]:
    """Return what the server answers to the request of the page's provider."""
    provider = configuration()["providers"][0]["config"]
    body = json.dumps(provider["body"]).replace("{{prompt}}", QUESTION)
    expect("{{" not in body, body)
    request = urllib.request.Request(
        provider["url"], body.encode(), provider["headers"], method=provider["method"]
    )
    with urllib.request.urlopen(request, timeout=60) as reply:
        content: dict[str, Any] = json.load(reply)
    return content


def transformed() -> dict[str, Any]:
    """Return what node makes of that answer by the page's `transformResponse`."""
    expression = configuration()["providers"][0]["config"]["transformResponse"]
    script = (
        f"const json = JSON.parse(require('fs').readFileSync(0, 'utf8'));"
        f"const made = new Function('json', 'return (' + {json.dumps(expression)} + ')')(json);"
        "process.stdout.write(JSON.stringify(made));"
    )
    done = subprocess.run(
        ["node", "-e", script], input=json.dumps(answered()), capture_output=True, text=True
    )
    expect_equal(done.returncode, 0, done.stderr)
    made: dict[str, Any] = json.loads(done.stdout)
    return made


def the_request_is_answered() -> None:
    answer = answered()["answer"]
    expect("1889" in answer["answerText"], answer)
    expect(answer["references"], answer)


def node_transforms_the_answer() -> None:
    made = transformed()
    expect("1889" in made["output"], made)
    facts = made["metadata"]["facts"]
    expect(facts and all(isinstance(fact, str) and fact for fact in facts), made)
    graded = get_assert(
        made["output"], {"config": CONFIG, "vars": {}, "metadata": made["metadata"]}
    )
    expect(graded["pass"] is True, graded)


def what_is_grounded_passes() -> None:
    graded = get_assert(TRUE, {"config": CONFIG, "vars": {"facts": samples.TEXT}})
    expect(graded["pass"] is True and graded["score"] > 0.6, graded)


def what_is_not_fails() -> None:
    graded = get_assert(
        f"{TRUE} {FALSE}", {"config": CONFIG | {"facts": [samples.TEXT]}, "vars": {}}
    )
    expect(graded["pass"] is False and FALSE in graded["reason"], graded)
    expect_equal([one["pass"] for one in graded["componentResults"]], [True, False], "sentences")
    expect_equal(graded["score"], graded["componentResults"][1]["score"], "the weakest")
    json.dumps(graded)


def without_facts_nothing_passes() -> None:
    for context in ({"config": CONFIG, "vars": {}}, {"config": CONFIG, "vars": {"facts": [1]}}):
        try:
            graded = get_assert(TRUE, context)
        except InvalidArgument as error:
            expect("facts" in error.message, error.message)
        else:
            raise AssertionError(f"there was nothing to check by: {graded}")


def a_server_that_is_not_there_is_said() -> None:
    try:
        get_assert(TRUE, {"config": {"server": "http://127.0.0.1:9"}, "vars": {"facts": "x"}})
    except Unavailable as error:
        expect("127.0.0.1:9" in error.message, error.message)
    else:
        raise AssertionError("nobody checked, and it passed")


def promptfoo_runs_the_page() -> None:
    folder = Path(tempfile.mkdtemp())
    (folder / "promptfooconfig.yaml").write_text(samples.example("promptfoo", SERVER, STORE))
    source = Path(__file__).parents[3] / "src"
    (folder / "grounded.py").write_text(
        f"import sys\nsys.path.insert(0, {str(source)!r})\n"
        "from toulmin.integrations.promptfoo import get_assert\n"
    )
    environment = os.environ | {
        "PROMPTFOO_PYTHON": sys.executable,
        "PROMPTFOO_CONFIG_DIR": str(folder / "state"),
        "PROMPTFOO_DISABLE_TELEMETRY": "1",
        "PROMPTFOO_DISABLE_UPDATE": "1",
    }
    command = [os.environ["PROMPTFOO"], "eval", "--no-cache", "-o", "out.json"]
    done = subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True)
    expect((folder / "out.json").exists(), done.stdout + done.stderr)
    stats = json.loads((folder / "out.json").read_text())["results"]["stats"]
    expect_equal((stats["successes"], stats["failures"], stats["errors"]), (1, 0, 0), done.stdout)


def main() -> None:
    """Run what can be run here."""
    samples.fill(SERVER, STORE)
    checks = {
        "provider: request": the_request_is_answered,
        "assertion: grounded": what_is_grounded_passes,
        "assertion: not grounded": what_is_not_fails,
        "assertion: nothing to check by": without_facts_nothing_passes,
        "assertion: no server": a_server_that_is_not_there_is_said,
    }
    if shutil.which("node"):
        checks["provider: transformResponse in node"] = node_transforms_the_answer
    if os.environ.get("PROMPTFOO"):
        checks["promptfoo eval"] = promptfoo_runs_the_page
    run_checks("native", checks)


if __name__ == "__main__":
    main()
