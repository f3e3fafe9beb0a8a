"""Machine readers with readings in studies that have judgments, written through the models."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from annotation.models import Item, MachineReader, MachineReading, PromptVersion, ReadingState, Study
from tests.evaluation.judged import NOW

Answer = Mapping[str, Any] | str
STATES = {"u": ReadingState.UNDECIDED, "?": ReadingState.UNREADABLE, "!": ReadingState.REFUSED}


def machine(study: Study, name: str = "M1", **fields: Any) -> MachineReader:
    prompt = study.prompts.first() or PromptVersion.objects.create(
        study=study, version=1, system="Read.", template="{{item}}"
    )
    return MachineReader.objects.create(study=study, name=name, endpoint="lamp", prompt=prompt, **fields)


def reading(reader: MachineReader, item: Item, said: Answer, **fields: Any) -> MachineReading:
    """A row, not saved. ``said``: an answer, or one of STATES."""
    state = STATES[said] if isinstance(said, str) else ReadingState.ANSWERED
    answer = None if isinstance(said, str) else dict(said)
    made = MachineReading(
        reader=reader, item=item, state=state, answer=answer, item_digest=item.digest, created=NOW, **fields
    )
    made.derive()
    return made


def read_by_machine(
    study: Study, answers: Sequence[Answer], name: str = "M1", again: Sequence[Answer] = (), **fields: Any
) -> MachineReader:
    """A machine reader that said this of the items in their order; ``again``: when it was asked once more."""
    reader = machine(study, name, **fields)
    items = list(study.items.select_related("study").order_by("number"))
    rows = [reading(reader, *each) for each in zip(items, answers, strict=False)]
    rows += [reading(reader, *each, replicate=1) for each in zip(items, again, strict=False)]
    MachineReading.objects.bulk_create(rows)
    return reader
