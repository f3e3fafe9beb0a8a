"""What a job's and a report's version stand for: every file that had a part in the numbers."""

import ast
from pathlib import Path
from types import ModuleType

import pytest

from common import code_digest
from evaluation import metrics
from evaluation.report import compute
from retrieval import engine
from retrieval.jobs import queue

ROOT = Path(__file__).resolve().parents[2]
HEARTS = [
    pytest.param(
        queue.CODE,
        engine,
        {
            "",
            "corpora",
            "dense",
            "formats",
            "interchange",
            "leaks",
            "nearest",
            "quotations",
            "ranking",
            "text",
            "training",
        },
        {
            "common/chat/__init__.py",
            "common/chat/asking.py",
            "common/chat/values.py",
            "common/errors.py",
            "common/progress.py",
            "common/strict_json.py",
            "common/texts/surface.py",
            "common/translation.py",
            "common/wording.py",
        },
        id="engine",
    ),
    pytest.param(
        compute.CODE,
        metrics,
        {"", "common", "cues", "nominal", "ordinal", "ranking", "spans", "spans/chance"},
        {"common/texts/surface.py"},
        id="metrics",
    ),
]


@pytest.mark.parametrize(("code", "heart", "folders", "beside"), HEARTS)
def test_a_digest_covers_its_heart_in_all_its_folders_and_what_it_imports(code, heart, folders, beside):
    top = Path(heart.__path__[0])
    files = set(code_digest.source_files(*code))
    inside = {file for file in files if file.is_relative_to(top)}
    assert inside == set(top.rglob("*.py"))
    assert {file.parent.relative_to(top).as_posix() for file in inside} >= {each or "." for each in folders}
    assert {file.relative_to(ROOT).as_posix() for file in files - inside} == beside
    assert {each for file in files for each in imported(file)} <= files


def imported(file):
    """The files of ours that a file imports, at the top or within a function."""
    for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
        if isinstance(node, ast.ImportFrom):
            path = ROOT / node.module.replace(".", "/")
            names = [path / f"{each.name}.py" for each in node.names]
            for place in (path.with_suffix(".py"), path / "__init__.py", *names):
                if place.is_file():
                    yield place


def test_a_change_in_the_deepest_folder_or_of_a_name_changes_the_digest(tmp_path, monkeypatch):
    monkeypatch.setattr(code_digest, "ROOT", tmp_path)
    deep = tmp_path / "heart/spans/chance/moments.py"
    deep.parent.mkdir(parents=True)
    (tmp_path / "heart/__init__.py").touch()
    deep.write_text("A = 1\n")
    heart = ModuleType("heart")
    heart.__path__, heart.__file__ = [str(tmp_path / "heart")], str(tmp_path / "heart/__init__.py")
    first = code_digest.code_digest(heart)
    assert code_digest.code_digest(heart) == first
    deep.write_text("A = 2\n")
    second = code_digest.code_digest(heart)
    deep.rename(deep.with_name("means.py"))
    third = code_digest.code_digest(heart)
    assert len({first, second, third}) == 3
    assert {len(each) for each in (first, second, third)} == {12}
