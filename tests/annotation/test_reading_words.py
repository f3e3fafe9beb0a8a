"""What readers are told, in plain words and beside what it is about."""

from __future__ import annotations

import pytest
from django.utils import timezone

from annotation.assignment.claiming import next_assignment
from annotation.templatetags.pages import by_screen
from tests import builders


def test_guidelines_say_where_something_stands_by_the_screen():
    said = by_screen("<p>The passages stand beside/below it.</p>")
    assert 'stand <span class="when-beside">beside</span><span class="when-below">below</span> it' in said
    assert by_screen("<p>Beside that, or below.</p>") == "<p>Beside that, or below.</p>"


@pytest.mark.django_db
@pytest.mark.parametrize(
    ("sent", "field"),
    [({"broken": "1"}, "fault"), ({"undecided": ""}, "other"), ({"answer": "1"}, "position")],
)
def test_an_error_stands_in_the_panel_it_is_about(as_user, ada, sent, field):
    study = builders.study(items=2, overlap=1)
    place = next_assignment(builders.enrolment(study, ada), now=timezone.now())
    browser = as_user(ada)
    form = browser.get(place.get_absolute_url()).context["form"]
    hidden = {name: form[name].value() for name in ("submission", "revision", "draft_known")}
    reply = browser.post(place.get_absolute_url(), hidden | sent | {"note": "Is it cut off?"})
    assert reply.status_code == 422
    page = reply.text
    assert page.count('class="errors"') == 1
    error = page.index('class="errors"')
    if field == "position":
        assert error < page.index('<fieldset class="options')
    else:
        panel = page.rindex("<details", 0, error)
        assert " open>" in page[panel:error]
        # Of several with one name a browser keeps the first that is open.
        assert page.count(" open>\n    <summary>") == 1
        assert page.index(f'name="{field}"', error) < page.index("</details>", error)
