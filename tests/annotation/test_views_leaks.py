"""A02, A03: nothing of gold, ranks, roles or colleagues on any page a reader can open."""

from __future__ import annotations

import re
from uuid import uuid4

import pytest
from django.utils import timezone

from annotation.assignment import next_place
from annotation.judging import submit
from annotation.models import Item, Outcome
from annotation.submissions import Submission
from tests import builders
from tests.annotation.test_views_work import HTMX, send
from tests.drawn import without_drawn

pytestmark = pytest.mark.django_db
CANARY = "canary-of-ben"


@pytest.fixture
def study(ada, ben):
    made = builders.study(items=3, overlap=2)
    builders.enrolment(made, ada)
    builders.enrolment(made, ben)
    Item.objects.update(
        provenance={"options": [{"rank": 471108151, "role": "canary-gold", "score": 0.471108151}]}
    )
    return made


def everything(browser, study) -> str:
    """All that a reader can be shown while doing the whole study, headers included, tokens left out."""
    seen = []

    def keep(response):
        seen.append(response.text + str(dict(response.headers)))
        return response

    keep(browser.get("/"))
    keep(browser.get(f"/studies/{study.slug}/begin/"))
    for said in ({"option": "0"}, {}, {"option": "1"}, {"option": "2"}):
        response = keep(browser.post(f"/studies/{study.slug}/begin/"))
        if "/work/" not in response["Location"]:
            break
        keep(browser.get(response["Location"]))
        keep(browser.get(f"{response['Location']}ahead/"))
        place = type("Place", (), {"get_absolute_url": lambda self, at=response["Location"]: at})()
        keep(send(browser, place, htmx=True, **said))
        keep(browser.get(response["Location"], **HTMX))
    keep(browser.get(f"/studies/{study.slug}/done/"))
    return without_drawn("\n".join(seen))


def scrubbed(text: str) -> str:
    """Without what differs between any two visits: ids of forms, tokens, times."""
    return re.sub(r'datetime="[^"]*"|\d\d:\d\d UTC', "", without_drawn(text))


def test_A02_gold_rank_role_and_score_are_nowhere(as_user, ada, study):
    seen = everything(as_user(ada), study)
    for word in ("canary-gold", "471108151", "gold", "provenance", "negative", "rank"):
        assert word not in seen.lower()


def test_A02_pages_are_the_same_whichever_option_is_gold(as_user, ada, study):
    place = next_place(study.enrolments.get(user=ada), now=timezone.now())
    pages = set()
    for option in range(3):
        Item.objects.update(gold={"option": option}, gold_option=option)
        pages.add(scrubbed(as_user(ada).get(place.get_absolute_url()).text))
    assert len(pages) == 1


def test_A03_colleagues_change_nothing_of_what_a_reader_sees(as_user, ada, ben, study):
    reader = study.enrolments.get(user=ada)
    place = next_place(reader, now=timezone.now())
    addresses = [
        "/",
        f"/studies/{study.slug}/begin/",
        f"/studies/{study.slug}/done/",
        place.get_absolute_url(),
    ]
    before = [scrubbed(as_user(ada).get(at).text) for at in addresses]
    other = study.enrolments.get(user=ben)
    while (his := next_place(other, now=timezone.now())) is not None:
        said = Submission(uuid4(), Outcome.UNDECIDED, {}, reason=CANARY, note=CANARY)
        submit(his, other, said, now=timezone.now())
    after = [scrubbed(as_user(ada).get(at).text) for at in addresses]
    assert before == after
    seen = everything(as_user(ada), study)
    assert CANARY not in seen
    assert "Ben" not in seen
