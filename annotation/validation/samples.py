"""Make the items of a draft a sample of what a machine judged: planned, drawn, taken back.

All items that the machine judged stand in the draft. What is not drawn is left out of it, and stays in the
sampling frame (`SampledItem`), since estimates on all items need the machine's answer to each. Nothing can be
drawn or taken back once the study has opened.
"""

from __future__ import annotations

from collections import Counter
from datetime import datetime
from typing import Any, NamedTuple

from django.contrib.auth.models import User
from django.db import transaction

from annotation.models import Event, Item, Sample, SampledItem, State, StrataRule, Study
from annotation.models.validation import MOST_PARTS, TOLD
from annotation.validation import whole_topics
from annotation.validation.drawing import Drawing, Name, Unit, draw
from annotation.validation.machine_answers import Answers, items_of
from common.errors import BadInput
from common.wording import counted
from retrieval.corpora.models import Pool, Ranked

AT_ONCE = 1000
NO_ANSWER, ANSWERED = "no answer", "answered"
NO_RUNS = "The items come of no pool with runs, so strata are made of the machine’s answer alone."
LONGEST_TOLD = 2_000


class Wish(NamedTuple):
    """How a sample is to be drawn.

    share: of the items, above 0 and at most 1.
    rule: what strata are made of.
    top_k: how many first documents of each compared run count as its top; for that rule alone.
    blind, reveal, prefilled: the arms' parts of a block.
    seed: of draw and arms; None for the study's.
    told: what readers are told.
    whole_topics: topics are drawn with all their items; there are no strata then.
    """

    share: float = 0.4
    rule: str = StrataRule.GRADE_IN_TOP
    top_k: int = 10
    blind: int = 1
    reveal: int = 1
    prefilled: int = 1
    seed: int | None = None
    told: str = TOLD
    whole_topics: bool = False


class Plan(NamedTuple):
    """A sample that can be drawn.

    drawing: the strata, and what is drawn of each.
    rule: as asked for, or the one that the items allow.
    runs: names of the runs whose first documents make strata.
    notes: what the researcher should know, in sentences.
    """

    drawing: Drawing
    rule: str
    runs: list[str]
    notes: list[str]


def plan(study: Study, answers: Answers, wish: Wish) -> Plan:
    """Return what would be drawn, and store nothing. Raises `BadInput`."""
    check(study, wish)
    items = items_of(study)
    seed = study.seed if wish.seed is None else wish.seed
    if wish.whole_topics:
        whole_topics.check_arms(wish.prefilled)
        units = [Unit(item.pk, ("", ""), item.group) for item in items]
        drawing = whole_topics.draw_topics(units, wish.share, seed)
        return Plan(drawing, StrataRule.NONE, [], notes(study, items, answers, wish, drawing))
    top, runs = in_top(items, wish.top_k) if wish.rule == StrataRule.GRADE_IN_TOP else ({}, [])
    rule = wish.rule
    if rule == StrataRule.GRADE_IN_TOP and not runs:
        rule = StrataRule.GRADE
    units = [Unit(item.pk, stratum_of(study, item, answers, rule, top), item.group) for item in items]
    drawing = draw(units, wish.share, seed)
    told = [] if rule == wish.rule else [NO_RUNS]
    return Plan(drawing, rule, runs, told + notes(study, items, answers, wish, drawing))


