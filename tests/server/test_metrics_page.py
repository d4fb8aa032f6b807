"""`/metrics`, as Prometheus and an operator meet it."""

import json
import re
from pathlib import Path

import pytest

from tests.server.conftest import check, request
from toulmin import metrics
from toulmin.metrics import Counter, Gauge, Histogram
from toulmin.server.metrics_page import _lines, metrics_page

ROOT = Path(__file__).parents[2]
LINE = re.compile(r'([a-zA-Z_:][\w:]*)(?:\{((?:\w+="(?:[^"\\]|\\.)*",?)*)\})? (\S+)')
CHECK_RPC = "google.cloud.discoveryengine.v1.GroundedGenerationService.CheckGrounding"


def parse(text):
    """Return {name: {labels: value}} of a page; a line of another form fails."""
    found = {}
    for line in text.splitlines():
        if line.startswith("#"):
            assert re.fullmatch(r"# (HELP|TYPE) [a-z_]+ .+", line), line
            continue
        name, labels, value = LINE.fullmatch(line).groups()
        pairs = tuple(re.findall(r'(\w+)="((?:[^"\\]|\\.)*)"', labels or ""))
        found.setdefault(name, {})[pairs] = float(value)
    return found


def scrape(server, **headers):
    reply = request(server, "GET", "/metrics", headers=headers)
    assert reply.status == 200, reply.body
    assert reply.headers["content-type"] == "text/plain; version=0.0.4; charset=utf-8"
    return parse(reply.body.decode())


def test_a_request_is_counted_by_rpc_code_and_protocol(server):
    labels = (("rpc", CHECK_RPC), ("code", "OK"), ("protocol", "rest"))
    before = scrape(server).get("toulmin_requests_total", {}).get(labels, 0)
    assert check(server, "Hello.").status == 200
    page = scrape(server)
    assert page["toulmin_requests_total"][labels] == before + 1
    rpc = ("rpc", CHECK_RPC)
    everything = page["toulmin_request_duration_seconds_bucket"][rpc, ("le", "+Inf")]
    assert everything == page["toulmin_request_duration_seconds_count"][(rpc,)] >= 1
    assert page["toulmin_step_duration_seconds_count"][rpc, ("step", "queue")] >= 1
    assert () in page["toulmin_requests_in_flight"]
    assert page["toulmin_connections_open"][()] >= 1


def test_what_callers_choose_is_never_a_label(server):
    request(server, "GET", "/v1/projects/secret-name/nothing")
    assert "secret" not in request(server, "GET", "/metrics").body.decode()


def test_the_page_needs_a_key_where_keys_are_set(serve):
    server = serve(api_keys=("longenough",))
    assert request(server, "GET", "/metrics").status == 401
    assert scrape(server, **{"x-goog-api-key": "longenough"})


def test_a_setting_opens_the_page(serve):
    assert scrape(serve(api_keys=("longenough",), metrics_open=True))


def test_other_methods_are_refused(server):
    assert request(server, "POST", "/metrics", "{}").status == 404


def test_a_server_that_has_stopped_is_not_asked_for_its_gauges(serve):
    before = list(metrics.IN_FLIGHT._sources)
    server = serve()
    assert len(metrics.IN_FLIGHT._sources) == len(before) + 1
    server.stop()
    assert metrics.IN_FLIGHT._sources == before


def test_a_histogram_counts_a_bound_as_within_it():
    histogram = Histogram("h", "about", bounds=(1.0, 2.0))
    for value in (0.5, 1.0, 1.5, 9.0):
        histogram.observe(value)
    page = parse("".join(_lines("h", "histogram", "about", histogram.samples())))
    buckets = {dict(labels)["le"]: value for labels, value in page["h_bucket"].items()}
    assert buckets == {"1": 2, "2": 3, "+Inf": 4}
    assert page["h_sum"] == {(): 12.0}
    assert page["h_count"] == {(): 4}


def test_label_values_are_escaped():
    counter = Counter("c", "about", ("name",))
    counter.add('a"b\\c\nd')
    assert list(_lines("c", "counter", "about", counter.samples()))[1] == (
        'c{name="a\\"b\\\\c\\nd"} 1\n'
    )


def test_a_gauge_that_cannot_be_read_leaves_a_gap():
    gauge = Gauge("g", "about")
    assert list(gauge.samples()) == []
    with gauge.reading(lambda: 2), gauge.reading(lambda: 3):
        assert [sample.value for sample in gauge.samples()] == [5]
    with gauge.reading(lambda: 1 / 0):
        assert list(gauge.samples()) == []


def test_every_label_of_a_sample_must_be_given():
    counter = Counter("c", "about", ("a", "b"))
    counter.add("only one")
    with pytest.raises(ValueError, match="zip"):
        list(counter.samples())


def queries():
    board = json.loads((ROOT / "deploy" / "grafana-dashboard.json").read_text("utf-8"))
    return [target["expr"] for panel in board["panels"] for target in panel["targets"]]


def known_names():
    suffixes = {"histogram": ("_bucket", "_sum", "_count")}
    for metric in metrics.METRICS:
        for suffix in suffixes.get(metric.kind, ("",)):
            yield metric.name + suffix, {*metric.labels, *(["le"] if suffix == "_bucket" else [])}
    for line in metrics_page().decode().splitlines():
        if line.startswith(("process_", "toulmin_build_info")):
            name, labels, _ = LINE.fullmatch(line).groups()
            yield name, set(re.findall(r"(\w+)=", labels or ""))


def test_the_dashboard_asks_only_for_metrics_and_labels_that_there_are():
    known = dict(known_names())
    assert len(queries()) > 12
    asked = set()
    for query in queries():
        for name, inside in re.findall(r"\b((?:toulmin|process)_\w+)\{([^}]*)\}", query):
            assert name in known, query
            assert set(re.findall(r"(\w+)(?:=~|!=|=)", inside)) <= known[name] | {"instance"}
            asked.add(name.removesuffix("_bucket").removesuffix("_sum").removesuffix("_count"))
        grouped = {
            label for group in re.findall(r"by \(([^)]*)\)", query) for label in group.split(", ")
        }
        names = re.findall(r"\b((?:toulmin|process)_\w+)", query)
        assert grouped <= {label for name in names for label in known[name]}, query
    assert {metric.name for metric in metrics.METRICS} <= asked


def test_every_metric_is_in_the_docs():
    page = (ROOT / "docs" / "watching.md").read_text("utf-8")
    for metric in metrics.METRICS:
        row = f"| `{metric.name}` | {metric.kind} | {', '.join(metric.labels)} | {metric.about} |"
        assert row.replace("|  |", "| |") in page, row
