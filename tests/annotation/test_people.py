"""Pseudonyms, invitations, seats."""

from datetime import timedelta

import pytest
from django.utils import timezone

from annotation.models import Enrolment, EnrolmentState, Event, Role
from annotation.people import enrolments
from common.errors import BadInput
from tests import builders

NOW = timezone.now()


@pytest.fixture
def study(db):
    return builders.study(state="draft")


def invitation(study, **options):
    return enrolments.invite(study, **{"role": "annotator", "seats": 2, "days": 14, "by": None, **options})


@pytest.mark.parametrize(("number", "name"), [(1, "A"), (26, "Z"), (27, "AA"), (52, "AZ"), (703, "AAA")])
def test_letters_go_on_after_z(number, name):
    assert enrolments.letters(number) == name


def test_each_role_counts_for_itself(study):
    roles = ["annotator", "researcher", "annotator", "adjudicator", "researcher"]
    names = [
        enrolments.enrol(study, builders.person(f"P{n}"), role).pseudonym for n, role in enumerate(roles)
    ]
    assert names == ["A", "R1", "B", "J1", "R2"]
    assert Event.objects.filter(verb="enrol").count() == 5


def test_the_same_part_twice_is_the_same_enrolment(study, ada):
    assert enrolments.enrol(study, ada, Role.ANNOTATOR) == enrolments.enrol(study, ada, Role.ANNOTATOR)
    with pytest.raises(BadInput, match="already, as: Annotator"):
        enrolments.enrol(study, ada, Role.RESEARCHER)


def test_people_and_programs_are_never_mixed(study, ada, ben, dora):
    enrolments.enrol(study, ada, Role.ANNOTATOR)
    with pytest.raises(BadInput, match="people among its annotators"):
        enrolments.enrol(study, ben, Role.ANNOTATOR, simulated=True)
    other = builders.study("other", state="draft")
    enrolments.enrol(other, ben, Role.ANNOTATOR, simulated=True)
    enrolments.enrol(other, dora, Role.RESEARCHER)
    with pytest.raises(BadInput, match="simulated readers"):
        enrolments.accept(invitation(other), ada, NOW)
    assert other.invitations.get().used == 0


def test_the_link_is_read_back_and_a_forged_one_is_not(study):
    made = invitation(study)
    token = enrolments.link(made)
    assert enrolments.read(token) == made
    for forged in (str(made.pk), f"{made.pk + 1}.{token.split('.', 1)[1]}", "", "x.y", token + "a"):
        assert enrolments.read(forged) is None
    made.delete()
    assert enrolments.read(token) is None


def test_accepting_takes_one_seat_a_person(study, ada, ben, cleo):
    made = invitation(study)
    first = enrolments.accept(made, ada, NOW)
    assert enrolments.accept(made, ada, NOW) == first
    assert enrolments.accept(made, ben, NOW).pseudonym == "B"
    with pytest.raises(BadInput, match="was for 2 people and all its places are taken"):
        enrolments.accept(made, cleo, NOW)
    made.refresh_from_db()
    assert made.used == 2
    assert study.enrolments.count() == 2


def test_a_full_or_ended_invitation_still_knows_whom_it_let_in(study, ada):
    made = invitation(study, seats=1)
    first = enrolments.accept(made, ada, NOW)
    enrolments.revoke(made, by=None, now=NOW)
    assert enrolments.accept(made, ada, NOW + timedelta(days=99)) == first


def test_withdrawn_ended_and_closed_are_said(study, ada):
    made = invitation(study)
    with pytest.raises(BadInput, match="This invitation ended on"):
        enrolments.accept(made, ada, NOW + timedelta(days=15))
    assert enrolments.revoke(made, by=None, now=NOW)
    assert not enrolments.revoke(made, by=None, now=NOW)
    with pytest.raises(BadInput, match="was withdrawn"):
        enrolments.accept(made, ada, NOW)
    open_one = invitation(study)
    type(study).objects.update(state="closed")
    with pytest.raises(BadInput, match="study is closed"):
        enrolments.accept(open_one, ada, NOW)
    assert not Enrolment.objects.exists()


def test_A07_a_link_does_not_let_back_in_who_was_let_go(study, ada):
    made = invitation(study)
    enrolments.accept(made, ada, NOW)
    study.enrolments.update(state=EnrolmentState.LEFT)
    with pytest.raises(BadInput, match="has left"):
        enrolments.accept(made, ada, NOW)


@pytest.mark.parametrize(
    ("options", "sentence"),
    [
        ({"seats": 0}, "1 to 1000 people"),
        ({"days": 366}, "1 to 365 days"),
        ({"role": "king"}, "no role “king”"),
    ],
)
def test_odd_invitations_are_refused(study, options, sentence):
    with pytest.raises(BadInput, match=sentence):
        invitation(study, **options)
    assert not study.invitations.exists()


def test_nobody_is_invited_to_a_closed_study(db):
    with pytest.raises(BadInput, match="closed"):
        invitation(builders.study(state="closed"))


def test_a_researcher_may_build_and_read(ada):
    enrolments.make_researcher(ada)
    assert {"annotation.add_study", "retrieval.view_book", "retrieval.view_candidatejob"} == (
        ada.get_all_permissions()
    )
