"""The steps of setting a study up, each with what is set now."""

from __future__ import annotations

from typing import NamedTuple

from django.urls import reverse
from django.utils import timezone

from annotation.models import EnrolmentState, Kind, Role, State, Study
from annotation.studies.lifecycle import free_seats, in_kinds, lacks
from annotation.studies.running.stopping import rule_of
from annotation.validation.samples import faults
from common.wording import counted


class SetupStep(NamedTuple):
    """A step of setting up.

    name: its name.
    address: where it is done.
    says: what is set now.
    missing: whether something needed is missing.
    """

    name: str
    address: str
    says: str
    missing: bool = False


def steps(study: Study, printed: int | None) -> list[SetupStep]:
    """Return all steps of the study; `printed`: how many of its answers can be found without reading."""
    found = printed_in_words(printed) if study.state == State.DRAFT else "as the study was opened"
    n = in_kinds(study)
    guideline, consent = study.latest_guideline(), study.latest_consent()
    readers = study.enrolments.filter(role=Role.ANNOTATOR, state=EnrolmentState.ACTIVE).count()
    open_ends = " ".join(lacks(study, n))

    def at(name: str, *args: str) -> str:
        return reverse(f"annotation:{name}", args=[study.slug, *args])

    # Where readers choose between no texts, no answer can be printed elsewhere.
    printed_step = (
        [SetupStep("Printed answers", at("leaks"), found)] if study.task_type.orders_options else []
    )
    return [
        SetupStep("Title and contact", at("step", "basics"), basics_in_words(study)),
        SetupStep(
            "Items",
            at("setup_items"),
            items_in_words(study, n[Kind.WORK]),
            not n[Kind.WORK] or "one scale" in open_ends,
        ),
        *sample_step(study, at("sample")),
        *printed_step,
        SetupStep("How it is read", at("step", "reading"), reading_in_words(study)),
        SetupStep(
            "Guidelines", at("guidelines"), f"version {guideline.version}" if guideline else "none yet"
        ),
        SetupStep(
            "Consent", at("setup_consent"), f"version {consent.version}" if consent else "not asked for"
        ),
        SetupStep(
            "Practice and checks",
            at("step", "practice"),
            practice_in_words(study, n[Kind.PRACTICE], n[Kind.CHECK]),
            "practice" in open_ends or "check items" in open_ends,
        ),
        SetupStep("Questions and pay", at("step", "questions"), questions_in_words(study)),
        SetupStep(
            "Stopping rule", reverse("evaluation:stopping", args=[study.slug]), stopping_in_words(study)
        ),
        SetupStep(
            "Readers",
            at("invite"),
            f"{counted(readers, 'reader')} of {study.overlap} that an item asks for",
            not readers and not free_seats(study, timezone.now()).exists(),
        ),
    ]


def sample_step(study: Study, address: str) -> list[SetupStep]:
    """Return the step that draws a sample of what a machine judged."""
    if not study.shows_machine:
        return [SetupStep("Sample for validation", address, "none: readers see no machine’s answer")]
    says = f"{study.sample.share:.0%} of what {study.sample.source} judged"
    return [SetupStep("Sample for validation", address, says, bool(faults(study)))]


def basics_in_words(study: Study) -> str:
    """Return the contact, or that there is none."""
    return study.contact or "readers are told of nobody to ask"


def items_in_words(study: Study, n: int) -> str:
    """Return the number of items and the task."""
    return f"{counted(n, 'item')}: {study.task_type.label.lower()}"


def printed_in_words(found: int | None) -> str:
    """Return what is known of printed answers."""
    if found is None:
        return "not checked yet: this study has many items"
    return f"{counted(found, 'answer')} can be found without reading" if found else "none found"


def reading_in_words(study: Study) -> str:
    """Return overlap, filling and quota."""
    quota = f", at most {counted(study.quota, 'item')} a reader" if study.quota else ""
    opens = [
        words
        for may, words in (
            (study.neighbours, "neighbours can be opened"),
            (study.source_after, "passages can be read in their book after the answer"),
            (study.earlier_answers, "own earlier answers can be opened"),
        )
        if may
    ]
    readings = f"{counted(study.overlap, 'reading')} of each, {study.get_filling_display().lower()}{quota}"
    return ", ".join([readings, *opens])


def practice_in_words(study: Study, practice: int, check: int) -> str:
    """Return how many practice and check items there are, and their rules."""
    parts = []
    if practice:
        mark = f", {study.pass_mark} must be right" if study.pass_mark else ""
        parts.append(f"{counted(practice, 'practice item')}{mark}")
    if check:
        parts.append(f"{counted(check, 'check item')}, one in {study.check_every or 'no'} items")
    return "; ".join(parts) or "none"


def stopping_in_words(study: Study) -> str:
    """Return how often is looked, or that reading goes on to the end."""
    rule = rule_of(study)
    if rule is None:
        return "none: reading goes on until all is read"
    return f"{counted(rule.most, 'look')} at most, the first at {counted(rule.items, 'fully read item')}"


def questions_in_words(study: Study) -> str:
    """Return which questions are asked beside each answer, and the pay."""
    asked = [
        words
        for asks, words in (
            (study.ask_confidence, "confidence"),
            (study.ask_basis, "recognised or worked out"),
        )
        if asks
    ]
    pay = f"{study.rate} {study.currency} an item" if study.rate is not None else ""
    return "; ".join(filter(None, [" and ".join(asked), pay])) or "no further question, nothing said of pay"
