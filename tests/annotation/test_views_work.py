"""The reading page: shown, judged, revised, refused; with htmx and without any script."""

from __future__ import annotations

import re
from datetime import timedelta
from uuid import uuid4

import pytest
from django.test import Client
from django.utils import timezone

from annotation.assignment.claiming import next_assignment
from annotation.models import Assignment, Enrolment, Event, Judgment, Outcome, State
from tests import builders
from tests.builders import pick

pytestmark = pytest.mark.django_db
HTMX = {"HTTP_HX_REQUEST": "true"}


@pytest.fixture
def study(ada, ben):
    return builders.read_by(ada, ben, items=3, overlap=2)


def fields(response) -> dict[str, str]:
    """The hidden fields of the form that the server made."""
    found = re.findall(r'<input type="hidden" name="(\w+)"(?: value="([^"]*)")?', response.text)
    return {name: value for name, value in found if name != "csrfmiddlewaretoken"}


def send(browser, place, *, htmx=False, option=None, **said):
    """Open the page and press a button on it. `option`: a canonical number, chosen where it stands."""
    form = fields(browser.get(place.get_absolute_url()))
    picked = {} if option is None else pick(place, option)
    return browser.post(place.get_absolute_url(), {**form, **picked, **said}, **(HTMX if htmx else {}))


def checked(response) -> int:
    """The position of the one option that is chosen."""
    (found,) = re.findall(r'name="position" value="(\d)" data-key="\d" checked', response.text)
    return int(found)


def test_the_page_shows_the_item_and_the_readers_own_count(as_user, ada, place):
    page = as_user(ada).get(place.get_absolute_url())
    assert "Essay 1 begins with the sea. It comes to the point." in page.text
    assert page.text.count('name="position"') == 3
    assert "item 1 of 3" in page.text
    assert "<title>Item 1 of 3 · Boats and their critics · Variorum</title>" in page.text
    assert "Choose the passage that reads best." in page.text


def test_ids_carry_the_item_and_nothing_is_chosen_beforehand(as_user, ada, place):
    page = as_user(ada).get(place.get_absolute_url()).text
    assert f'id="c1-{place.pk}"' in page
    assert f'id="gap-{place.pk}"' in page
    assert "checked" not in page[page.index('<fieldset class="options') :]
    assert '<h1 tabindex="-1" autofocus>' in page


def test_options_come_in_the_order_drawn_for_this_reader(as_user, ada, place):
    page = as_user(ada).get(place.get_absolute_url()).text
    assert re.findall(r'name="position" value="(\d)"', page) == ["0", "1", "2"]
    texts = re.findall(r'class="candidate-text"[^>]*>([^<]*)<', page)
    assert texts == [place.item.payload["options"][number] for number in place.order]


def test_looking_changes_nothing(as_user, ada, place, django_assert_max_num_queries):
    before = list(Assignment.objects.values())
    browser = as_user(ada)
    with django_assert_max_num_queries(12) as queries:
        browser.get(place.get_absolute_url())
    written = [q["sql"] for q in queries if q["sql"].startswith(("INSERT", "UPDATE", "DELETE"))]
    assert written == []
    assert list(Assignment.objects.values()) == before


def test_a_submitted_answer_is_stored_and_the_next_item_follows(as_user, ada, place):
    response = send(as_user(ada), place, option="2", note=" fine ", active_seconds="0.0", previews="4")
    judgment = Judgment.objects.get()
    assert (judgment.outcome, judgment.answer, judgment.note) == (Outcome.ANSWER, {"option": 2}, "fine")
    assert (judgment.previews, judgment.channel, judgment.revision) == (4, "web", 1)
    following = Assignment.objects.get(annotator__user=ada, status="held")
    assert response.status_code == 302
    assert response["Location"] == following.get_absolute_url()
    assert following.opened is not None


def test_under_htmx_the_next_item_comes_back_itself(as_user, ada, place):
    response = send(as_user(ada), place, htmx=True, option="1")
    following = Assignment.objects.get(annotator__user=ada, status="held")
    assert response.status_code == 200
    assert response["HX-Push-Url"] == following.get_absolute_url()
    assert "<html" not in response.text
    assert "<title>Item 2 of 3" in response.text
    assert f'id="c1-{following.pk}"' in response.text
    assert f'"c1-{place.pk}"' not in response.text
    assert 'id="status" role="status" hx-swap-oob="innerHTML">Saved.' in response.text
    assert 'id="progress" max="3" value="1"' in response.text


