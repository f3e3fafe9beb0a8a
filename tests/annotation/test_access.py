"""What each of the cast may reach; foreign and unknown are the same 404."""

import pytest
from django.contrib.auth.models import AnonymousUser
from django.http import Http404
from django.utils import timezone

from annotation import access
from annotation.assignment.claiming import next_assignment
from annotation.models import Consent, EnrolmentState, Guideline
from tests import builders

NOW = timezone.now()


@pytest.fixture
def study(dora):
    return builders.study(by=dora)


def test_a_researcher_directs_only_their_own_studies(study, dora, a, eve, stan):
    assert access.get_study(dora, "fleet") == study
    assert list(access.studies_for(dora)) == [study]
    for user in (a.user, eve, stan, AnonymousUser()):
        assert not access.studies_for(user).exists()
        with pytest.raises(Http404):
            access.get_study(user, "fleet")
    with pytest.raises(Http404):
        access.get_study(dora, "elsewhere")


def test_a_superuser_directs_every_study(study, eve):
    root = builders.person("Root", is_superuser=True)
    assert {each.slug for each in access.studies_for(root)} == {"fleet", "elsewhere"}


def test_A07_who_has_left_or_is_disabled_reaches_nothing(study, dora, a):
    study.enrolments.update(state=EnrolmentState.LEFT)
    for call in (lambda: access.get_study(dora, "fleet"), lambda: access.get_enrolment(a.user, "fleet")):
        with pytest.raises(Http404):
            call()
    study.enrolments.update(state=EnrolmentState.ACTIVE)
    dora.is_active = False
    assert not access.studies_for(dora).exists()
    assert not access.enrolments_for(dora).exists()


def test_one_reaches_only_ones_own_enrolment(a, eve):
    assert access.get_enrolment(a.user, "fleet") == a
    for user, slug in ((eve, "fleet"), (a.user, "unknown"), (AnonymousUser(), "fleet")):
        with pytest.raises(Http404):
            access.get_enrolment(user, slug)


def test_A03_one_reaches_only_ones_own_assignments(study, a, ben, eve, dora):
    b = builders.enrolment(study, ben)
    place = next_assignment(a, now=NOW)
    next_assignment(b, now=NOW)
    assert access.get_assignment(a.user, place.pk) == place
    assert access.get_assignment_to_answer(a.user, place.pk) == (place, a)
    free = study.assignments.filter(status="free").first()
    for user, pk in (
        (ben, place.pk),
        (eve, place.pk),
        (dora, place.pk),
        (a.user, free.pk),
        (a.user, 10**9),
        (AnonymousUser(), place.pk),
    ):
        for reach in (
            access.get_assignment,
            access.get_assignment_to_answer,
            access.get_assignment_and_texts,
        ):
            with pytest.raises(Http404):
                reach(user, pk)


def test_what_a_study_tells_comes_with_ones_own_assignment_only(study, a, ben, django_assert_num_queries):
    place = next_assignment(a, now=NOW)
    guideline = Guideline.objects.create(study=study, version=2, text="Look at the verbs.")
    consent = Consent.objects.create(study=study, version=1, text="I agree.")
    with django_assert_num_queries(3):
        assert access.get_assignment_and_texts(a.user, place.pk) == (place, a, (guideline, consent))
    builders.enrolment(study, ben)
    for beside in (access.GUIDELINE_AT, access.CONSENT_AT):
        assert len(beside(user=a.user.pk, pk=place.pk)) == 1
        assert beside(user=ben.pk, pk=place.pk) == [], "a text of a foreign assignment"
    builders.release_expired(place.lease_until)
    assert access.get_assignment_and_texts(a.user, place.pk) == (place, a, (guideline, consent))


def test_R05_a_lapsed_place_receives_answers_but_shows_nothing(study, a, ben):
    place = next_assignment(a, now=NOW)
    builders.release_expired(place.lease_until)
    b = builders.enrolment(study, ben)
    assert next_assignment(b, now=place.lease_until).pk == place.pk
    with pytest.raises(Http404):
        access.get_assignment(a.user, place.pk)
    assert access.get_assignment_to_answer(a.user, place.pk)[1] == a
    type(a).objects.filter(pk=a.pk).update(state=EnrolmentState.LEFT)
    with pytest.raises(Http404):
        access.get_assignment_to_answer(a.user, place.pk)


def test_A03_a_place_receives_no_answer_of_one_who_never_held_it(study, a, ben, cleo, eve):
    """Whoever is enrolled in the study: what somebody let go is theirs alone to answer late."""
    place = next_assignment(a, now=NOW)
    builders.release_expired(place.lease_until)
    builders.enrolment(study, ben)
    builders.enrolment(study, cleo)
    held = next_assignment(study.enrolments.get(user=cleo), now=place.lease_until)
    assert held.pk == place.pk
    builders.release_expired(held.lease_until)
    for user in (ben, eve):
        with pytest.raises(Http404):
            access.get_assignment_to_answer(user, place.pk)
    assert {access.get_assignment_to_answer(user, place.pk)[1].user for user in (a.user, cleo)} == {
        a.user,
        cleo,
    }
