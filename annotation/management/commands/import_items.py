"""`manage.py import_items STUDY FILE.jsonl --task T`: items of a file, into a new draft or one there is."""

from __future__ import annotations

from collections.abc import Iterable
from functools import partial
from pathlib import Path
from typing import Any

from django.contrib.auth.models import User
from django.core.management.base import BaseCommand, CommandParser

from annotation.items.files import entries
from annotation.items.payloads import Entry, checked
from annotation.management import loading_items
from annotation.management.console import in_one_sentence
from annotation.models import State, Study
from annotation.studies.build import load_file
from annotation.studies.importing.into_open import into_open
from annotation.studies.running.adding import refuse_closed
from annotation.tasktypes import registry
from common.console import bar, opened
from common.errors import BadInput
from common.progress import Progress
from common.wording import counted


class Command(BaseCommand):
    help = "Load items from a JSONL file, one a line. Run again, it adds only what is new."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("study", help="short name of a draft, or of the study to make")
        parser.add_argument("file", metavar="FILE.jsonl", help="one item a line, UTF-8")
        known = ", ".join(registry.all_types())
        parser.add_argument("--task", default="", help=f"of a new study: {known} (default: the draft’s)")
        parser.add_argument("--template", default="", help="of the task: fields that the file leaves out")
        parser.add_argument(
            "--to-open", action="store_true", help="the study is open: its readers are given the new items"
        )
        parser.add_argument(
            "--printed", action="store_true", help="with --to-open: even where an answer is then printed"
        )
        loading_items.add_study_options(parser)

    def handle(self, *args: Any, **options: Any) -> None:
        slug, about = options["study"], loading_items.study_options(options)
        with in_one_sentence(), opened(options["file"]) as (data, path):
            name = Path(path).name
            task = registry.get(options["task"] or task_of(slug))
            found = partial(entries, task, data, name, options["template"])
            if options["to_open"]:
                with bar() as progress:
                    said = to_open(slug, found(), name, about["by"], options["printed"], progress)
                self.stdout.write(said)
                return
            with bar() as progress:
                loaded = load_file(slug, task.slug, found, source=name, progress=progress, **about)
        self.stdout.write(loading_items.summary(loaded))


def to_open(
    slug: str, found: Iterable[Entry], name: str, by: User | None, printed: bool, progress: Progress
) -> str:
    """Add the items to the open study of that name; return in a sentence what was added."""
    study = Study.objects.filter(slug=slug, deleted=None).first()
    if study is None:
        raise BadInput(f"There is no study “{slug}”: --to-open adds to one that is open.")
    if study.state == State.DRAFT:
        raise BadInput(f"“{slug}” is a draft: leave --to-open out.")
    refuse_closed(study)
    ready = checked(study, found, progress)
    added = into_open(
        study,
        ready,
        by=by,
        source=name,
        printed=printed,
        tell=lambda done, total: progress(done, total, "Looking for printed answers"),
    )
    if added is None:
        return f"Nothing was new: “{slug}” has all items of the file already."
    items, places = counted(sum(added.items.values()), "item"), counted(added.places, "reading")
    return f"Added {items} to “{slug}”, which is open: {places} more are given out from now on."


def task_of(slug: str) -> str:
    """Return the task of the draft of that name. Raises `BadInput` where there is none."""
    task = Study.objects.filter(slug=slug, deleted=None).values_list("task", flat=True).first()
    if task is None:
        known = ", ".join(registry.all_types())
        raise BadInput(f"There is no study “{slug}” yet: say of which task it shall be, --task {known}.")
    return task
