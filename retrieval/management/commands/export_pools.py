"""`manage.py export_pools JOB --output pools.jsonl --qrels qrels.txt`: candidate pools as files."""

from __future__ import annotations

from contextlib import ExitStack
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser

from common.console import in_one_sentence, whole
from common.wording import counted
from retrieval.candidates.pool_export import export_pools
from retrieval.models import CandidateJob


class Command(BaseCommand):
    help = "Write a job's candidate pools, each in an order drawn from its seed; the right answers apart."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("job", type=int, help="the job's number")
        parser.add_argument("--format", choices=["jsonl"], default="jsonl", help="one query a line")
        parser.add_argument("--output", type=Path, metavar="FILE", help="write there instead of printing")
        parser.add_argument(
            "--qrels", type=Path, metavar="FILE", help="write the right passages there, as TREC qrels"
        )

    def handle(self, *args: Any, **options: Any) -> None:
        job = CandidateJob.objects.select_related("book").filter(pk=options["job"]).first()
        if job is None:
            raise CommandError(f"There is no job {options['job']}; the page of a book lists its jobs.")
        output, qrels = options["output"], options["qrels"]
        if output is not None and output == qrels:
            raise CommandError("--output and --qrels are one file; the right answers must stand in another.")
        written = 0
        with in_one_sentence(), ExitStack() as files:
            found = export_pools(job)
            lines = files.enter_context(whole(output)) if output else None
            answers = files.enter_context(whole(qrels)) if qrels else None
            for each in found:
                if lines:
                    lines.write(each.line + "\n")
                else:
                    self.stdout.write(each.line)
                if answers:
                    answers.write(each.qrel + "\n")
                written += 1
        for path in filter(None, (output, qrels)):
            self.stderr.write(f"Wrote {path}: {counted(written, 'pool')}.")
