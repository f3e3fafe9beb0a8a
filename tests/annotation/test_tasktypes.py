"""Every task type, tested before anyone writes a test for it: add a file and this runs on it."""

import html
import json
import re
from itertools import permutations
from pathlib import Path
from random import Random

import pytest
from django.conf import settings
from django.core.files.uploadedfile import SimpleUploadedFile
from django.template.loader import render_to_string
from django.urls import reverse

from annotation.models import Assignment, Study
from annotation.tasktypes import registry
from annotation.tasktypes.base import Invalid, TaskType
from annotation.tasktypes.items import Quotation
from evaluation.kinds.registry import all_kinds
from tests import builders

TYPES = registry.all_types()
each_type = pytest.mark.parametrize("task", TYPES.values(), ids=TYPES)


def canonical(task):
    return list(range(task.n_options(task.example().payload)))


def orders(task):
    """Every order of the example's options; one, the empty one, where there are none."""
    return [list(each) for each in permutations(canonical(task))]


def rendered(task, shown, chosen, state="open", **more):
    """The two parts of the reading page that are the task's own."""
    context = {
        "shown": shown,
        "chosen": chosen,
        "task": task,
        "study": Study(task=task.slug, state=state),
        "assignment": Assignment(pk=17),
        "keys": {},
        **more,
    }
    names = [f"annotation/tasks/{task.slug}.html#{part}" for part in ("text", "answer")]
    return "".join(render_to_string(name, context) for name in names)


@each_type
def test_the_example_is_an_item(task):
    example = task.example()
    task.check_payload(example.payload)
    assert task.check_answer(example.payload, example.gold) == example.gold
    assert json.loads(json.dumps(example.payload)) == example.payload


@each_type
def test_a_form_means_the_answer_and_the_answer_means_itself(task):
    example = task.example()
    assert task.read(example.payload, example.data, canonical(task)) == example.answer
    assert task.parse(example.payload, example.answer) == example.answer, "a program sends what it thinks"
    assert task.check_answer(example.payload, example.answer) == example.answer
    assert json.loads(json.dumps(example.answer)) == example.answer


@each_type
def test_the_fields_of_an_answer_mean_it_again(task):
    example = task.example()
    plain = [task.parse(example.payload, {each.field: each.value}) for each in task.plain_answers]
    for answer in (example.answer, example.gold, *plain):
        for order in orders(task):
            assert task.read(example.payload, task.fields(answer, order), order) == answer
            assert task.read(example.payload, task.as_shown(answer, order), order) == answer
        assert task.apart(answer, answer, task.categories(example.payload)) == 0
    assert 0 < task.apart(example.answer, example.gold, task.categories(example.payload)) <= 1


@each_type
def test_a_reply_means_the_answer_in_any_order(task):
    """What a model is asked holds neither gold nor a canonical number; its reply goes through `parse`."""
    if not task.can_be_asked:
        pytest.skip("models are not asked about such items")
    example = task.example()
    assert task.instruction(example.payload)
    plain = [task.parse(example.payload, {each.field: each.value}) for each in task.plain_answers]
    for order in orders(task):
        assert json.loads(json.dumps(task.material(example.payload, order)))
        for answer in (example.answer, example.gold, *plain):
            reply = task.as_reply(example.payload, answer, order)
            assert set(reply) <= set(task.reply_schema(example.payload))
            assert task.from_reply(example.payload, reply, order) == task.verdict(answer)
            if task.choices(example.payload):
                (written,) = map(str, reply.values())
                assert written in task.choices(example.payload)
                assert task.number_of_choice(written, order) == task.numbers_of_answer(answer)[0]


@each_type
@pytest.mark.parametrize(
    "reply", [{}, {"grade": 7, "passage": 9, "words": "nowhere to be found"}, {"words": 3, "quality": []}]
)
def test_a_reply_that_is_no_answer_is_explained_to_the_model(task, reply):
    if not task.can_be_asked:
        pytest.skip("models are not asked about such items")
    with pytest.raises(Invalid) as caught:
        task.from_reply(task.example().payload, reply, canonical(task))
    assert str(caught.value).endswith(".")


@each_type
def test_an_empty_form_is_explained_to_the_reader(task):
    with pytest.raises(Invalid) as caught:
        task.read(task.example().payload, {}, canonical(task))
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
def test_A02_items_that_look_alike_are_alike_whatever_the_canonical_order(task):
    """The same words at the same places: nothing that a browser or a script holds tells the order behind."""
    example = task.example()
    seen = set()
    for order in orders(task):
        payload, gold = task.reordered(example.payload, example.gold, order)
        task.check_payload(payload)
        back = [order.index(number) for number in canonical(task)]
        shown, chosen = task.present(payload, back), task.as_shown(gold, back)
        assert task.read(payload, chosen, back) == gold
        seen.add(json.dumps([shown, chosen, task.fields(gold, back)]) + rendered(task, shown, chosen))
    assert len(seen) == 1


@each_type
def test_A02_in_two_orders_only_the_words_are_elsewhere(task):
    example = task.example()
    seen = set()
    for order in orders(task):
        shown = task.present(example.payload, order)
        text = json.dumps(shown, ensure_ascii=False) + rendered(task, shown, {})
        for each in task.options(example.payload):
            assert text.count(each) == 2, "an option is a text, and stands once"
            text = text.replace(each, "words")
        seen.add(text)
    assert len(seen) == 1