def take(study: Study, answers: Answers, wish: Wish, *, by: User | None, now: datetime) -> Sample:
    """Draw the sample and leave out of the draft what is not in it; all or nothing. Raises `BadInput`."""
    with transaction.atomic():
        study = Study.objects.select_for_update(no_key=True).get(pk=study.pk)
        found = plan(study, answers, wish)
        sample = Sample.objects.create(
            study=study,
            machine_reader=answers.reader,
            source=answers.source[:300],
            sha256=answers.sha256,
            share=wish.share,
            rule=found.rule,
            top_k=wish.top_k if found.runs else None,
            runs=found.runs,
            seed=study.seed if wish.seed is None else wish.seed,
            blind=wish.blind,
            reveal=wish.reveal,
            prefilled=wish.prefilled,
            told=wish.told.strip(),
            merged=[list(each) for each in found.drawing.merged],
            created_by=by,
        )
        SampledItem.objects.bulk_create(rows(sample, answers, found.drawing), batch_size=AT_ONCE)
        left = SampledItem.objects.filter(sample=sample, drawn=False)
        Item.objects.filter(pk__in=left.values("item")).update(retired=now)
        Study.objects.filter(pk=study.pk).update(shows_machine=True)
        what: dict[str, Any] = {
            "source": sample.source,
            "items": len(found.drawing.stratum_of),
            "drawn": len(found.drawing.drawn),
        }
        Event.objects.create(study=study, actor=by, verb="sample", data=what)
    return sample


def rows(sample: Sample, answers: Answers, drawing: Drawing) -> list[SampledItem]:
    """Return the rows of the frame, unsaved."""
    made = []
    for pk, place in drawing.stratum_of.items():
        stratum, machine = drawing.strata[place], answers.of.get(pk)
        made.append(
            SampledItem(
                sample=sample,
                item_id=pk,
                stratum=stratum.name,
                stratum_size=stratum.size,
                stratum_drawn=stratum.drawn,
                drawn=pk in drawing.drawn,
                machine_answer=machine.answer if machine else None,
                reading=machine.reading if machine else None,
            )
        )
    return made


def take_back(study: Study, *, by: User | None) -> int:
    """Take the sample back: all its items are items of the draft again; return how many.

    Raises `BadInput` once the study has opened, or without a sample.
    """
    with transaction.atomic():
        study = Study.objects.select_for_update(no_key=True).get(pk=study.pk)
        refuse_opened(study)
        sample = Sample.objects.filter(study=study).first()
        if sample is None:
            raise BadInput(f"“{study.slug}” is no sample: there is nothing to take back.")
        left = SampledItem.objects.filter(sample=sample, drawn=False)
        Item.objects.filter(pk__in=left.values("item")).update(retired=None)
        n = sample.items.count()
        sample.delete()
        Study.objects.filter(pk=study.pk).update(shows_machine=False)
        Event.objects.create(study=study, actor=by, verb="sample taken back", data={"items": n})
    return n


def check(study: Study, wish: Wish) -> None:
    """Raise `BadInput` where no such sample can be drawn of this study."""
    refuse_opened(study)
    if Sample.objects.filter(study=study).exists():
        raise BadInput(f"“{study.slug}” is a sample already: take it back first, then draw another.")
    if not 0 < wish.share <= 1:
        raise BadInput(f"The share must be above 0 and at most 1 (0.4 is 40 %), not {wish.share}.")
    if wish.rule not in StrataRule.values:
        raise BadInput(f"The strata must be one of {', '.join(StrataRule.values)}, not {wish.rule!r}.")
    if wish.top_k < 1:
        raise BadInput(f"The first {wish.top_k} of a run is nothing: use 1 or more.")
    shares = (wish.blind, wish.reveal, wish.prefilled)
    if min(shares) < 0 or max(shares) > MOST_PARTS:
        raise BadInput(f"The parts of the arms must be 0 to {MOST_PARTS}, not {', '.join(map(str, shares))}.")
    if not wish.blind + wish.reveal:
        raise BadInput("Some items must be judged without the machine: give blind or reveal a part.")
    if not wish.told.strip():
        raise BadInput("Say what readers are told: they must know that a machine’s answers are shown.")
    if len(wish.told) > LONGEST_TOLD:
        raise BadInput(f"What readers are told has {len(wish.told):,} characters: at most {LONGEST_TOLD:,}.")


def refuse_opened(study: Study) -> None:
    """Raise `BadInput` unless the study is a draft."""
    if study.state != State.DRAFT:
        state = study.get_state_display().lower()
        raise BadInput(f"“{study.slug}” is {state}: a sample is drawn, or taken back, in a draft only.")


