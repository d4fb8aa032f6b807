"""Prometheus: its own parser reads `/metrics`, and the queries of the dashboard find what is there.

The queries run in a real Prometheus where `prometheus` and `promtool` are installed (Debian's
package `prometheus`); elsewhere these two checks are left out.
"""

from __future__ import annotations

import json
import os
import re
import shutil
import socket
import subprocess
import tempfile
import time
import urllib.error
import urllib.parse
import urllib.request
from pathlib import Path
from typing import Any

from checks import CONFIG, expect, expect_equal, run_checks
from prometheus_client.parser import text_string_to_metric_families

ADDRESS = os.environ["CLIENT_HTTP"]
BOARD = Path(__file__).parents[3] / "deploy" / "grafana-dashboard.json"
# Nothing was imported, no question declined, and no request failed on this server.
MAY_BE_EMPTY = ("imported", "answers", 'code!="OK"', 'of="')


def get(url: str) -> str:
    with urllib.request.urlopen(url, timeout=30) as reply:
        return str(reply.read().decode())


def check() -> None:
    body = {"answerCandidate": "It opened in 1998.", "facts": [{"factText": "It opened in 1998."}]}
    request = urllib.request.Request(
        f"http://{ADDRESS}/v1/{CONFIG}:check",
        data=json.dumps(body).encode(),
        headers={"content-type": "application/json"},
    )
    urllib.request.urlopen(request, timeout=60).read()


def its_parser_reads_the_page() -> None:
    check()
    families = {
        family.name: family
        for family in text_string_to_metric_families(get(f"http://{ADDRESS}/metrics"))
    }
    expect_equal(families["toulmin_requests"].type, "counter", "type")
    expect_equal(families["toulmin_request_duration_seconds"].type, "histogram", "type")
    runs = {
        sample.labels["model"]: sample.value for sample in families["toulmin_model_runs"].samples
    }
    expect(runs["grounding"] >= 1, runs)
    scores = families["toulmin_support_score"].samples
    expect(any(sample.labels.get("of") == "check" for sample in scores), scores)


def promtool_finds_nothing_to_complain_about() -> None:
    said = subprocess.run(
        ["promtool", "check", "metrics"],
        input=get(f"http://{ADDRESS}/metrics"),
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    expect_equal((said.returncode, said.stdout + said.stderr), (0, ""), "promtool check metrics")


def a_real_prometheus_answers_the_queries_of_the_dashboard() -> None:
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    with tempfile.TemporaryDirectory() as scratch:
        config = Path(scratch) / "prometheus.yml"
        config.write_text(
            "global: {scrape_interval: 1s}\nscrape_configs:\n- job_name: toulmin\n"
            f"  static_configs: [{{targets: ['{ADDRESS}']}}]\n"
        )
        process = subprocess.Popen(
            [
                "prometheus",
                f"--config.file={config}",
                f"--storage.tsdb.path={scratch}/data",
                f"--web.listen-address=127.0.0.1:{port}",
            ],
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
        try:
            run_queries(f"http://127.0.0.1:{port}")
        finally:
            process.terminate()
            process.wait(30)


def run_queries(url: str) -> None:
    until = time.monotonic() + 60
    while len(ask(url, "toulmin_build_info[30s]", "values")) < 2:
        expect(time.monotonic() < until, "Prometheus did not scrape twice within 60 s")
        check()
        time.sleep(1)
    check()
    time.sleep(2.5)
    board = json.loads(BOARD.read_text(encoding="utf-8"))
    for panel in board["panels"]:
        for target in panel["targets"]:
            query = target["expr"].replace("$__rate_interval", "30s").replace("$instance", ".*")
            found = ask(url, query)
            known_empty = any(part in query for part in MAY_BE_EMPTY)
            expect(found or known_empty, f"{panel['title']}: nothing for {query}")
            expect(not re.search(r"\$\w", query), query)


def ask(url: str, query: str, key: str = "value") -> list[Any]:
    """Return the values of a query's answer; of a range vector, those of its first series."""
    address = f"{url}/api/v1/query?" + urllib.parse.urlencode({"query": query})
    try:
        answer = json.loads(get(address))
    except urllib.error.HTTPError as error:
        raise AssertionError(f"{query}: {error.read().decode()[:300]}") from error
    except OSError:  # it is still starting
        return []
    found = [series[key] for series in answer["data"]["result"]]
    return found[0] if key == "values" and found else found


CHECKS = {"its own parser reads the page": its_parser_reads_the_page}
if shutil.which("promtool"):
    CHECKS["promtool check metrics"] = promtool_finds_nothing_to_complain_about
if shutil.which("prometheus"):
    CHECKS["the dashboard's queries"] = a_real_prometheus_answers_the_queries_of_the_dashboard
run_checks("prometheus", CHECKS)
