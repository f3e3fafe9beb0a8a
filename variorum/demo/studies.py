"""What is done with each study of the demonstration: it is made, opened for readers, or read by programs."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from datetime import datetime
from typing import Any, NamedTuple, Protocol

from django.contrib.auth.models import User
from django.utils import timezone

from annotation.models import Role, State, Study
from annotation.people import enrolments
from annotation.simulate import simulate
from annotation.studies.lifecycle import close_study, open_study

CONTACT = "Dora, who runs this study"
Say = Callable[[str], None]


class Made(Protocol):
    """What making a study returns."""

    @property
    def study(self) -> Study: ...


class Pair(NamedTuple):
    """Two studies of the same items, one to read for and one for simulated readers.

    slugs: of the one and of the other.
    title: of the one; the other's says who reads it.
    guidelines: what readers of both are told.
    overlap: how many read each item.
    seed: of what is drawn.
    """

    slugs: tuple[str, str]
    title: str
    guidelines: str
    overlap: int
    seed: int


def built(slug: str, title: str, make: Callable[..., Made], say: Say, **settings: Any) -> Study:
    """Return the study of that name; where there is none, `make` makes it with these settings."""
    study = Study.objects.filter(slug=slug).first()
    if study is not None:
        return study
    say(f"Building the study “{title}” …")
    return make(slug=slug, title=title, contact=CONTACT, **settings).study


def both(pair: Pair, make: Callable[..., Made], say: Say, *, by: User) -> list[Study]:
    """Return the study to read for and the one for simulated readers, which is like it."""
    slugs, title, *_ = pair
    titles = (title, f"{title} (simulated readers)")
    settings = {"guidelines": pair.guidelines, "overlap": pair.overlap, "seed": pair.seed, "by": by}
    return [built(slug, said, make, say, **settings) for slug, said in zip(slugs, titles, strict=True)]


def for_readers(study: Study, readers: Sequence[User], *, by: User, now: datetime) -> Study:
    """Open a draft for these readers; any other study is left as it is."""
    if study.state != State.DRAFT:
        return study
    for reader in readers:
        enrolments.enrol(study, reader, Role.ANNOTATOR)
    return open_study(study, by=by, now=now)


def by_programs(study: Study, *, annotators: int, accuracy: float, seed: int) -> Study:
    """Let simulated readers of a study that is not closed read all that they still can."""
    if study.state != State.CLOSED:
        simulate(study, annotators=annotators, accuracy=accuracy, seed=seed)
        study.refresh_from_db()
    return study


def finished(study: Study, *, by: User, annotators: int, accuracy: float, seed: int) -> Study:
    """Let simulated readers read a study to its end, and close it."""
    by_programs(study, annotators=annotators, accuracy=accuracy, seed=seed)
    if study.state == State.CLOSED:
        return study
    # Not when the demonstration began: its readers have answered since.
    return close_study(study, by=by, now=timezone.now())
