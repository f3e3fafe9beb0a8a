"""`manage.py fuse_runs RUN RUN ... --corpus C --name N`: several runs as one, by reciprocal ranks."""

from __future__ import annotations

from typing import Any

from django.core.management.base import BaseCommand, CommandParser

from common.console import bar, in_one_sentence
from common.wording import counted
from retrieval.corpora.runs import fusing, naming
from retrieval.engine.ranking.fusion import RRF_K


class Command(BaseCommand):
    help = "Fuse two runs or more into a new one, which names them: the sum of 1 / (k + rank) decides."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("runs", nargs="+", metavar="RUN")
        parser.add_argument("--corpus", required=True, metavar="SLUG")
        parser.add_argument("--name", required=True, help="of the new run: letters, digits, - and _")
        parser.add_argument("--k", type=float, default=RRF_K, help=f"added to every rank (default: {RRF_K})")
        parser.add_argument(
            "--depth", type=int, default=1_000, help="documents kept of each topic (default: 1000)"
        )

    def handle(self, *args: Any, **options: Any) -> None:
        with in_one_sentence(), bar() as progress:
            corpus = naming.corpus(options["corpus"])
            runs = [naming.run(corpus, name) for name in options["runs"]]
            run = fusing.fuse(
                runs, options["name"], k=options["k"], depth=options["depth"], progress=progress
            )
        self.stdout.write(f'Stored: "{run.name}" ({run.ranker}), {counted(run.rows.count(), "row")}.')
