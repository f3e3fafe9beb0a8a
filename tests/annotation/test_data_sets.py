"""Data sets: refused with file, line and field where anything is another; read by the tools of others."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from hashlib import sha256
from pathlib import Path

import pytest
from django.core.management import CommandError, call_command
from django.db import transaction

from annotation.dataset import checking
from annotation.dataset.read import read_dataset
from annotation.dataset.storing import asked
from annotation.dataset.write import write_dataset
from annotation.models import Assignment, Judgment, Study
from common.errors import BadInput
from tests import builders
from tests.annotation.manage_cast import hold, judge
from tests.evaluation.judged import NOW

pytestmark = pytest.mark.django_db


ENDLESS = '{"measure": "accuracy", "width": 0.1, "items": 2, "every": 1, "most": 32000, "closes": false}'


def made():
    """Three items of which one is held and two are read, one of them twice."""
    study = builders.study(by=builders.researcher("Dora"))
    Study.objects.filter(pk=study.pk).update(created=NOW)
    for name in ("Ada", "Ben"):
        builders.enrolment(study, builders.person(name))
    judge(study, 1, "A", note="Über\u2028alles")
    judge(study, 1, "B", option=2)
    judge(study, 1, "B", option=1, revision=2)
    hold(study, 2, "A")
    return study


@pytest.fixture
def fleet():
    return made()


@pytest.fixture(scope="module")
def written(django_db_setup, django_db_blocker, tmp_path_factory):
    """The data set of that study, which is on no table any more."""
    path = tmp_path_factory.mktemp("written") / "set"
    with django_db_blocker.unblock(), transaction.atomic():
        write_dataset(made(), path, licence="CC-BY-4.0")
        transaction.set_rollback(True)
    return path


@pytest.fixture
def folder(written, tmp_path):
    return Path(shutil.copytree(written, tmp_path / "set"))


def edit(path, old, new):
    text = path.read_text()
    assert old in text
    path.write_text(text.replace(old, new, 1))


def refused(folder) -> str:
    before = Study.objects.count()
    with pytest.raises(BadInput) as error:
        read_dataset(folder, None)
    assert Study.objects.count() == before
    return str(error.value)


@pytest.mark.parametrize(
    ("file", "old", "new", "said"),
    [
        (
            "data/judgments.jsonl",
            '"option": 2',
            '"option": 1',
            "judgments.jsonl, line 2, field “answer”",
        ),
        (
            "data/judgments.jsonl",
            '"place": 1',
            '"place": "1"',
            "line 1, field “place”: must be a whole",
        ),
        ("data/items.jsonl", '"kind": "work"', '"kid": "work"', "data/items.jsonl, line 1, field “kind”"),
        ("study.json", "reads best", "reads worst", "study.json, line 13, field “guidelines”"),
        ("README.md", "A study", "A studio", "README.md: is not as it was written"),
        ("parquet/items.parquet", None, None, "parquet/items.parquet: is missing"),
        ("datapackage.json", '"data_set": 2', '"data_set": 7', "datapackage.json, field “variorum”"),
    ],
)
def test_one_changed_byte_is_refused_by_file_line_and_field(folder, file, old, new, said):
    if old is None:
        (folder / file).unlink()
    else:
        edit(folder / file, old, new)
    assert said in refused(folder)


@pytest.mark.parametrize(
    ("file", "old", "new", "said"),
    [
        ("judgments", '"current": false', '"current": true', "line 2, field “current”: does not follow"),
        (
            "judgments",
            '"pseudonym": "B"',
            '"pseudonym": "Q"',
            "line 2, field “pseudonym”: the data set has",
        ),
        ("judgments", '"option": 2', '"option": 9', "line 2, field “answer”: "),
        ("judgments", '"revision": 2', '"revision": 1', "line 3, field “revision”: another line"),
        (
            "items",
            '"gold": {"option": 1}',
            '"gold": {"option": 2}',
            "items.jsonl, line 1, field “options”",
        ),
    ],
)
def test_a_line_that_contradicts_the_others_is_refused_though_its_digest_is_right(
    folder, monkeypatch, file, old, new, said
):
    edit(folder / "data" / f"{file}.jsonl", old, new)
    monkeypatch.setattr(checking, "changed", lambda path, told: False)
    assert refused(folder).startswith(f"data/{file}.jsonl, line ")
    assert said in refused(folder)


@pytest.mark.parametrize(
    ("file", "old", "new", "said"),
    [
        ("study.json", '"machine_readers": []', '"machine_readers": 0', "field “machine_readers”: cannot be"),
        ("study.json", '"prompts": []', '"prompts": [{"version": 1}]', "field “prompts”: cannot be stored"),
        ("study.json", '"rate": null', '"rate": [1]', "field “rate”: cannot be stored as it stands"),
        ("study.json", '"closed": null', '"closed": "soon"', "field “closed”: cannot be stored as it stands"),
        ("study.json", '"sources": []', '"sources": [[]]', "field “sources”: must hold objects alone"),
        ("datapackage.json", '"path": "README.md"', '"path": "../up"', "field “files”: path"),
        ("datapackage.json", '"path": "README.md"', '"path": [1]', "field “files”: path"),
        ("data/annotators.jsonl", '"state": "active"', '"state": "x"', "line 1, field “state”: "),
        ("data/judgments.jsonl", '"basis": ""', '"basis": "luck"', "line 1, field “basis”: "),
        ("data/judgments.jsonl", '"door": "web"', '"door": "Ada’s desk"', "must be one of web, api"),
        ("data/judgments.jsonl", '"shown": [0, 1, 2]', '"shown": [0, [], 2]', "field “shown”: must"),
        ("data/judgments.jsonl", '"active_seconds": null', '"active_seconds": 1e308', "is more than"),
        ("study.json", '"state": "open"', f'"state": "open", "stopping": {ENDLESS}', "“stopping”: cannot be"),
        ("data/items.jsonl", '"provenance": {', '"provenance": {"options": [1, 2, 3]', "written again"),
    ],
)  # fmt: skip
def test_values_that_no_data_set_has_are_a_sentence_and_no_fault(folder, monkeypatch, file, old, new, said):
    edit(folder / file, old, new)
    monkeypatch.setattr(checking, "changed", lambda path, told: False)
    assert said in refused(folder)


def test_a_look_that_no_page_could_tell_is_refused(fleet, tmp_path):
    fleet.events.create(verb="look", data={"items": 2, "met": False, "at": "soon"})
    write_dataset(fleet, tmp_path / "set", parquet=False)
    Study.objects.update(slug="elsewhere")
    assert "record.jsonl, line 1, field “data”: must say items, at and met" in refused(tmp_path / "set")


def test_an_assignment_is_whose_last_answer_it_has_wherever_the_first_is_stored(fleet, tmp_path, monkeypatch):
    """A took back what they said at the first place of item 2; B answered there, and A at the second."""
    place = fleet.assignments.get(item__number=2, annotator__pseudonym="A")
    judge(fleet, 2, "A")
    judge(fleet, 2, "A", outcome="taken_back", revision=2)
    Assignment.objects.filter(pk=place.pk).update(annotator=None, status="free", taken_back=NOW)
    judge(fleet, 2, "B", revision=3)
    judge(fleet, 2, "A")
    write_dataset(fleet, tmp_path / "set")
    Study.objects.update(slug="elsewhere")
    monkeypatch.setattr(asked, "AT_ONCE", 1)
    found = read_dataset(tmp_path / "set", None).assignments.filter(item__number=2).order_by("slot")
    assert list(found.values_list("annotator__pseudonym", flat=True)[:2]) == ["B", "A"]


def test_a_study_of_that_name_and_a_folder_that_is_none_are_refused(fleet, folder, tmp_path):
    assert "field “slug”: there is a study “fleet” here already" in refused(folder)
    assert "it has no datapackage.json" in refused(tmp_path)
    with pytest.raises(BadInput, match="holds something already"):
        write_dataset(fleet, folder)
    shutil.rmtree(folder)
    assert list(tmp_path.iterdir()) == []


def test_the_commands_write_and_read_and_note_it(fleet, tmp_path, capsys):
    call_command("export", "fleet", "--as", "dataset", str(tmp_path / "set"), "--no-parquet")
    assert not (tmp_path / "set/parquet").exists()
    assert fleet.events.get(verb="export").data == {"format": "dataset", "licence": ""}
    Study.objects.update(slug="elsewhere")
    call_command("import_dataset", str(tmp_path / "set"), researcher="dora")
    assert "3 items, 2 readings" in capsys.readouterr().out
    held = Study.objects.get(slug="fleet").assignments.get(status="held")
    assert (held.annotator.pseudonym, held.annotator.user) == ("A", None)
    for wrong in (
        ["fleet"],
        ["fleet", "--as", "zip", "x"],
        ["fleet", "--as", "dataset", "x", "--format", "csv"],
    ):
        with pytest.raises(CommandError, match="Give --"):
            call_command("export", *wrong)


def test_frictionless_finds_it_valid_and_describes_every_column(folder):
    from frictionless import Package

    package = Package(str(folder / "datapackage.json"))
    report = package.validate()
    assert report.valid, report.flatten(["type", "note"])
    assert json.loads((folder / "ro-crate-metadata.json").read_text())["@graph"][1]["@id"] == "./"
    assert all(field.description for each in package.resources for field in each.schema.fields)


READ_BY_OTHERS = """
import sys
from hashlib import sha256
from pathlib import Path
from datasets import get_dataset_config_names, load_dataset
for name in get_dataset_config_names(sys.argv[1]):
    read = load_dataset(sys.argv[1], name, cache_dir=sys.argv[2])["train"]
    print(name, read.num_rows, read.column_names[0])
