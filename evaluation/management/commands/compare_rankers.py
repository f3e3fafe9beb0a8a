"""`manage.py compare_rankers --book B --rankers bm25,dense:NAME`: RELiC's Table 3 for a book."""

from __future__ import annotations

from argparse import ArgumentParser
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError
from tqdm import tqdm

from common.errors import BadInput
from evaluation.management.commands.rank_report import find
from evaluation.management.commands.report import resamples
from evaluation.management.console import give
from evaluation.metrics.common.intervals import RESAMPLES
from evaluation.ranking.comparison import compare, latest_proxy
from evaluation.ranking.comparison_formats import FORMATS
from retrieval.management.named import named
from retrieval.models import Book


class Command(BaseCommand):
    help = "Recall@k, mean rank and proxy accuracy of several rankers by context, with paired tests."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("--book", required=True, help="slug of the book")
        parser.add_argument("--rankers", required=True, help="bm25,dense:NAME,…; compared with the first")
        parser.add_argument(
            "--proxy",
            type=int,
            metavar="JOB",
            help="of the proxy task (default: the last BM25 job)",
        )
        parser.add_argument("--seed", type=int, default=0)
        parser.add_argument(
            "--resamples", type=resamples, default=RESAMPLES, help="for the intervals (default: %(default)s)"
        )
        parser.add_argument("--format", choices=FORMATS, default="table")
        parser.add_argument("--output", type=Path, metavar="FILE", help="write there instead of printing")

    def handle(self, *args: Any, **options: Any) -> None:
        book = named(Book, options["book"])
        specs = [part.strip() for part in options["rankers"].split(",") if part.strip()]
        if not specs:
            raise CommandError("No ranker is named; write --rankers bm25,dense:NAME.")
        proxy = latest_proxy(book) if options["proxy"] is None else find(options["proxy"])
        try:
            with tqdm(disable=None, unit="excerpt") as bar:

                def progress(name: str, done: int, total: int) -> None:
                    bar.set_description_str(name, refresh=False)
                    bar.total, bar.n = total, done
                    bar.refresh()

                found = compare(
                    book,
                    specs,
                    proxy=proxy,
                    seed=options["seed"],
                    resamples=options["resamples"],
                    progress=progress,
                )
        except BadInput as error:
            raise CommandError(str(error)) from None
        except KeyboardInterrupt:
            raise CommandError("Stopped; nothing was written.", returncode=130) from None
        give(self, [FORMATS[options["format"]].render(found)], options["output"])
