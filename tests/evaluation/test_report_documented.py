"""docs/numbers.md says of every measure what the registry says."""

from __future__ import annotations

import re

import pytest
from django.conf import settings

from evaluation.metrics.registry import ALL_MEASURES
from evaluation.report.formats import FORMATS

PAGE = (settings.BASE_DIR / "docs" / "numbers.md").read_text(encoding="utf-8")


def section(slug):
    found = re.search(rf"^### [^\n]*\(`{slug}`\)\n(.*?)(?=^##)", PAGE, re.S | re.M)
    assert found, f"docs/numbers.md has no heading for {slug}"
    return found


@pytest.mark.parametrize("one", ALL_MEASURES, ids=lambda one: one.slug)
def test_every_measure_has_a_section_that_says_what_the_registry_says(one):
    found = section(one.slug)
    assert found.group().startswith(f"### {one.label} (`{one.slug}`)\n")
    text = found.group(1)
    assert one.definition in text
    assert f"- Formula: `{one.formula}`\n" in text
    assert f"- Source: {one.source}\n" in text
    assert f"- Chance: {one.chance}\n" in text
    assert "- Ruling: " in text


def test_no_section_is_left_of_a_measure_that_is_gone():
    assert re.findall(r"^### .*\(`(\w+)`\)$", PAGE, re.M) == [one.slug for one in ALL_MEASURES]


def test_the_page_names_every_form():
    for name in set(FORMATS) - {"table"}:
        assert name.lower() in PAGE.lower()
