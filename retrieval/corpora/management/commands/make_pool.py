"""`manage.py make_pool RUN ... --corpus C --depth K`: what is to be judged."""

from __future__ import annotations

from typing import Any

from django.core.management.base import BaseCommand, CommandParser

from common.console import bar, in_one_sentence
from common.wording import counted
from retrieval.corpora.runs import naming, pools


class Command(BaseCommand):
    help = "Pool the first documents of some runs. A second pool holds only what is new."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("runs", nargs="+", metavar="RUN")
        parser.add_argument("--corpus", required=True, metavar="SLUG")
        parser.add_argument("--depth", type=int, default=100, metavar="K", help="of each run (default: 100)")

    def handle(self, *args: Any, **options: Any) -> None:
        with in_one_sentence(), bar() as progress:
            corpus = naming.corpus(options["corpus"])
            runs = [naming.run(corpus, name) for name in options["runs"]]
            pool = pools.make(runs, options["depth"], progress=progress)
        topics = pool.entries.values("topic").distinct().count()
        self.stdout.write(
            f"{pool}: {counted(pool.entries.count(), 'document')} to judge for {counted(topics, 'topic')}."
        )
        for name, gave in pool.counts.items():
            self.stdout.write(f"  {name}: {gave['gave']:,}, of which no other run gave {gave['alone']:,}")
