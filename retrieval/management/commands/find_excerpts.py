"""`manage.py find_excerpts --book B --source S`: where critics quote books, one pair or a whole shelf."""

from __future__ import annotations

from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser

from common.console import bar, in_one_sentence, table
from common.tables.text import aligned
from common.wording import counted
from retrieval.curating.exclusions import LABELS
from retrieval.loading import find_excerpts, many
from retrieval.loading import jobs as loading_jobs
from retrieval.management.following import follow_or_stop
from retrieval.management.named import named
from retrieval.models import Book, LoadingJob, Source, Status
from retrieval.models.texts import HEAVY


class Command(BaseCommand):
    help = "Find where sources quote books. Running it again adds nothing."

    def add_arguments(self, parser: CommandParser) -> None:
        for name in ("book", "source"):
            which = parser.add_mutually_exclusive_group()
            which.add_argument(
                f"--{name}", action="append", default=[], help=f"slug of the {name}; may be repeated"
            )
            which.add_argument(f"--all-{name}s", action="store_true", help=f"every {name}")
        parser.add_argument(
            "--again", action="store_true", help="of many: also pairs that this version has searched"
        )
        parser.add_argument("--resume", type=int, metavar="SEARCH", help="go on with a search of many pairs")

    def handle(self, *args: Any, **options: Any) -> None:
        every = options["all_books"], options["all_sources"]
        if options["resume"] is not None:
            self.followed(self.resumed(options["resume"]))
            return
        for name, all_of in zip(("book", "source"), every, strict=True):
            if not options[name] and not all_of:
                raise CommandError(f"Say which: --{name} SLUG (may be repeated) or --all-{name}s.")
        books = [named(Book, slug) for slug in options["book"]]
        sources = [named(Source, slug) for slug in options["source"]]
        if not any(every) and len(books) == len(sources) == 1:
            self.one(books[0], sources[0])
            return
        if options["all_books"]:
            books = list(Book.objects.defer(*HEAVY))
        if options["all_sources"]:
            sources = list(Source.objects.exclude(text="").defer("text", "notes"))
        with in_one_sentence():
            found = many.pairs(sources, books, again=options["again"])
            job = loading_jobs.submit_searches(found)
        for each in many.left_out(found):
            self.stdout.write(each)
        self.followed(job)

    def one(self, book: Book, source: Source) -> None:
        """Search one pair here, and print what was found."""
        with in_one_sentence(), bar() as progress:
            found = find_excerpts(book, source, progress)
        self.stdout.write(f"Found {counted(found.new + found.known, 'quotation')} of {book} in {source}.")
        self.stdout.write(table({"new": found.new, "already known": found.known}))
        if found.set_aside:
            self.stdout.write(f"Of the known ones, rejected by staff: {found.set_aside:,}.")
        if found.dropped:
            self.stdout.write(f"Dropped {found.dropped.total():,}.")
            self.stdout.write(table({LABELS[why]: number for why, number in found.dropped.most_common()}))

    def resumed(self, pk: int) -> LoadingJob:
        """Put a search of many pairs that failed or was cancelled back into the queue."""
        job = LoadingJob.objects.filter(pk=pk).first()
        if job is None or not job.many:
            raise CommandError(f"There is no search {pk} of many pairs.")
        if job.status == Status.DONE:
            raise CommandError(f"Search {pk} is done already.")
        if job.ended and not loading_jobs.retry(job):
            raise CommandError(f"Search {pk} cannot go on: another one of the same pairs has begun.")
        job.refresh_from_db()
        return job

    def followed(self, job: LoadingJob) -> None:
        """Wait until the search has ended, working here where no worker is, and print it pair by pair."""
        self.stdout.write(f"{job}: quotations of {job.name}, {counted(job.total, 'pair')}.")
        again = f"manage.py find_excerpts --resume {job.pk}"
        kept, say = "What was found is kept;", self.stderr.write
        follow_or_stop(job, loading_jobs.attempt, say, kept=kept, again=again, unit="pairs")
        if job.status == Status.FAILED:
            raise CommandError(f"{job} failed: {job.error} Go on with: {again}")
        done = many.results(job)
        self.stdout.write(_pairs(done))
        for each in done:
            if each.refusal:
                self.stdout.write(f"Not searched: {each.source} on {each.book}: {each.refusal}")
        if job.status == Status.CANCELLED:
            raise CommandError(f"{job} was cancelled at {job.done:,} of {job.total:,}. Go on with: {again}")


def _pairs(done: list[many.PairFound]) -> str:
    """Return the pairs that gave something, one a line, and their sums."""
    some = [each for each in done if each.found or each.n_dropped]
    head = ["source on book", "found", "new", "known", "dropped"]
    rows = [[f"{each.source} on {each.book}", *_counts([each])] for each in some]
    lines = aligned([head, *rows, ["all", *_counts(some)]])
    silent = len(done) - len(some)
    if silent:
        lines.append(f"Nothing looks like a quotation in {counted(silent, 'pair')} more.")
    return "\n".join(lines)


def _counts(of: list[many.PairFound]) -> list[str]:
    return [f"{sum(getattr(each, name) for each in of):,}" for name in ("found", "new", "known", "n_dropped")]
