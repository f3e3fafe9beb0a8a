"""What is due to which reader, read from how the study stands: nothing has to remember to announce it.

Everything is due once: what a `Letter` is stored of is due no more.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from datetime import datetime, timedelta
from typing import NamedTuple

from django.db.models import Max, Min, QuerySet
from django.urls import reverse

from annotation.assignment import consents, practice
from annotation.assignment.holding import held_by
from annotation.assignment.next_item import free_assignment
from annotation.models import (
    Decision,
    Enrolment,
    EnrolmentState,
    Judgment,
    Letter,
    MailKind,
    MailTemplate,
    Message,
    Role,
    Study,
)

Readers = QuerySet[Enrolment]


class Due(NamedTuple):
    """Something that a reader is to be told.

    kind: of what.
    reader: who.
    path: of the page that it leads to.
    about: which of several.
    """

    kind: str
    reader: Enrolment
    path: str
    about: str = ""


def due(study: Study, now: datetime, people: Readers) -> Iterator[Due]:
    """Yield what is due to these readers of the study, of the kinds that are on."""
    told = set(Letter.objects.filter(study=study).values_list("reader", "kind", "about"))
    for template in study.mail_templates.exclude(since=None).select_related("study"):
        if template.kind in KINDS:
            found = KINDS[template.kind](people, template, now)
            yield from (each for each in found if (each.reader.pk, each.kind, each.about) not in told)


def readers(study: Study) -> QuerySet[Enrolment]:
    """Return the people who read here."""
    here = study.enrolments.filter(role=Role.ANNOTATOR, state=EnrolmentState.ACTIVE, simulated=False)
    return here.exclude(user=None).select_related("user", "study").order_by("pk")


def page(study: Study, name: str) -> str:
    """Return the path of a reader's page."""
    return reverse(f"annotation:{name}", args=[study.slug])


def opened(people: Readers, template: MailTemplate, now: datetime) -> Iterator[Due]:
    """Yield who joined before the study opened, and has not begun; none where it opened before the template
    was switched on.
    """
    study = template.study
    if study.is_open and study.opened and template.since and study.opened >= template.since:
        early = people.filter(created__lt=study.opened, assignments=None)
        yield from (Due(MailKind.OPENED, each, page(study, "begin")) for each in early)


def reminded(people: Readers, template: MailTemplate, now: datetime) -> Iterator[Due]:
    """Yield who has not answered for the days of the template, and has something to read.

    The days count from when the template was switched on, at the earliest.
    """
    study = template.study
    before = now - timedelta(days=template.days)
    if not study.is_open or study.opened is None or not template.since or template.since >= before:
        return
    quiet = people.filter(created__lt=before).exclude(letters__kind=MailKind.REMINDED)
    for each in quiet.annotate(answered=Max("judgments__created")) if study.opened < before else ():
        last = each.answered
        if (last is None or last < before) and not said_later(each, last) and has_work(each, now):
            yield Due(MailKind.REMINDED, each, page(study, "begin"))


def said_later(me: Enrolment, last: datetime | None) -> bool:
    """Return whether this reader has put an item off since their last answer: they know, and will come."""
    later = held_by(me).exclude(put_off=None)
    return later.exists() if last is None else later.filter(put_off__gt=last).exists()


def has_work(me: Enrolment, now: datetime) -> bool:
    """Return whether anything waits for this reader, who has not refused the consent."""
    if consents.consent_to_ask(me) is not None:
        refused = me.study.events.filter(verb="no consent", data__pseudonym=me.pseudonym)
        if refused.exists():
            return False
    if practice.is_before_work(me):
        return not practice.practice_failed(me)
    return held_by(me).exists() or free_assignment(me, now, locked=False) is not None


def replied(people: Readers, template: MailTemplate, now: datetime) -> Iterator[Due]:
    """Yield whose note was answered, with the first answer that they have not read: one message for all that
    follow it unread.
    """
    study = template.study
    unread = Message.objects.filter(from_researcher=True, read=None, created__gte=template.since)
    firsts = unread.filter(reader__study=study).order_by().values_list("reader").annotate(first=Min("pk"))
    first = dict(firsts)
    for each in people.filter(pk__in=first):
        yield Due(MailKind.REPLIED, each, page(study, "messages"), str(first[each.pk]))


def decided(people: Readers, template: MailTemplate, now: datetime) -> Iterator[Due]:
    """Yield on whose items something was decided, once the study is closed."""
    study = template.study
    if study.closed is None or study.is_open or (template.since and study.closed < template.since):
        return
    items = Decision.objects.filter(item__study=study).values("item")
    own = Judgment.objects.filter(assignment__item__in=items).values("annotator")
    for each in people.filter(pk__in=own):
        yield Due(MailKind.DECIDED, each, page(study, "decisions"))


KINDS: dict[str, Callable[[Readers, MailTemplate, datetime], Iterator[Due]]] = {
    MailKind.OPENED: opened,
    MailKind.REMINDED: reminded,
    MailKind.REPLIED: replied,
    MailKind.DECIDED: decided,
}
