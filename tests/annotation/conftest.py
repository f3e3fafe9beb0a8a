"""What many tests of reading begin with."""

import pytest
from django.utils import timezone

from annotation.queue.assignment import mark_opened, next_assignment
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
