"""Run the tests that carry a case, on SQLite and on PostgreSQL, and print a table: `make cases`.

    python -m tests.cases                 all of them, with those that take long
    python -m tests.cases S06 R09         some
    python -m tests.cases --junit SQLITE.xml POSTGRESQL.xml     of runs that were made before

Ends with 1 where a test failed, or where a case has no test on a database on which it must have one.
"""

from __future__ import annotations

import subprocess
import sys
import tempfile
from argparse import ArgumentParser
from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Iterator
from pathlib import Path
from typing import NamedTuple
from xml.etree import ElementTree

from tests.cases.catalogue import BOTH, CASES, POSTGRESQL, SQLITE, case_of, in_sources

ROOT = Path(__file__).resolve().parents[2]
SERVICES = [sys.executable, "tests/services/start.py"]
SELECTED = {SQLITE: "", POSTGRESQL: "(database or services or long) and not browser"}
"""A browser reads one database like the other, and takes minutes."""


class Result(NamedTuple):
    """What one test function said on one database; its parameters are counted together."""

    case: str
    test: str
    outcomes: Counter[str]

    @property
    def word(self) -> str:
        """The worst of it."""
        return next((word for word in ("failed", "passed", "skipped") if self.outcomes[word]), "")


def main() -> int:
    parser = ArgumentParser(prog="make cases", description=__doc__)
    parser.add_argument("cases", nargs="*", help="such as R01; all without one")
    parser.add_argument("--junit", nargs=2, type=Path, help="results of pytest on SQLite and on PostgreSQL")
    parser.add_argument("--processes", default="auto", help="of each run; 0 for none beside this one")
    options = parser.parse_args()
    if unknown := sorted({*options.cases} - {*CASES}):
        parser.error(f"there is no case {unknown[0]}; there are {', '.join(CASES)}.")
    chosen = options.cases or list(CASES)
    with tempfile.TemporaryDirectory() as folder:
        files = options.junit or [
            run(database, chosen, Path(folder) / f"{database}.xml", options.processes) for database in BOTH
        ]
        found = {database: list(results(file)) for database, file in zip(BOTH, files, strict=True)}
    lines, right = table(chosen, found)
    print("\n".join(lines))  # noqa: T201 - a table on the terminal
    print(f"{right} of {len(chosen)} cases hold.")  # noqa: T201
    return 0 if right == len(chosen) else 1


def run(database: str, chosen: Collection[str], junit: Path, processes: str) -> Path:
    """Run the tests of these cases on a database, and return the file of their results."""
    words = " or ".join(f"{case}_" for case in chosen)
    modules = sorted({test.partition("::")[0] for case, test in in_sources(ROOT / "tests") if case in chosen})
    command = [sys.executable, "-m", "pytest", "-q", "-k", words, "-m", SELECTED[database], *modules]
    command += ["-n", processes, "--maxprocesses", "8", "--dist", "worksteal", f"--junitxml={junit}"]
    subprocess.run([*(SERVICES if database == POSTGRESQL else []), *command], cwd=ROOT, check=False)
    return junit


def results(junit: Path) -> Iterator[Result]:
    """Yield what each test function that carries a case said, as pytest's results in JUnit's form have it."""
    found: dict[tuple[str, str], Counter[str]] = defaultdict(Counter)
    for each in ElementTree.parse(junit).iter("testcase"):
        module, name = each.get("classname", ""), each.get("name", "").partition("[")[0]
        # A class of tests stands behind its module.
        parts = [part for part in module.split(".") if not part.startswith("Test")]
        if case := case_of(".".join(parts), name):
            said = {part.tag for part in each}
            word = "failed" if said & {"failure", "error"} else "skipped" if "skipped" in said else "passed"
            found[case, f"{'/'.join(parts[1:])}.py::{name}"][word] += 1
    for (case, test), outcomes in sorted(found.items()):
        yield Result(case, test, outcomes)


def table(chosen: Collection[str], found: dict[str, list[Result]]) -> tuple[list[str], int]:
    """Return the lines of the table, and how many cases hold."""
    lines, right = [_line("id", "test", *BOTH, "result")], 0
    for case in chosen:
        about, where = CASES[case]
        of = {
            database: {each.test: each for each in found[database] if each.case == case} for database in BOTH
        }
        tests = sorted({test for each in of.values() for test in each})
        said = verdict(of, where)
        right += said == "holds"
        lines += [_line(case, about, "", "", said)]
        lines += [
            _line("", test, *(_cell(of[database].get(test)) for database in BOTH), "") for test in tests
        ]
    return lines, right


def verdict(of: dict[str, dict[str, Result]], where: Iterable[str]) -> str:
    """Return whether a case holds, and if not, why."""
    words = {database: {each.word for each in of[database].values()} for database in BOTH}
    if not any(words.values()):
        return "NO TEST"
    if any("failed" in each for each in words.values()):
        return "FAILS"
    missing = [database for database in where if "passed" not in words[database]]
    return f"NO TEST ON {', '.join(missing)}" if missing else "holds"


def _cell(result: Result | None) -> str:
    return "" if result is None else f"{result.word} {result.outcomes[result.word]}"


def _line(case: str, test: str, sqlite: str, postgresql: str, said: str) -> str:
    return f"{case:<4} {test:<110.110} {sqlite:<11} {postgresql:<11} {said}".rstrip()


if __name__ == "__main__":
    sys.exit(main())
