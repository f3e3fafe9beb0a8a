"""What this app's commands share: the study by its name, errors in one sentence, a bar on stderr."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager

from django.core.management.base import CommandError
from tqdm import tqdm

from annotation.models import Study
from annotation.tasktypes.base import Invalid
from retrieval.engine.errors import BadInput


@contextmanager
def in_one_sentence() -> Iterator[None]:
    """Bad input and Ctrl-C end the command with a sentence instead of a traceback."""
    try:
        yield
    except (BadInput, Invalid) as error:
        raise CommandError(str(error)) from None
    except KeyboardInterrupt:
        raise CommandError("Stopped. The same command can be run again.", returncode=130) from None


@contextmanager
def bar(unit: str) -> Iterator[Callable[[int, int], None]]:
    """A progress bar on stderr, for (done, total); nothing is drawn where stderr is not a terminal."""
    with tqdm(disable=None, leave=False, unit=unit) as shown:

        def progress(done: int, total: int) -> None:
            shown.total = total
            shown.update(done - shown.n)

        yield progress


def named_study(slug: str) -> Study:
    """The study of that name, or a sentence with the names there are."""
    study = Study.objects.filter(slug=slug).first()
    if study is None:
        known = ", ".join(Study.objects.values_list("slug", flat=True)[:20])
        raise CommandError(
            f"There is no study {slug!a}; " + (f"known: {known}." if known else "build_study makes one.")
        )
    return study
