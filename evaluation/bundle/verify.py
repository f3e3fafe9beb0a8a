"""The check of a bundle: its structure, each part's sha256, the signature, and every cell of the report.

What the file says is believed only behind the check that makes it so: no part is unpacked before the list of
parts is sound, and no number computed before all parts are what was signed.
"""

from __future__ import annotations

import tempfile
from collections.abc import Callable
from pathlib import Path

from common.errors import BadInput
from common.progress import Progress, silent
from evaluation.bundle import keys, manifest
from evaluation.bundle.archive import KEY, MANIFEST, SEAL, SIGNATURE, Archive, reading
from evaluation.bundle.cells import compared, shown
from evaluation.bundle.keys import PublicKey
from evaluation.bundle.manifest import Manifest

REPORT, DATA = "report/", "dataset/"
SINGLE = frozenset({"environment.json", "README.md"})
CHANGED = "It was changed after it was signed, or damaged on its way"
Say = Callable[[str], None]


class Failed(Exception):
    """The bundle was read, and does not hold: the message is one sentence with what is wrong where."""


def verify(path: Path, pinned: Path | None, say: Say, progress: Progress = silent) -> None:
    """Check a bundle, and say what holds as soon as it is known to hold.

    ``pinned``: a PEM file with the public key that must have signed; None for any. Django must be set up, its
    database empty and with tables. Raises BadInput for a file that is no bundle and Failed for one that does
    not hold.
    """
    expected = keys.read(_bytes(pinned), pinned.name) if pinned else None
    with reading(path) as opened, tempfile.TemporaryDirectory(prefix="variorum-verify-") as temporary:
        signed = opened.read(MANIFEST)
        found = manifest.read(signed)
        key = keys.read(opened.read(KEY), KEY)
        say(
            f"{path.name}: “{shown(found.title)}” ({shown(found.slug)}, {shown(found.task)}), "
            f"report of {found.computed:%Y-%m-%d %H:%M %Z}."
        )
        structure(opened, found)
        total = sum(opened.sizes.values())
        say(f"ok  structure: {len(opened.sizes):,} parts, {total:,} bytes")
        folder = Path(temporary)
        unpack(opened, found, folder, progress)
        say("ok  sha256 of every part")
        signature(found, key, expected, signed, opened.read(SIGNATURE))
        say(f"ok  signature by the key {key.fingerprint}, {named(found, expected is not None)}")
        numbers(folder, found, say, progress)


def _bytes(path: Path) -> bytes:
    try:
        return path.read_bytes()
    except OSError as error:
        raise BadInput(f"{path.name} cannot be read: {error.strerror}.") from None


def structure(opened: Archive, found: Manifest) -> None:
    """Refuse parts that no bundle has, and those that stand in the manifest or in the file alone."""
    listed = {each.name: each.size for each in found.parts}
    for name in {*listed, *opened.sizes} - set(SEAL):
        if name not in SINGLE and not name.startswith((REPORT, DATA)):
            raise BadInput(f"{name[:80]!a} is no part of a bundle.")
    present = opened.sizes
    if missing := sorted(SINGLE - {*listed, *present}):
        raise Failed(f"{missing[0]} is missing: every bundle has it.")
    for name in sorted({*listed, *present}):
        if name in SEAL:
            if name in listed:
                raise BadInput(f"{MANIFEST} lists {name}, which cannot be.")
        elif name not in present:
            raise Failed(f"{name} is in the manifest and not in the file. {CHANGED}.")
        elif name not in listed:
            raise Failed(f"{name} is in the file and not in the manifest. {CHANGED}.")


def unpack(opened: Archive, found: Manifest, folder: Path, progress: Progress) -> None:
    """Unpack all parts, each compared with the size and the sha256 that the manifest gives it."""
    sizes = opened.sizes
    for number, part in enumerate(found.parts):
        progress(number, len(found.parts), "parts")
        actual = opened.unpack(part.name, folder)
        if actual != part.sha256 or sizes[part.name] != part.size:
            raise Failed(
                f"{part.name} is not what the manifest lists: its sha256 is {actual}, "
                f"the manifest’s {part.sha256}. {CHANGED}."
            )


