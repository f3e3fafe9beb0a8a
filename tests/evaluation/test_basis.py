"""What a report stands on is told by digests of the very lines of its data set."""

from __future__ import annotations

import json
from collections import defaultdict
from hashlib import sha256

import pytest

from annotation.dataset import lines
from annotation.dataset.columns import TABLES
from annotation.dataset.write import write_dataset
from evaluation.bundle.basis import basis
from tests import builders
from tests.evaluation.judged import judged
from tests.evaluation.machines import read_by_machine

pytestmark = pytest.mark.django_db


def told(name, found):
    return {"name": name, "n": len(found), "sha256": sha256(b"".join(found)).hexdigest()}


def by(name, found):
    """The digests of the lines that have the same value in a field."""
    of_each = defaultdict(list)
    for line in found:
        of_each[json.loads(line)[name]].append(line)
    return [told(each, of_each[each]) for each in sorted(of_each)]


@pytest.mark.parametrize("at_once", [1, 5, 200])
def test_tables_and_readers_have_the_digests_of_their_lines_in_the_data_set(tmp_path, monkeypatch, at_once):
    study = judged(["gxg", "gu.", "xbg", "ggy"], by=builders.researcher("Dora"))
    read_by_machine(study, [{"option": 1}, {"option": 0}, "u", "?"], again=[{"option": 2}])
    write_dataset(study, tmp_path / "set", parquet=False)
    files = {each.name: (tmp_path / "set" / each.path).read_bytes() for each in TABLES}
    of_tables = {name: data.splitlines(keepends=True) for name, data in files.items()}
    monkeypatch.setattr(lines, "AT_ONCE", at_once)
    found = basis(study)
    assert found["tables"] == [told(name, those) for name, those in of_tables.items()]
    assert found["readers"] == by("pseudonym", of_tables["judgments"])
    assert found["machine_readers"] == by("reader", of_tables["runs"])
    assert len(found["readers"]) == 3
