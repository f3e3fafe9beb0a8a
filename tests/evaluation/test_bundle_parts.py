"""What a bundle is made of: the zip that may be hostile, the manifest, the cells of each format."""

from __future__ import annotations

import io
import json
import struct
import warnings
import zipfile
from datetime import UTC, datetime
from pathlib import Path

import pytest

from common.errors import BadInput
from evaluation.bundle import archive, manifest
from evaluation.bundle.cells import compared
from evaluation.bundle.manifest import Manifest, Part

NOW = datetime(2026, 3, 1, 12, tzinfo=UTC)
SAID = Manifest(
    *("lamps", "Lamps", "choice", "Dora", "ab" * 32), NOW, 200, "", "CC0-1.0", "0.1.0", "0.1.0+metrics.0",
    "0", (Part("README.md", 2, "cd" * 32),),
)  # fmt: skip


def zipped(path, *entries, comment=b""):
    """A zip of pairs of name (or ZipInfo) and content, as anybody can write one."""
    with warnings.catch_warnings(), zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as made:
        warnings.simplefilter("ignore")
        for name, content in entries:
            made.writestr(name, content)
        made.comment = comment
    return path


def info(name, **fields):
    found = zipfile.ZipInfo(name)
    found.compress_type = zipfile.ZIP_DEFLATED
    for field, value in fields.items():
        setattr(found, field, value)
    return found


HOSTILE = {
    "slip": ([("../../etc/passwd", "x")], "leads to no folder above"),
    "absolute": ([("/etc/passwd", "x")], "leads to no folder above"),
    "dots inside": ([("report/../../x", "x")], "leads to no folder above"),
    "backslash": ([("report\\x", "x")], "leads to no folder above"),
    "letters": ([("report/\x1b[31m", "x")], "only letters A to z"),
    "folder": ([("report/", "")], "only letters A to z"),
    "hidden": ([("report/.x", "")], "only letters A to z"),
    "long": ([("a" * 201, "")], "at most 200 characters"),
    "twice": ([("a", "1"), ("a", "2")], "a stands in the file twice."),
    "twice but for case": ([("a", "1"), ("A", "2")], r"twice \(a and A\)"),
    "link": (
        [(info("a", external_attr=0o120777 << 16, create_system=3), "/etc/passwd")],
        "a link or a device",
    ),
    "packed": ([(info("a", compress_type=zipfile.ZIP_LZMA), "x")], "packed in an unknown way"),
    "bomb": ([("a", b"\0" * (65 * 2**20))], "would unpack to 68,157,440"),
}


@pytest.mark.parametrize("case", HOSTILE)
def test_hostile_zips_are_refused_before_anything_is_unpacked(tmp_path, case):
    entries, says = HOSTILE[case]
    path = zipped(tmp_path / "b.zip", *entries)
    with pytest.raises(BadInput, match=says), archive.reading(path):
        pass
    assert sorted(each.name for each in tmp_path.iterdir()) == ["b.zip"]


def test_what_stands_round_the_parts_is_refused(tmp_path):
    whole = zipped(tmp_path / "b.zip", ("a", "1"))
    (tmp_path / "before.zip").write_bytes(b"#!/bin/sh\n" + whole.read_bytes())
    for path in (zipped(tmp_path / "c.zip", ("a", "1"), comment=b"x"), tmp_path / "before.zip"):
        with pytest.raises(BadInput, match="more than its parts"), archive.reading(path):
            pass


def test_an_encrypted_part_and_one_that_lies_about_its_size_are_refused(tmp_path):
    path = zipped(tmp_path / "b.zip", ("a", "12345"))
    content = bytearray(path.read_bytes())
    central = content.index(b"PK\x01\x02")
    content[central + 8] |= 1
    (tmp_path / "secret.zip").write_bytes(content)
    with pytest.raises(BadInput, match="encrypted"), archive.reading(tmp_path / "secret.zip"):
        pass
    for said, says in ((3, "more bytes than the file says|CRC"), (9, "fewer|cannot be unpacked")):
        content = bytearray(path.read_bytes())
        content[central + 24 : central + 28] = struct.pack("<L", said)
        (tmp_path / "lie.zip").write_bytes(content)
        with pytest.raises(BadInput, match=says), archive.reading(tmp_path / "lie.zip") as opened:
            opened.unpack("a", tmp_path / f"out{said}")


