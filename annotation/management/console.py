"""What this app's commands add to those of `retrieval`: studies and people by name, task types' refusals."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager

from django.contrib.auth.models import User
from django.core.management.base import CommandError

from annotation.models import Study
from annotation.tasktypes.base import Invalid
from common import console
from common.errors import BadInput


@contextmanager
def in_one_sentence() -> Iterator[None]:
    """End the command with one sentence on bad input, also where a task type refuses it."""
    with console.in_one_sentence():
        try:
            yield
        except Invalid as error:
            raise BadInput(str(error)) from None


@contextmanager
def bar(stage: str) -> Iterator[Callable[[int, int], None]]:
    """Show a progress bar for work of one stage, which reports (done, total)."""
    with console.bar() as progress:
        yield lambda done, total: progress(done, total, stage)


def named_study(slug: str) -> Study:
    """Return the study of that name. Raises `CommandError` with the names there are."""
    there = Study.objects.filter(deleted=None)
    study = there.filter(slug=slug).first()
    if study is None:
        known = ", ".join(there.values_list("slug", flat=True)[:20])
        raise CommandError(
            f"There is no study {slug!a}; " + (f"known: {known}." if known else "build_study makes one.")
        )
    return study


def named_user(name: str | None) -> User | None:
    """Return the account of that user name; None where no name is given."""
    if name is None:
        return None
    user = User.objects.filter(username=name).first()
    if user is None:
        raise CommandError(f"There is no user {name!a}: give the user name of an account there is.")
    return user
