"""What a system answered, stored as the readings of a machine reader: all of them, or none."""

from __future__ import annotations

import re
from datetime import datetime
from pathlib import Path
from typing import Any, NamedTuple

from django.contrib.auth.models import User
from django.db import transaction

from annotation.machine.imported.items import counted
from annotation.machine.imported.reading import ReadAnswers, Said, read
from annotation.machine.readers import next_name
from annotation.machine.replies import storable
from annotation.models import AnswerFile, AnswerForm, Event, MachineReader, MachineReading, Origin, Study
from common.errors import BadField, BadInput
from common.progress import Progress, silent
from common.tables import csv

LONGEST_NAME, LONGEST_SOURCE, LONGEST_LICENCE = 50, 500, 200
UNSEEN = re.compile(f"[{csv.UNSEEN}]")
"""Two names that look alike would be two, or one would be read backwards."""
AT_ONCE = 1000
MOST_AT_ONCE = 5_000
"""Items whose answers are read within a request; the command reads any number."""


class About(NamedTuple):
    """What whoever reads answers in says of them.

    name: of the system, as pages call it.
    source: where the answers come from: a paper, an address, who ran what.
    licence: under which they may be used.
    """

    name: str
    source: str
    licence: str


def import_answers(
    study: Study,
    data: bytes,
    file: str,
    about: About,
    *,
    by: User | None,
    now: datetime,
    progress: Progress = silent,
) -> MachineReader:
    """Read a file of a system's answers, and store them as a machine reader of the study.

    Raises:
        BadInput: something is wrong in the file, or in what is said about it; nothing is stored.
    """
    said = checked_about(about)
    refuse_known(study, said.name)
    return store(study, read(study, data, file, progress), said, by=by, now=now, progress=progress)


def refuse_many(study: Study) -> None:
    """Raise `BadInput` where reading the answers would take longer than a page should."""
    n = counted(study).count()
    if n > MOST_AT_ONCE:
        raise BadInput(
            f"The study has {n:,} items; a page reads answers to {MOST_AT_ONCE:,} at most. Use the command: "
            f"manage.py import_answers {study.slug} FILE --name N --source S --licence L."
        )


def checked_about(about: About) -> About:
    """Return what is said without blanks around it. Raises `BadField` for what is missing or unseen."""
    longest = {"name": LONGEST_NAME, "source": LONGEST_SOURCE, "licence": LONGEST_LICENCE}
    for field, value in about._asdict().items():
        text = " ".join(storable(value).split())
        if not text:
            raise BadField(field, f"Say the {field}: it stands beside every number of these answers.")
        if found := UNSEEN.search(text):
            sign = f"U+{ord(found[0]):04X}"
            raise BadField(field, f"The {field} holds {sign}, a character that nobody sees: leave it out.")
        if len(text) > longest[field]:
            raise BadField(field, f"The {field} has {len(text):,} characters; at most {longest[field]} fit.")
        about = about._replace(**{field: text})
    return about


def refuse_known(study: Study, name: str) -> None:
    """Raise `BadField` where the study has answers of that name."""
    there = study.machine_readers.exclude(origin=Origin.ASKED).filter(endpoint=name).first()
    if there is not None:
        raise BadField(
            "name",
            f"“{study.slug}” has answers of “{name}” already, as {there.name}: what was read in is not "
            "changed. Choose another name, or delete that reader.",
        )


def store(
    study: Study,
    found: ReadAnswers,
    about: About,
    *,
    by: User | None,
    now: datetime,
    details: dict[str, Any] | None = None,
    progress: Progress = silent,
) -> MachineReader:
    """Store answers that were read. Raises `BadInput` where the study has the same already, or its items are
    others by now.
    """
    is_ranker = found.form == AnswerForm.RANKER
    with transaction.atomic():
        Study.objects.select_for_update(no_key=True).get(pk=study.pk)
        refuse_known(study, about.name)
        if set(counted(study).values_list("pk", flat=True)) != {each.item.pk for each in found.said}:
            raise BadInput("The study’s items changed while the answers were read: read them once more.")
        same = AnswerFile.objects.filter(reader__study=study, sha256=found.sha256, form=found.form)
        if not is_ranker and (there := same.select_related("reader").first()):
            raise BadInput(f"The same file was read before, as {there.reader.name}: nothing was stored.")
        reader: MachineReader = study.machine_readers.create(
            name=next_name(study),
            origin=Origin.RANKER if is_ranker else Origin.FILE,
            endpoint=about.name,
            replicates=1,
            repeated=0,
            created_by=by,
        )
        _file_of(reader, found, about, details or {}, by).save()
        for start in range(0, len(found.said), AT_ONCE):
            rows = [reading(reader, each, now) for each in found.said[start : start + AT_ONCE]]
            MachineReading.objects.bulk_create(rows)
            progress(start + len(rows), len(found.said), "storing")
        told = {"reader": reader.name, "sha256": found.sha256, "answers": len(found.said)}
        Event.objects.create(study=study, actor=by, verb="machine reader", data=told)
    return reader


def _file_of(
    reader: MachineReader, found: ReadAnswers, about: About, details: dict[str, Any], by: User | None
) -> AnswerFile:
    is_ranker = found.form == AnswerForm.RANKER
    return AnswerFile(
        reader=reader,
        # Not the folders, which name whoever ran the command: this goes into exports.
        name=storable(found.name if is_ranker else Path(found.name).name)[-200:],
        sha256=found.sha256,
        form=found.form,
        source=about.source,
        licence=about.licence,
        n_answers=len(found.said),
        n_passed_over=max(0, found.passed_over),
        n_tied=sum(each.tied for each in found.said),
        details=details,
        created_by=by,
    )


def reading(reader: MachineReader, said: Said, now: datetime) -> MachineReading:
    """Return the row of what was said of an item, not stored yet."""
    made = MachineReading(
        reader=reader,
        item=said.item,
        state=said.state,
        answer=said.answer,
        reason=storable(said.reason),
        text=said.text,
        asked=0,
        item_digest=said.item.digest,
        created=now,
    )
    made.derive()
    return made