def stratum_of(study: Study, item: Item, answers: Answers, rule: str, top: dict[int, bool]) -> Name:
    """Return the names of an item's stratum before merging."""
    machine = answers.of.get(item.pk)
    said = said_of(study, machine.answer) if machine else NO_ANSWER
    if rule == StrataRule.GRADE_IN_TOP:
        return ("in a top" if top.get(item.pk) else "in no top"), said
    if rule == StrataRule.TOPIC_GRADE:
        return item.group, said
    return "", said if rule == StrataRule.GRADE else ""


def said_of(study: Study, answer: dict[str, Any]) -> str:
    """Return what tells a machine's answer in the name of a stratum: its number; of an answer with several
    parts or places, whether there is anything in it.
    """
    task = study.task_type
    if task.is_one_number:
        number = task.numbers_of_answer(answer)[0]
        return NO_ANSWER if number is None else str(number)
    plain = next((each.label for each in task.plain_answers if answer.get(each.field)), "")
    return plain or ANSWERED


def in_top(items: list[Item], k: int) -> tuple[dict[int, bool], list[str]]:
    """Return which items a compared run has among its first k, and the runs' names.

    Compared are the runs of the pools that the items were made of; without any there is nothing to return.
    """
    pools = {item.provenance.get("pool") for item in items} - {None}
    runs = Pool.runs.through.objects.filter(pool__in=pools).values("run")
    ranked = Ranked.objects.filter(run__in=runs)
    found = set(ranked.filter(rank__lte=k).values_list("topic__topic", "document"))
    names = sorted(set(ranked.order_by().values_list("run__name", flat=True).distinct()))
    topics = dict(
        Pool.objects.filter(pk__in=pools)
        .values_list("entries__topic__external_id", "entries__topic")
        .distinct()
    )
    top = {item.pk: (topics.get(item.group), item.provenance.get("document")) in found for item in items}
    return top, names


def notes(study: Study, items: list[Item], answers: Answers, wish: Wish, drawing: Drawing) -> list[str]:
    """Return what the researcher should know of a plan, in sentences."""
    found = [whole_topics.note(drawing)] if wish.whole_topics else []
    without = len(items) - len(answers.of)
    if without:
        apart = "" if wish.whole_topics else "in a stratum of their own where they are enough, and "
        found.append(f"{counted(without, 'item')} without an answer of the machine: {apart}always blind.")
    if answers.passed_over:
        found.append(f"{counted(answers.passed_over, 'answer')} of the machine to what is no item here.")
    for small, into in drawing.merged:
        found.append(f"Too small to be drawn from: “{small}” was put together with “{into}”.")
    return found + of_arms(wish)


def of_arms(wish: Wish) -> list[str]:
    """Return a warning where the arms show little, with numbers."""
    block = wish.blind + wish.reveal + wish.prefilled
    if wish.blind / block <= 0.2 and wish.reveal + wish.prefilled:
        return [
            "A fifth or less is blind: 350 items would then find a pull of 7 points towards the machine 21 "
            "times in 100. Halves need the fewest items; thirds are the default."
        ]
    return []


def faults(study: Study) -> list[str]:
    """Return what has been changed in a sample since it was drawn, as the second halves of sentences."""
    if not study.shows_machine:
        return []
    drawn = SampledItem.objects.filter(sample__study=study, drawn=True)
    out = drawn.exclude(item__retired=None).count()
    back = SampledItem.objects.filter(sample__study=study, drawn=False, item__retired=None).count()
    work = study.items.work().filter(retired=None).count()
    new = work - drawn.filter(item__retired=None).count() - back
    said = Counter({"left out": out, "taken back in": back, "added": new})
    return [
        f"has {counted(n, 'item')} {what} since its sample was drawn, so its weights are wrong: undo that, "
        "or take the sample back and draw another."
        for what, n in said.items()
        if n > 0
    ]
