"""What the process counts while it works; every metric is in this file.

Rooms add to a metric where the thing happens; `server/metrics_page.py` writes them all as
Prometheus reads them. Recording takes about a microsecond, needs no library, and never fails, so
that it may stand anywhere. Metrics are the process's own and begin at zero when it starts. A label
never has a value that callers can choose: names of RPCs, steps, models, reasons.
"""

from __future__ import annotations

import threading
import time
from bisect import bisect_left
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Final, TypeAlias

_SECONDS: Final = (0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0, 30.0, 60.0)
_SCORES: Final = (0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 1.0)

Labels: TypeAlias = tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Sample:
    """One line of a metric.

    Attributes:
        suffix: What follows the metric's name: empty, "_bucket", "_sum", "_count".
        labels: Pairs of name and value.
        value: The number.
    """

    suffix: str
    labels: tuple[tuple[str, str], ...]
    value: float


class Metric:
    """What all kinds have.

    Args:
        name: As Prometheus reads it, with its unit at the end.
        about: What is counted, in a sentence.
        labels: Names of its labels.
    """

    kind = "untyped"

    def __init__(self, name: str, about: str, labels: Sequence[str] = ()) -> None:
        self.name = name
        self.about = about
        self.labels = tuple(labels)
        self._lock = threading.Lock()

    def samples(self) -> Iterator[Sample]:
        """Yield the lines as they are now."""
        raise NotImplementedError

    def _pairs(self, values: Labels) -> tuple[tuple[str, str], ...]:
        return tuple(zip(self.labels, values, strict=True))


class Counter(Metric):
    """A number that only grows."""

    kind = "counter"

    def __init__(self, name: str, about: str, labels: Sequence[str] = ()) -> None:
        super().__init__(name, about, labels)
        self._values: dict[Labels, float] = {} if labels else {(): 0.0}

    def add(self, *labels: str, amount: float = 1.0) -> None:
        """Add to the number that these labels have."""
        with self._lock:
            self._values[labels] = self._values.get(labels, 0.0) + amount

    def samples(self) -> Iterator[Sample]:
        """Yield a line for each combination of labels met so far."""
        with self._lock:
            values = sorted(self._values.items())
        for labels, value in values:
            yield Sample("", self._pairs(labels), value)


@dataclass(slots=True)
class _Distribution:
    buckets: list[int]
    total: float = 0.0


class Histogram(Metric):
    """How often a value was at most so large.

    Args:
        name: As Prometheus reads it.
        about: What is measured.
        labels: Names of its labels.
        bounds: Inclusive upper bounds, rising; one for all others is added.
    """

    kind = "histogram"

    def __init__(
        self, name: str, about: str, labels: Sequence[str] = (), *, bounds: Sequence[float]
    ) -> None:
        super().__init__(name, about, labels)
        self._bounds = tuple(bounds)
        self._values: dict[Labels, _Distribution] = {}
        if not labels:
            self._values[()] = self._new()

    def _new(self) -> _Distribution:
        return _Distribution([0] * (len(self._bounds) + 1))

    def observe(self, value: float, *labels: str) -> None:
        """Take a value in."""
        self.observe_all(((value, labels),))

    def observe_all(self, values: Iterable[tuple[float, Labels]]) -> None:
        """Take several values in, each with its labels."""
        with self._lock:
            for value, labels in values:
                found = self._values.get(labels)
                if found is None:
                    found = self._values[labels] = self._new()
                found.buckets[bisect_left(self._bounds, value)] += 1
                found.total += value

    def samples(self) -> Iterator[Sample]:
        """Yield the buckets, each with all below it, then sum and count."""
        with self._lock:
            values = [
                (labels, list(found.buckets), found.total)
                for labels, found in sorted(self._values.items())
            ]
        for labels, buckets, total in values:
            pairs, count = self._pairs(labels), 0
            for bound, number in zip((*self._bounds, None), buckets, strict=True):
                count += number
                shown = "+Inf" if bound is None else f"{bound:g}"
                yield Sample("_bucket", (*pairs, ("le", shown)), count)
            yield Sample("_sum", pairs, total)
            yield Sample("_count", pairs, count)


