"""The bytes of a data set: what a value is written as, however many rows are written at once."""

from __future__ import annotations

import json
from datetime import UTC, datetime, timedelta, timezone

import pytest
from django.db import connection
from django.db.models.functions import Now
from hypothesis import example, given
from hypothesis import strategies as st
from pyarrow import parquet as arrow

from annotation.dataset import lines as written
from annotation.dataset import parquet, rows
from annotation.dataset.columns import Column, Table
from annotation.dataset.lines import Json, lines, portions
from annotation.dataset.moments import MomentText
from annotation.dataset.rows import Rows
from annotation.dataset.write import write_dataset, zipped
from annotation.export.machine_seen import moment
from annotation.models import Study
from tests import builders
from tests.evaluation.judged import judged
from tests.evaluation.test_data_set_round_trip import contents

NOON = datetime(2026, 3, 1, 12, tzinfo=UTC)
TYPES = ("string", "integer", "number", "boolean", "datetime", "object", "array")
TABLE = Table("all", "One column of each type.", tuple(Column(each, each, "a value") for each in TYPES))
TEXTS = st.text(max_size=8)
ROWS = st.tuples(
    st.none() | TEXTS,
    st.none() | st.integers(-(2**40), 2**40),
    st.none() | st.sampled_from([0, 0.0, -0.0, 1, 1.0]) | st.floats(allow_nan=False, allow_infinity=False),
    st.none() | st.booleans(),
    st.none() | st.integers(-(10**9), 10**9).map(lambda each: NOON + timedelta(microseconds=each * 500)),
    st.none() | st.dictionaries(TEXTS, st.none() | TEXTS | st.integers(-9, 9), max_size=4),
    st.none() | st.lists(TEXTS | st.floats(-1, 1), max_size=3),
)
ENDS = ("\x85", "\u2028", "\u2029")


def line_of(row) -> str:
    """A row as the format says it, by the standard library alone."""
    values = (moment(each) if isinstance(each, datetime) else each for each in row)
    texts = (json.dumps(each, ensure_ascii=False, sort_keys=True) for each in values)
    text = "{" + ", ".join(f'"{name}": {each}' for name, each in zip(TYPES, texts, strict=True)) + "}\n"
    for sign in ENDS:
        text = text.replace(sign, f"\\u{ord(sign):04x}")
    return text


@given(st.lists(ROWS, max_size=7), st.integers(1, 3))
@example([("a\u2028b", 1, 1, True, NOON, {"b": 1, "a": "\x85"}, [1.0]), ("", 0, 1.0, False, None, {}, [])], 3)
def test_lines_are_those_of_the_standard_library_however_many_are_written_at_once(found, at_once):
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(written, "AT_ONCE", at_once)
        assert list(lines(TABLE, found)) == [line_of(row) for row in found]


def test_what_is_no_number_of_json_is_refused():
    for value in (float("nan"), float("inf")):
        with pytest.raises(ValueError, match="not JSON compliant"):
            list(lines(TABLE, [("", 1, value, True, NOON, {}, [])]))


def test_a_text_that_is_known_is_taken_and_a_moment_that_the_database_wrote():
    (line,) = lines(TABLE, [("", 1, 0.5, True, "2026-03-01T12:00:00Z", Json({"a": 1}, '{"a": 1}'), [])])
    assert line == line_of(("", 1, 0.5, True, NOON, {"a": 1}, []))


def parquet_of(path, found):
    with parquet.ParquetFile(TABLE, path) as file:
        for some in portions(TABLE, found):
            file.add(some)
    return path


def some_rows(n):
    return [
        ("é" * (n % 5), n, n / 4, n % 3 == 0, NOON + timedelta(seconds=n, microseconds=n % 2),
         {"b": n, "a": None}, None if n % 7 else [n])
        for n in range(n)
    ]  # fmt: skip


def test_groups_of_parquet_end_at_the_same_rows_however_many_are_written_at_once(tmp_path, monkeypatch):
    monkeypatch.setattr(parquet, "GROUP", 5)
    found = some_rows(23)
    by_length = found[:2] + [("x" * 400, *row[1:]) for row in found[2:4]] + found[4:]
    for name, made, most in (("rows", found, 10**6), ("characters", by_length, 600)):
        monkeypatch.setattr(parquet, "MOST", most)
        files = []
        for at_once in (1, 3, 200):
            monkeypatch.setattr(written, "AT_ONCE", at_once)
            files.append(parquet_of(tmp_path / f"{name}-{at_once}", made).read_bytes())
        assert files == [files[0]] * 3
    sizes = []
    for name in ("rows", "characters"):
        about = arrow.read_metadata(tmp_path / f"{name}-200")
        sizes.append([about.row_group(n).num_rows for n in range(about.num_row_groups)])
    assert sizes[0] == [5, 5, 5, 5, 3]
    assert sizes[1][:2] == [3, 2]


def test_parquet_holds_the_values_of_the_lines(tmp_path):
    found = [*some_rows(9), (None,) * 7]
    read = arrow.read_table(parquet_of(tmp_path / "all", found)).to_pylist()
    for row, kept in zip(found, read, strict=True):
        *plain, made, listed = row
        texts = [None if each is None else json.dumps(each, sort_keys=True) for each in (made, listed)]
        assert list(kept.values()) == [*plain, *texts]


@pytest.mark.django_db
@pytest.mark.parametrize(
    "value",
    [NOON, NOON + timedelta(microseconds=7), NOON.replace(microsecond=120_000), NOON.replace(year=1009),
     Now(), datetime(2026, 1, 1, tzinfo=timezone(timedelta(hours=5, minutes=30)))],
    ids=str,
)  # fmt: skip
def test_the_database_writes_moments_as_files_have_them(value):
    study = builders.study()
    Study.objects.update(created=value, closed=None)
    study.refresh_from_db()
    assert list(Study.objects.values_list(MomentText("created"), MomentText("closed"))) == [
        (moment(study.created), None)
    ]


@pytest.mark.django_db
def test_moments_of_the_database_without_digits_of_the_second_are_written_likewise():
    builders.study()
    with connection.cursor() as cursor:
        for said, told in (
            ("2026-03-01 12:00:00", "2026-03-01T12:00:00Z"),
            ("2026-03-01 12:00:00.000000", "2026-03-01T12:00:00Z"),
            ("2026-03-01 12:00:10.500", "2026-03-01T12:00:10.500000Z"),
        ):
            cursor.execute("UPDATE annotation_study SET created = %s", [said])
            assert Study.objects.values_list(MomentText("created"), flat=True).get() == told


@pytest.mark.django_db
def test_a_data_set_is_the_same_however_many_rows_are_read_and_written_at_once(tmp_path, monkeypatch):
    study = judged(["gxg", "gu.", "xbg", "ggy"], by=builders.researcher("Dora"))
    write_dataset(study, tmp_path / "usual")
    for number in (1, 2):
        monkeypatch.setattr(rows, "AT_ONCE", number)
        monkeypatch.setattr(written, "AT_ONCE", 3 - number)
        write_dataset(study, tmp_path / str(number))
        assert contents(tmp_path / str(number)) == contents(tmp_path / "usual")


@pytest.mark.django_db
def test_the_first_bytes_of_the_zip_file_leave_before_a_row_is_read(monkeypatch):
    class Read(Exception):
        pass

    def refuse(rows):
        raise Read
        yield

    study = builders.study()
    monkeypatch.setattr(Rows, "items", refuse)
    sent = zipped(study)
    assert next(sent).startswith(b"PK\x03\x04")
    with pytest.raises(Read):
        next(sent)