def test_what_is_no_zip_is_said_in_a_sentence(tmp_path):
    (tmp_path / "b.zip").write_bytes(b"PK\x03\x04 and nothing else")
    for path, says in (
        (tmp_path / "b.zip", "b.zip is no zip"),
        (tmp_path / "no.zip", "no.zip cannot be read"),
    ):
        with pytest.raises(BadInput, match=says), archive.reading(path):
            pass
    with pytest.raises(BadInput, match=r"manifest\.json is missing"):  # noqa: SIM117
        with archive.reading(zipped(tmp_path / "c.zip", ("a", "1"))) as opened:
            opened.read("manifest.json")


def test_the_same_parts_give_the_same_bytes(tmp_path):
    (tmp_path / "x").write_bytes(b"1234")
    first, second = io.BytesIO(), io.BytesIO()
    archive.write(first, [("a", tmp_path / "x"), ("b/c", b"5")])
    (tmp_path / "x").touch()
    archive.write(second, [("a", b"1234"), ("b/c", b"5")])
    assert first.getvalue() == second.getvalue()
    (tmp_path / "b.zip").write_bytes(first.getvalue())
    with archive.reading(tmp_path / "b.zip") as opened:
        assert opened.sizes == {"a": 4, "b/c": 1}
        assert opened.unpack("b/c", tmp_path) == archive.sha256(b"5") == archive.sha256(tmp_path / "b/c")


def test_a_manifest_reads_back():
    assert manifest.read(manifest.written(SAID)) == SAID


@pytest.mark.parametrize(
    ("change", "says"),
    [
        (lambda said: said.update(bundle_version=2), "bundle_version must be 1"),
        (lambda said: said.update(study=[]), "study must be an object"),
        (lambda said: said["signer"].update(key=7), "signer.key must be a text"),
        (
            lambda said: said["report"].update(computed="2026-03-01T12:00:00"),
            "report.computed must be a time",
        ),
        (
            lambda said: said["report"].update(resamples=True),
            "report.resamples must be a whole number from 1",
        ),
        (lambda said: said.update(parts={}), "parts must be a list"),
        (lambda said: said["parts"][0].update(sha256="x" * 64), "parts.1.sha256 must be 64 hexadecimal"),
        (lambda said: said["parts"][0].update(bytes=-1), "parts.1.bytes must be a whole number from 0"),
        (lambda said: said["parts"].append(said["parts"][0]), "README.md stands among the parts twice"),
    ],
)
def test_a_manifest_that_is_none_names_the_field(change, says):
    said = json.loads(manifest.written(SAID))
    change(said)
    with pytest.raises(BadInput, match=says):
        manifest.read(json.dumps(said).encode())


@pytest.mark.parametrize(
    "content", [b"{", b"\xff", b"[]", b'{"a": 1, "a": 2}', b'{"a": NaN}', b"[" * 100_000]
)
def test_a_manifest_that_is_no_json_object_is_said_in_a_sentence(content):
    with pytest.raises(BadInput, match=r"manifest\.json is no"):
        manifest.read(content)