print(load_dataset(sys.argv[1], "judgments", cache_dir=sys.argv[2])["train"][2]["revision"])
"""


@pytest.mark.services
@pytest.mark.parametrize("parquet", [True, False])
def test_hugging_face_reads_every_table_without_a_network(fleet, tmp_path, parquet):
    write_dataset(fleet, tmp_path / "set", parquet=parquet)
    offline = {"HF_HUB_OFFLINE": "1", "HF_DATASETS_OFFLINE": "1", "HF_HOME": str(tmp_path / "home")}
    command = [sys.executable, "-c", READ_BY_OTHERS, str(tmp_path / "set"), str(tmp_path / "cache")]
    said = subprocess.run(command, env={**os.environ, **offline}, capture_output=True, text=True)
    assert said.stdout.splitlines() == [
        *(
            "items 3 item",
            "judgments 3 item",
            "assignments 4 item",
            "annotators 3 pseudonym",
        ),
        "2",
    ], said.stderr


FIRST = Path(__file__).parent / "data_set_1"
"""Of version 1, as the release that had it first wrote it: without `source_after` and `source_read`."""


@pytest.fixture
def first(tmp_path):
    return Path(shutil.copytree(FIRST, tmp_path / "first"))


def retold(folder, name):
    """Let datapackage.json tell a file as it is now."""
    described = json.loads((folder / "datapackage.json").read_text())
    data = (folder / name).read_bytes()
    for each in described["resources"] + described["files"]:
        if each["path"] == name:
            each["hash"] = f"sha256:{sha256(data).hexdigest()}"
    (folder / "datapackage.json").write_text(json.dumps(described))


def test_a_line_of_version_1_that_is_no_text_is_named(first):
    path = first / "data" / "items.jsonl"
    before, last = path.read_bytes().splitlines(keepends=True)[:-1], b'{"number": 2, "note": "\xff"}\n'
    path.write_bytes(b"".join([*before, last]))
    retold(first, "data/items.jsonl")
    with pytest.raises(BadInput, match=rf"data/items.jsonl, line {len(before) + 1}: is not UTF-8"):
        read_dataset(first, None)


def test_a_data_set_of_version_1_is_read_and_what_it_could_not_say_is_as_it_was_then(first, tmp_path):
    study = read_dataset(first, None)
    assert (study.slug, study.source_after, study.stop_measure) == ("old", False, "")
    rows = Judgment.objects.filter(item__study=study, assignment__source_read=None)
    rows = rows.order_by("item__number", "assignment__slot", "revision")
    assert list(rows.values_list("item__number", "revision", "answer", "note")) == [
        (1, 1, {"option": 0}, "Über alles"),
        (1, 1, {"option": 2}, ""),
        (1, 2, {"option": 1}, ""),
        (2, 1, {"option": 0}, ""),
    ]
    # The name of an uploaded file, which told whose it was, is not taken along.
    assert study.events.get(verb="items").data == {"items": 2}
    write_dataset(study, tmp_path / "second")
    again = tmp_path / "second"
    assert json.loads((again / "datapackage.json").read_text())["variorum"]["data_set"] == 2
    told = [json.loads(line) for line in (again / "data/judgments.jsonl").read_text().splitlines()]
    old = [json.loads(line) for line in (first / "data/judgments.jsonl").read_text().splitlines()]
    assert [{name: each[name] for name in before} for each, before in zip(told, old, strict=True)] == old
    assert {each["source_read"] for each in told} == {None}
    Study.objects.update(slug="elsewhere")
    assert read_dataset(again, None).slug == "old"


def test_a_stopping_rule_of_version_1_is_one_of_width(first):
    said = json.loads((first / "study.json").read_text())
    said["stopping"] = {"measure": "individual_accuracy", "width": 0.05, "items": 40, "every": 20, "most": 8,
                        "closes": False}  # fmt: skip
    (first / "study.json").write_text(json.dumps(said))
    retold(first, "study.json")
    study = read_dataset(first, None)
    assert (study.stop_width, study.stop_spending, study.stop_threshold) == (0.05, "", None)


def test_a_data_set_of_version_1_is_refused_where_it_was_changed_or_does_not_follow(first):
    edit(first / "data/judgments.jsonl", "Über alles", "Unter allem")
    assert refused(first).startswith("data/judgments.jsonl: is not as it was written")
    retold(first, "data/judgments.jsonl")
    assert read_dataset(first, None).slug == "old"
    Study.objects.update(slug="elsewhere")
    edit(first / "data/judgments.jsonl", '"current": true', '"current": false')
    retold(first, "data/judgments.jsonl")
    assert "data/judgments.jsonl, line" in refused(first)


@pytest.mark.parametrize(("version", "says"), [(3, "of a later release"), ("2", "of a version from 1 to 2")])
def test_a_version_that_is_not_known_is_refused_in_a_sentence(folder, version, says):
    described = json.loads((folder / "datapackage.json").read_text())
    described["variorum"]["data_set"] = version
    (folder / "datapackage.json").write_text(json.dumps(described))
    assert says in refused(folder)
