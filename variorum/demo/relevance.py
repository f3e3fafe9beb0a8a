"""The demonstration's studies of relevance: one to read for, one that programs have read in part.

In the second, two of three readings of each document are there: its judgments can be measured on already, and
its numbers say that it is open.
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from functools import partial

from django.contrib.auth.models import User

from annotation.models import State, Study
from annotation.simulate import open_and_enrol
from annotation.studies.pools import build_of_pool
from annotation.tasktypes.scales import named_scale
from retrieval.corpora.models import Pool
from variorum.demo.studies import Pair, Say, both, by_programs, for_readers

OPEN_STUDY, SIMULATED_STUDY = "needs", "needs-simulated"
TITLE = "What a critic looks for"
OVERLAP, PROGRAMS, SEED, ACCURACY = 3, 2, 1904, 0.7
SHARED = {"scale": named_scale("five"), "rationale": "optional"}
"""What all items have: readers may mark the words that decided."""
GUIDELINES = """\
Somebody writes about a novel and looks for passages on a topic. You see the topic and a passage of the novel.

Grade how much the passage gives to somebody who writes about this topic. Grade the passage alone: neither what you know of the book nor what stood in another passage counts.

A passage that merely has words of the topic in it is on the subject only.

Mark the words that decided, where some did.

You may come back to any passage and change your grade: the earlier one is kept in the record.
"""  # noqa: E501 - one paragraph, one line: readers see it as it is

PAIR = Pair((OPEN_STUDY, SIMULATED_STUDY), TITLE, GUIDELINES, OVERLAP, SEED)


def load_relevance(
    pool: Pool, *, researcher: User, readers: Sequence[User], now: datetime, say: Say
) -> tuple[Study, Study]:
    """Bring both studies of the pool into the database, once; returns the open one and the simulated one."""
    make = partial(build_of_pool, task="relevance", pool=pool, shared=SHARED)
    opened, begun = both(PAIR, make, say, by=researcher)
    if begun.state == State.DRAFT:
        # All of its readers must be there before it opens, also who reads nothing yet.
        begun, _ = open_and_enrol(begun, OVERLAP, now)
    return (
        for_readers(opened, readers, by=researcher, now=now),
        by_programs(begun, annotators=PROGRAMS, accuracy=ACCURACY, seed=SEED),
    )
