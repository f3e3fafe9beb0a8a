"""From a checkpoint's name to an index made with it: the allow-list, and what a job freezes of it."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Any

from django.conf import settings
from django.core.validators import slug_re

from retrieval.engine import dense, dense_folder, dense_settings, rankers
from retrieval.engine.errors import BadInput
from retrieval.models import Checkpoint

if TYPE_CHECKING:
    from django.contrib.auth.models import User

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
    """Allow a folder under a name, and whether that is new.

    The encoders are loaded once, to see that they work.

    `given`: settings of `dense_settings`; what is left out is taken from the card beside the weights,
    then from the defaults. Adding the same again changes nothing.

    Raises:
        BadInput: the folder is refused, does not load, or the name is taken by another one.
    """
    check_slug(slug)
    place = folder.resolve()
    sha256 = dense_folder.fingerprint(place)
    card_file = place / dense_folder.CARD
    card = dense_folder.read_json(card_file) if card_file.is_file() else {}
    chosen = dense_settings.checked({**card.get("encoder", {}), **(given or {})})
    known = Checkpoint.objects.filter(slug=slug).first()
    if known is not None:
        if (known.sha256, known.settings, known.folder) == (sha256, asdict(chosen), str(place)):
            return known, False
        raise BadInput(
            f"There is a checkpoint {slug!r} already, with other files or settings; choose another name."
        )
    from retrieval.engine.dense_encoder import Encoder  # loads torch

    Encoder(place, chosen, asked="cpu").quotations([SAMPLE])
    made = Checkpoint.objects.create(
        slug=slug,
        folder=str(place),
        sha256=sha256,
        settings=asdict(chosen),
        card=card,
        toy=bool(card.get("toy")),
        created_by=by,
    )
    return made, True


def find(slug: str) -> Checkpoint:
    """The checkpoint of that name; of an empty name the only one there is.

    Raises:
        BadInput: there is none, or several and no name.
    """
    if slug:
        found = Checkpoint.objects.filter(slug=slug).first()
        if found is not None:
            return found
    known = list(Checkpoint.objects.order_by("slug")[: LISTED + 1])
    if not known:
        raise BadInput(
            "No checkpoint is there yet: train one with manage.py train_dense, "
            "or add a folder with manage.py add_checkpoint."
        )
    if not slug and len(known) == 1:
        return known[0]
    names = ", ".join(each.slug for each in known[:LISTED])
    if slug:
        raise BadInput(f"There is no checkpoint {slug!r}; choose one of: {names}.")
    raise BadInput(f"There are several checkpoints; name one of: {names}.")


def frozen(
    ranker: rankers.Ranker, parameters: Mapping[str, Any], precision: str
) -> tuple[dict[str, Any], Checkpoint | None]:
    """A ranking's parameters with the checkpoint's name and the precision written out, and the checkpoint.

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


def opened(
    ranker: rankers.Ranker,
    parameters: Mapping[str, Any],
    *,
    sha256: str = "",
    progress: Callable[[int, int], None] | None = None,
) -> dict[str, Any]:
    """The parameters for the ranker's `prepare`: the checkpoint itself in the place of its name.

    `sha256`: what a job froze; empty: what the row says. `progress` is called with (encoded, all).

    Raises:
        BadInput: the checkpoint is gone.
    """
    written = dict(parameters)
    if KIND in ranker.parameters:
        row = find(str(written.get(KIND, "")))
        written[KIND] = dense.Checkpoint(
            Path(row.folder),
            sha256 or row.sha256,
            dense_settings.checked(row.settings),
            settings.DEVICE,
            settings.DATA_DIR / "vectors",
            progress,
        )
    return written


def check_new(slug: str) -> None:
    """Raises BadInput where the name is not possible, or is taken."""
    check_slug(slug)
    if Checkpoint.objects.filter(slug=slug).exists():
        raise BadInput(f"There is a checkpoint {slug!r} already; choose another name.")


def check_slug(slug: str) -> None:
    """Raises BadInput where the name is not possible."""
    if not slug_re.match(slug) or len(slug) > LONGEST_SLUG:
        raise BadInput(
            f"The name {slug!r:.60} is not possible; use letters, digits, - and _, at most {LONGEST_SLUG}."
        )
