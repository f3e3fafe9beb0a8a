"""The demonstration's machine reader: a script in a model's place, and named as one wherever it stands.

It chooses the passage that shares most words with the criticism round the gap, and of equals the one it is
shown first. So a newcomer sees the pages of machine readers without any model, and a preference for a place.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable

from django.contrib.auth.models import User

from annotation.machine import jobs, overview, prompts, readers
from annotation.models import MachineReader, Study
from common.chat import Request
from common.errors import BadInput
from machines.endpoints import reading, scripted
from retrieval.models import Status

NAME = "word-overlap"
DESCRIBED = f"""\
[endpoints.{NAME}]
kind = "scripted"
title = "Word overlap, a script and no model"
model = "{NAME}"
function = "variorum.demo.machine:by_overlap"
"""
"""As the settings of an installation would describe it: the processes of the demonstration are told so."""
WORD = re.compile(r"\w{4,}")
SEED, ORDERS, REPEATED = 1892, 3, 5


def by_overlap(request: Request) -> str:
    """Reply as a model would, by counting the words that passage and criticism share, of four letters or
    more.

    Raises:
        BadInput: it was asked for anything but the passage of a gap.
    """
    try:
        item = json.loads(request.messages[-1].content)
    except ValueError:
        item = None
    if not isinstance(item, dict) or not {"before_the_gap", "after_the_gap", "passages"} <= item.keys():
        raise BadInput("this script chooses passages for gaps and can do nothing else: it is no model.")
    round_the_gap = words(f"{item['before_the_gap']} {item['after_the_gap']}")
    shared = {number: len(round_the_gap & words(text)) for number, text in item["passages"].items()}
    best = max(shared, key=lambda number: (shared[number], -int(number)))
    if not shared[best]:
        return json.dumps({"passage": None, "undecided": "No passage shares a word with the criticism"})
    return json.dumps({"passage": int(best), "undecided": None})


def words(text: str) -> set[str]:
    """Return the distinct words of a text, of four letters or more."""
    return set(WORD.findall(text.casefold()))


def load_machine(study: Study, *, researcher: User, say: Callable[[str], None]) -> MachineReader:
    """Let the script read a study to its end, once."""
    scripted.register(reading.read(DESCRIBED).endpoints[NAME], by_overlap)
    reader = study.machine_readers.filter(endpoint=NAME).first()
    if reader is None:
        say(f"A script reads “{study.title}” beside its readers …")
        prompt = prompts.revise(study, *prompts.proposed(study), reason="", seen=0, by=researcher)
        settings = readers.Settings(NAME, prompt.version, seed=SEED, orders=ORDERS, repeated=REPEATED)
        reader = readers.make(study, settings, by=researcher)
    job = overview.last_job(reader)
    if job is None or job.status != Status.DONE:
        jobs.attempt(jobs.submit(reader, by=researcher).pk, "demo")
    return reader
