"""`manage.py import_answers S FILE --name N`, or `--ranker R`: a system's answers beside a study's people."""

from __future__ import annotations

from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser
from django.utils import timezone

from annotation.machine.imported.rankers import answer
from annotation.machine.imported.storing import About, import_answers
from annotation.management.console import in_one_sentence, named_study, named_user
from annotation.models import MachineReader
from common.console import bar, read
from common.wording import counted
from retrieval.management.commands.generate import add_settings


class Command(BaseCommand):
    help = (
        "Read a system's answers on a study's items, as JSON lines or RELiC's submission. "
        "(import_run reads a TREC run of a corpus.)"
    )

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("study", help="short name of the study")
        parser.add_argument(
            "file", nargs="?", help="lines of {item, answer} or {item, scores}, or RELiC's {id: [starts]}"
        )
        parser.add_argument("--name", help="of the system, as reports call it")
        parser.add_argument("--source", help="where the answers come from")
        parser.add_argument("--licence", help="under which they may be used")
        parser.add_argument(
            "--ranker",
            metavar="R",
            help="instead of a file: let a ranker of ours answer, such as bm25 or dense:NAME; of each item's "
            "passages the one with the highest score",
        )
        add_settings(parser, "with --ranker: a parameter of it, such as k1=1.2; may be repeated")
        parser.add_argument("--by", metavar="USER", help="user name of whoever reads them in")

    def handle(self, *args: Any, **options: Any) -> None:
        study, by = named_study(options["study"]), named_user(options["by"])
        now = timezone.now()
        if bool(options["file"]) == bool(options["ranker"]):
            raise CommandError("Give a file of answers, or --ranker: one of the two.")
        with in_one_sentence(), bar() as progress:
            if options["ranker"]:
                ranker, settings, name = options["ranker"], dict(options["set"]), options["name"] or ""
                reader = answer(
                    study, ranker, by=by, now=now, settings=settings, name=name, progress=progress
                )
            else:
                data, name = read(options["file"])
                about = About(*(self.needed(options, field) for field in About._fields))
                reader = import_answers(study, data, name, about, by=by, now=now, progress=progress)
        self.tell(reader)

    def needed(self, options: dict[str, Any], field: str) -> str:
        """Return what must be said of a file."""
        if not options[field]:
            raise CommandError(f"Say --{field} of the file: it stands beside every number of its answers.")
        return str(options[field])

    def tell(self, reader: MachineReader) -> None:
        """Say what was stored."""
        kept = reader.answer_file
        self.stdout.write(f"{reader.name}, {reader.title}: {counted(kept.n_answers, 'item')}, {kept.sha256}.")
        if kept.n_tied:
            self.stdout.write(f"{kept.n_tied:,} had two highest scores: the first in canonical order counts.")
        if kept.n_passed_over:
            self.stdout.write(f"{kept.n_passed_over:,} quotations of the file are not in the study.")
