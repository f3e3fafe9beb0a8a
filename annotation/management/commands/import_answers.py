"""`manage.py import_answers S FILE --name N`: a system's answers on a study's items, beside its people."""

from __future__ import annotations

from typing import Any

from django.core.management.base import BaseCommand, CommandParser
from django.utils import timezone

from annotation.machine.imported.storing import About, import_answers
from annotation.management.console import in_one_sentence, named_study, named_user
from common.console import bar, read
from common.wording import counted


class Command(BaseCommand):
    help = (
        "Read a system's answers on a study's items, as JSON lines or RELiC's submission. "
        "(import_run reads a TREC run of a corpus.)"
    )

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("study", help="short name of the study")
        parser.add_argument(
            "file", help="lines of {item, answer} or {item, scores}, or RELiC's {id: [starts]}"
        )
        parser.add_argument("--name", required=True, help="of the system, as reports call it")
        parser.add_argument("--source", required=True, help="where the answers come from")
        parser.add_argument("--licence", required=True, help="under which they may be used")
        parser.add_argument("--by", metavar="USER", help="user name of whoever reads them in")

    def handle(self, *args: Any, **options: Any) -> None:
        study, by = named_study(options["study"]), named_user(options["by"])
        with in_one_sentence(), bar() as progress:
            data, name = read(options["file"])
            about = About(options["name"], options["source"], options["licence"])
            reader = import_answers(study, data, name, about, by=by, now=timezone.now(), progress=progress)
        kept = reader.answer_file
        self.stdout.write(f"{reader.name}, {reader.title}: {counted(kept.n_answers, 'item')}, {kept.sha256}.")
        if kept.n_tied:
            self.stdout.write(f"{kept.n_tied:,} had two highest scores: the first in canonical order counts.")
        if kept.n_passed_over:
            self.stdout.write(f"{kept.n_passed_over:,} quotations of the file are not in the study.")
