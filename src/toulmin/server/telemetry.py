"""OpenTelemetry: a span for each request, the metrics, an event for each support score.

The one file that names OpenTelemetry. Where things are sent, with which headers, how often and how
many traces, is said by OpenTelemetry's own variables (`OTEL_EXPORTER_OTLP_ENDPOINT`,
`OTEL_SERVICE_NAME`, `OTEL_TRACES_SAMPLER`, ...), which its SDK reads. No text of a request is sent.

Source: OpenTelemetry's semantic conventions for RPC and for generative AI
(`gen_ai.evaluation.result`).
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack
from typing import Any, Final

from toulmin import __version__, metrics
from toulmin.errors import FailedPrecondition
from toulmin.grounding.check import CITATION_THRESHOLD
from toulmin.server.request_log import RequestRecord
from toulmin.settings import Settings

_NAME: Final = "toulmin"
_SERVER_FAULTS: Final = frozenset(
    {"UNKNOWN", "DEADLINE_EXCEEDED", "UNIMPLEMENTED", "INTERNAL", "UNAVAILABLE", "DATA_LOSS"}
)


class Telemetry:
    """Sends spans, metrics and events until it is closed.

    Args:
        tracers: The SDK's `TracerProvider`.
        meters: Its `MeterProvider`.
        loggers: Its `LoggerProvider`.
    """

    def __init__(self, tracers: Any, meters: Any, loggers: Any) -> None:
        self._providers = (tracers, meters, loggers)
        self._tracer = tracers.get_tracer(_NAME, __version__)
        self._logger = loggers.get_logger(_NAME, __version__)
        meter = meters.get_meter(_NAME, __version__)
        self._duration = meter.create_histogram(
            "rpc.server.call.duration", unit="s", description="Time from request to answer."
        )
        for metric in metrics.METRICS:
            _bridge(meter, metric)
        self._stack = ExitStack()
        self._stack.enter_context(metrics.hearing_scores(self._send_score))

    @classmethod
    def from_settings(cls, settings: Settings) -> Telemetry | None:
        """Return what the settings ask for; None: nothing is sent.

        Raises:
            FailedPrecondition: The extra is not installed.
        """
        if not settings.otel:
            return None
        try:
            return cls(*_providers())
        except ModuleNotFoundError as error:
            raise FailedPrecondition(
                "Setting otel needs OpenTelemetry: pip install 'toulmin[otel]'"
            ) from error

    def begin(self, record: RequestRecord, headers: Mapping[str, str]) -> None:
        """Begin the span of a request in the current task; it ends when the request is logged.

        Args:
            record: What will be logged.
            headers: Lower-case; `traceparent` says whose call this is a part of.
        """
        from opentelemetry import context, trace
        from opentelemetry.trace.propagation.tracecontext import TraceContextTextMapPropagator

        parent = TraceContextTextMapPropagator().extract(dict(headers))
        span = self._tracer.start_span(
            record.rpc or "request",
            context=parent,
            kind=trace.SpanKind.SERVER,
            attributes={"toulmin.request_id": record.request_id},
        )
        # Each request has a task, and so a context, of its own: nothing is to be put back.
        context.attach(trace.set_span_in_context(span, parent))
        record.at_end = lambda: self._end(span, record)

    def close(self) -> None:
        """Send what is left, and no more."""
        self._stack.close()
        for provider in self._providers:
            provider.shutdown()

    def _end(self, span: Any, record: RequestRecord) -> None:
        from opentelemetry.trace import Status, StatusCode

        name = record.rpc or "unknown"
        attributes = {
            "rpc.system.name": "grpc" if record.protocol == "grpc" else "http",
            "rpc.method": _method(record.rpc),
            "rpc.response.status_code": record.code,
        }
        self._duration.record(time.monotonic() - record.started, attributes)
        span.update_name(_method(record.rpc) or name)
        span.set_attributes(attributes)
        if record.http_status:
            span.set_attribute("http.response.status_code", record.http_status)
        for step, milliseconds in record.timings.copy().items():
            span.set_attribute(f"toulmin.step.{step}", round(milliseconds, 3))
        if record.code in _SERVER_FAULTS:
            span.set_attribute("error.type", record.code)
            span.set_status(Status(StatusCode.ERROR))
        span.end()

    def _send_score(self, of: str, score: float) -> None:
        from opentelemetry import context
        from opentelemetry._logs import LogRecord, SeverityNumber

        self._logger.emit(
            LogRecord(
                timestamp=time.time_ns(),
                context=context.get_current(),
                severity_number=SeverityNumber.INFO,
                event_name="gen_ai.evaluation.result",
                attributes={
                    "gen_ai.evaluation.name": "groundedness",
                    "gen_ai.evaluation.score.value": score,
                    "gen_ai.evaluation.score.label": (
                        "grounded" if score >= CITATION_THRESHOLD else "not_grounded"
                    ),
                    "toulmin.evaluation.of": of,
                },
            )
        )


def _method(rpc: str) -> str:
    """Return "package.Service/Method" of "package.Service.Method"."""
    service, _, method = rpc.rpartition(".")
    return f"{service}/{method}" if service else rpc


def _providers() -> tuple[Any, Any, Any]:
    from opentelemetry.exporter.otlp.proto.http._log_exporter import OTLPLogExporter
    from opentelemetry.exporter.otlp.proto.http.metric_exporter import OTLPMetricExporter
    from opentelemetry.exporter.otlp.proto.http.trace_exporter import OTLPSpanExporter
    from opentelemetry.sdk._logs import LoggerProvider
    from opentelemetry.sdk._logs.export import BatchLogRecordProcessor
    from opentelemetry.sdk.metrics import MeterProvider
    from opentelemetry.sdk.metrics.export import PeriodicExportingMetricReader
    from opentelemetry.sdk.resources import OTELResourceDetector, Resource
    from opentelemetry.sdk.trace import TracerProvider
    from opentelemetry.sdk.trace.export import BatchSpanProcessor

    ours = Resource.create({"service.name": _NAME, "service.version": __version__})
    resource = ours.merge(OTELResourceDetector().detect())  # the variables win
    tracers = TracerProvider(resource=resource)
    tracers.add_span_processor(BatchSpanProcessor(OTLPSpanExporter()))
    meters = MeterProvider([PeriodicExportingMetricReader(OTLPMetricExporter())], resource)
    loggers = LoggerProvider(resource=resource)
    loggers.add_log_record_processor(BatchLogRecordProcessor(OTLPLogExporter()))
    return tracers, meters, loggers


def _bridge(meter: Any, metric: metrics.Metric) -> None:
    """Let OpenTelemetry read a counter or gauge; of histograms it has its own and the events."""
    if not isinstance(metric, metrics.Counter | metrics.Gauge):
        return
    kind = "counter" if isinstance(metric, metrics.Counter) else "gauge"
    create: Callable[..., Any] = getattr(meter, f"create_observable_{kind}")
    name = metric.name.removesuffix("_total").replace("_", ".", 1)

    def observations(_options: Any) -> Iterator[Any]:
        from opentelemetry.metrics import Observation

        for sample in metric.samples():
            yield Observation(sample.value, dict(sample.labels))

    create(name, callbacks=[observations], description=metric.about)
