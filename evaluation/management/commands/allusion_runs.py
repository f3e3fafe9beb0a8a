"""`manage.py allusion_runs --corpus C --topics T`: the runs that the tables on allusions lack."""

from __future__ import annotations

from argparse import ArgumentParser
from typing import Any

from django.core.management.base import BaseCommand

from common.console import bar, in_one_sentence
from common.errors import BadInput
from common.wording import counted
from evaluation.allusion import missing
from evaluation.allusion.systems import EVERY, LEMMAS, TOKENS, WORDS
from evaluation.management.commands.evaluate_runs import at_least_one
from evaluation.values.wording import listed
from retrieval.corpora.management.asking import add_corpus_and_topics
from retrieval.corpora.runs import naming


class Command(BaseCommand):
    help = (
        "Make every run that Tables 2, 3 and 4 of the paper on allusions lack: each system on tokens and "
        "lemmas, for each wording of the queries. What is here is left; interrupted, it goes on when the "
        "command is run again."
    )

    def add_arguments(self, parser: Any) -> None:
        add_corpus_and_topics(parser)
        parser.add_argument(
            "--system",
            action="append",
            default=[],
            choices=[each.key for each in EVERY],
            help="may be given again (default: all)",
        )
        parser.add_argument(
            "--words", choices=WORDS, action="append", help="what is compared (default: tokens and lemmas)"
        )
        parser.add_argument(
            "--wording",
            action="append",
            default=[],
            metavar="NAME",
            help="of the queries, may be given again (default: manual, source and every window)",
        )
        _add_named(parser)
        parser.add_argument("--genres", nargs="+", default=[], help="of the documents (default: all)")
        parser.add_argument(
            "--depth",
            type=at_least_one,
            default=missing.DEPTH,
            help="documents kept of each topic (default: %(default)s)",
        )
        parser.add_argument("--dry-run", action="store_true", help="say what is missing, and make nothing")

    def handle(self, *args: Any, **options: Any) -> None:
        with in_one_sentence():
            asked = _asked(options)
            found = missing.missing(asked)
            for sentence, named in found.refused.items():
                self.stderr.write(f"Not made: {listed(named)}. {sentence}")
            self.stderr.write(f"{counted(found.there, 'run')} here, {len(found.wanted):,} to make.")
            if options["dry_run"]:
                for each in found.wanted:
                    self.stdout.write(each.name)
                return
            failed = 0
            with bar() as progress:
                for run in missing.make(asked, found.wanted, progress=progress):
                    if isinstance(run, BadInput):
                        failed += 1
                        self.stderr.write(str(run))
                        continue
                    self.stdout.write(f'Stored: "{run.name}" ({run.ranker}), {counted(run.n_rows, "row")}.')
                    for note in run.notes:
                        self.stdout.write(f"  {note}")
            if failed:
                raise BadInput(
                    f"{failed:,} of {counted(len(found.wanted), 'run')} could not be made; see above."
                )


def _add_named(parser: ArgumentParser) -> None:
    parser.add_argument(
        "--vectors", default="", metavar="NAME", help="word vectors (default: the only ones there are)"
    )
    parser.add_argument(
        "--vectors-of-lemmas",
        default="",
        metavar="NAME",
        help="word vectors for lemmas, where others are for tokens",
    )
    parser.add_argument(
        "--lemmas", default="", metavar="NAME", help="lemma table, where texts have no lemmas"
    )
    parser.add_argument("--synonyms", default="", metavar="NAME", help="synonym table of SCwn")
    parser.add_argument("--stop-list", default="", metavar="NAME", help="words that are not compared")


def _asked(options: dict[str, Any]) -> missing.Asked:
    vectors = options["vectors"]
    return missing.Asked(
        naming.corpus(options["corpus"]),
        naming.topic_set(options["topics"]),
        options["system"],
        tuple(dict.fromkeys(options["words"] or WORDS)),
        options["wording"],
        {name: options[name] for name in ("lemmas", "synonyms", "stop_list")},
        {TOKENS: vectors, LEMMAS: options["vectors_of_lemmas"] or vectors},
        options["genres"],
        options["depth"],
    )
