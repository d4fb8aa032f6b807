"""What OpenTelemetry is sent, by its own SDK, with exporters that keep it in memory."""

import gzip
import sys
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import pytest

from tests.patience import POLL_S
from tests.server.conftest import check, request
from toulmin import metrics
from toulmin.errors import FailedPrecondition
from toulmin.server import telemetry
from toulmin.server.request_log import RequestRecord, log_request
from toulmin.server.telemetry import Telemetry
from toulmin.settings import load_settings

TRACE = "4bf92f3577b34da6a3ce929d0e0e4736"
PARENT = "00f067aa0ba902b7"
METHOD = "google.cloud.discoveryengine.v1.GroundedGenerationService/CheckGrounding"


class Sent:
    """The SDK's providers with exporters that keep what they get."""

    def __init__(self):
        from opentelemetry.sdk._logs import LoggerProvider
        from opentelemetry.sdk._logs.export import (
            InMemoryLogRecordExporter,
            SimpleLogRecordProcessor,
        )
        from opentelemetry.sdk.metrics import MeterProvider
        from opentelemetry.sdk.metrics.export import InMemoryMetricReader
        from opentelemetry.sdk.trace import TracerProvider
        from opentelemetry.sdk.trace.export import SimpleSpanProcessor
        from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter

        self._spans, self._logs = InMemorySpanExporter(), InMemoryLogRecordExporter()
        self._reader = InMemoryMetricReader()
        tracers, loggers = TracerProvider(), LoggerProvider()
        tracers.add_span_processor(SimpleSpanProcessor(self._spans))
        loggers.add_log_record_processor(SimpleLogRecordProcessor(self._logs))
        self.providers = (tracers, MeterProvider([self._reader]), loggers)

    @property
    def spans(self):
        return self._spans.get_finished_spans()

    @property
    def events(self):
        return [item.log_record for item in self._logs.get_finished_logs()]

    def metrics(self):
        data = self._reader.get_metrics_data().resource_metrics[0].scope_metrics[0].metrics
        return {metric.name: metric.data for metric in data}


@pytest.fixture
def sent(monkeypatch):
    pytest.importorskip("opentelemetry.sdk")
    made = Sent()
    monkeypatch.setattr(telemetry, "_providers", lambda: made.providers)
    return made


def test_a_request_is_a_span_of_the_callers_trace(serve, sent):
    server = serve(otel=True)
    check(server, "Hello.", headers={"traceparent": f"00-{TRACE}-{PARENT}-01"})
    request(server, "GET", "/healthz")
    server.stop()
    (span,) = sent.spans
    assert span.name == METHOD
    assert f"{span.context.trace_id:032x}" == TRACE
    assert f"{span.parent.span_id:016x}" == PARENT
    assert span.attributes["rpc.response.status_code"] == "OK"
    assert span.attributes["http.response.status_code"] == 200
    assert span.attributes["toulmin.step.queue_ms"] >= 0
    assert "Hello" not in str(span.to_json())


def test_a_support_score_is_an_event_in_the_span_of_its_request(serve, sent, script):
    script._do_score = lambda rest, context: metrics.note_support("check", float(rest))
    server = serve(otel=True)
    check(server, "score 0.25")
    server.stop()
    (event,), (span,) = sent.events, sent.spans
    assert event.event_name == "gen_ai.evaluation.result"
    assert (event.trace_id, event.span_id) == (span.context.trace_id, span.context.span_id)
    assert dict(event.attributes) == {
        "gen_ai.evaluation.name": "groundedness",
        "gen_ai.evaluation.score.value": 0.25,
        "gen_ai.evaluation.score.label": "not_grounded",
        "toulmin.evaluation.of": "check",
    }
    metrics.note_support("check", 0.5)
    assert len(sent.events) == 1, "a server that has stopped hears nothing"


def test_metrics_are_those_of_the_page(sent):
    made = Telemetry(*sent.providers)
    record = RequestRecord("id", "grpc", rpc="a.B.C", code="INTERNAL")
    made.begin(record, {})
    log_request(record)
    found = sent.metrics()
    made.close()
    points = {
        tuple(point.attributes.items()): point.value
        for point in found["toulmin.requests"].data_points
    }
    assert points[("rpc", "a.B.C"), ("code", "INTERNAL"), ("protocol", "grpc")] >= 1
    (duration,) = found["rpc.server.call.duration"].data_points
    assert duration.count == 1
    (span,) = sent.spans
    assert span.name == "a.B/C"
    assert span.status.status_code.name == "ERROR"


def test_without_the_extra_the_setting_says_what_to_install(monkeypatch):
    for name in ("opentelemetry", "opentelemetry.exporter"):
        monkeypatch.setitem(sys.modules, name, None)
    for name in [name for name in sys.modules if name.startswith("opentelemetry.exporter.")]:
        monkeypatch.delitem(sys.modules, name)
    with pytest.raises(FailedPrecondition, match=r"toulmin\[otel\]"):
        Telemetry.from_settings(load_settings(flags={"otel": True}, environment={}))


def test_nothing_is_sent_unless_asked_for():
    assert Telemetry.from_settings(load_settings(environment={})) is None


class Collector(ThreadingHTTPServer):
    """Takes what is sent by OTLP over HTTP and keeps it by path."""

    def __init__(self):
        super().__init__(("127.0.0.1", 0), _Takes)
        self.got = {}
        self.url = f"http://127.0.0.1:{self.server_port}"


class _Takes(BaseHTTPRequestHandler):
    def do_POST(self):
        body = self.rfile.read(int(self.headers["content-length"]))
        if self.headers.get("content-encoding") == "gzip":
            body = gzip.decompress(body)
        self.server.got.setdefault(self.path, []).append(body)
        self.send_response(200)
        self.send_header("content-length", "0")
        self.end_headers()

    def log_message(self, *_):
        pass


def test_opentelemetrys_own_variables_say_where_it_goes(serve, script, monkeypatch):
    pytest.importorskip("opentelemetry.exporter.otlp.proto.http")
    script._do_score = lambda rest, context: metrics.note_support("check", float(rest))
    collector = Collector()
    threading.Thread(target=collector.serve_forever, args=(POLL_S,), daemon=True).start()
    monkeypatch.setenv("OTEL_EXPORTER_OTLP_ENDPOINT", collector.url)
    monkeypatch.setenv("OTEL_SERVICE_NAME", "my-server")
    monkeypatch.setenv("OTEL_RESOURCE_ATTRIBUTES", "place=here")
    server = serve(otel=True)
    check(server, "score 0.25")
    server.stop()
    collector.shutdown()
    collector.server_close()
    wanted = {"/v1/traces": METHOD, "/v1/logs": "gen_ai.evaluation.result"}
    wanted["/v1/metrics"] = "toulmin.requests"
    assert collector.got.keys() == wanted.keys()
    for path, name in wanted.items():
        body = b"".join(collector.got[path])
        for text in (name, "my-server", "here"):
            assert text.encode() in body, (path, text)
