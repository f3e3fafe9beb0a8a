"""The numbers at /metrics, in the format of Prometheus, by its own client.

    variorum_request_seconds      histogram: method, route, status (2xx …), of all web processes together
    variorum_database_up          1 where the database answered
    variorum_jobs                 jobs that wait or run: kind, queue, status
    variorum_oldest_waiting_job_seconds   of each queue in which a job waits
    variorum_workers              workers seen in the last 25 s: queue
    variorum_judgments            judgments stored
    variorum_record_seals         seals of the record, which never grow fewer

Routes are patterns, so that no address of a person, a study or an item becomes a label. Loaded only where a
token is set.
"""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Iterator
from datetime import timedelta

from django.db import DatabaseError
from django.db.models import Count, Max, Min
from django.db.models.functions import Now
from prometheus_client import CONTENT_TYPE_LATEST, CollectorRegistry, Histogram, generate_latest
from prometheus_client.core import GaugeMetricFamily
from prometheus_client.multiprocess import MultiProcessCollector
from prometheus_client.registry import Collector

from annotation.models import Judgment, Seal
from retrieval.jobs import queue, workers
from retrieval.models import Status, Worker

FOLDER = "PROMETHEUS_MULTIPROC_DIR"
"""By this variable, which `gunicorn_hooks` sets, the client's processes know where each counts."""
BUCKETS = (0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0, 30.0)
QUEUES = ("cpu", "gpu")

own = CollectorRegistry()
REQUESTS = Histogram(
    "variorum_request_seconds",
    "Seconds from a whole request to its reply",
    ["method", "route", "status"],
    buckets=BUCKETS,
    registry=own,
)


def observe(method: str, route: str, status: int, seconds: float) -> None:
    """Count one request. `route`: the pattern it was led by."""
    REQUESTS.labels(method, route, f"{status // 100}xx").observe(seconds)


def exposition() -> tuple[bytes, str]:
    """Return all numbers as text, and its type."""
    registry = CollectorRegistry()
    registry.register(SiteCollector())
    if FOLDER in os.environ:
        MultiProcessCollector(registry)  # type: ignore[no-untyped-call]
        return generate_latest(registry), CONTENT_TYPE_LATEST
    return generate_latest(own) + generate_latest(registry), CONTENT_TYPE_LATEST


class SiteCollector(Collector):
    """What the database knows, asked when somebody asks us."""

    def collect(self) -> Iterator[GaugeMetricFamily]:
        """Yield the gauges; only that the database is away where it is."""
        try:
            found, up = [*_jobs(), _workers(), _judgments(), _seals()], 1
        except DatabaseError:
            found, up = [], 0
        yield GaugeMetricFamily("variorum_database_up", "1 where the database answered", value=up)
        yield from found


def _jobs() -> list[GaugeMetricFamily]:
    jobs = GaugeMetricFamily("variorum_jobs", "Jobs that wait or run", labels=["kind", "queue", "status"])
    longest = GaugeMetricFamily(
        "variorum_oldest_waiting_job_seconds", "How long the longest has waited", labels=["queue"]
    )
    waited: dict[str, float] = {}
    for kind in queue.KINDS:
        pending = kind._default_manager.filter(status__in=(Status.QUEUED, Status.RUNNING)).order_by()
        rows = pending.values_list("queue", "status").annotate(n=Count("pk"), ago=Now() - Min("created"))
        for name, status, n, ago in rows:
            jobs.add_metric([kind.kind, name, status], n)
            if status == Status.QUEUED:
                waited[name] = max(waited.get(name, 0.0), ago.total_seconds())
    for name, seconds in sorted(waited.items()):
        longest.add_metric([name], seconds)
    return [jobs, longest]


def _workers() -> GaugeMetricFamily:
    recent = Worker.objects.filter(seen__gte=Now() - timedelta(seconds=workers.ABSENT_SECONDS))
    seen = Counter(name for queues in recent.values_list("queues", flat=True) for name in queues)
    gauge = GaugeMetricFamily(
        "variorum_workers", f"Workers seen in the last {workers.ABSENT_SECONDS} s", labels=["queue"]
    )
    for name in sorted({*QUEUES, *seen}):
        gauge.add_metric([name], seen[name])
    return gauge


def _judgments() -> GaugeMetricFamily:
    return GaugeMetricFamily("variorum_judgments", "Judgments stored", value=Judgment.objects.count())


def _seals() -> GaugeMetricFamily:
    last = Seal.objects.aggregate(last=Max("number"))["last"] or 0
    return GaugeMetricFamily("variorum_record_seals", "Seals of the record", value=last)
