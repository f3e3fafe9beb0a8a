"""The plan of the house: modules a folder, circles of imports, long functions, lines written twice.

    python -m tests.variorum.house

The tree is read as text and as syntax, nothing is imported. An import within a function counts as one at
the top: it is the same arrow, drawn later.
"""

from __future__ import annotations

import ast
import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping
from itertools import combinations
from pathlib import Path
from typing import NamedTuple

import numpy as np
from scipy.sparse import coo_array
from scipy.sparse.csgraph import connected_components

ROOT = Path(__file__).resolve().parents[2]
APPS = ("variorum", "evaluation", "annotation", "retrieval", "machines", "common")
RUN = 6
"""So many equal lines in two places are a repetition."""
THIN = re.compile(r"(?:#|from |import ).*|(?:</\w+>|{% end\w+ %}|{% else %})+")
"""Comments, imports, and what only closes something in a template."""


class Repeat(NamedTuple):
    """The same `lines` lines in two places, each a file and the number of its first line."""

    first: tuple[str, int]
    second: tuple[str, int]
    lines: int


def modules(root: Path = ROOT, apps: Iterable[str] = APPS) -> dict[str, Path]:
    """Return the files of the apps by the dotted name of the module, migrations left out."""
    files = (file for app in apps for file in sorted((root / app).rglob("*.py")))
    return {_name(file, root): file for file in files if "migrations" not in file.parts}


def beside_each_other(found: Mapping[str, Path], root: Path = ROOT) -> Counter[str]:
    """Return how many modules stand in each folder, its `__init__` not counted."""
    return Counter(
        file.parent.relative_to(root).as_posix() for file in found.values() if file.name != "__init__.py"
    )


def trees(found: Mapping[str, Path]) -> dict[str, ast.Module]:
    """Return the syntax of each module."""
    return {name: ast.parse(file.read_text(encoding="utf-8")) for name, file in found.items()}


def lengths(parsed: Mapping[str, ast.Module]) -> dict[str, int]:
    """Return how many lines each function has, from `def` to its last."""
    kinds = (ast.FunctionDef, ast.AsyncFunctionDef)
    return {
        f"{name}:{node.name}": (node.end_lineno or node.lineno) - node.lineno + 1
        for name, tree in parsed.items()
        for node in ast.walk(tree)
        if isinstance(node, kinds)
    }


def imports(found: Mapping[str, ast.Module]) -> dict[str, set[str]]:
    """Return which modules each module imports, of those found."""
    arrows: dict[str, set[str]] = {}
    for name, tree in found.items():
        wanted = {each for node in ast.walk(tree) for each in _imported(node)}
        # `from package import module` names the module; `from module import thing` does not.
        longest = (each if each in found else each.rpartition(".")[0] for each in wanted)
        arrows[name] = {each for each in longest if each in found} - {name}
    return arrows


def circles(arrows: Mapping[str, set[str]]) -> list[list[str]]:
    """Return the groups of modules that can each be reached from each other along imports."""
    names = sorted(arrows)
    at = {name: number for number, name in enumerate(names)}
    pairs = [(at[name], at[each]) for name in names for each in arrows[name]]
    tails, heads = np.array(pairs, int).reshape(-1, 2).T
    graph = coo_array((np.ones(len(pairs)), (tails, heads)), shape=(len(names), len(names)))
    groups: defaultdict[int, list[str]] = defaultdict(list)
    for name, group in zip(names, connected_components(graph, connection="strong")[1], strict=True):
        groups[group].append(name)
    return sorted(group for group in groups.values() if len(group) > 1)


def repeats(files: Iterable[Path], root: Path = ROOT) -> list[Repeat]:
    """Return where `RUN` lines or more stand twice, the longest first.

    Lines count without their indentation; blank lines, comments, imports, lines of mere punctuation and
    closing tags do not count. What stands in more than eight places is left out.
    """
    texts = {file.relative_to(root).as_posix(): list(_lines(file)) for file in files}
    places: defaultdict[tuple[str, ...], list[tuple[str, int]]] = defaultdict(list)
    for name, lines in texts.items():
        for at in range(len(lines) - RUN + 1):
            places[tuple(text for _, text in lines[at : at + RUN])].append((name, at))
    starts = {pair for same in places.values() if len(same) <= 8 for pair in combinations(same, 2)}
    found = []
    for (one, a), (other, b) in starts:
        if ((one, a - 1), (other, b - 1)) in starts:
            continue
        length = 0
        while ((one, a + length), (other, b + length)) in starts:
            length += 1
        found.append(Repeat((one, texts[one][a][0]), (other, texts[other][b][0]), length + RUN - 1))
    return sorted(found, key=lambda each: (-each.lines, each))


def _name(file: Path, root: Path) -> str:
    parts = file.relative_to(root).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


def _imported(node: ast.AST) -> Iterator[str]:
    if isinstance(node, ast.Import):
        yield from (each.name for each in node.names)
    elif isinstance(node, ast.ImportFrom) and node.module:
        yield from (f"{node.module}.{each.name}" for each in node.names)


def _lines(file: Path) -> Iterator[tuple[int, str]]:
    """The lines that count, with their numbers."""
    importing = False
    for number, line in enumerate(file.read_text(encoding="utf-8").splitlines(), 1):
        text = line.strip()
        importing = text != ")" if importing else text.startswith("from ") and text.endswith("import (")
        if not importing and any(map(str.isalnum, text)) and not THIN.fullmatch(text):
            yield number, text


def plan() -> Iterator[str]:
    """Write the plan, a line at a time."""
    found = modules()
    yield "modules  folder"
    yield from (f"{number:7}  {folder}" for folder, number in beside_each_other(found).most_common())
    parsed = trees(found)
    rings = circles(imports(parsed))
    yield f"\ncircles of imports: {len(rings)}"
    yield from ("  " + " ↔ ".join(ring) for ring in rings)
    longest = Counter(lengths(parsed)).most_common(5)
    yield "\nthe longest functions"
    yield from (f"{number:7}  {name}" for name, number in longest)
    again = repeats([*found.values(), *sorted((ROOT / "templates").rglob("*.html"))])
    yield f"\npairs of places that share {RUN} lines or more: {len(again)}"
    for each in again:
        yield f"  {each.lines} lines  {':'.join(map(str, each.first))}  {':'.join(map(str, each.second))}"


if __name__ == "__main__":
    print(*plan(), sep="\n")  # noqa: T201
