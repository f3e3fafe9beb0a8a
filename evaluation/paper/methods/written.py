"""The methods paragraph in every language that there is."""

from __future__ import annotations

from annotation.models import Study
from evaluation.metrics.common.intervals import RESAMPLES
from evaluation.paper.methods import english, german
from evaluation.paper.methods.facts import facts

LANGUAGES = {"en": english.paragraph, "de": german.paragraph}
LABELS = {"en": "English", "de": "Deutsch"}


def paragraph(study: Study, language: str, resamples: int = RESAMPLES) -> str:
    """Return the paragraph in a language of `LANGUAGES`."""
    return LANGUAGES[language](facts(study, resamples))


def paragraphs(study: Study) -> list[tuple[str, str, str]]:
    """Return language, its name and the paragraph in it, of every language."""
    found = facts(study)
    return [(language, LABELS[language], made(found)) for language, made in LANGUAGES.items()]
