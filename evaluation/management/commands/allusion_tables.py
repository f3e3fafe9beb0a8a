"""`manage.py allusion_tables --corpus C --topics T`: Tables 2, 3 and 4 of the paper on allusions."""

from __future__ import annotations

from argparse import ArgumentParser
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand

from common.console import in_one_sentence
from evaluation.allusion import measuring
from evaluation.allusion.formats import FORMATS
from evaluation.allusion.measuring import NUMBERS, Asked
from evaluation.allusion.systems import EVERY
from evaluation.management.commands.report import resamples
from evaluation.management.console import give
from evaluation.metrics.common.intervals import RESAMPLES
from retrieval.corpora.management.asking import add_corpus_and_topics
from retrieval.corpora.runs import naming


class Command(BaseCommand):
    help = (
        "Lexical, semantic and hybrid rankers on allusive queries: MRR, P@10 and P@20 of stored runs with "
        "intervals and paired tests, beside what Manjavacas et al. (2019) print."
    )

    def add_arguments(self, parser: Any) -> None:
        add_corpus_and_topics(parser)
        parser.add_argument("--qrels", default="", help="name of the judgments (default: that of the topics)")
        parser.add_argument(
            "--table",
            type=int,
            action="append",
            choices=NUMBERS,
            help="may be given more than once; default: all",
        )
        _add_choices(parser)
        parser.add_argument("--no-paper", action="store_true", help="leave the paper's values out")
        parser.add_argument("--seed", type=int, default=0)
        parser.add_argument("--resamples", type=resamples, default=RESAMPLES, help="default: %(default)s")
        parser.add_argument("--format", choices=tuple(FORMATS), default="table")
        parser.add_argument("--output", type=Path, metavar="FILE", help="write there instead of printing")

    def handle(self, *args: Any, **options: Any) -> None:
        with in_one_sentence():
            corpus, topics = naming.corpus(options["corpus"]), naming.topic_set(options["topics"])
            asked = Asked(
                corpus,
                topics,
                options["qrels"] or topics.slug,
                0,
                tuple(options["wording"]),
                options["vectors"],
                options["system"],
                options["compare"],
                not options["no_paper"],
            )
            found, missing = measuring.tables(
                asked, options["table"] or (), options["seed"], options["resamples"]
            )
        for sentence in missing:
            self.stderr.write(sentence)
        give(self, [FORMATS[options["format"]].render(found)], options["output"])


def _add_choices(parser: ArgumentParser) -> None:
    parser.add_argument(
        "--wording",
        action="append",
        default=[],
        metavar="NAME",
        help="of the queries; for table 4 as often as there are columns (default: manual, else source, else "
        "title; in table 4 manual, source and every window)",
    )
    parser.add_argument(
        "--vectors", default="", metavar="NAME", help="word vectors of tables 2 and 4 (default: of most runs)"
    )
    parser.add_argument(
        "--system", default="", choices=[each.key for each in EVERY], help="of table 4 (default: the best)"
    )
    parser.add_argument(
        "--compare",
        default="",
        metavar="COLUMN",
        help="test every system against this one, such as tfidf or tfidf:tokens (default: the best)",
    )
