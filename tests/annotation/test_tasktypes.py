"""Every task type, tested before anyone writes a test for it: add a file and this runs on it."""

import json
from pathlib import Path
from random import Random

import pytest
from django.conf import settings

from annotation.tasktypes import registry
from annotation.tasktypes.base import Invalid, TaskType

TYPES = registry.all_types()
each_type = pytest.mark.parametrize("task", TYPES.values(), ids=TYPES)


@each_type
def test_the_example_is_an_item(task):
    example = task.example()
    task.check_payload(example.payload)
    assert task.check_answer(example.payload, example.gold) == example.gold
    assert json.loads(json.dumps(example.payload)) == example.payload


@each_type
def test_a_form_means_the_answer_and_the_answer_means_itself(task):
    example = task.example()
    assert task.parse(example.payload, example.data) == example.answer
    assert task.parse(example.payload, example.answer) == example.answer, "a script sends what it read"
    assert task.check_answer(example.payload, example.answer) == example.answer
    assert json.loads(json.dumps(example.answer)) == example.answer


@each_type
def test_the_fields_of_an_answer_mean_it_again(task):
    example = task.example()
    plain = [task.parse(example.payload, {each.field: each.value}) for each in task.plain_answers]
    for answer in (example.answer, example.gold, *plain):
        assert task.parse(example.payload, task.fields(answer)) == answer
        assert task.apart(answer, answer) == 0
    assert 0 < task.apart(example.answer, example.gold) <= 1


@each_type
def test_an_empty_form_is_explained_to_the_reader(task):
    with pytest.raises(Invalid) as caught:
        task.parse(task.example().payload, {})
    assert str(caught.value).endswith(".")
    assert caught.value.field in task.example().data


@each_type
@pytest.mark.parametrize("answer", [None, [], "x", {}, {"unknown": 1}])
def test_what_is_no_answer_is_refused(task, answer):
    with pytest.raises(Invalid):
        task.check_answer(task.example().payload, answer)


@each_type
@pytest.mark.parametrize("payload", [{}, {"unknown": 1}])
def test_what_is_no_item_is_refused(task, payload):
    with pytest.raises(Invalid):
        task.check_payload(payload)


@each_type
def test_it_presents_in_any_order_without_changing_the_item(task):
    example = task.example()
    before = json.dumps(example.payload)
    order = list(range(task.n_options(example.payload)))
    assert task.present(example.payload, order)
    assert task.present(example.payload, order[::-1])
    assert json.dumps(example.payload) == before


@each_type
def test_A02_what_is_presented_does_not_depend_on_gold(task):
    assert "gold" not in json.dumps(task.present(task.example().payload, [0, 1, 2]))


@each_type
def test_an_answer_is_flat_columns_with_the_same_names_always(task):
    example = task.example()
    columns = task.rows(example.payload, example.answer)
    assert columns
    assert all(isinstance(value, str | int | float | bool | None) for value in columns.values())
    assert list(task.rows(example.payload, example.gold)) == list(columns)


@each_type
def test_each_of_its_columns_has_a_meaning(task):
    example = task.example()
    assert list(task.meanings) == list(task.rows(example.payload, example.answer))


@each_type
def test_a_simulated_reader_is_right_as_often_as_asked(task):
    payload, gold = task.example().payload, task.example().gold
    said = [task.simulate(payload, gold, 0.75, Random(seed)) for seed in range(400)]
    assert all(task.check_answer(payload, answer) == answer for answer in said)
    right = sum(bool(task.is_correct(answer, gold)) for answer in said)
    assert 265 <= right <= 335, "300 expected, four standard errors around it"
    assert task.simulate(payload, gold, 1.0, Random(1)) == gold
    assert task.simulate(payload, gold, 0.5, Random(9)) == task.simulate(payload, gold, 0.5, Random(9))


@each_type
def test_correct_wrong_and_unknown(task):
    example = task.example()
    assert task.is_correct(example.gold, example.gold) is True
    assert task.is_correct(example.answer, example.gold) is (example.answer == example.gold)
    assert task.is_correct(example.answer, None) is None


@each_type
def test_it_has_a_template_of_its_name(task):
    folder = Path(settings.BASE_DIR) / "templates" / "annotation" / "tasks"
    assert (folder / f"{task.slug}.html").is_file()


@each_type
def test_it_says_what_it_is(task):
    assert task.slug == task.slug.lower()
    assert task.label
    assert task.asks.endswith(".")
    assert task.measure in {"nominal", "ordinal", "spans"}
    assert registry.get(task.slug) is task


def test_an_unknown_type_is_named_with_those_there_are():
    with pytest.raises(Invalid, match="no task “chess”"):
        registry.get("chess")


def test_two_types_cannot_share_a_name():
    taken = next(iter(TYPES))
    with pytest.raises(ValueError, match="two task types call themselves"):
        type("Other", (TaskType,), {"slug": taken})
    assert type(TYPES[taken]) is TaskType.known[taken]
