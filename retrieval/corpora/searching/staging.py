"""A run while it is made: stored a block of topics at a time, and seen by nobody until all of it is here.

What is wrong removes what was staged. What only interrupts (Ctrl-C, a power cut) leaves it: the same
search goes on behind the last block. A search of something else under that name begins anew.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Iterable, Iterator, Sequence

from django.db import IntegrityError, transaction

from common.errors import BadField, BadInput
from common.progress import Progress
from retrieval.corpora.models import Document, Ranked, Run, RunState
from retrieval.corpora.searching.searches import Noticed, Searched

BATCH = 5_000
BLOCK_ROWS = 20_000
"""A block ends with the topic that reaches so many rows."""


class Overtaken(BadInput):
    """Somebody else makes the same run: what they staged is theirs."""


def begin(run: Run, topics: Sequence[int]) -> tuple[Run, Noticed]:
    """Begin a run, or find it as far as it is: return it, and what was noticed up to there.

    Args:
        run: Not saved yet; its parameters and what it is made with are set.
        topics: Keys of the wordings that are searched for, in order.

    Raises:
        Overtaken: somebody else began it in this moment.
    """
    what = json.dumps([run.topics_id, run.parameters, run.made_with, list(topics)], sort_keys=True)
    digest = hashlib.sha256(what.encode()).hexdigest()
    known = Run.everything.filter(corpus=run.corpus, name=run.name, state=RunState.STAGED).first()
    if known is not None and known.staged.get("digest") == digest:
        return known, Noticed(**known.staged["noticed"])
    if known is not None:
        discard(known)
    run.state, run.staged = RunState.STAGED, {"digest": digest, "noticed": Noticed().as_json()}
    try:
        with transaction.atomic():
            run.save(force_insert=True)
    except IntegrityError:
        raise _overtaken(run) from None
    return run, Noticed()


def fill(run: Run, noticed: Noticed, found: Iterable[Searched], of: int, progress: Progress) -> None:
    """Store what is found, in blocks, behind what is there.

    Args:
        run: As `begin` returned it.
        noticed: Is added to.
        found: The topics that are not stored yet, in order.
        of: How many topics there are.
        progress: Called in the transaction of each block with the topics that are stored; may raise.

    Raises:
        Overtaken: the run was removed meanwhile, or somebody else stored the same.
    """
    for block in _blocks(found):
        for each in block:
            noticed.add(each)
        staged = {**run.staged, "noticed": noticed.as_json()}
        n_rows, n_topics = run.n_rows + sum(len(each.rows) for each in block), run.n_topics + len(block)
        with transaction.atomic():
            still = Run.everything.filter(pk=run.pk, state=RunState.STAGED, n_topics=run.n_topics)
            if not still.update(n_rows=n_rows, n_topics=n_topics, staged=staged):
                raise _overtaken(run)
            for each in block:
                store_topic(run, each)
            progress(n_topics, of, "storing, topics")
        run.n_rows, run.n_topics, run.staged = n_rows, n_topics, staged


def finish(run: Run, also: Callable[[Run], object]) -> None:
    """Make a run whose topics are all stored ready: it is seen. `also` may raise to leave it staged.

    Raises:
        BadField: its name was taken meanwhile.
    """
    run.state, run.staged = RunState.READY, {}
    try:
        with transaction.atomic():
            run.save(update_fields=["state", "staged", "parameters", "notes"])
            also(run)
    except IntegrityError:
        raise BadField("name", f'A run "{run.name}" was stored meanwhile; look at it first.') from None


def discard(run: Run) -> None:
    """Remove a run that is not ready, with its rows."""
    with transaction.atomic():
        # Waits for the block that is being stored, so that no row is left behind.
        found = Run.everything.select_for_update().filter(pk=run.pk, state=RunState.STAGED).first()
        if found is not None:
            rows = Ranked.objects.filter(run=found)
            rows._raw_delete(rows.db)
            found.delete()


def store_topic(run: Run, searched: Searched) -> None:
    """Store what was found for one topic."""
    numbers = [number for number, _ in searched.rows]
    keys: dict[int, int] = {}
    for start in range(0, len(numbers), BATCH):
        rows = Document.objects.filter(corpus=run.corpus, number__in=numbers[start : start + BATCH])
        keys.update(rows.values_list("number", "pk"))
    Ranked.objects.bulk_create(
        (
            Ranked(run=run, topic=searched.topic, rank=rank, document_id=keys[number], score=score)
            for rank, (number, score) in enumerate(searched.rows, 1)
        ),
        batch_size=BATCH,
    )


def _blocks(found: Iterable[Searched]) -> Iterator[list[Searched]]:
    block: list[Searched] = []
    for each in found:
        block.append(each)
        if sum(len(one.rows) for one in block) >= BLOCK_ROWS:
            yield block
            block = []
    if block:
        yield block


def _overtaken(run: Run) -> Overtaken:
    return Overtaken(
        f'The run "{run.name}" is made by somebody else too, or was cancelled; look at it first.'
    )
