"""`manage.py import_pools FOLDER --slug S`: pools of BIRCO or BEIR, to be ranked and scored."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandParser

from common.console import bar, in_one_sentence
from common.wording import counted
from retrieval.corpora.runs.of_folders import load_pools


class Command(BaseCommand):
    help = (
        "Make a corpus, topics, judgments and a run of the pools in a BEIR folder or a set of BIRCO's: each "
        "pool in an order drawn from a seed; all of it or nothing."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument(
            "folder", type=Path, help="a BEIR folder, a folder of BIRCO's, or its .pickle or .json"
        )
        parser.add_argument("--slug", required=True, help="of the corpus and of the topics")
        parser.add_argument("--title", default="", help="default: the slug")
        parser.add_argument("--split", default="test", help="which judgments (default: test)")
        parser.add_argument("--language", default="en", help="BCP 47 tag of its documents (default: en)")
        parser.add_argument("--source", default="", help="where the pools come from")
        parser.add_argument("--licence", default="")
        parser.add_argument("--seed", type=int, default=0, help="the order is drawn from it (default: 0)")

    def handle(self, *args: Any, **options: Any) -> None:
        names = ("slug", "title", "language", "source", "licence")
        facts = {name: options[name] for name in names}
        facts["title"] = facts["title"] or facts["slug"]
        with in_one_sentence(), bar() as progress:
            made = load_pools(
                options["folder"], facts, split=options["split"], seed=options["seed"], progress=progress
            )
        pools = made.qrels.grades.values("topic").distinct().count()
        self.stdout.write(
            f'Stored: "{made.corpus.slug}", {counted(made.corpus.n_documents, "document")}, '
            f'{counted(pools, "pool")}; run "{made.run.name}", judgments "{made.qrels.name}".'
        )