def test_the_answer_and_the_next_place_are_one_transaction(
    as_user, ada, place, django_assert_max_num_queries
):
    browser = as_user(ada)
    Enrolment.objects.update(guideline_seen=1)
    form = fields(browser.get(place.get_absolute_url()))
    with django_assert_max_num_queries(16) as queries:
        browser.post(place.get_absolute_url(), {**form, **pick(place, 1)}, **HTMX)
    verbs = [each["sql"].split()[0] for each in queries]
    written = [at for at, verb in enumerate(verbs) if verb in {"INSERT", "UPDATE"}]
    assert len(written) == 3, "the place ended, the judgment, the next place"
    assert verbs.count("SAVEPOINT") == 1
    assert verbs.index("SAVEPOINT") < written[0] < written[-1] < verbs.index("RELEASE")


def test_a_held_place_comes_before_a_new_one_after_an_answer(as_user, ada, place):
    """The reader put one off, got another, and answers the first by its address."""
    browser = as_user(ada)
    browser.post(f"{place.get_absolute_url()}later/")
    held = Assignment.objects.get(annotator__user=ada, status="held", put_off=None)
    response = send(browser, place, option="1")
    assert response["Location"] == held.get_absolute_url()
    assert Assignment.objects.filter(annotator__user=ada).count() == 2


def test_saved_is_said_of_what_is_in_the_database_only(as_user, ada, place):
    assert "Saved" not in as_user(ada).get(place.get_absolute_url()).text
    response = send(as_user(ada), place, htmx=True, option="1")
    stored = Judgment.objects.get().created
    assert (
        f'datetime="{stored:%Y-%m-%dT%H:%M:%S}+00:00" data-local="clock">{stored:%H:%M} UTC' in response.text
    )
    assert "· item 1" in response.text


@pytest.mark.parametrize("htmx", [True, False])
def test_an_empty_answer_is_explained_and_nothing_is_stored(as_user, ada, place, htmx):
    response = send(as_user(ada), place, htmx=htmx, note="kept")
    assert response.status_code == 422
    assert "Choose the passage that belongs in the gap" in response.text
    assert f'href="#position-{place.pk}"' in response.text
    assert response.text.count("autofocus") == 1
    assert re.search(r'class="errors"[^>]* tabindex="-1" autofocus', response.text)
    assert ">\nkept</textarea>" in response.text
    assert ("<html" in response.text) is not htmx
    assert not Judgment.objects.exists()


def test_a_refused_form_keeps_what_was_chosen(as_user, ada, place):
    response = send(as_user(ada), place, broken="1", option="2")
    assert response.status_code == 422
    assert checked(response) == place.order.index(2)


@pytest.mark.parametrize(
    ("said", "outcome", "reason"),
    [
        ({"undecided": "More than one fits"}, Outcome.UNDECIDED, "More than one fits"),
        ({"undecided": "", "other": "I know both by heart"}, Outcome.UNDECIDED, "I know both by heart"),
        ({"broken": "1", "fault": "Cut in mid-word", "option": "1"}, Outcome.BROKEN, "Cut in mid-word"),
    ],
)
def test_other_acts_are_stored_as_what_they_are(as_user, ada, place, said, outcome, reason):
    assert send(as_user(ada), place, **said).status_code == 302
    judgment = Judgment.objects.get()
    assert (judgment.outcome, judgment.reason, judgment.answer) == (outcome, reason, None)


@pytest.mark.parametrize(("said", "field"), [({"undecided": ""}, "other"), ({"broken": "1"}, "fault")])
def test_an_act_without_its_reason_is_explained(as_user, ada, place, said, field):
    response = send(as_user(ada), place, **said)
    assert response.status_code == 422
    assert f'href="#{field}-{place.pk}"' in response.text
    assert not Judgment.objects.exists()


@pytest.mark.parametrize(
    "broken", [{"submission": "x"}, {"revision": "-1"}, {"active_seconds": "nan"}, {"previews": "1e9"}]
)
def test_a_mangled_form_is_refused_in_a_sentence(as_user, ada, place, broken):
    response = send(as_user(ada), place, option="1", **broken)
    assert response.status_code == 422
    assert "did not arrive whole" in response.text
    assert not Judgment.objects.exists()


def test_a_note_beyond_measure_names_its_field(as_user, ada, place):
    response = send(as_user(ada), place, option="1", note="x" * 10_001)
    assert response.status_code == 422
    assert "Note to the researcher: " in response.text


def test_R02_a_double_click_makes_one_judgment_and_both_replies_go_on(as_user, ada, place):
    browser = as_user(ada)
    form = fields(browser.get(place.get_absolute_url())) | pick(place, 1)
    replies = [browser.post(place.get_absolute_url(), form, **HTMX) for _ in range(3)]
    assert [reply.status_code for reply in replies] == [200, 200, 200]
    assert len({reply["HX-Push-Url"] for reply in replies}) == 1
    assert Judgment.objects.count() == 1