TEXT = """Boats (fleet)

            value  95 % interval  items
Fleiss κ    0.683  0.61 to 0.74     200
all agree   0.700                   200
(a) all agree: too few.

- A note.
"""
MARKDOWN = "# Boats\n\nFour readers.\n\n| Measure | Value |\n| :-- | --: |\n| a \\| b | 0.5 |\n"
LATEX = (
    "\\begin{table}\n\\caption{Boats}\n\\begin{tabular}{lr}\nMeasure & Value \\\\\n\\midrule\n"
    "A \\& B & 0.5 \\\\\n\\end{tabular}\n"
)
JSON = json.dumps({"study": "fleet", "measures": [{"measure": "fleiss", "value": 0.68253968, "low": None}]})
CSV = "study,annotator,number,value\nfleet,,fleiss,0.5\nfleet,A,accuracy,0.25\n"


@pytest.mark.parametrize(
    ("ending", "text", "old", "new", "says"),
    [
        (
            *("txt", TEXT, "0.61 to 0.74", "0.62 to 0.74"),
            "table “1”, row “Fleiss κ”, column “95 % interval”: shipped “0.62 to 0.74”, "
            "computed again “0.61 to 0.74”",
        ),
        ("txt", TEXT, "A note", "No note", "row “line 8”: shipped “- No note.”, computed again “- A note.”"),
        (
            *("md", MARKDOWN, "| 0.5 |", "| 0.6 |"),
            "table “1: Four readers.”, row “a \\| b”, column “Value”: shipped “0.6”, computed again “0.5”",
        ),
        (
            *("tex", LATEX, "0.5", "0.6"),
            "table “1: Boats”, row “A \\& B”, column “Value”: shipped “0.6”, computed again “0.5”",
        ),
        (
            *("json", JSON, "0.68253968", "0.68253969"),
            "table “measures”, row “1 (fleiss)”, column “value”: shipped “0.68253969”, computed again "
            "“0.68253968”",
        ),
        (
            *("json", JSON, ', "low": null', ""),
            "table “measures”, row “1 (fleiss)”, column “low”: shipped nothing, computed again “null”",
        ),
        (
            *("csv", CSV, "0.25", "0.26"),
            "row “line 3 (A accuracy)”, column “value”: shipped “0.26”, computed again “0.25”",
        ),
        ("json", JSON, '": "fleet', '":  "fleet', "row “line 1”: shipped"),
    ],
)
def test_the_first_cell_that_differs_is_named_by_table_row_and_column(ending, text, old, new, says):
    assert compared(ending, text, text).first is None
    assert text.count(old) == 1
    assert str(compared(ending, text.replace(old, new), text).first).startswith(says)


def test_every_character_of_every_format_counts():
    for ending, text in (("txt", TEXT), ("md", MARKDOWN), ("tex", LATEX), ("json", JSON), ("csv", CSV)):
        for place, letter in enumerate(text):
            other = text[:place] + ("8" if letter == "7" else "7") + text[place + 1 :]
            try:
                found = compared(ending, other, text)
            except ValueError:
                continue
            assert found.first is not None, (ending, place)


def test_digits_behind_the_ninth_are_rounding_and_said_so():
    near = JSON.replace("0.68253968", "0.6825396800000001")
    assert compared("json", near, JSON)[1:] == (None, 1)
    assert compared("json", JSON.replace("0.68253968", "0.6825396801"), JSON)[1:] == (None, 1)
    assert compared("json", JSON.replace("0.68253968", "0.682539685"), JSON).first is not None


def test_a_report_of_a_format_that_it_is_not_raises():
    with pytest.raises(ValueError, match="Expecting"):
        compared("json", "no", JSON)


def test_every_format_of_a_report_has_a_reader():
    from evaluation.bundle.cells import READERS
    from evaluation.report.formats import FORMATS

    assert {each.extension for each in FORMATS.values()} <= READERS.keys()
    assert Path("report/report.twocolumn.tex").name.partition(".")[2] in READERS


@pytest.mark.parametrize("odd", ['{"value": 0.9, "value": 0.5}', '{"value": NaN}'])
def test_a_report_that_readers_of_json_take_for_two_is_refused(odd):
    with pytest.raises(ValueError, match="stands there twice, or is no number"):
        compared("json", odd, '{"value": 0.5}')
