"""The pages of a study in their groups: each names itself, its group and its neighbours, and leads on."""

from __future__ import annotations

from html.parser import HTMLParser

import pytest
from django.urls import reverse

from annotation.studies.build import make_draft
from evaluation.templatetags.study_pages import GROUPS
from tests import builders

pytestmark = pytest.mark.django_db
PAGES = [(group, page) for group, pages in GROUPS.items() for page in pages]


class Tabs(HTMLParser):
    """The lists of links of the navigation `This study`, each link as (address, aria-current)."""

    def __init__(self, html):
        super().__init__()
        self.inside, self.lists = False, []
        self.feed(html)

    def handle_starttag(self, tag, attrs):
        given = dict(attrs)
        self.inside |= tag == "nav" and given.get("aria-label") == "This study"
        if self.inside and tag == "ul":
            self.lists.append([])
        elif self.inside and tag == "a":
            self.lists[-1].append((given["href"], given.get("aria-current", "")))

    def handle_endtag(self, tag):
        self.inside &= tag != "nav"


def tabs(browser, name, *args):
    answer = browser.get(reverse(name, args=args))
    assert answer.status_code == 200, name
    return Tabs(answer.text).lists


@pytest.fixture
def quay(dora, ada):
    """Read by Ada; Dora is no adjudicator of it."""
    study = builders.study("quay", items=2, overlap=1, by=dora)
    reader = builders.enrolment(study, ada)
    builders.judgment(study, 1, reader)
    return study


def test_every_page_says_where_one_is_and_leads_to_the_others_of_its_group(quay, dora, as_user):
    browser, firsts = as_user(dora), [pages[0].address for pages in GROUPS.values()]
    for group, page in PAGES:
        groups, *below = tabs(browser, page.address, "quay")
        assert [address for address, _ in groups] == [reverse(each, args=["quay"]) for each in firsts]
        current = [place for place, (_, here) in zip(GROUPS, groups, strict=True) if here]
        assert current == [group], page.section
        links = below[0] if below else groups
        assert [link for link in links if link[1] == "page"] == [
            (reverse(page.address, args=["quay"]), "page")
        ], page.section
        assert bool(below) == (len(GROUPS[group]) > 1)


def test_a_page_below_another_is_within_it_and_is_not_it(quay, dora, as_user):
    groups, pages = tabs(as_user(dora), "evaluation:apparatus_item", "quay", 1)
    assert [here for _, here in groups if here] == ["true"]
    assert [link for link in pages if link[1]] == [("/results/quay/apparatus/", "true")]


@pytest.mark.parametrize(
    ("task", "shown"),
    [("choice", {"cues", "difficulty"}), ("span", {"queries"}), ("relevance", {"qrels"})],
)
def test_what_says_nothing_about_a_study_is_not_named(dora, as_user, task, shown):
    make_draft(slug="bare", title="Nothing yet", task=task, overlap=1, seed=1, by=dora)
    browser, sections = (
        as_user(dora),
        {reverse(each.address, args=["bare"]): each.section for _, each in PAGES},
    )
    below = [tabs(browser, name, "bare")[1] for name in ("evaluation:results", "annotation:export")]
    named = {sections[address] for pages in below for address, _ in pages}
    assert named & {"cues", "difficulty", "queries", "qrels", "validation"} == shown
    here = ("/results/bare/validation/", "page")
    assert here in tabs(browser, "evaluation:validation", "bare")[1]  # It is named where one is on it.
