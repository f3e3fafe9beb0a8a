"""Find an allowed checkpoint by name, and freeze for a job which one it uses.

The allow-list is the table, and beside it the models that came as an installed package
(`engine.dense_packages`): those have no row, their sha256 is pinned in the code, and a row of the same name
goes first.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from django.conf import settings
from django.core.validators import slug_re

from common.errors import BadInput, needs_model_packages
from retrieval.engine.dense import folder as dense_folder
from retrieval.engine.dense import packages, presets
from retrieval.engine.dense import ranker as dense
from retrieval.engine.dense import settings as dense_settings
from retrieval.engine.dense.progress import Tell
from retrieval.engine.ranking import rankers
from retrieval.models import Checkpoint, kept_path

if TYPE_CHECKING:
    from django.contrib.auth.models import User

PRECISION: dict[rankers.Queue, str] = {"gpu": "bf16", "cpu": "fp32"}
"""What encoders compute in on each queue, where nobody says otherwise."""
KIND = "checkpoint"
SAMPLE = "The boat left at dawn."
LISTED = 20
LONGEST_SLUG = 50


def add(
    folder: Path,
    *,
    slug: str,
    given: Mapping[str, Any] | None = None,
    by: User | None = None,
) -> tuple[Checkpoint, bool]:
    """Allow a folder under a name; return the checkpoint and whether it is new.

    The encoders are loaded once, to see that they work.

    `given`: settings of `dense_settings`; what is left out is taken from the card beside the weights, or
    from what sentence-transformers wrote there, then from the defaults. Adding the same again changes
    nothing.

    Raises:
        BadInput: the folder is refused, does not load, or the name is taken by another one.
    """
    check_slug(slug)
    place = folder.resolve()
    sha256 = dense_folder.fingerprint(place)
    card_file = place / dense_folder.CARD
    card = dense_folder.read_json(card_file) if card_file.is_file() else {}
    beside = card.get("encoder") or presets.beside(place)
    if not isinstance(beside, Mapping):
        raise BadInput(f"{place.name}/{dense_folder.CARD} has an encoder that is no object of settings.")
    chosen = dense_settings.checked({**beside, **(given or {})})
    known = get_or_none(slug)
    if known is not None:
        same = (known.sha256, known.place.resolve()) == (sha256, place)
        if same and dense_settings.checked(known.settings) == chosen:
            return known, False
        raise BadInput(
            f"There is a checkpoint {slug!r} already, with other files or settings; choose another name."
        )
    _try(place, chosen)
    made = Checkpoint.objects.create(
        slug=slug,
        folder=kept_path(folder, settings.DATA_DIR),
        sha256=sha256,
        settings=asdict(chosen),
        card=card,
        toy=bool(card.get("toy")),
        created_by=by,
    )
    return made, True


def find(slug: str) -> Checkpoint:
    """Return the checkpoint of that name; for an empty name the only one there is. Raises `BadInput`.

    Raises:
        BadInput: there is none, or several and no name.
    """
    found = get_or_none(slug)
    if found is not None:
        return found
    known = all_checkpoints()
    if not known:
        raise BadInput(
            "No checkpoint is there yet: train one with manage.py train_dense, "
            "add a folder with manage.py add_checkpoint, or install requirements-minilm.txt."
        )
    if not slug and len(known) == 1:
        return known[0]
    names = ", ".join(each.slug for each in known[:LISTED])
    if slug:
        raise BadInput(f"There is no checkpoint {slug!r}; choose one of: {names}.")
    raise BadInput(f"There are several checkpoints; name one of: {names}.")


def get_or_none(slug: str) -> Checkpoint | None:
    """Return the checkpoint of that name, or None."""
    return next((each for each in all_checkpoints() if each.slug == slug), None)


def display_name(slug: str) -> str:
    """Return the name as pages say it: a toy is called one wherever its name stands."""
    return str(get_or_none(slug) or f"{slug} (removed)")


def all_checkpoints() -> list[Checkpoint]:
    """Return all checkpoints by name: the rows, and unsaved ones for the models of installed packages."""
    found = {each.slug: each for each in _installed()}
    found |= {each.slug: each for each in Checkpoint.objects.all()}
    return [found[slug] for slug in sorted(found)]


def _installed() -> list[Checkpoint]:
    return [
        Checkpoint(
            slug=packaged.slug,
            folder=str(folder),
            sha256=packaged.sha256,
            settings=asdict(packaged.settings),
            card={"about": packaged.about, "package": packaged.requirement},
        )
        for packaged, folder in packages.installed()
    ]


def parse_ranker(spec: str) -> tuple[rankers.Ranker, dict[str, Any]]:
    """Read `bm25`, `bm25 k1=1.2 b=0.75`, or `dense:NAME` with a checkpoint's name, as a ranker and its
    parameters.

    Raises:
        BadInput: there is no such ranker, it takes no checkpoint, or a setting is not NAME=VALUE.
    """
    first, *settings = spec.split() or [""]
    slug, _, name = first.partition(":")
    ranker = rankers.get(slug)
    if name and KIND not in ranker.parameters:
        raise BadInput(f"The ranker {slug} takes no checkpoint; write {slug} alone instead of {first!r:.80}.")
    return ranker, ({KIND: name} if name else {}) | rankers.settings(settings)


def ranker_choices() -> list[tuple[str, str]]:
    """Return what `parse_ranker` reads, for every ranker with every checkpoint, each with a label."""
    models = all_checkpoints()
    found = []
    for ranker in rankers.all():
        if KIND in ranker.parameters:
            found += [(f"{ranker.slug}:{each.slug}", f"{ranker.label} · {each}") for each in models]
        else:
            found.append((ranker.slug, ranker.label))
    return found


def queue_for(*together: rankers.Ranker) -> rankers.Queue:
    """Return `gpu` where one of these rankers runs best there and VARIORUM_DEVICE says there is one; else
    `cpu`.
    """
    best = any(each.queue == "gpu" for each in together)
    return "gpu" if best and settings.DEVICE == "cuda" else "cpu"


def freeze(
    ranker: rankers.Ranker, parameters: Mapping[str, Any], precision: str
) -> tuple[dict[str, Any], Checkpoint | None]:
    """Return a ranking's parameters with checkpoint and precision written out, and the checkpoint.

    `precision` is that of the queue, where the parameters leave it open.

    Raises:
        BadInput: the ranker needs a checkpoint that is not there.
    """
    written, found = dict(parameters), None
    if KIND in ranker.parameters:
        found = find(str(written.get(KIND, "")))
        written[KIND] = found.slug
    if written.get("precision") == "auto":
        written["precision"] = precision
    return written, found


def with_checkpoint(
    ranker: rankers.Ranker,
    parameters: Mapping[str, Any],
    *,
    sha256: str = "",
    progress: Tell | None = None,
) -> dict[str, Any]:
    """Return the parameters for the ranker's `prepare`: the checkpoint itself instead of its name.

    `sha256`: what a job froze; empty: what the row says. `progress` is told how far encoding has come.

    Raises:
        BadInput: the checkpoint is gone.
    """
    written = dict(parameters)
    if KIND in ranker.parameters:
        row = find(str(written.get(KIND, "")))
        written[KIND] = dense.Checkpoint(
            row.place,
            sha256 or row.sha256,
            dense_settings.checked(row.settings),
            settings.DEVICE,
            settings.DATA_DIR / "vectors",
            progress=progress,
        )
    return written


def _try(folder: Path, chosen: dense_settings.Settings) -> None:
    """Load the encoders and use them once.

    Raises:
        BadInput: they do not load, do not fit each other or the settings, or give no numbers.
    """
    with needs_model_packages():
        from retrieval.engine.dense.encoder import Encoder  # loads torch

    encoder = Encoder(folder, chosen, asked="cpu")
    for vectors in (encoder.quotations([SAMPLE]), encoder.contexts([SAMPLE])):
        if not np.isfinite(vectors).all():
            raise BadInput(f"The encoders of {folder.name} give no numbers (NaN): their weights are damaged.")


def check_new(slug: str) -> None:
    """Check a new checkpoint's name. Raises `BadInput` where it is not possible, or is taken."""
    check_slug(slug)
    if get_or_none(slug) is not None:
        raise BadInput(f"There is a checkpoint {slug!r} already; choose another name.")


def check_slug(slug: str) -> None:
    """Check the form of a checkpoint's name. Raises `BadInput` where it is not possible."""
    if not slug_re.match(slug) or len(slug) > LONGEST_SLUG:
        raise BadInput(
            f"The name {slug!r:.60} is not possible; use letters, digits, - and _, at most {LONGEST_SLUG}."
        )
