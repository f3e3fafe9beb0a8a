"""Subsets of open-licence fonts as woff2, made from packages and kept until those change.

Both fonts are under the SIL Open Font License 1.1. It reserves their names for the unchanged fonts, so a
subset bears another name, and the licence lies beside it.
"""

from __future__ import annotations

import hashlib
import os
from importlib import metadata
from importlib.util import find_spec
from io import BytesIO
from pathlib import Path
from typing import Any, NamedTuple

LATIN = [*range(0x20, 0x7F), *range(0xA0, 0x180), *range(0x218, 0x21C), *range(0x2010, 0x2027)]
"""ASCII, Latin-1, Latin Extended-A, the Romanian commas; dashes, quotation marks, the ellipsis."""
MORE = [*range(0x370, 0x400), 0x2030, 0x2032, 0x2033, 0x2039, 0x203A, 0x2044, 0x20AC, 0x2122, 0x2212]
"""Modern Greek; primes, single angle quotation marks, and a few signs."""
FEATURES = ("kern", "liga", "mark", "ccmp", "locl", "onum", "lnum", "pnum", "tnum")
STAMP = ".made-of"


class Face(NamedTuple):
    """One file that is served.

    name: of the file, without its ending.
    family: the name it bears, which is not the reserved one.
    package, source, licence: a package, and the files in it that it is made of and that go with it.
    letters: the code points it keeps, where the source has them.
    hints: whether it keeps what Windows draws small letters by, which long texts need most.
    axes: where a variable font is made a static one.
    """

    name: str
    family: str
    package: str
    source: str
    licence: str
    letters: list[int]
    hints: bool = False
    axes: dict[str, float] = {}


def _serif(name: str, style: str, letters: list[int], *, hints: bool = False) -> Face:
    files = "font_source_serif_pro", f"files/SourceSerifPro-{style}.otf", "files/LICENSE.txt"
    return Face(name, "Variorum Text", *files, letters, hints)


FACES = (
    _serif("text-regular", "Regular", LATIN + MORE, hints=True),
    _serif("text-italic", "It", LATIN + MORE),
    _serif("text-semibold", "Semibold", LATIN),
    Face(
        "easy-regular", "Variorum Easy", "fontpkg_lexend", "files/Lexend[wght].ttf", "LICENSE",
        LATIN + MORE, axes={"wght": 400},
    ),
)  # fmt: skip


def make(folder: Path) -> None:
    """Have every face, and the licence of each family, in the folder; what is there already stays.

    A file is moved to its place when it is whole, so two processes may do this at the same time.
    """
    key = _made_of()
    stamp = folder / STAMP
    if stamp.is_file() and stamp.read_text("ascii") == key:
        return
    folder.mkdir(parents=True, exist_ok=True)
    for face in FACES:
        _put(folder / f"{face.name}.woff2", _subset(face))
        licence = f"{face.name.partition('-')[0]}-OFL.txt"
        _put(folder / licence, (_folder_of(face) / face.licence).read_bytes())
    _put(stamp, key.encode())


def _made_of() -> str:
    """Return a digest of all that the files are made of: this module, and the versions of packages."""
    packages = sorted({"fonttools", "brotli", *(face.package for face in FACES)})
    said = [f"{name} {metadata.version(name)}" for name in packages]
    return hashlib.sha256("\n".join([Path(__file__).read_text("utf-8"), *said]).encode()).hexdigest()


def _folder_of(face: Face) -> Path:
    found = find_spec(face.package)
    if found is None or found.origin is None:
        raise ModuleNotFoundError(
            f"The package {face.package} is missing: install requirements-web.txt again."
        )
    return Path(found.origin).parent


def _put(path: Path, content: bytes) -> None:
    whole = path.with_name(f"{path.name}.{os.getpid()}~")
    whole.write_bytes(content)
    whole.replace(path)


def _subset(face: Face) -> bytes:
    """Return a subset of the face, under its own name, as woff2."""
    # Loaded here: no page needs them.
    from fontTools.subset import Options, Subsetter
    from fontTools.ttLib import TTFont
    from fontTools.varLib.instancer import instantiateVariableFont

    font = TTFont(_folder_of(face) / face.source)
    if face.axes:
        font = instantiateVariableFont(font, face.axes)
    keeps = {"layout_features": list(FEATURES), "name_IDs": ["*"], "notdef_outline": True}
    subsetter = Subsetter(Options(hinting=face.hints, **keeps))
    subsetter.populate(unicodes=face.letters)
    subsetter.subset(font)
    _rename(font, face.family)
    font.flavor = "woff2"
    made = BytesIO()
    font.save(made)
    return made.getvalue()


def _rename(font: Any, family: str) -> None:
    """Give a font another name wherever it says its own; who made it, and the licence, stay."""
    compact = family.replace(" ", "")
    style = font["name"].getDebugName(17) or font["name"].getDebugName(2) or "Regular"
    said = {1: family, 2: style, 3: f"{compact}-{style}", 4: f"{family} {style}", 6: f"{compact}-{style}"}
    about = {number: font["name"].getDebugName(number) for number in (0, 13, 14)}
    font["name"].names = []
    for number, words in (said | about).items():
        if words:
            font["name"].addMultilingualName({"en": words}, font, nameID=number, mac=False)
    if "CFF " in font:
        table = font["CFF "].cff
        table.fontNames = [said[6]]
        top = table.topDictIndex[0]
        top.FamilyName, top.FullName = family, said[4]
