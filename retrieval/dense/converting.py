"""Published weights (`.bin`, `.pt`) into a checkpoint's folder, read in a process of its own that is limited.

Nothing is half-written: the folder is made beside its place, looked at like any other, and only then renamed.
"""

from __future__ import annotations

import json
import shutil
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from common.errors import BadInput
from retrieval.engine.dense import folder as dense_folder
from retrieval.engine.dense.folder import CARD, TOKENISER, TOWERS
from retrieval.engine.dense.presets import PRESETS
from retrieval.engine.dense.published import convert
from retrieval.jobs.child_process import ChildDied, ChildProcess, TimeLimitReached

SECONDS = 600.0
"""For one encoder; the largest that are read here take seconds."""
RELIC = ("prefix_encoder", "suffix_encoder")
"""What RELiC's own code calls the encoder of contexts and that of quotations, in one folder."""


def folder(source: Path, target: Path, quotations: Path | None = None) -> Path:
    """Convert one encoder, or one for contexts and one for quotations, into a new folder, and return it.

    `source`: a folder or a file of weights in it; a folder that holds two encoders, as RELiC's code or this
    site lays them out, gives both.

    Raises:
        BadInput: the target is there, something is missing or refused, or the encoders do not fit.
    """
    if target.exists():
        raise BadInput(f"There is {target} already; name a folder that is not there.")
    aside = target.parent / f".making-{target.name}"
    making = aside / target.name
    shutil.rmtree(aside, ignore_errors=True)
    try:
        told = _towers(sources(source, quotations), making)
        write_card(making, {"converted": told})
        dense_folder.checked(making)
        making.rename(target)
    finally:
        shutil.rmtree(aside, ignore_errors=True)
    return target


def sources(source: Path, quotations: Path | None) -> list[Path]:
    """Return where each encoder is: one for both sides, or contexts' and quotations'."""
    if quotations:
        return [source, quotations]
    for names in (RELIC, TOWERS):
        if all((source / name).is_dir() for name in names):
            return [source / name for name in names]
    return [source]


def encoder(source: Path, target: Path) -> dict[str, Any]:
    """Convert one encoder into a new folder, in a process of its own; return what the card says of it.

    Raises:
        BadInput: it is refused, or the process took too long, or died.
    """
    source, target = source.resolve(), target.resolve()
    try:
        with ChildProcess(SECONDS, lambda: None) as child:
            return child(convert.encoder, source, target)
    except TimeLimitReached:
        raise BadInput(f"{source.name} was not read within {SECONDS:,.0f} seconds.") from None
    except ChildDied as death:
        raise BadInput(f"{source.name} could not be converted. {death}") from None


def write_card(making: Path, told: Mapping[str, Any]) -> None:
    """Write the card, with the settings that the kind of encoder asks for."""
    top = dense_folder.tower(making, TOWERS[0])
    preset = convert.preset(top)
    card = {**told, **({"encoder": vars(PRESETS[preset])} if preset else {})}
    (making / CARD).write_text(json.dumps(card, indent=1), encoding="utf-8")


def one_tokeniser(making: Path, names: Sequence[str]) -> None:
    """Leave, of two encoders in one folder, one tokeniser, at the top; `names`: of the two.

    Raises:
        BadInput: they have different ones.
    """
    found = [making / tower / TOKENISER for tower in TOWERS]
    there = [path for path in found if path.is_file()]
    if len(there) == 2:
        first, second = (dense_folder.read_json(path).get("model") for path in there)
        if first != second:
            raise BadInput(f"{names[0]} and {names[1]} have different tokenisers; one must do for both.")
    if there:
        there[0].rename(making / TOKENISER)
        for path in there[1:]:
            path.unlink()


def _towers(found: Sequence[Path], making: Path) -> list[dict[str, Any]]:
    if len(found) == 1:
        return [encoder(found[0], making)]
    told = [
        {"for": tower, **encoder(each, making / tower)} for each, tower in zip(found, TOWERS, strict=True)
    ]
    one_tokeniser(making, [each.name for each in found])
    if not (making / TOKENISER).is_file():
        convert.tokeniser(found[0].parent, making / TOKENISER)
    return told
