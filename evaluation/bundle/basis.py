"""What a report stands on, as numbers and digests of its own: so that a letter of the guidelines, an answer
that was revised later, what a machine reader wrote, or any other value of the data set cannot be changed
without a cell that differs, though no measure looks at it.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Sequence
from typing import Any

from annotation.dataset.columns import JUDGMENTS, RUNS, TABLES, Table
from annotation.dataset.files import rows_of
from annotation.dataset.lines import Row, portions
from annotation.models import Study

READER = {JUDGMENTS.name: "pseudonym", RUNS.name: "reader"}
"""Of a table the column that says whose a line is: each reader has a digest of their own."""


def basis(study: Study) -> dict[str, Any]:
    """Return texts and tables of the data set, each counted and with a sha256: of judgments and of runs also
    what each reader said."""
    rows = rows_of(study)
    made = {table.name: _digested(table, rows[table.name]()) for table in TABLES}
    return {
        "guidelines": [_text(each.version, each.text) for each in study.guidelines.order_by("version")],
        "consents": [_text(each.version, each.text) for each in study.consents.order_by("version")],
        "readers": _by_reader(made[JUDGMENTS.name]),
        "machine_readers": _by_reader(made[RUNS.name]),
        "tables": [{"name": name, **digests[""].told()} for name, digests in made.items()],
    }


class _Digest:
    """How many lines, and the sha256 of them."""

    def __init__(self) -> None:
        self._sha256, self._n = hashlib.sha256(), 0

    def add(self, lines: Sequence[str]) -> None:
        self._sha256.update("".join(lines).encode())
        self._n += len(lines)

    def told(self) -> dict[str, Any]:
        return {"n": self._n, "sha256": self._sha256.hexdigest()}


def _text(version: int, text: str) -> dict[str, Any]:
    digest = hashlib.sha256(text.encode()).hexdigest()
    return {"version": version, "letters": len(text), "sha256": digest}


def _digested(table: Table, rows: Iterable[Row]) -> dict[str, _Digest]:
    """The digests of a table's lines: of all, under no name, and of each reader's."""
    digests = {"": _Digest()}
    by = [column.name for column in table.columns].index(READER[table.name]) if table.name in READER else None
    for some in portions(table, rows):
        digests[""].add(some.lines)
        if by is not None:
            of_each: dict[str, list[str]] = {}
            for reader, line in zip(some.plain[by], some.lines, strict=True):
                of_each.setdefault(reader, []).append(line)
            for reader, lines in of_each.items():
                digests.setdefault(reader, _Digest()).add(lines)
    return digests


def _by_reader(digests: dict[str, _Digest]) -> list[dict[str, Any]]:
    return [{"name": name, **digests[name].told()} for name in sorted(digests) if name]
