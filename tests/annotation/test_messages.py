"""Talks: from a note to the researcher's answer and back, between the two of them and nobody else."""

from __future__ import annotations

import pytest
from django.urls import reverse
from django.utils import timezone

from annotation.assignment.claiming import next_assignment
from annotation.assignment.holding import mark_opened
from annotation.judging import messages
from annotation.models import EnrolmentState, Message
from annotation.people import withdrawal
from annotation.tasktypes.base import Invalid
from tests import builders
from tests.annotation.test_kinds import opened
from tests.annotation.test_views_work import send
from tests.drawn import without_drawn

pytestmark = pytest.mark.django_db
JSON = {"HTTP_ACCEPT": "application/json"}
QUESTION, ANSWER = "Is the second passage cut off?", "It is, thank you: judge it as it stands."


@pytest.fixture
def study(ada, ben, dora):
    made = builders.study(items=3, overlap=2, by=dora)
    builders.enrolment(made, ada)
    builders.enrolment(made, ben)
    return made


def judged(study, user, as_user, note=QUESTION):
    place = next_assignment(study.enrolments.get(user=user), now=timezone.now())
    mark_opened(place, now=timezone.now())
    send(as_user(user), place, option="1", note=note)
    return place


@pytest.fixture
def place(study, ada, as_user):
    return judged(study, ada, as_user)


def reply(browser, place, pseudonym="A", **said):
    address = reverse("annotation:reply", args=[place.study.slug, place.item.number, pseudonym])
    return browser.post(address, {"message": ANSWER, **said})


def answer(browser, place, text="I see.", **more):
    return browser.post(reverse("annotation:message", args=[place.pk]), {"message": text, **more})


def test_a_note_is_answered_and_the_reader_sees_it_wherever_they_come_by(as_user, ada, dora, place, study):
    assert reply(as_user(dora), place)["Location"] == f"/manage/{study.slug}/notes/"
    browser = as_user(ada)
    for address in ("/", f"/studies/{study.slug}/begin/", f"/studies/{study.slug}/done/"):
        assert "1 new" in browser.get(address).text
    following = study.assignments.get(annotator__user=ada, status="held")
    assert "1 new reply from the researcher" in browser.get(following.get_absolute_url()).text
    for address in (place.get_absolute_url(), f"/studies/{study.slug}/messages/"):
        page = without_drawn(browser.get(address).text)
        assert page.index(QUESTION) < page.index(ANSWER)
        assert "The researcher ·" in page
        assert "dora" not in page.lower().replace(study.title.lower(), "")


def test_the_reader_answers_and_the_researcher_finds_it_first(as_user, ada, ben, dora, place, study):
    reply(as_user(dora), place)
    assert answer(as_user(ada), place)["Location"] == f"{place.get_absolute_url()}#thread-{place.pk}"
    judged(study, ben, as_user, note="A later note of another reader")
    page = as_user(dora).get(f"/manage/{study.slug}/notes/").text
    assert page.index(QUESTION) < page.index(ANSWER) < page.index("I see.") < page.index("A later note")
    assert page.count(">New<") == 1
    assert reply(as_user(dora), place, read="1").status_code == 302
    assert Message.objects.filter(read=None).count() == 0
    page = as_user(dora).get(f"/manage/{study.slug}/notes/").text
    assert page.index("A later note") < page.index(QUESTION)


def test_answering_is_having_read(as_user, ada, dora, place):
    reply(as_user(dora), place)
    answer(as_user(ada), place, **{"from": "messages"})
    first, second = Message.objects.all()
    assert (first.read is not None, second.read) == (True, None)
    assert (second.from_researcher, second.author, second.reader.user) == (False, ada, ada)


def test_having_looked_is_having_read_and_looking_itself_writes_nothing(as_user, ada, dora, place):
    reply(as_user(dora), place)
    as_user(ada).get(place.get_absolute_url())
    assert Message.objects.get().read is None
    response = as_user(ada).post(reverse("annotation:message", args=[place.pk]), {"read": "1"}, **JSON)
    assert response.status_code == 204
    assert Message.objects.get().read is not None


def test_a_revised_note_is_shown_once_and_the_earlier_one_stays(as_user, ada, dora, place, study):
    send(as_user(ada), place, option="2", note=QUESTION)
    send(as_user(ada), place, option="2", note="It is cut off.")
    reply(as_user(dora), place)
    page = as_user(ada).get(f"/studies/{study.slug}/messages/").text
    assert page.count(QUESTION) == 1
    assert page.index(QUESTION) < page.index("It is cut off.") < page.index(ANSWER)


