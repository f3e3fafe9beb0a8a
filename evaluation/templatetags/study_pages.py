"""The pages of a study, grouped by what a researcher does: the one place that says which page stands where.

It stands in `evaluation`, which knows the pages of both applications and what each of them is about.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any, NamedTuple

from django import template
from django.conf import settings
from django.contrib.auth.models import User
from django.urls import reverse

from annotation.models import Study
from common.roles import is_scholar
from evaluation.allusion.queries.readings import marks_words

register = template.Library()


class Page(NamedTuple):
    """A page of every study, or of those that it says something about.

    section: what the page, and those below it, call themselves in their context.
    label: its link.
    address: the name of its address, of which the study's short name is all that is asked.
    applies: whether it says something about this study to this person.
    """

    section: str
    label: str
    address: str
    applies: Callable[[Study, User], bool] = lambda study, user: True


def _chosen(study: Study, user: User) -> bool:
    """Whether readers choose between passages."""
    return study.task_type.orders_options


GROUPS: Mapping[str, tuple[Page, ...]] = {
    "Overview": (Page("study", "Overview", "annotation:study"),),
    "Set up": (
        Page("setup", "Steps", "annotation:setup"),
        Page("guidelines", "Guidelines", "annotation:guidelines"),
        Page("items", "Items", "annotation:items"),
        Page("stopping", "Stopping rule", "evaluation:stopping"),
        Page("machines", "Machine readers", "annotation:machines"),
    ),
    "People": (
        Page("people", "Taking part", "annotation:people"),
        Page("invite", "Invitations", "annotation:invite"),
        Page("recruiting", "Recruiting services", "annotation:recruiting"),
        Page("mail", "E-mail", "annotation:mail"),
    ),
    "Live": (
        Page("watch", "Watch", "evaluation:watch"),
        Page("notes", "Notes", "annotation:notes"),
        Page("workbench", "Workbench", "annotation:workbench"),
        Page("adjudicate", "Decisions", "annotation:adjudicate"),
    ),
    "Results": (
        Page("results", "Report", "evaluation:results"),
        Page("microscope", "κ microscope", "evaluation:microscope"),
        Page("cues", "Without reading", "evaluation:cues", _chosen),
        Page("difficulty", "Hard items", "evaluation:difficulty", _chosen),
        Page("apparatus", "Apparatus", "evaluation:apparatus"),
        Page("validation", "Validation", "evaluation:validation", lambda study, user: study.shows_machine),
        Page(
            "queries",
            "Queries",
            "evaluation:span_queries",
            lambda study, user: marks_words(study) and is_scholar(user),
        ),
        Page("paper", "In a paper", "evaluation:paper"),
    ),
    "Data": (
        Page("export", "Export", "annotation:export"),
        Page("bundle", "Bundle", "evaluation:bundle"),
        Page("qrels", "Qrels", "evaluation:qrels", lambda study, user: study.task_type.from_pools),
        Page("record", "Record", "annotation:record"),
        Page("webhooks", "Webhooks", "annotation:webhooks", lambda study, user: bool(settings.WEBHOOKS)),
    ),
}
"""The pages of each group, by what stands on its link, which leads to the first of them."""


class Link(NamedTuple):
    """A link, with the value of its `aria-current`: page, true for what one is within, or empty."""

    label: str
    address: str
    current: str


class StudyPages(NamedTuple):
    """The groups, and the pages of the group that one is in: none where it has only one."""

    groups: list[Link]
    pages: list[Link]


@register.simple_tag(takes_context=True)
def study_pages(context: template.Context) -> StudyPages:
    """Return the links of a page by its `study` and `section`, and the person who looks at it.

    A page that says nothing about the study is left out, unless one is on it.
    """
    study, section, request = context["study"], context["section"], context["request"]
    groups, pages = list[Link](), list[Link]()
    for label, members in GROUPS.items():
        links = list(_links(members, study, section, request))
        within = any(each.current for each in links)
        alone = links[0].current if len(links) == 1 else ""
        groups.append(Link(label, links[0].address, alone or ("true" if within else "")))
        if within and len(links) > 1:
            pages = links
    return StudyPages(groups, pages)


def _links(members: tuple[Page, ...], study: Study, section: str, request: Any) -> Iterator[Link]:
    """Yield the links of a group."""
    for each in members:
        if each.section == section or each.applies(study, request.user):
            address = reverse(each.address, args=[study.slug])
            here = "page" if address == request.path else "true"
            yield Link(each.label, address, here if each.section == section else "")
