"""The programs in `benchmarks` name what they need, so that their numbers can be measured again."""

import ast
import re
import sys
from importlib.metadata import packages_distributions
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
OURS = {"annotation", "benchmarks", "common", "evaluation", "retrieval", "tests", "variorum"}
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
    assert needed() <= pinned("requirements.txt", "requirements-dev.txt", "benchmarks/requirements.txt")


def test_nothing_is_pinned_for_the_benchmarks_that_none_of_them_imports():
    assert pinned("benchmarks/requirements.txt") <= needed()


def test_every_line_is_an_exact_pin():
    lines = (ROOT / "benchmarks/requirements.txt").read_text().splitlines()
    pins = [line for line in lines if line and not line.startswith("#")]
    assert len(pins) == len(pinned("benchmarks/requirements.txt"))
