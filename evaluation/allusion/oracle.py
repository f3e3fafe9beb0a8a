"""T+WMD as the paper's footnote 6 has it, of the ranks that runs store."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from evaluation.allusion.ranks import Ranks
from retrieval.engine.ranking.order import Scores


def oracle(tesserae: Ranks, wmd: Ranks) -> Ranks:
    """Return where the oracle ranks right documents: by Tesserae where that ranks one of them, else by WMD.

    Tesserae ranks what shares two words with the query, and nothing else. A document behind the depth of its
    run counts as one that it does not rank.
    """
    from retrieval.engine.similarity import backoff  # loads scipy, which the web needs for nothing else

    found = {}
    for topic in dict.fromkeys((*tesserae, *wmd)):
        ours, theirs = tesserae.get(topic, {}), wmd.get(topic, {})
        names = list(dict.fromkeys((*ours, *theirs)))
        first = _scores(names, ours)
        chosen = backoff.oracle(first, _scores(names, theirs), range(len(names)))
        found[topic] = dict(ours if chosen is first else theirs)
    return found


def _scores(names: list[str], ranks: Mapping[str, int]) -> Scores:
    """The better the rank, the higher; −∞ without one."""
    return np.array([-float(ranks[each]) if each in ranks else -np.inf for each in names])
