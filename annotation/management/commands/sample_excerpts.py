"""`manage.py sample_excerpts STUDY --template T --size N --seed S`: a draft of a sample of excerpts."""

from __future__ import annotations

from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser

from annotation.items.from_excerpts import sample
from annotation.management import loading_items
from annotation.management.console import in_one_sentence
from annotation.studies.build import load_items
from annotation.tasktypes import registry
from retrieval.models import Book


class Command(BaseCommand):
    help = "Draw excerpts in use by the seed and make an item of each, with one of the task's templates."

    def add_arguments(self, parser: CommandParser) -> None:
        made = [slug for slug, task in registry.all_types().items() if task.from_excerpts]
        names = [name for slug in made for name in registry.get(slug).templates]
        parser.add_argument("study", help="short name of a draft, or of the study to make")
        parser.add_argument("--task", choices=made, default=made[0], help=f"task type (default: {made[0]})")
        parser.add_argument("--template", choices=names, required=True, help="the rubric")
        parser.add_argument("--size", type=int, default=200, help="how many excerpts (default 200)")
        parser.add_argument("--book", metavar="SLUG", help="excerpts of this book alone (default: of all)")
        loading_items.add_study_options(parser)

    def handle(self, *args: Any, **options: Any) -> None:
        book, about = book_of(options["book"]), loading_items.study_options(options)
        with in_one_sentence():
            task = registry.get(options["task"])
            found = sample(task, options["template"], size=options["size"], seed=options["seed"], book=book)
            source = f"a sample of {options['size']} excerpts, seed {options['seed']}"
            loaded = load_items(options["study"], task.slug, found, source=source, **about)
        self.stdout.write(loading_items.summary(loaded))


def book_of(slug: str | None) -> Book | None:
    """Return the book of that name, None for no name. Raises `CommandError` where there is none."""
    if slug is None:
        return None
    book = Book.objects.filter(slug=slug).first()
    if book is None:
        raise CommandError(f"There is no book “{slug}”.")
    return book
