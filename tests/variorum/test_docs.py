"""Documentation as a tested contract: every table, command and link is where it says."""

import re
from pathlib import Path

import pytest
from django.apps import apps
from django.core.management import get_commands

from annotation.export import codebook, decisions, judgments, readings
from annotation.models import Study

ROOT = Path(__file__).resolve().parents[2]
OURS = ("variorum", "evaluation", "annotation", "retrieval", "machines", "common")
PAGES = sorted([*ROOT.glob("*.md"), *(ROOT / "docs").glob("*.md"), *(ROOT / "variorum/sample").glob("*.md")])


def test_every_table_has_its_heading():
    labels = [config.label for config in apps.get_app_configs() if config.name.startswith(OURS)]
    models = {model.__name__ for app in labels for model in apps.get_app_config(app).get_models()}
    assert set(re.findall(r"^### (\w+)$", (ROOT / "docs/data-model.md").read_text(), re.M)) == models


def test_every_command_is_listed():
    ours = {name for name, app in get_commands().items() if str(app).startswith(OURS)}
    assert set(re.findall(r"^\| `(\w+)", (ROOT / "docs/commands.md").read_text(), re.M)) == ours


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_links_lead_somewhere(page):
    targets = re.findall(r"\]\((?!https?:)([^)#]+)", page.read_text())
    assert [target for target in targets if not (page.parent / target).exists()] == []


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_files_named_in_the_text_exist(page):
    named = re.findall(
        r"`((?:annotation|retrieval|evaluation|variorum|tests|templates|docker|benchmarks|docs)/[\w./-]+\.\w+)`",
        page.read_text(),
    )
    assert [name for name in named if not (ROOT / name).exists()] == []


def test_the_codebook_names_every_column_of_the_exports_and_means_what_the_page_says():
    study = Study(task="choice")
    parts = re.split("## (?:Decisions|Machine readings)", (ROOT / "docs/codebook.md").read_text())
    named = [re.findall(r"^\| `(\w+)` \| (.+) \|$", part, re.M) for part in parts]
    assert [[name for name, _ in rows] for rows in named] == [
        judgments.columns(study),
        decisions.columns(study),
        readings.columns(study),
    ]
    common = (codebook.JUDGMENTS, codebook.DECISIONS, readings.BEFORE | readings.AFTER)
    for rows, meanings in zip(named, common, strict=True):
        assert {
            name: said.replace("`", "").replace("'", "’") for name, said in rows if name in meanings
        } == meanings


@pytest.mark.parametrize("app", ["annotation", "common", "evaluation", "machines", "retrieval", "variorum"])
def test_the_plan_names_every_folder(app):
    """Those that Django asks for in any app stand in none of its pictures."""
    plan = re.split(r"```", (ROOT / "docs/architecture.md").read_text(encoding="utf-8"))[1]
    own = re.search(rf"^{app} .*?(?=^\w|\Z)", plan, re.S | re.M)
    assert own
    folders = {each.parent.name for each in (ROOT / app).glob("*/__init__.py")}
    named = set(re.findall(r"(\w+)/", own.group()))
    assert named >= folders - {"management", "migrations", "templatetags"}
    assert all((ROOT / app / each).is_dir() for each in named)