@each_type
def test_in_another_canonical_order_it_is_the_same_item(task):
    example = task.example()
    for order in orders(task):
        payload, gold = task.reordered(example.payload, example.gold, order)
        assert task.check_answer(payload, gold) == gold
        assert list(task.options(payload)) == [task.options(example.payload)[number] for number in order]
        assert task.present(payload, canonical(task)) == task.present(example.payload, order)
        if task.options(payload):
            assert task.as_shown(gold, canonical(task)) == task.as_shown(example.gold, order)
        assert task.reordered(payload, None, order)[1] is None


@each_type
def test_what_earlier_pages_sent_is_refused_in_words(task):
    example = task.example()
    for former, field in task.former.items():
        with pytest.raises(Invalid, match="choose again") as refused:
            task.read(example.payload, {**example.data, former: "0"}, canonical(task))
        assert refused.value.field == field
        assert former not in example.data


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


def made_of(task, **line):
    """The payload and gold of a line of a file, checked as when it is stored."""
    payload, gold = task.of_line(line)
    task.check_payload(payload)
    return payload, gold and task.check_answer(payload, gold)


def test_an_answer_without_words_of_its_own_has_its_label_or_its_columns():
    grade = TYPES["grade"]
    payload = grade.example().payload
    assert TaskType.in_words(grade, payload, {"grade": 2}) == payload["grades"][2]

    class Timed(type(grade)):  # type: ignore[misc]
        slug = "timed"

        def category_labels(self, payload):
            return ()

        def rows(self, payload, answer):
            return {"minutes": 40, "seconds": 0, "note": "", "place": None}

    del TaskType.known["timed"]
    assert Timed().in_words(payload, {"grade": 2}) == "minutes: 40; seconds: 0"


@each_type
def test_its_file_holds_the_fields_it_names_and_no_others(task):
    example = task.example()
    line = {**example.payload, "gold": example.gold}
    assert made_of(task, **line) == (example.payload, example.gold)
    assert made_of(task, **example.payload) == (example.payload, None)
    assert set(example.payload) <= {field.name for field in task.file_fields}
    for field in task.file_fields:
        less = {name: value for name, value in line.items() if name != field.name}
        if field.needed:
            with pytest.raises(Invalid) as refused:
                made_of(task, **less)
            assert refused.value.field == field.name
        elif field.name != "sha256":  # Needed with tokens, which the example has.
            assert made_of(task, **less)
    with pytest.raises(Invalid) as refused:
        made_of(task, **line, unheard_of=1)
    assert refused.value.field == "unheard_of"
    with pytest.raises(Invalid) as refused:
        made_of(task, **{**line, "gold": 7})
    assert refused.value.field == "gold"


@each_type
def test_what_it_makes_of_candidates_is_an_item(task):
    found = Quotation(["Before."], ["After."], ["One.", "Two.", "Three."], 1, "en", "A critic", "A book")
    if not task.from_candidates:
        with pytest.raises(Invalid, match="not made of candidates"):
            task.of_quotation(found)
        return
    payload, gold = task.of_quotation(found)
    task.check_payload(payload)
    assert task.check_answer(payload, gold) == gold
    other = task.of_quotation(found._replace(gold=2))
    assert other[0] == payload
    assert other[1] != gold


@each_type
@pytest.mark.django_db
def test_the_page_that_uploads_says_what_its_file_must_hold(task, as_user, dora):
    study = builders.study(items=0, state="draft", task=task.slug, by=dora)
    page = as_user(dora).get(reverse("annotation:setup_items", args=[study.slug]))
    assert re.findall(r"<dt><code>(\w+)</code></dt>", page.text) == [
        *(field.name for field in task.file_fields), "gold", "kind", "id", "explanation",
    ]  # fmt: skip
    line = html.unescape(re.search(r"<pre[^>]*><code>(.*)</code>", page.text)[1])
    file = SimpleUploadedFile("items.jsonl", line.encode())
    sent = as_user(dora).post(reverse("annotation:setup_items", args=[study.slug]), {"file": file})
    assert sent.status_code == 302
    assert study.items.get().gold is not None


@each_type
def test_it_has_a_template_of_its_name(task):
    folder = Path(settings.BASE_DIR) / "templates" / "annotation" / "tasks"
    assert (folder / f"{task.slug}.html").is_file()


@each_type
def test_its_controls_are_shut_in_a_closed_study_but_for_an_adjudicator(task):
    example = task.example()
    shown = task.present(example.payload, canonical(task))
    shut = rendered(task, shown, None, state="closed").count(" disabled")
    assert shut > 0
    assert rendered(task, shown, None, state="closed", adjudicating=True).count(" disabled") < shut
    assert rendered(task, shown, None).count(" disabled") < shut


@each_type
def test_it_says_what_it_is(task):
    assert task.slug == task.slug.lower()
    assert task.label
    assert task.asks.endswith(".")
    assert task.measure in all_kinds()
    assert registry.get(task.slug) is task


def test_an_unknown_type_is_named_with_those_there_are():
    with pytest.raises(Invalid, match="no task “chess”"):
        registry.get("chess")


def test_two_types_cannot_share_a_name():
    taken = next(iter(TYPES))
    with pytest.raises(ValueError, match="two task types call themselves"):
        type("Other", (TaskType,), {"slug": taken})
    assert type(TYPES[taken]) is TaskType.known[taken]
