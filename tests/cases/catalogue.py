"""The 57 cases, by area, and where each must have been tried.

A test carries the case in its name, `test_R01_…`, or stands in a module that does, `test_R04_killed.py`.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

SQLITE, POSTGRESQL = "SQLite", "PostgreSQL"
BOTH, ONE = (SQLITE, POSTGRESQL), (SQLITE,)
CASES = {
    "A01": ("who gets what at every address", BOTH),
    "A02": ("gold reaches no reader", BOTH),
    "A03": ("what colleagues say reaches no reader", BOTH),
    "A04": ("the time of a reply tells nothing", BOTH),
    "A05": ("a field that nobody asked for", BOTH),
    "A06": ("filters and orders of the sender's own", BOTH),
    "A07": ("rights end at once", BOTH),
    "A08": ("staff and their jobs", BOTH),
    "S01": ("forms of other sites", BOTH),
    "S02": ("looking changes nothing", BOTH),
    "S03": ("texts are shown and never run", BOTH),
    "S04": ("headers of every page", BOTH),
    "S05": ("guessed passwords", BOTH),
    "S06": ("sessions begin and end", BOTH),
    "S07": ("a forgotten password", BOTH),
    "S08": ("settings that are not safe", ONE),
    "S09": ("no secret in the sources", ONE),
    "S10": ("nothing is fetched for a stranger", BOTH),
    "S11": ("names that lead elsewhere", BOTH),
    "S12": ("models that would run code", ONE),
    "S13": ("messages that are none of ours", (POSTGRESQL,)),
    "S14": ("the record", BOTH),
    "I01": ("what is too large", BOTH),
    "I02": ("bad JSON", BOTH),
    "I03": ("encodings", BOTH),
    "I04": ("giant lines, cells and names", BOTH),
    "I05": ("ids that come again", BOTH),
    "I06": ("gold that is missing or unknown", BOTH),
    "I07": ("one choice is one choice", BOTH),
    "I08": ("a million items while people read", BOTH),
    "I09": ("archives", BOTH),
    "X01": ("out, in again, out: the same bytes", BOTH),
    "X02": ("each judgment once", BOTH),
    "X03": ("a million judgments as a file", BOTH),
    "X04": ("an export of one instant", BOTH),
    "X05": ("cells that a spreadsheet would run", BOTH),
    "R01": ("exactly k judgments an item", BOTH),
    "R02": ("a double click", BOTH),
    "R03": ("a reply that was lost", BOTH),
    "R04": ("the web is killed at every moment", BOTH),
    "R05": ("places that lapse", BOTH),
    "R06": ("without a network", ONE),
    "R07": ("back, reload, two windows", BOTH),
    "R08": ("many writers at once", ONE),
    "R09": ("the database stops and comes back", (POSTGRESQL,)),
    "R10": ("clocks that jump", BOTH),
    "J01": ("a worker is killed", BOTH),
    "J02": ("the queue loses everything", BOTH),
    "J03": ("a job that kills its worker", BOTH),
    "J04": ("a message that comes five times", BOTH),
    "J05": ("no worker is there", BOTH),
    "O01": ("backup and restore", BOTH),
    "O02": ("upgrades, and no way back", BOTH),
    "O03": ("a full disk", BOTH),
    "O04": ("a person withdraws", BOTH),
    "O05": ("a bare tree", ONE),
    "O06": ("a study is deleted and comes back", BOTH),
}
"""What a case is of, and the databases it must have run on. A test without one runs beside SQLite's."""

_OF_FUNCTION = re.compile(r"test_([A-Z]\d\d)_")
_OF_MODULE = re.compile(r"(?:^|[./])test_([A-Z]\d\d)_\w+(?:\.py)?$")
_FUNCTION = re.compile(r"^\s*def (test_\w+)", re.M)


def case_of(module: str, name: str) -> str | None:
    """Return the case that a test carries; None for any other. `module`: its path, or its dotted name."""
    found = _OF_FUNCTION.match(name) or _OF_MODULE.search(module)
    return found[1] if found else None


def in_sources(root: Path) -> Iterator[tuple[str, str]]:
    """Yield the case and the name of each test that carries one, as the sources have them."""
    for path in sorted(root.rglob("test_*.py")):
        for name in _FUNCTION.findall(path.read_text("utf-8")):
            if case := case_of(path.name, name):
                yield case, f"{path.relative_to(root.parent).as_posix()}::{name}"
