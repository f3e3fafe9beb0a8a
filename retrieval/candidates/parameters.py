"""What a job is asked to compute: every value named, in range, and written out in full."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, fields
from typing import Any

from common.errors import BadField, BadInput
from retrieval.candidates import pooling, sizes
from retrieval.engine.ranking import rankers
from retrieval.engine.ranking.matching import OFF, Matching
from retrieval.engine.ranking.negatives import Rules

RANGES = {"negatives": (1, 50), "left": (0, 4), "right": (0, 4)}
DEFAULTS: dict[str, int | None] = {"negatives": 2, "size": None, "left": 4, "right": 4}
MOST_MATCHED = 10
"""Negatives where a place among them is dealt out. An excerpt is made ready for every place, with several
choices of that many passages: time and space grow with the square, and at 50 were 16 seconds and 6 MB."""
LONGEST_RUN = 1000
BANDS = (1.05, 3.0)
"""How wide a band of length may be, the greatest length by the least."""


def checked(ranker: rankers.Ranker, given: Mapping[str, Any]) -> dict[str, Any]:
    """Return the complete, checked parameters of a job; what was not given takes its default.

    `negatives` 1-50 per excerpt, at most `MOST_MATCHED` where length or context are
    matched; `size`, only gold passages of so many sentences, 1-20, or of a range of
    lengths (`[1, 5]` or `"1-5"`), None for every length that occurs; `left` and
    `right` 0-4 sentences of context, not both 0; `rules`, the switches of
    `negatives.Rules`; `matching`, in what negatives look like the gold, the switches
    of `matching.Matching` or one of true and false for all, on by default where no
    pool is made; `pool`, there only where candidate pools are made (see
    `pooling.checked`), of which a choice study takes as many wrong passages as
    `negatives` says; beside them, flat, the ranker's own.

    Raises:
        BadInput: a name is unknown or a value is out of range.
    """
    own: dict[str, Any] = {name: given.get(name, default) for name, default in DEFAULTS.items()}
    own |= {name: _whole(name, own[name]) for name in RANGES}
    own["size"] = sizes.checked(own["size"])
    if own["left"] == own["right"] == 0:
        raise BadInput("The context is empty: left and right are both 0; at least one must be 1 or more.")
    rest = {
        name: value for name, value in given.items() if name not in {*DEFAULTS, "rules", "matching", "pool"}
    }
    for name in rest:
        if name not in ranker.parameters:
            known = [*DEFAULTS, "rules", "matching", *sorted(ranker.parameters), "pool"]
            raise BadInput(
                f"A job of the ranker {ranker.slug} has no parameter {name!r}; it takes: {', '.join(known)}."
            )
    values = rankers.complete(ranker, rest)
    complete = {**own, "rules": asdict(_rules(given.get("rules", {}))), **values}
    pool = pooling.checked(ranker, values, given.get("pool"))
    matched = _matching(given.get("matching", pool is None))
    if pool is None:
        _check_number(own["negatives"], matched)
        return {**complete, "matching": asdict(matched)}
    if matched:
        raise BadInput("A pool holds a ranker’s best passages, matched or not: leave out matching, or pool.")
    return {**complete, "pool": pool}


def _whole(name: str, value: Any) -> int:
    lowest, highest = RANGES[name]
    if isinstance(value, int) and not isinstance(value, bool) and lowest <= value <= highest:
        return value
    raise BadInput(
        f"The parameter {name} is {value!r:.40}; it must be a whole number from {lowest} to {highest}."
    )


def _check_number(negatives: int, matched: Matching) -> None:
    if negatives > MOST_MATCHED and (matched.length or matched.context):
        raise BadField(
            "negatives",
            f"Negatives that are matched in length or words of the context are at most {MOST_MATCHED} for "
            f"each excerpt, not {negatives}: an excerpt is made ready for every place that its right passage "
            "may take among them, at a cost that grows with the square of their number. Ask for at most "
            f"{MOST_MATCHED}, or switch length and context off.",
        )


def _matching(given: Any) -> Matching:
    known = [field.name for field in fields(Matching)]
    if given is True or given is None:
        return Matching()
    if given is False:
        return OFF
    if not isinstance(given, Mapping):
        raise BadInput(
            f"The parameter matching is {given!r:.40}; it must be true, false or an object of: "
            f"{', '.join(known)}."
        )
    lowest, highest = BANDS
    for name, value in given.items():
        if name not in known:
            raise BadInput(f"Negatives cannot be matched in {name!r}; they can in: {', '.join(known)}.")
        if name == "band":
            if (
                isinstance(value, bool)
                or not isinstance(value, int | float)
                or not lowest <= value <= highest
            ):
                raise BadInput(
                    f"The band of matching is {value!r:.40}; it must be a number from {lowest} to {highest}."
                )
        elif not isinstance(value, bool):
            raise BadInput(f"The switch {name} of matching is {value!r:.40}; it must be true or false.")
    return Matching(**given)


def _rules(given: Any) -> Rules:
    known = [field.name for field in fields(Rules)]
    if not isinstance(given, Mapping):
        raise BadInput(f"The parameter rules is {given!r:.40}; it must be an object of: {', '.join(known)}.")
    for name, value in given.items():
        if name not in known:
            raise BadInput(f"There is no rule {name!r}; the rules are: {', '.join(known)}.")
        if name == "run":
            if isinstance(value, bool) or not isinstance(value, int) or not 1 <= value <= LONGEST_RUN:
                raise BadInput(
                    f"The rule run is {value!r:.40}; it must be a whole number from 1 to {LONGEST_RUN}."
                )
        elif not isinstance(value, bool):
            raise BadInput(f"The rule {name} is {value!r:.40}; it must be true or false.")
    rules = Rules(**given)
    if not rules.gold:
        raise BadInput("The rule gold cannot be switched off: the right passage is no negative.")
    return rules
