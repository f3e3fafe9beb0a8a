"""How far the machine readers of a study are: readings by state, what they took, their last jobs."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from typing import Any

from django.db.models import Count, Exists, OuterRef, Q, Sum

from annotation.models import MachineJob, MachinePurpose, MachineReader, MachineReading, ReadingState, Study


def tally(reader: MachineReader) -> dict[str, Any]:
    """Return how many readings are in each state, were asked twice, and what they took in tokens."""
    return tallies([reader])[reader.pk]


def tallies(readers: Sequence[MachineReader]) -> dict[int, dict[str, Any]]:
    """Return the `tally` of each reader by its key: one query for all."""
    nothing = {"prompt_tokens": None, "completion_tokens": None, "asked_twice": 0, "instructions": 0}
    found = {each.pk: {**dict.fromkeys(ReadingState.values, 0), **nothing} for each in readers}
    rows = MachineReading.objects.filter(reader__in=found).order_by().values("reader", "state")
    sums = {
        "prompt_tokens": Sum("prompt_tokens"),
        "completion_tokens": Sum("completion_tokens"),
        "asked_twice": Count("pk", filter=Q(asked__gt=1)),
        "instructions": Count("pk", filter=Q(replicate=0, order=0, looks_like_instruction=True)),
    }
    counted: Iterable[Any] = rows.annotate(n=Count("pk"), **sums)
    for row in counted:
        (own := found[row["reader"]])[row["state"]] = row["n"]
        for name in sums:
            if row[name] is not None:
                own[name] = (own[name] or 0) + row[name]
    return found


def last_job(reader: MachineReader, purpose: str = MachinePurpose.READING) -> MachineJob | None:
    """Return the reader's latest job of that purpose, or None."""
    return last_jobs([reader], purpose).get(reader.pk)


def last_jobs(
    readers: Sequence[MachineReader], purpose: str = MachinePurpose.READING
) -> dict[int, MachineJob]:
    """Return the latest job of each reader that has one, by the reader's key: one query for all."""
    of = {each.pk: each for each in readers}
    rows = MachineJob.objects.filter(reader__in=of, purpose=purpose)
    newer = MachineJob.objects.filter(reader=OuterRef("reader"), purpose=purpose, pk__gt=OuterRef("pk"))
    found = {}
    for job in rows.filter(~Exists(newer)):
        job.reader = of[job.reader_id]
        found[job.reader_id] = job
    return found


def readers_of(study: Study) -> list[MachineReader]:
    """Return the machine readers of a study, in the order of their names."""
    return list(study.machine_readers.select_related("prompt", "study").order_by("pk"))


def told_of(numbers: Collection[int]) -> dict[int, str]:
    """Return what calls of these readers were for, in words."""
    rows = MachineReader.objects.filter(pk__in=numbers).values_list("pk", "name", "study__slug")
    return {pk: f"machine reader {name} of “{slug}”" for pk, name, slug in rows}