def signature(
    found: Manifest, key: PublicKey, expected: PublicKey | None, signed: bytes, made: bytes
) -> None:
    """Refuse a manifest that its key did not sign, or that another key signed than was expected."""
    if not key.signed(made, signed):
        raise Failed(
            f"{SIGNATURE} is no signature of {MANIFEST} by the key {key.fingerprint} in {KEY}. {CHANGED}."
        )
    if found.fingerprint != key.fingerprint:
        raise Failed(
            f"{MANIFEST} names the key {found.fingerprint} as its signer’s, and was signed by "
            f"{key.fingerprint}: somebody else has signed it."
        )
    if expected and expected.fingerprint != key.fingerprint:
        raise Failed(
            f"It was signed by the key {key.fingerprint}, {named(found, False)}, and not by the one that was "
            f"expected, {expected.fingerprint}."
        )


def named(found: Manifest, pinned: bool) -> str:
    """Return whose key it is, in words that claim no more than is known."""
    own = f"which calls itself “{shown(found.signer)}”" if found.signer else "which gives no name"
    return f"{own}; it is the one that was expected" if pinned else own


def numbers(folder: Path, found: Manifest, say: Say, progress: Progress) -> None:
    """Compute the report again from the data set and compare every cell of it."""
    from evaluation.bundle import recompute
    from evaluation.bundle.environment import sources
    from evaluation.bundle.reports import Asked
    from evaluation.bundle.write import readme

    if found.sources != sources():
        say(
            f"!!  Its numbers were computed by Variorum {shown(found.release)}, code {shown(found.sources)}; "
            f"this is code {sources()}: where measures have changed in between, numbers may differ for that."
        )
    asked = Asked(found.computed, found.resamples, found.weighting, found.measures)
    try:
        study, again = recompute.recomputed(folder / DATA, asked, progress)
    except BadInput as error:
        raise Failed(f"The data set cannot be read: {error}") from None
    except Exception as error:  # noqa: BLE001 - whoever signs may sign anything
        raise Failed(f"Its data set cannot be counted: {type(error).__name__}: {error}") from None
    progress(0, 2, "cells")
    cells(folder, again, say)
    progress(1, 2, "the data set once more")
    if where := recompute.first_unlike(study, folder / DATA, found.licence):
        raise Failed(f"The data set does not agree with itself: {where}.")
    say("ok  the data set, written out again: the same, byte for byte")
    # What it says of itself is a promise like a number. Another release may word it otherwise.
    if found.sources == sources():
        told = (folder / "README.md").read_bytes()
        if told != readme(found.title, found.slug, found.release, found.fingerprint):
            raise Failed("README.md is not what this version writes for such a bundle.")


def cells(folder: Path, again: dict[str, str], say: Say) -> None:
    """Compare each file of the report with what was computed; name all that differ, with the first cell."""
    shipped = {path.relative_to(folder).as_posix() for path in (folder / REPORT).rglob("*")}
    if shipped != set(again):
        odd = ", ".join(sorted(shipped ^ set(again)))
        raise Failed(f"The report has other files than this version writes: {odd}.")
    n, rounded, wrong = 0, 0, []
    for name, computed in again.items():
        try:
            text = (folder / name).read_bytes().decode()
            found = compared(name.partition(".")[2], text, computed)
        except (ValueError, RecursionError) as error:
            raise Failed(f"{name} cannot be read: {error}.") from None
        n, rounded = n + found.cells, rounded + found.rounded
        if found.first:
            wrong.append(f"{name}: {found.first}")
    if wrong:
        raise Failed(
            "\n    ".join(["The report is not what its data give. The first cell that differs, of:", *wrong])
        )
    last = f"; {rounded:,} differ behind the ninth digit alone, as rounding does" if rounded else ""
    say(f"ok  report: {n:,} cells in {len(again)} files, every one computed again from the data set{last}")
