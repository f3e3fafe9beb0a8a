"""`manage.py encode_book --book emma --ranker dense:minilm --size 1`: vectors for searches, in a job."""

from __future__ import annotations

from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser

from common.errors import BadInput
from retrieval.dense import encoding_jobs
from retrieval.management.following import follow
from retrieval.management.named import named
from retrieval.models import Book, Status


class Command(BaseCommand):
    help = "Encode all passages of one length of a book, so that it can be searched with dense encoders."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("--book", required=True, help="slug of the book")
        parser.add_argument("--ranker", required=True, metavar="RANKER:NAME", help="such as dense:minilm")
        parser.add_argument("--size", type=int, default=1, help="sentences in each passage (default: 1)")

    def handle(self, *args: Any, **options: Any) -> None:
        try:
            job = encoding_jobs.submit(named(Book, options["book"]), options["ranker"], options["size"])
        except BadInput as error:
            raise CommandError(str(error)) from None
        self.stdout.write(f"{job}.")
        try:
            follow(job, encoding_jobs.attempt, self.stderr.write)
        except KeyboardInterrupt:
            raise CommandError(
                "Stopped; a worker begins it again, and so does the same command.", returncode=130
            ) from None
        if job.status != Status.DONE:
            raise CommandError(job.error or "The encoding was cancelled.")
        self.stdout.write(f"Encoded: {job.total:,} passages; search them at {job.get_absolute_url()}")
