"""Whole topics drawn for people: every item of a topic is in the sample, or none.

Measures of a topic that are no sums over items, such as nDCG, can be estimated from such a sample alone. Its
one stratum counts topics: N_h of them in the frame, n_h drawn; an item drawn stands for N_h / n_h.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from random import Random

from annotation.validation.drawing import FEWEST, Drawing, Stratum, Unit
from common.errors import BadInput
from common.wording import counted

WHOLE_TOPICS = "whole topics"
"""The name of the one stratum of such a sample, which tells it from others."""


def draw_topics(units: Sequence[Unit], share: float, seed: int) -> Drawing:
    """Draw about `share` of the topics at random, two at least; the same for the same seed.

    Raises:
        BadInput: an item names no topic, or there are fewer than two topics.
    """
    members: dict[str, list[int]] = defaultdict(list)
    for unit in units:
        members[unit.topic].append(unit.key)
    if "" in members:
        n, verb = counted(len(members[""]), "item"), "names" if len(members[""]) == 1 else "name"
        raise BadInput(f"Whole topics cannot be drawn: {n} of the study {verb} no topic.")
    if len(members) < FEWEST:
        raise BadInput(
            f"Whole topics cannot be drawn of {counted(len(members), 'topic')}: {FEWEST} are needed."
        )
    number = min(len(members), max(FEWEST, round(len(members) * share)))
    chosen = Random(f"{seed}:sample:{WHOLE_TOPICS}").sample(sorted(members), number)  # noqa: S311
    drawn = {key for topic in chosen for key in members[topic]}
    stratum = Stratum(WHOLE_TOPICS, len(members), number)
    return Drawing([stratum], dict.fromkeys((unit.key for unit in units), 0), drawn, [])


def check_arms(prefilled: int) -> None:
    """Refuse pre-filled items. Raises `BadInput`."""
    if prefilled:
        raise BadInput(
            "Of whole topics no item can be pre-filled: such answers are in no estimate, so that no topic "
            "would be judged to its end. Give the pre-filled arm 0 parts."
        )


def note(drawing: Drawing) -> str:
    """Say what was drawn, in a sentence."""
    (stratum,) = drawing.strata
    return (
        f"Drawn are {stratum.drawn:,} of {counted(stratum.size, 'topic')} with all their items, "
        f"{len(drawing.drawn):,} of {len(drawing.stratum_of):,}. N_h and n_h count topics here."
    )
