"""The faces that texts are set in: made of packages, under names of their own, once."""

from __future__ import annotations

from io import BytesIO

import pytest
from fontTools.ttLib import TTFont

from variorum.typeface import finder, subsets


def test_a_subset_bears_no_reserved_name_and_keeps_accents():
    italic = next(each for each in subsets.FACES if each.name == "text-italic")
    font = TTFont(BytesIO(subsets._subset(italic)))
    said = {each.nameID: str(each) for each in font["name"].names}
    # Who made it, and its licence, may say “Source”; its names may not.
    assert not any("Source" in words for number, words in said.items() if number not in (0, 13, 14))
    assert said[1] == "Variorum Text"
    assert said[4] == "Variorum Text Italic"
    assert "SIL Open Font License" in said[13]
    assert font["CFF "].cff.fontNames == ["VariorumText-Italic"]
    assert {ord(letter) for letter in "Aaéőßș—“”…"} <= font.getBestCmap().keys()


@pytest.fixture
def made(monkeypatch):
    """The names of the faces that were made, which costs nothing here."""
    names: list[str] = []
    monkeypatch.setattr(subsets, "_subset", lambda face: names.append(face.name) or b"woff2")
    return names


def test_faces_are_made_once_with_their_licences_and_found(tmp_path, settings, made):
    settings.DATA_DIR = tmp_path
    found = finder.TypefaceFinder()
    listed = {f"{storage.prefix}/{name}" for name, storage in found.list(["*.~", ".*"])}
    faces = {f"annotation/fonts/{each.name}.woff2" for each in subsets.FACES}
    assert listed == faces | {"annotation/fonts/text-OFL.txt", "annotation/fonts/easy-OFL.txt"}
    assert found.find("annotation/fonts/text-regular.woff2") == str(tmp_path / "typeface/text-regular.woff2")
    assert found.find("annotation/variorum.css") == []
    assert made == [each.name for each in subsets.FACES]


def test_faces_are_made_again_when_a_package_changes(tmp_path, monkeypatch, made):
    subsets.make(tmp_path)
    versions = subsets.metadata.version
    monkeypatch.setattr(subsets.metadata, "version", lambda name: versions(name) + ".1")
    subsets.make(tmp_path)
    assert made == [each.name for each in subsets.FACES] * 2
