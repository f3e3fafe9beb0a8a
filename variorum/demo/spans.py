"""The demonstration's span studies: one to read for, one that simulated readers finished.

The lead-in is `load_spans`; every step asks first whether it was done.
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from decimal import Decimal
from typing import Any

from django.contrib.auth.models import User

from annotation.items.files import entries
from annotation.models import State, Study
from annotation.studies import consent_texts
from annotation.studies.build import LoadedItems, load_items
from annotation.tasktypes import registry
from variorum.demo.sermon import ITEMS
from variorum.demo.studies import Pair, Say, both, finished, for_readers

OPEN_STUDY, SIMULATED_STUDY = "sermon", "sermon-simulated"
TITLE = "Verses in a sermon"
OVERLAP, SEED, ACCURACY = 3, 1871, 0.55
RATE, CURRENCY = Decimal("0.40"), "EUR"
CONSENT = """\
**This is a demonstration:** nobody runs this study, and nobody is paid. A real study would say here who asks and for what.

- Stored are the words you mark, your notes, the time you take and when you answered, under a letter instead of your name.
- Your page in the study counts 0.40 EUR an item, to show how pay is shown.
- You may stop at any time, leave the study, or withdraw from it: then your name goes, and what you judged stays under the letter.
"""  # noqa: E501 - one paragraph, one line: readers see it as it is
GUIDELINES = """\
The preacher alludes to a book that his hearers know by heart. An editor has put a reference at one word, the anchor.

Mark the shortest run of words that contains the anchor and makes the allusion: leave out whatever could be taken away without losing it.
It may be a few words or more than a sentence. It is one piece, without gaps.

If you find no allusion to this verse, say “No allusion here”. If you find one and cannot say where it begins or ends, say “Can’t set the borders”, and why.

You may come back to any item and change your answer: the earlier answer is kept in the record.
"""  # noqa: E501 - one paragraph, one line: readers see it as it is

PAIR = Pair((OPEN_STUDY, SIMULATED_STUDY), TITLE, GUIDELINES, OVERLAP, SEED)


def load_spans(*, researcher: User, readers: Sequence[User], now: datetime, say: Say) -> tuple[Study, Study]:
    """Bring both span studies into the database, once; returns the open one and the simulated one."""

    def make(**named: Any) -> LoadedItems:
        found = entries(registry.get("span"), ITEMS.read_bytes(), ITEMS.name)
        return load_items(task="span", entries=found, source=ITEMS.name, **named)

    opened, done = both(PAIR, make, say, by=researcher)
    if opened.state == State.DRAFT:
        consent_texts.revise(opened, CONSENT, keeps=True, seen=0, by=researcher)
        Study.objects.filter(pk=opened.pk).update(rate=RATE, currency=CURRENCY)
    return (
        for_readers(opened, readers, by=researcher, now=now),
        finished(done, by=researcher, annotators=OVERLAP, accuracy=ACCURACY, seed=SEED),
    )
