"""The programs in `benchmarks` name what they need, so that their numbers can be measured again."""

import ast
import os
import re
import subprocess
import sys
from functools import cache
from importlib.metadata import packages_distributions
from pathlib import Path

from benchmarks.memory import processor_seconds

ROOT = Path(__file__).resolve().parents[2]
OURS = {"annotation", "benchmarks", "common", "evaluation", "machines", "retrieval", "tests", "variorum"}
NAMED = {"faiss": "faiss-cpu"}
"""Distributions that are not called as their module is, where they are not installed."""


def imported(program):
    """Every module a program imports, also late, by name, or after asking whether it is there."""
    for node in ast.walk(ast.parse(program)):
        if isinstance(node, ast.Import):
            yield from (each.name for each in node.names)
        elif isinstance(node, ast.ImportFrom) and not node.level:
            yield node.module
        elif isinstance(node, ast.Call) and ast.unparse(node.func) in {"find_spec", "installed"}:
            yield from (each.value for each in node.args if isinstance(each, ast.Constant))


def pinned(*files):
    lines = "\n".join((ROOT / name).read_text() for name in files)
    return {
        re.sub(r"\[.*", "", name).lower()
        for name in re.findall(r"^([^#\s=]+)==\d[\w.]*$", lines, re.MULTILINE)
    }


def needed():
    known = packages_distributions()
    programs = [path.read_text() for path in (ROOT / "benchmarks").glob("*.py")]
    modules = {name.split(".")[0] for program in programs for name in imported(program)}
    return {
        (known.get(module) or [NAMED.get(module, module)])[0].lower().replace("_", "-")
        for module in modules - OURS - sys.stdlib_module_names
    }


def test_every_module_a_benchmark_imports_is_pinned():
    assert needed() <= pinned(
        "requirements-web.txt", "requirements.txt", "requirements-dev.txt", "benchmarks/requirements.txt"
    )


def test_nothing_is_pinned_for_the_benchmarks_that_none_of_them_imports():
    assert pinned("benchmarks/requirements.txt") <= needed()


def test_every_line_is_an_exact_pin():
    lines = (ROOT / "benchmarks/requirements.txt").read_text().splitlines()
    pins = [line for line in lines if line and not line.startswith("#")]
    assert len(pins) == len(pinned("benchmarks/requirements.txt"))


def borrowed():
    """Every name that a program takes from a module of this project, and where from."""
    for path in (ROOT / "benchmarks").rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text())):
            if isinstance(node, ast.ImportFrom) and node.module.split(".")[0] in OURS:
                yield from ((node.module, each.name) for each in node.names)


@cache
def given(module):
    """The names a module assigns, defines and imports, and the modules beside it in a package."""
    place = ROOT.joinpath(*module.split("."))
    file = place / "__init__.py" if place.is_dir() else place.with_suffix(".py")
    found = {path.stem for path in place.iterdir()} if place.is_dir() else set()
    for node in ast.walk(ast.parse(file.read_text()) if file.exists() else ast.Module([], [])):
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
            found.add(node.id)
        elif isinstance(node, ast.FunctionDef | ast.ClassDef):
            found.add(node.name)
        elif isinstance(node, ast.Import | ast.ImportFrom):
            found |= {each.asname or each.name for each in node.names}
    return found


def test_what_they_take_from_the_project_is_there():
    taken = list(borrowed())
    assert len(taken) > 100
    assert {each for each in taken if each[1] not in given(each[0])} == set()


def test_a_child_that_has_ended_has_computed_all_the_same():
    before = processor_seconds(os.getpid())
    burning = "import time\nwhile time.process_time() < 0.5:\n    pass"
    subprocess.run([sys.executable, "-c", burning], check=True)
    assert processor_seconds(os.getpid()) - before >= 0.4