def test_R03_the_same_form_with_another_answer_gets_409_and_the_current_state(as_user, ada, place):
    browser = as_user(ada)
    form = fields(browser.get(place.get_absolute_url()))
    browser.post(place.get_absolute_url(), {**form, **pick(place, 1)})
    response = browser.post(place.get_absolute_url(), {**form, **pick(place, 2), "note": "typed"}, **HTMX)
    assert response.status_code == 409
    assert checked(response) == place.order.index(2), "what was chosen here is still chosen"
    assert response.context["both"].other.answer == {"option": 1}
    assert ">\ntyped</textarea>" in response.text
    assert fields(response)["revision"] == "1"
    assert fields(response)["submission"] != form["submission"]
    assert Judgment.objects.get().answer == {"option": 1}


def test_R07_coming_back_shows_the_answer_and_a_change_is_a_new_revision(as_user, ada, place):
    browser = as_user(ada)
    send(browser, place, option="1", note="first thought")
    page = browser.get(place.get_absolute_url())
    assert checked(page) == place.order.index(1)
    assert "first thought" in page.text
    assert "Save the change" in page.text
    assert "Return to your open item" in page.text
    send(browser, place, option="0")
    assert list(Judgment.objects.values_list("revision", "answer__option")) == [(1, 1), (2, 0)]
    assert Judgment.objects.current().get().answer == {"option": 0}


def test_R07_reloading_shows_the_same_item_until_it_is_done(as_user, ada, place, study):
    browser = as_user(ada)
    for _ in range(2):
        assert browser.post(f"/studies/{study.slug}/begin/")["Location"] == place.get_absolute_url()


def test_R05_an_answer_that_lost_its_place_is_kept_and_said_to_be(as_user, ada, ben, cleo, study, place):
    browser = as_user(ada)
    form = fields(browser.get(place.get_absolute_url())) | pick(place, 1)
    study.items.exclude(pk=place.item_id).delete()
    builders.enrolment(study, cleo)
    later = timezone.now() + timedelta(minutes=study.lease_minutes + 1)
    for user in (ben, cleo):
        taken = next_assignment(study.enrolments.get(user=user), now=later)
        assert taken.item == place.item
    assert browser.get(place.get_absolute_url()).status_code == 404
    response = browser.post(place.get_absolute_url(), form, **HTMX)
    assert response.status_code == 409
    assert "Kept, but too late to count" in response.text
    assert Event.objects.get(verb="late").data["answer"] == {"option": 1}


def test_a_closed_study_can_be_looked_at_and_no_longer_changed(as_user, ada, place, study):
    browser = as_user(ada)
    send(browser, place, option="1")
    study.state = State.CLOSED
    study.save()
    page = browser.get(place.get_absolute_url())
    assert "The study is closed" in page.text
    assert "Save the change" not in page.text
    assert "Return to your open item" not in page.text, "nothing can be answered there any more"
    assert page.text.count(" disabled>") == 3


def test_nobody_else_gets_in(client, as_user, ada, ben, eve, dora, place):
    address = place.get_absolute_url()
    assert client.get(address)["Location"] == f"/login/?next={address}"
    unknown = as_user(eve).get("/work/999999/")
    for user in (ben, eve, dora):
        for method in ("get", "post"):
            reply = getattr(as_user(user), method)(address, {"submission": str(uuid4()), "revision": 0})
            assert reply.status_code == 404
            assert len(reply.content) == len(as_user(user).get("/work/999999/").content)
    assert unknown.status_code == 404
    assert not Judgment.objects.exists()


def test_an_expired_login_under_htmx_sends_the_whole_page_to_sign_in(client, place):
    response = client.post(place.get_absolute_url(), {"position": "1"}, **HTMX)
    assert response.status_code == 204
    assert response["HX-Redirect"] == f"/login/?next={place.get_absolute_url()}"


def test_S01_without_a_token_nothing_is_taken_and_the_page_says_so(ada, place):
    browser = Client(enforce_csrf_checks=True)
    browser.force_login(ada)
    form = fields(browser.get(place.get_absolute_url())) | pick(place, 1)
    response = browser.post(place.get_absolute_url(), form)
    assert response.status_code == 403
    assert "Not saved" in response.text
    assert not Judgment.objects.exists()


def test_S03_texts_are_shown_and_never_run(as_user, ada, study, place):
    attack = '"><script>alert(1)</script><img src=x onerror=alert(1)> {{ 7|add:7 }}'
    payload = {**place.item.payload, "left": [attack], "citation": attack, "book": attack}
    payload["options"] = [f"{attack} {n}" for n in range(3)]
    builders.rewrite([place.item], payload=payload)
    page = send(as_user(ada), place, undecided="", other=attack * 9).text
    assert "&lt;script&gt;alert(1)" in page
    for sign in ("<script>alert", "<img", " 14"):
        assert sign not in page
