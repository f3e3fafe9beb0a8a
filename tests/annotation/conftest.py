"""What many tests of reading begin with."""

import pytest
from django.utils import timezone

from annotation.queue.assignment import mark_opened, next_assignment


@pytest.fixture
def place(study, ada):
    """The place that Ada was given first, and has opened."""
    found = next_assignment(study.enrolments.get(user=ada), now=timezone.now())
    mark_opened(found, now=timezone.now())
    return found
