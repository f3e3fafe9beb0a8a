"""The plan of the house, measured from its own imports: no folder too full, no circle, nothing unnamed."""

import ast
import tomllib
from functools import cache

import pytest

from evaluation.kinds.registry import NOT_KINDS
from tests.variorum import house

FOUND = house.modules()
MOST = 16
"""Modules beside each other, `__init__` not counted."""
LONGEST, LONGEST_MODULE = 50, 300
"""Lines of a function, and of a module."""
CROWDED = {
    "annotation/management/commands": 18,
    "evaluation/management/commands": 19,
    "retrieval/management/commands": 17,
}
"""Folders that may hold more than that, and how many.

Django finds commands in `management/commands` of an app and in no folder below it: where one of these grows
over the measure it may stand here, the number being what it holds.
"""


@cache
def parsed():
    """The syntax of all modules: a second of parsing, for the tests that ask."""
    return house.trees(FOUND)


@cache
def arrows():
    """Which of the modules import which."""
    return house.imports(parsed())


def written(root, **files):
    """Write modules, `folder__name` for folder/name.py, and find them."""
    for name, text in files.items():
        file = (root / "app" / name.replace("__", "/")).with_suffix(".py")
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text)
    return house.modules(root, ["app"])


def folders(app):
    """The packages directly in an app."""
    inside = {name.split(".")[1] for name in FOUND if name.startswith(f"{app}.") and name.count(".") > 1}
    return {f"{app}.{name}" for name in inside}


def folders_and_files(package):
    """What stands directly in a package."""
    n = package.count(".") + 1
    return {".".join(name.split(".")[: n + 1]) for name in FOUND if name.startswith(f"{package}.")}


def within(name, packages):
    """The package or module of these that holds the module, or none."""
    return next((each for each in packages if f"{name}.".startswith(f"{each}.")), None)


def test_no_folder_holds_more_modules_than_one_takes_in():
    full = {folder: n for folder, n in house.beside_each_other(FOUND).items() if n > MOST}
    assert full == CROWDED


def test_no_modules_import_each_other_in_a_circle():
    assert house.circles(arrows()) == []


def test_no_function_is_longer_than_a_screen_and_no_module_than_a_few():
    assert {name: n for name, n in house.lengths(parsed()).items() if n > LONGEST} == {}
    lines = {name: len(file.read_text(encoding="utf-8").splitlines()) for name, file in FOUND.items()}
    assert {name: n for name, n in lines.items() if n > LONGEST_MODULE} == {}


def test_functions_are_measured_from_their_first_line_to_their_last(tmp_path):
    found = written(tmp_path, a="def one():\n    return 1\n\n\nclass A:\n    def two(self):\n        pass\n")
    assert house.lengths(house.trees(found)) == {"app.a:one": 2, "app.a:two": 2}


def test_every_package_says_what_is_in_it():
    packages = {name for name, file in FOUND.items() if file.name == "__init__.py"}
    assert {file.parent for file in FOUND.values()} == {FOUND[name].parent for name in packages}
    assert sorted(name for name in packages if not ast.get_docstring(parsed()[name])) == []


def test_no_module_repeats_the_name_of_its_folder():
    names = (name.rpartition(".") for name in FOUND)
    assert [
        f"{above}.{own}" for above, _, own in names if own.startswith(f"{above.rpartition('.')[2]}_")
    ] == []


@pytest.mark.parametrize("app", house.APPS)
def test_every_folder_of_an_app_has_its_layer(app):
    settings = tomllib.loads((house.ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    contracts = settings["tool"]["importlinter"]["contracts"]
    layers = " | ".join(each for one in contracts if one["type"] == "layers" for each in one["layers"])
    assert folders(app) - set(layers.split(" | ")) == set()


def test_kinds_of_data_do_not_know_each_other_and_only_the_registry_finds_them():
    """pyproject.toml says the same of the kinds that it names; this finds a new one by itself."""
    kinds = {
        each for each in folders_and_files("evaluation.kinds") if each.rpartition(".")[2] not in NOT_KINDS
    }
    assert {f"evaluation.kinds.{name}" for name in ("nominal", "ordinal", "spans")} <= kinds
    among = [
        (name, kind) for name, found in arrows().items() for each in found if (kind := within(each, kinds))
    ]
    assert [(name, kind) for name, kind in among if within(name, {kind}) != kind] == []


def test_a_circle_is_found_however_late_its_imports_are(tmp_path):
    found = written(
        tmp_path,
        a="from app.below import b",
        below__b="def late():\n    from app.c import thing",
        c="import app.a",
        d="from app import a",
        e="from app.e import own",
    )
    assert house.circles(house.imports(house.trees(found))) == [["app.a", "app.below.b", "app.c"]]


def test_modules_are_counted_folder_by_folder(tmp_path):
    found = written(tmp_path, __init__="", a="", b="", below__c="", migrations__d="")
    assert house.beside_each_other(found, tmp_path) == {"app": 2, "app/below": 1}


def test_equal_lines_are_found_whole_and_only_once(tmp_path):
    same = [f"a{n} = {n}" for n in range(8)]
    found = written(
        tmp_path,
        one="import os\n\n" + "\n".join(same),
        two="def inside():\n" + "\n".join(f"    {each}\n    # {n}" for n, each in enumerate(same)),
        three="\n".join(same[: house.RUN - 1]),
    )
    repeats = house.repeats(found.values(), tmp_path)
    assert repeats == [(("app/one.py", 3), ("app/two.py", 2), 8)]


def test_names_imported_one_a_line_are_no_repetition(tmp_path):
    names = "\n".join(f"    name{n}," for n in range(8))
    found = written(tmp_path, one=f"from app.two import (\n{names}\n)\nown = 1", two=f"({names})")
    assert house.repeats(found.values(), tmp_path) == []
    written(tmp_path, one=f"({names})")
    assert [each.lines for each in house.repeats(found.values(), tmp_path)] == [8]
