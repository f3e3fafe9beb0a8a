"""A data set → a study: checked as a whole, stored in one transaction, and then compared with its files.

What is stored is written again, in memory, and every line must be the one that was read. So nothing is taken
that would come back as something else: a digest, a count or a `correct` that does not follow from the rest.
"""

from __future__ import annotations

import tempfile
from collections.abc import Callable
from itertools import zip_longest
from pathlib import Path
from typing import Any

from django.contrib.auth.models import User
from django.db import DataError, IntegrityError, transaction

from annotation.dataset.checking import check, line_of, object_of, refuse_other, wrong
from annotation.dataset.columns import TABLES, VERSION, Table
from annotation.dataset.describing.about import MOMENTS, PLAIN, about
from annotation.dataset.describing.package import NAME, STUDY, digest_of, measured, package
from annotation.dataset.earlier import brought_up
from annotation.dataset.files import rows_of
from annotation.dataset.lines import lines
from annotation.dataset.record import IMPORT
from annotation.dataset.storing.asked import ODD
from annotation.dataset.storing.judged import Stored
from annotation.models import Enrolment, Event, ReadFrom, Role, Study
from annotation.people.enrolments import next_pseudonym
from annotation.tasktypes import registry
from annotation.tasktypes.base import Invalid
from common.errors import BadInput
from common.progress import Progress, silent


def read_dataset(folder: Path, owner: User | None, progress: Progress = silent) -> Study:
    """Store the study of a data set, whole or not at all; `owner` becomes its researcher.

    Its readers are pseudonyms without a person, who cannot sign in. `progress` is told of lines, each of
    which is read and then compared. Raises `BadInput` with file, line and field.
    """
    said, sha256 = check(folder)
    if said.get("version") == VERSION:
        return _stored(folder, said, sha256, owner, progress)
    with tempfile.TemporaryDirectory(prefix="variorum-data-set-") as temporary:
        again = Path(temporary) / "data-set"
        return _stored(again, brought_up(folder, said, again), sha256, owner, progress)


def _stored(folder: Path, said: dict[str, Any], sha256: str, owner: User | None, progress: Progress) -> Study:
    """Store a data set of this version; `sha256`: of the datapackage.json that was read."""
    refuse(folder, said)
    come = come_far(folder, progress)
    try:
        with transaction.atomic():
            stored = Stored(folder, said)
            stored.progress = come
            study = stored.everything()
            known = {name: said[name] for name in ("books", "sources", "jobs", "job")}
            read = ReadFrom.objects.create(
                study=study, sha256=sha256, licence=said["licence"], origins=known, owner=None
            )
            if owner is not None:
                read.owner = Enrolment.objects.create(
                    study=study, user=owner, role=Role.RESEARCHER,
                    pseudonym=next_pseudonym(study, Role.RESEARCHER),
                )  # fmt: skip
                read.save(update_fields=["owner"])
                Study.objects.filter(pk=study.pk).update(created_by=owner)
            Event.objects.create(study=study, actor=owner, verb=IMPORT, data={"sha256": sha256})
            try:
                compare(folder, said, study, come)
            except BadInput:
                raise
            except ODD as error:
                raise BadInput(f"{folder}: cannot be written again as it stands ({error!r:.200}).") from None
    except (IntegrityError, DataError) as error:
        raise BadInput(f"{folder}: what it holds contradicts itself ({error}). Nothing was stored.") from None
    return Study.objects.get(pk=study.pk)


def refuse(folder: Path, said: dict[str, Any]) -> None:
    """Raise `BadInput` where study.json lacks a field, for an unknown task, and for a name that is taken."""
    data = (folder / STUDY).read_bytes()
    try:
        registry.get(str(said.get("task")))
    except Invalid as error:
        raise wrong(STUDY, line_of(data, "task"), "task", str(error)) from None
    if missing := sorted(REQUIRED - set(said)):
        raise wrong(STUDY, 1, missing[0], "is missing.")
    for name, kind in ORIGINS.items():
        rows = said[name].values() if isinstance(said[name], dict) else said[name]
        if not isinstance(said[name], kind) or not all(isinstance(each, dict) for each in rows):
            raise wrong(STUDY, line_of(data, name), name, "must hold objects alone.")
        if kind is list and not all(isinstance(each.get("sha256"), str) for each in rows):
            raise wrong(STUDY, line_of(data, name), name, "must name each by its sha256.")
    if Study.objects.filter(slug=said["slug"]).exists():
        raise wrong(
            STUDY, line_of(data, "slug"), "slug",
            f"there is a study “{said['slug']}” here already: read it into an installation without it.",
        )  # fmt: skip


REQUIRED = {
    *PLAIN, *MOMENTS, "version", "licence", "rate", "guidelines", "consents", "prompts", "machine_readers",
    "sample", "books", "sources", "jobs", "job",
}  # fmt: skip

SAID_EVERY = 500
"""Lines between two words on how far it is."""
ORIGINS = {"books": list, "sources": list, "jobs": dict}


def come_far(folder: Path, progress: Progress) -> Callable[[int, str], None]:
    """Return what is called with so many lines more and what is done with them, of all that there are."""
    done, total = 0, 0
    for each in TABLES:
        with (folder / each.path).open("rb") as file:
            total += 2 * sum(1 for _ in file)

    def come(lines: int, stage: str) -> None:
        nonlocal done
        done += lines
        progress(done, total, stage)

    return come


def compare(folder: Path, said: dict[str, Any], study: Study, come: Callable[[int, str], None]) -> None:
    """Write the study again and raise `BadInput` at the first line that is another than was read."""
    study = Study.objects.get(pk=study.pk)
    found = about(study, said["licence"])
    for field in sorted({*found, *said}):
        if field not in found or field not in said or digest_of(found[field]) != digest_of(said[field]):
            data = (folder / STUDY).read_bytes()
            raise wrong(STUDY, line_of(data, field), field, "does not follow from the rest.")
    rows = rows_of(study)
    for table in TABLES:
        same(folder, table, lines(table, rows[table.name]()), come)
    same_package(folder, package(found, measured(folder)))


def same_package(folder: Path, found: dict[str, Any]) -> None:
    """Raise `BadInput` at the first field of datapackage.json that says something else than what is read.

    Descriptions are left out: another release words them otherwise.
    """
    data = (folder / NAME).read_bytes()
    told = object_of(NAME, data)
    for field in sorted({*found, *told}):
        if facts(told.get(field)) != facts(found.get(field)):
            raise wrong(NAME, line_of(data, field), field, "does not follow from the rest of the data set.")


def facts(value: Any) -> Any:
    """Return a JSON value without the descriptions in it."""
    if isinstance(value, dict):
        return {name: facts(each) for name, each in value.items() if name != "description"}
    return [facts(each) for each in value] if isinstance(value, list) else value


def same(folder: Path, table: Table, written: Any, come: Callable[[int, str], None]) -> None:
    """Raise `BadInput` at the first line of a table that is another than what is written now."""
    with (folder / table.path).open(encoding="utf-8", newline="\n") as file:
        for number, (told, found) in enumerate(zip_longest(file, written), 1):
            if told is None or found is None:
                raise BadInput(f"{table.path}, line {number}: does not follow from the rest of the data set.")
            if told != found:
                refuse_other(table, number, told, found)
            if not number % SAID_EVERY:
                come(SAID_EVERY, f"comparing {table.name}")
