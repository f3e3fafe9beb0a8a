"""The page and the command that draw a sample for validation."""

from __future__ import annotations

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.core.management import CommandError, call_command
from django.urls import reverse
from django.utils import timezone

from annotation.models import Event, MachineReader, MachineReading, PromptVersion, Sample
from tests.annotation import validating

pytestmark = pytest.mark.django_db


def sent(**more):
    words = {
        "percent": "40", "rule": "grade_in_top", "top_k": "10",
        "blind": "1", "reveal": "1", "prefilled": "1", "told": "A machine’s answers are shown.",
    }  # fmt: skip
    return {**words, "file": SimpleUploadedFile("machine.qrels", validating.qrels()), **more}


def test_the_page_previews_draws_and_takes_back(dora, as_user):
    made = validating.draft(by=dora)
    client, page = as_user(dora), reverse("annotation:sample", args=[made.slug])
    empty = client.get(page).content.decode()
    assert "Preview the strata" in empty
    planner = reverse("evaluation:validation", args=[made.slug])
    assert f'href="{planner}#planner"' in empty
    assert 'id="planner"' in client.get(planner).content.decode()
    preview = client.post(page, sent(preview="1"))
    text = preview.content.decode()
    assert "What would be drawn" in text
    assert "Nothing is stored yet" in text
    assert "come of no pool with runs" in text
    assert not Sample.objects.exists()
    assert client.post(page, sent()).status_code == 302
    sample = Sample.objects.get()
    assert (sample.share, sample.source, len(sample.sha256)) == (0.4, "machine.qrels", 64)
    shown = client.get(page).content.decode()
    assert f'href="{planner}"' in shown
    assert client.get(planner).status_code == 200
    assert "Readers judge 16 of the 40 items that machine.qrels judged." in shown
    assert (
        "40% of what machine.qrels judged"
        in client.get(reverse("annotation:setup", args=[made.slug])).content.decode()
    )
    assert client.post(page, {"take_back": "1"}).status_code == 302
    assert not Sample.objects.exists()
    verbs = Event.objects.filter(study=made, verb__startswith="sample")
    assert list(verbs.order_by("id").values_list("verb", flat=True)) == ["sample", "sample taken back"]


@pytest.mark.parametrize(
    ("more", "said"),
    [
        ({"file": ""}, "Choose a machine reader or a file"),
        ({"percent": "0"}, "0.01"),
        ({"blind": "0", "reveal": "0"}, "Some items must be judged without the machine"),
        ({"told": ""}, "required"),
        ({"file": SimpleUploadedFile("m.qrels", b"t0 0 d0 9\n")}, "m.qrels, line 1, to item 1"),
    ],
)
def test_the_page_refuses_in_a_sentence(more, said, dora, as_user):
    made = validating.draft(by=dora)
    reply = as_user(dora).post(reverse("annotation:sample", args=[made.slug]), sent(**more))
    assert reply.status_code == 422
    assert said in reply.content.decode()
    assert not Sample.objects.exists()


def machine_reader(study, *, but=0):
    """A machine reader that has given each item but so many the grade of its number modulo five."""
    prompt = PromptVersion.objects.create(study=study, version=1, system="Judge.", template="{item}")
    reader = MachineReader.objects.create(
        study=study, name="M1", endpoint="lamp", scripted=True, prompt=prompt
    )
    for item in study.items.order_by("number")[but:]:
        MachineReading.objects.create(
            reader=reader,
            item=item,
            state="answered",
            answer={"grade": item.number % 5},
            item_digest=item.digest,
            created=timezone.now(),
        )
    return reader


def test_the_command_takes_a_machine_reader_and_previews(dora, capsys):
    made = validating.draft(by=dora)
    machine_reader(made, but=5)
    call_command("sample_for_validation", made.slug, "--reader", "M1", "--preview")
    said = capsys.readouterr().out
    assert "16 of 40 items would be drawn." in said
    assert "5 items without an answer of the machine" in said
    assert not Sample.objects.exists()
    call_command("sample_for_validation", made.slug, "--reader", "M1", "--share", "0.5")
    sample = Sample.objects.get()
    assert sample.machine_reader.name == "M1"
    one = sample.items.exclude(reading=None).first()
    assert MachineReading.objects.get(pk=one.reading).answer == one.machine_answer
    call_command("sample_for_validation", made.slug, "--take-back")
    assert "all 40 items" in capsys.readouterr().out


def test_readings_of_another_study_are_found_by_topic_and_document(dora):
    other, made = validating.draft("before", by=dora), validating.draft(by=dora)
    machine_reader(other)
    call_command("sample_for_validation", made.slug, "--reader", "M1", "--of", "before", "--share", "1")
    items = Sample.objects.get(study=made).items.select_related("item")
    assert all(each.machine_answer == {"grade": each.item.number % 5} for each in items)


def test_the_command_refuses_in_a_sentence(dora, tmp_path):
    made = validating.draft(by=dora)
    with pytest.raises(CommandError, match="has no machine reader 'M9'"):
        call_command("sample_for_validation", made.slug, "--reader", "M9")
    with pytest.raises(CommandError, match="No such file"):
        call_command("sample_for_validation", made.slug, "--judgments", str(tmp_path / "none"))
