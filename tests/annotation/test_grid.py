"""How the reading page stands is decided once a study, from its longest passages."""

from __future__ import annotations

from importlib import import_module

import pytest
from django.apps import apps
from django.utils import timezone

from annotation.assignment.grid import fitting, grid_of
from annotation.studies.lifecycle import open_study
from tests import builders


@pytest.mark.parametrize(
    ("longest", "most", "grid"),
    [
        (0, 0, "text"),  # nothing to choose from: words are marked, or a scale is used
        (120, 9, "text"),
        (121, 2, "even"),
        (660, 3, "even"),  # 3 × (11 lines of 30 px + 31) = 1083 px
        (661, 3, "below"),  # 3 × (12 lines of 30 px + 31) = 1173 px
        (240, 7, "even"),
        (240, 8, "below"),  # 8 × (4 lines of 30 px + 31) = 1208 px
    ],
)
def test_the_longest_passage_and_how_many_there_are_decide(longest, most, grid):
    assert fitting(longest, most) == grid


@pytest.mark.django_db
def test_opening_a_study_decides_and_nothing_after_does(ada):
    study = builders.study(items=2, overlap=1, state="draft")
    builders.enrolment(study, ada)
    item = study.items.last()
    item.payload |= {"options": ["a" * 300, "b", "c"]}
    item.save()
    assert study.grid == ""
    opened = open_study(study, by=None, now=timezone.now())
    assert opened.grid == "even" == grid_of(opened)
    study.items.update(retired=timezone.now())
    opened.refresh_from_db()
    assert (opened.grid, grid_of(opened)) == ("even", "text")


@pytest.mark.django_db
def test_studies_that_were_open_before_are_decided_by_the_same_rule():
    study, draft = builders.study(items=1), builders.study("planned", items=1, state="draft")
    item = study.items.get()
    item.payload |= {"options": ["a" * 700, "b", "c"]}
    item.save()
    import_module("annotation.migrations.0030_grid").decide(apps, None)
    for each in (study, draft):
        each.refresh_from_db()
    assert (study.grid, draft.grid) == (grid_of(study), "") == ("below", "")