class Gauge(Metric):
    """A number that is asked for when somebody looks; several sources add up."""

    kind = "gauge"

    def __init__(self, name: str, about: str) -> None:
        super().__init__(name, about)
        self._sources: list[Callable[[], float]] = []

    @contextmanager
    def reading(self, source: Callable[[], float]) -> Iterator[None]:
        """Ask `source` while the body of a `with` runs. It may be slow, and may raise."""
        self.read_from(source)
        try:
            yield
        finally:
            self.forget(source)

    def read_from(self, source: Callable[[], float]) -> None:
        """Ask `source`, too, until `forget`. It may be slow, and may raise."""
        with self._lock:
            self._sources.append(source)

    def forget(self, source: Callable[[], float]) -> None:
        """Ask `source` no more."""
        with self._lock:
            if source in self._sources:
                self._sources.remove(source)

    def samples(self) -> Iterator[Sample]:
        """Yield one line; none when nobody can say the number now."""
        with self._lock:
            sources = list(self._sources)
        try:
            numbers = [source() for source in sources]
        except Exception:  # noqa: BLE001 - a gap in a curve says more than a page that fails
            return
        if numbers:
            yield Sample("", (), sum(numbers))


REQUESTS: Final = Counter(
    "toulmin_requests_total",
    "Requests that were answered, by RPC, google.rpc code and protocol.",
    ("rpc", "code", "protocol"),
)
REQUEST_SECONDS: Final = Histogram(
    "toulmin_request_duration_seconds",
    "Time from the first byte of a request to the last of its answer.",
    ("rpc",),
    bounds=_SECONDS,
)
STEP_SECONDS: Final = Histogram(
    "toulmin_step_duration_seconds",
    "Time of each step of a request, as in the log; `queue` is the wait for a thread.",
    ("rpc", "step"),
    bounds=_SECONDS,
)
IN_FLIGHT: Final = Gauge(
    "toulmin_requests_in_flight", "Requests that run or wait for a thread now."
)
WAITING: Final = Gauge("toulmin_requests_waiting", "Requests that wait for a thread now.")
CONNECTIONS: Final = Gauge("toulmin_connections_open", "Connections that are open now.")
CONNECTIONS_REFUSED: Final = Counter(
    "toulmin_connections_refused_total",
    "Connections that were refused or closed: too many of one `address` or of `all`, or a response"
    " that stayed `unsent`.",
    ("limit",),
)
MODEL_RUNS: Final = Counter(
    "toulmin_model_runs_total",
    "Runs of a model: one text, one pack of evidence, one passage; of a language model one call.",
    ("model",),
)
MODEL_SECONDS: Final = Counter(
    "toulmin_model_run_seconds_total", "Time that these runs took, added up.", ("model",)
)
SUPPORT_SCORE: Final = Histogram(
    "toulmin_support_score",
    "Support scores of whole texts: of `check`, of answers, of what agents said.",
    ("of",),
    bounds=_SCORES,
)
ANSWERS: Final = Counter("toulmin_answers_total", "Questions that were answered or declined.")
DECLINED: Final = Counter(
    "toulmin_answers_declined_total",
    "Questions that were declined, by reason; one may have several.",
    ("reason",),
)
IMPORTED: Final = Counter(
    "toulmin_imported_documents_total",
    "Documents that imports dealt with: written, unchanged, failed.",
    ("outcome",),
)
INDEX_LAG: Final = Gauge(
    "toulmin_index_lag_changes", "Changes of documents that are committed and not searchable yet."
)

METRICS: Final[tuple[Metric, ...]] = (
    REQUESTS,
    REQUEST_SECONDS,
    STEP_SECONDS,
    IN_FLIGHT,
    WAITING,
    CONNECTIONS,
    CONNECTIONS_REFUSED,
    MODEL_RUNS,
    MODEL_SECONDS,
    SUPPORT_SCORE,
    ANSWERS,
    DECLINED,
    IMPORTED,
    INDEX_LAG,
)

ScoreListener: TypeAlias = Callable[[str, float], None]
_score_listeners: list[ScoreListener] = []


def note_support(of: str, score: float) -> None:
    """Record the support score of a whole text, and tell those who listen.

    Args:
        of: "check", "answer" or "conversation".
        score: In [0, 1].
    """
    SUPPORT_SCORE.observe(score, of)
    for listener in tuple(_score_listeners):
        listener(of, score)


@contextmanager
def hearing_scores(listener: ScoreListener) -> Iterator[None]:
    """Call `listener(of, score)`, on the thread that made the score, while the body runs."""
    _score_listeners.append(listener)
    try:
        yield
    finally:
        _score_listeners.remove(listener)


@contextmanager
def model_run(model: str) -> Iterator[None]:
    """Count a run of a model and its time; one that fails counts, too."""
    started = time.perf_counter()
    try:
        yield
    finally:
        MODEL_RUNS.add(model)
        MODEL_SECONDS.add(model, amount=time.perf_counter() - started)