def test_a_talk_does_not_vanish_with_the_note_it_began_with(as_user, ada, dora, place, study):
    reply(as_user(dora), place)
    send(as_user(ada), place, option="2", note="")
    assert ANSWER in as_user(dora).get(f"/manage/{study.slug}/notes/").text


def test_nobody_else_sees_a_line_of_it(as_user, ada, ben, cleo, eve, dora, place, study):
    reply(as_user(dora), place)
    answer(as_user(ada), place)
    judged(study, ben, as_user, note="Ben’s own")
    own = study.assignments.get(annotator__user=ben, item=place.item)
    for address in ("/", f"/studies/{study.slug}/messages/", own.get_absolute_url()):
        page = as_user(ben).get(address).text
        assert not any(words in page for words in (QUESTION, ANSWER, "I see."))
    for user in (ben, cleo, eve):
        assert answer(as_user(user), place, "Mine").status_code == 404
        assert reply(as_user(user), place).status_code == 404
    assert Message.objects.count() == 2


@pytest.mark.parametrize(
    ("text", "sentence"), [("  \r\n", "is empty"), ("x" * 10_001, "at most 10,000"), ("\x00", "NUL")]
)
def test_what_cannot_be_sent_is_said_and_kept(as_user, ada, dora, place, text, sentence):
    reply(as_user(dora), place)
    for response in (answer(as_user(ada), place, text), reply(as_user(dora), place, message=text)):
        assert response.status_code == 422
        assert sentence in response.text
        assert text.strip()[:50] in response.text
    assert Message.objects.count() == 1


def test_where_nothing_was_said_there_is_nothing_to_answer(as_user, ada, dora, study):
    place = judged(study, ada, as_user, note="")
    assert "There is nothing to answer here" in reply(as_user(dora), place).text
    assert "There is nothing to answer here" in answer(as_user(ada), place).text
    assert not Message.objects.exists()


def test_who_left_the_study_is_written_to_no_more(as_user, ada, dora, place, study):
    study.enrolments.filter(user=ada).update(state=EnrolmentState.WITHDRAWN)
    assert reply(as_user(dora), place).status_code == 404
    assert "Send" not in without_drawn(as_user(dora).get(f"/manage/{study.slug}/notes/").text)


def test_pages_stay_within_twelve_queries(as_user, ada, dora, study, django_assert_max_num_queries):
    places = [judged(study, ada, as_user, note=f"Note {n}") for n in range(2)]
    for place in places:
        reply(as_user(dora), place)
        answer(as_user(ada), place)
        reply(as_user(dora), place)
    held = next_assignment(study.enrolments.get(user=ada), now=timezone.now())
    reader = [place.get_absolute_url() for place in (*places, held)]
    reader += [f"/studies/{study.slug}/{page}/" for page in ("messages", "done", "begin")]
    for user, addresses in ((ada, reader), (dora, [f"/manage/{study.slug}/notes/"])):
        for address in addresses:
            browser = as_user(user)
            with django_assert_max_num_queries(12, info=address):
                assert browser.get(address).status_code == 200


def test_what_is_sent_twice_by_a_double_click_is_said_once(as_user, ada, dora, place):
    for _ in range(2):
        assert reply(as_user(dora), place).status_code == 302
    answer(as_user(ada), place, "I see.")
    answer(as_user(ada), place, "I see.")
    reply(as_user(dora), place)
    assert list(Message.objects.values_list("text", flat=True)) == [ANSWER, "I see.", ANSWER]


def test_nothing_is_said_by_who_has_withdrawn_meanwhile(ada, dora, place):
    reader = place.annotator
    withdrawal.erase(reader, now=timezone.now())
    with pytest.raises(Invalid, match="withdrawn"):
        messages.send(place.item, reader, "Still here.", by=dora, from_researcher=True, now=timezone.now())
    assert not Message.objects.exists()


def test_a_talk_about_practice_is_found_among_the_others_once_the_work_has_begun(as_user, ada, ben, dora):
    study, (a, _) = opened([ada, ben], items=3, practice=1)
    builders.enrolment(study, dora, role="researcher", pseudonym="R1")
    practised = judged(study, ada, as_user, note="Why that one?")
    worked = judged(study, ada, as_user, note="And here?")
    for place in (practised, worked):
        reply(as_user(dora), place)
    page = as_user(ada).get(f"/studies/{study.slug}/messages/").text
    assert page.count("Practice item 1</a>") == page.count(">Item 1</a>") == 1
    assert "Why that one?" in page
    answer(as_user(ada), practised, read="1", **{"from": "messages"})
    assert list(messages.unread_by(a).values_list("item", flat=True)) == [worked.item_id]
