"""`manage.py corpus_of_pools JOB --slug S`: the candidate pools of a job as a corpus with topics."""

from __future__ import annotations

from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser

from common.console import in_one_sentence
from common.wording import counted
from retrieval.corpora.runs.of_candidates import collection_of
from retrieval.models import CandidateJob


class Command(BaseCommand):
    help = (
        "Make a corpus of the passages in a job's candidate pools, topics of its excerpts, a run of each "
        "pool in an order drawn from the seed, and judgments of the right passages; all of it or nothing."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("job", type=int, help="the job's number")
        parser.add_argument("--slug", required=True, help="of the corpus and of the topics")
        parser.add_argument("--title", default="", help="default: the job and its book")

    def handle(self, *args: Any, **options: Any) -> None:
        job = CandidateJob.objects.select_related("book").filter(pk=options["job"]).first()
        if job is None:
            raise CommandError(f"There is no job {options['job']}; the page of a book lists its jobs.")
        with in_one_sentence():
            made = collection_of(job, options["slug"], options["title"])
        self.stdout.write(
            f'Stored: "{made.corpus.slug}", {counted(made.corpus.n_documents, "passage")} for '
            f'{counted(made.topics.members.count(), "topic")}; run "{made.run.name}", judgments '
            f'"{made.qrels.name}".'
        )
