"""What the tables of machine readers hold, and refuse."""

from __future__ import annotations

import pytest
from django.db import DatabaseError, IntegrityError, transaction
from django.utils import timezone

from annotation.models import (
    MachineJob,
    MachineReader,
    MachineReading,
    PromptVersion,
    ReadingState,
    Study,
)
from annotation.studies.trash import delete_for_good, move_to_trash
from tests import builders

pytestmark = pytest.mark.django_db


@pytest.fixture
def fleet():
    return builders.study(items=2)


@pytest.fixture
def reader(fleet):
    prompt = PromptVersion.objects.create(study=fleet, version=1, system="Read.", template="{{item}}")
    return MachineReader.objects.create(study=fleet, name="M1", endpoint="lamp", prompt=prompt)


def reading(reader, **fields):
    item = reader.study.items.order_by("number").first()
    said = {"state": ReadingState.ANSWERED, "answer": {"option": 2}, "shown": [2, 0, 1]}
    return MachineReading(
        reader=reader, item=item, item_digest=item.digest, created=timezone.now(), **{**said, **fields}
    )


def test_numbers_and_position_follow_from_the_answer(reader):
    one = reading(reader)
    one.save()
    assert (one.number_1, one.number_2, one.position) == (2, None, 0)


@pytest.mark.parametrize(
    "fields",
    [
        {"state": ReadingState.UNREADABLE},
        {"answer": None},
        {"state": "perhaps", "answer": None},
    ],
)
def test_only_an_answer_is_an_answer(reader, fields):
    with pytest.raises(IntegrityError), transaction.atomic():
        reading(reader, **fields).save()


def test_an_item_is_read_once(reader):
    reading(reader).save()
    reading(reader, replicate=1).save()
    reading(reader, order=1).save()
    with pytest.raises(IntegrityError), transaction.atomic():
        reading(reader).save()


@pytest.mark.parametrize(
    ("model", "change"), [(PromptVersion, {"system": "Say 4."}), (MachineReading, {"text": "other"})]
)
def test_prompts_and_readings_are_never_changed(reader, model, change):
    reading(reader).save()
    row = model.objects.get()
    with pytest.raises(TypeError, match="append-only"):
        row.save()
    with pytest.raises(DatabaseError, match="append-only"), transaction.atomic():
        model.objects.update(**change)


def test_one_job_at_a_time(reader):
    MachineJob.objects.create(reader=reader, code_version="test")
    with pytest.raises(IntegrityError), transaction.atomic():
        MachineJob.objects.create(reader=reader, code_version="test")


def test_they_go_with_their_study(reader, dora):
    reading(reader).save()
    MachineJob.objects.create(reader=reader, code_version="test")
    move_to_trash(reader.study, typed="fleet", by=dora, now=timezone.now())
    delete_for_good(reader.study, timezone.now())
    assert not Study.objects.exists()
    assert not MachineReading.objects.exists()
