"""What many tests of studies begin with."""

import pytest
from django.utils import timezone

from annotation.assignment.claiming import next_assignment
from annotation.assignment.holding import mark_opened
from annotation.models import Role
from tests import builders


@pytest.fixture
def a(study, ada):
    """Ada, who reads the study."""
    return builders.enrolment(study, ada)


@pytest.fixture
def b(study, ben):
    """Ben, who reads it too."""
    return builders.enrolment(study, ben)


@pytest.fixture
def place(study, ada):
    """The place that Ada was given first, and has opened."""
    found = next_assignment(study.enrolments.get(user=ada), now=timezone.now())
    mark_opened(found, now=timezone.now())
    return found


@pytest.fixture
def fleet(dora, ada, ben, cleo):
    """Open, three items, two readings each; Ada and Ben read, Cleo adjudicates."""
    study = builders.study(by=dora)
    builders.enrolment(study, ada)
    builders.enrolment(study, ben)
    builders.enrolment(study, cleo, role=Role.ADJUDICATOR, pseudonym="J1")
    return study


@pytest.fixture
def draft(dora, ada):
    """Not open yet: two readings asked for, one reader there."""
    study = builders.study("draft", by=dora, state="draft")
    builders.enrolment(study, ada)
    return study


@pytest.fixture
def closed(ada, ben, cleo, dora):
    """Closed, read by Ada and Ben; Cleo adjudicates."""
    return builders.closed_study([ada, ben], adjudicator=cleo, by=dora)
