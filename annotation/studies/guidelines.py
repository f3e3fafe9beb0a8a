"""Guidelines: what readers are told. Append-only, so that every judgment can name its version."""

from __future__ import annotations

import re
from typing import NamedTuple

from django.contrib.auth.models import User
from django.db.models import OuterRef, Q, QuerySet

from annotation.models import Enrolment, Guideline, Judgment, Study
from annotation.studies.build import LONGEST_GUIDELINES
from annotation.studies.text_versions import TextKind, append_version
from common.lists import count
from common.texts.diff import Paragraph, changes

FORM_NUMBER = re.compile(r"[0-9]{1,9}")
GUIDELINES = TextKind(
    field="guidelines",
    longest=LONGEST_GUIDELINES,
    empty="The guidelines are empty: write what readers should be told.",
    closed="its guidelines stay as they were followed",
    verb="guidelines",
)


def history(study: Study) -> QuerySet[Guideline]:
    """Return all versions, latest first, each with `n_judgments`, the current judgments made under it."""
    made = Judgment.objects.current().filter(guideline=OuterRef("pk"))
    return study.guidelines.order_by("-version").annotate(n_judgments=count(made, "guideline"))


def revise(study: Study, text: str, *, seen: int, by: User | None) -> Guideline:
    """Append the next version, as `append_version` does."""
    return append_version(Guideline, GUIDELINES, study, text, seen=seen, by=by)


def mark_seen(me: Enrolment, version: str) -> None:
    """Store that this reader was shown that version, as a form names it; never an earlier one than before."""
    shown = me.study.guidelines.filter(version=int(version)) if FORM_NUMBER.fullmatch(version) else None
    if shown is None or not shown.exists():
        return
    earlier = Q(guideline_seen=None) | Q(guideline_seen__lt=version)
    Enrolment.objects.filter(earlier, pk=me.pk).update(guideline_seen=int(version))


class GuidelineNews(NamedTuple):
    """The guidelines for one reader.

    guideline: the latest version; None where there is none.
    news: what changed since the reader last read them; empty without changes.
    """

    guideline: Guideline | None
    news: list[Paragraph]


def guideline_news(me: Enrolment) -> GuidelineNews:
    """Return the guidelines beside an item, with what is new to this reader."""
    return news_of(me, me.study.latest_guideline())


def news_of(me: Enrolment, latest: Guideline | None) -> GuidelineNews:
    """Return the same for a latest version that is already loaded; None: there is none."""
    if latest is None or me.guideline_seen in {None, latest.version}:
        return GuidelineNews(latest, [])
    since = list(me.study.guidelines.order_by("-version").filter(version__gte=me.guideline_seen))
    return GuidelineNews(since[0], changes(since[-1].text, since[0].text) if len(since) > 1 else [])


def mark_first_shown(me: Enrolment, latest: Guideline | None) -> None:
    """Store the version beside a reader's first item, so that later changes are shown to them."""
    if latest is not None and me.guideline_seen is None:
        Enrolment.objects.filter(pk=me.pk, guideline_seen=None).update(guideline_seen=latest.version)
        me.guideline_seen = latest.version
