"""One-hop: what the first documents cite joins the list (LitSearch, Ajith et al. 2024)."""

from __future__ import annotations

from collections.abc import Collection, Hashable, Mapping, Sequence
from typing import TypeVar

FIRST = 50
"""Documents of the run whose citations are followed."""
MOST = 200
"""Documents of the joined list; a re-ranker cuts it further."""
Id = TypeVar("Id", bound=Hashable)


def joined(
    ranked: Sequence[Id],
    cites: Mapping[Id, Sequence[Id]],
    first: int = FIRST,
    most: int = MOST,
    left_out: Collection[Id] = (),
) -> list[Id]:
    """Return the first documents, then what each of them cites, in their order and without repeats.

    Args:
        ranked: A run's documents for one topic, the best first.
        cites: What a document cites, in its own order.
        first: How many documents are taken, and their citations followed.
        most: How long the list may become.
        left_out: Documents that neither stand in the list nor have their citations followed: the source that
            a question was written from cites its target, so following it finds the answer by the way the
            question was made.
    """
    start = [each for each in ranked if each not in left_out][:first]
    found = dict.fromkeys(start)
    for each in start:
        found.update(dict.fromkeys(cited for cited in cites.get(each, ()) if cited not in left_out))
    return list(found)[:most]
