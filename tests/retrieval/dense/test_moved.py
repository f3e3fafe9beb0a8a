"""A data directory that is moved, or put back from a copy elsewhere, keeps its checkpoints."""

import importlib
import shutil
from pathlib import Path

import pytest
from django.apps import apps

from retrieval.candidates import pipeline, submitting
from retrieval.dense import checkpoints
from retrieval.engine.dense import ranker
from retrieval.engine.training.recipe import Recipe
from retrieval.models import CandidateJob, Checkpoint, Status, TrainingJob
from retrieval.models.checkpoints import kept_path
from retrieval.training import plan as training_plan
from retrieval.training import run
from retrieval.training.plan import Plan

pytestmark = pytest.mark.django_db
MIGRATION = importlib.import_module("retrieval.migrations.0008_checkpoints_in_the_data_folder")


def trained(name, start=""):
    chosen, _ = training_plan.encoder_settings(start, {})
    recipe = Recipe(batch=3, epochs=1, rate=1e-3, scale=20.0)
    plan = Plan(name, ("boats",), ("ships",), start=start, cloze=4, settings=chosen, recipe=recipe)
    job = training_plan.submit(plan)
    assert run.attempt(job.pk, "one")
    job = TrainingJob.objects.get(pk=job.pk)
    assert job.status == Status.DONE, job.error
    return job.made


def ranked(book, name):
    job = submitting.submit(book, ranker="dense", parameters={"checkpoint": name})
    assert pipeline.attempt(job.pk, "one")
    job = CandidateJob.objects.get(pk=job.pk)
    assert job.status == Status.DONE, job.error


@pytest.fixture
def house(small_toys, books, settings, tmp_path):
    """Data in a folder that can be moved, since nothing else lies in it."""
    settings.DATA_DIR = tmp_path / "var"
    settings.DATA_DIR.mkdir()
    return settings


def test_what_was_trained_ranks_and_is_trained_further_after_a_move(house, books, tmp_path):
    row = trained("first")
    ranked(books[1], "first")
    house.DATA_DIR = Path(shutil.move(house.DATA_DIR, tmp_path / "elsewhere"))
    ranker.opened.cache_clear()
    row.refresh_from_db()
    assert (row.folder, row.place) == ("checkpoints/first", tmp_path / "elsewhere/checkpoints/first")
    ranked(books[1], "first")
    assert trained("second", "first").place.is_relative_to(tmp_path / "elsewhere")


def test_what_was_added_is_named_from_the_data_directory_on_if_it_lies_there(house, toy, tmp_path):
    inside = shutil.copytree(toy, house.DATA_DIR / "checkpoints/inside")
    (tmp_path / "disk").mkdir()
    (house.DATA_DIR / "large").symlink_to(tmp_path / "disk")
    shutil.copytree(toy, tmp_path / "disk/linked")
    row, _ = checkpoints.add(inside, slug="inside")
    linked, _ = checkpoints.add(house.DATA_DIR / "large/linked", slug="linked")
    outside, _ = checkpoints.add(toy, slug="outside")
    assert [each.folder for each in (row, linked)] == ["checkpoints/inside", "large/linked"]
    assert (outside.folder, outside.place) == (str(toy), toy)
    for each in (row, linked, outside):
        assert checkpoints.add(each.place, slug=each.slug) == (each, False)


def test_a_name_that_goes_back_from_a_link_stands_for_where_it_leads(house, tmp_path):
    (tmp_path / "disk/models").mkdir(parents=True)
    (tmp_path / "disk/m").mkdir()
    (house.DATA_DIR / "link").symlink_to(tmp_path / "disk/models")
    assert kept_path(house.DATA_DIR / "link/../m", house.DATA_DIR) == str(tmp_path / "disk/m")


def test_rows_from_before_are_rewritten_and_back(house, tmp_path):
    folders = [str(house.DATA_DIR / "checkpoints/a"), "/models/b", f"{house.DATA_DIR}-other/c"]
    for name, folder in zip("abc", folders, strict=True):
        Checkpoint.objects.create(slug=name, folder=folder, sha256="0" * 64)

    def kept():
        return list(Checkpoint.objects.order_by("slug").values_list("folder", flat=True))

    for _ in range(2):
        MIGRATION.from_the_data_folder(apps, None)
        assert kept() == ["checkpoints/a", *folders[1:]]
    MIGRATION.whole(apps, None)
    assert kept() == folders
