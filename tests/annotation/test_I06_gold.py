"""I06: gold that is missing, of no answer there is, or of no item: refused, and never taken for right."""

from __future__ import annotations

import copy
import json

import pytest
from django.core.management import CommandError, call_command

from annotation.export import judgments
from annotation.models import Item
from annotation.tasktypes import registry
from tests import builders
from tests.annotation.manage_cast import judge

pytestmark = pytest.mark.django_db
TASKS = sorted(registry.all_types())
NOTHING = object()


def line(task, gold=NOTHING, **more):
    example = registry.get(task).example()
    fields = {**copy.deepcopy(example.payload), **more}
    return fields if gold is NOTHING else {**fields, "gold": gold}


def load(tmp_path, task, *lines):
    path = tmp_path / "gold.jsonl"
    path.write_text("\n".join(map(json.dumps, lines)))
    call_command("import_items", "gold", str(path), task=task)


def unknown(task):
    """The example's gold with another value in each field, and other things that are no answer."""
    gold = registry.get(task).example().gold
    yield from ([], "0", 1, True, {}, {"option": 0, "no such field": 1})
    for name, value in gold.items():
        for other in (-1, 10**6, "no such label", [[10**6, 10**6 + 1]], None, 1e300, [value], {"a": 1}):
            if other != value:
                yield {**gold, name: other}


@pytest.mark.parametrize("task", TASKS)
def test_gold_that_is_no_answer_of_the_item_is_refused_and_nothing_is_stored(tmp_path, task):
    for gold in unknown(task):
        if gold == registry.get(task).example().gold:
            continue
        with pytest.raises(CommandError, match=r"^gold\.jsonl, line 2, field “"):
            load(tmp_path, task, line(task), line(task, gold, id="second"))
        assert not Item.objects.exists(), gold


@pytest.mark.parametrize("task", TASKS)
def test_without_gold_nothing_is_right(tmp_path, task):
    """Not for the answer that the example calls right, nor for none."""
    load(tmp_path, task, line(task))
    item = Item.objects.get()
    assert item.gold is None
    kind = item.study.task_type
    assert kind.is_correct(registry.get(task).example().gold, item.gold) is None
    for what in ("practice", "check"):
        with pytest.raises(CommandError, match=f"field “gold”: a {what} item needs the right answer"):
            load(tmp_path, task, line(task), line(task, kind=what, id="other"))


def test_a_judgment_without_gold_is_neither_right_nor_wrong_in_the_file(ada):
    study = builders.study(items=2)
    builders.rewrite([study.items.get(number=1)], gold=None)
    builders.enrolment(study, ada)
    judge(study, 1, "A")
    judge(study, 2, "A")
    first, second = map(json.loads, judgments.export(study, "jsonl", by=None))
    assert (first["correct"], first["gold_option"]) == (None, None)
    assert second["correct"] is not None


def test_answers_for_an_item_that_is_not_there_are_refused_whole(tmp_path, dora):
    study = builders.study(items=2, by=dora)
    path = tmp_path / "answers.jsonl"
    said = [{"item": number, "answer": {"option": 1}} for number in (1, 7)]
    path.write_text("\n".join(map(json.dumps, said)))
    with pytest.raises(CommandError, match=r"answers\.jsonl, line 2.*7.*no item of “fleet”"):
        call_command("import_answers", study.slug, str(path), name="sys", source="lab", licence="none")
    assert not study.machine_readers.exists()
