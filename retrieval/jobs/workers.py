"""Which workers are there: each stores a sign of life every few seconds, and pages read it."""

from __future__ import annotations

from collections.abc import Collection
from datetime import timedelta

from django.db.models import F
from django.db.models.functions import Now

from retrieval.jobs import restarts
from retrieval.models import Worker

REPORT_SECONDS = 10
"""How often a worker says that it is there."""
ABSENT_SECONDS = 25
"""Silent for longer, a worker counts as gone: pages say so within half a minute."""
FORGOTTEN_AFTER = timedelta(days=1)


def report(name: str, queues: Collection[str]) -> None:
    """Store that the worker `name` is there for `queues`; delete workers not seen for a day."""
    Worker.objects.bulk_create(
        [Worker(name=name[:200], queues=sorted(queues), seen=Now())],
        update_conflicts=True,
        unique_fields=["name"],
        update_fields=["queues", "seen"],
    )
    Worker.objects.filter(seen__lt=Now() - FORGOTTEN_AFTER).delete()


def leave(name: str) -> None:
    """Delete a worker that stops, so that pages know at once."""
    Worker.objects.filter(name=name[:200]).delete()


def seconds_since_seen(queue: str, host: str = "") -> float | None:
    """Return the seconds since a worker for `queue` was last seen, by the database's clock; None if never.

    One that is known to have ended counts as never seen. `host`: only workers of that machine.
    """
    rows = Worker.objects.annotate(ago=Now() - F("seen")).values_list("name", "queues", "ago")
    ended = restarts.ended_worker_suffix()
    seen = [
        ago.total_seconds()
        for name, queues, ago in rows
        if queue in queues and f"@{host}-" * bool(host) in name and not (ended and name.endswith(ended))
    ]
    return max(0.0, min(seen)) if seen else None


def is_absent(queue: str) -> bool:
    """Return whether no worker is there for `queue`."""
    quiet = seconds_since_seen(queue)
    return quiet is None or quiet > ABSENT_SECONDS
