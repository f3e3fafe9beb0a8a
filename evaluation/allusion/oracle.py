"""T+WMD as the paper's footnote 6 has it: an oracle, which knows what it should find.

Where the query and the right document share two words, Tesserae's rank of it counts, and elsewhere WMD's. No
system can know that beforehand: the numbers are an optimum that none reaches, and stand beside the back-off
that works without such knowledge.
"""

from __future__ import annotations

from evaluation.allusion.ranks import Ranks


def oracle(tesserae: Ranks, wmd: Ranks) -> Ranks:
    """Return the rank of every right document: Tesserae's where that ranks it, else WMD's.

    Tesserae ranks what shares two words with the query, and nothing else. A document that it ranks beyond the
    depth of its run counts as one that it does not rank.
    """
    topics = dict.fromkeys((*tesserae, *wmd))
    return {topic: {**wmd.get(topic, {}), **tesserae.get(topic, {})} for topic in topics}
