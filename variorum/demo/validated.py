"""The demonstration's validation: a simulated machine judged the pool, simulated experts read a sample of it.

The machine is a simulated reader, and named so. The experts take over a part of what was chosen beforehand,
so that the anchoring meter has something to show.
"""

from __future__ import annotations

import json
from datetime import datetime
from functools import partial
from random import Random
from typing import Any

from django.contrib.auth.models import User

from annotation.models import State, Study
from annotation.simulate import simulate
from annotation.studies.lifecycle import close_study
from annotation.studies.pools import build_of_pool
from annotation.validation import machine_answers, samples
from retrieval.corpora.models import Pool
from variorum.demo.relevance import GUIDELINES, SHARED
from variorum.demo.studies import Say, built

STUDY = "needs-validated"
FILE = "a simulated machine.jsonl"
EXPERTS, OVERLAP, SEED = 3, 2, 1911
ACCURACY, RIGHT = 0.8, 0.4
"""How often an expert, and the machine, gives the grade that all of them have in mind."""
PULL, SWAY = 0.7, 0.3
WISH = samples.Wish(share=0.6, blind=2, reveal=1, prefilled=2, seed=SEED)


def load_validation(pool: Pool, *, researcher: User, now: datetime, say: Say) -> Study:
    """Bring the study, its sample and what the experts said of it into the database, once."""
    make = partial(build_of_pool, task="relevance", pool=pool, shared=SHARED)
    settings: dict[str, Any] = {"overlap": OVERLAP, "seed": SEED, "by": researcher, "guidelines": GUIDELINES}
    study = built(STUDY, "A machine’s grades, validated (simulated readers)", make, say, **settings)
    if study.state == State.DRAFT and not study.shows_machine:
        found = machine_answers.of_file(study, judged(study), FILE)
        samples.take(study, found, WISH, by=researcher, now=now)
    if study.state != State.CLOSED:
        simulate(study, annotators=EXPERTS, accuracy=ACCURACY, seed=SEED, pull=PULL, sway=SWAY)
        study = close_study(Study.objects.get(pk=study.pk), by=researcher, now=now)
    return study


def judged(study: Study) -> bytes:
    """Return a grade of each item, as a file of a machine would hold them: JSON lines."""
    task, lines = study.task_type, []
    for number, payload in study.items.order_by("number").values_list("number", "payload"):
        chance = Random(f"{SEED}:{number}")  # noqa: S311 - not a secret: the same seed must say the same
        lines.append(json.dumps({"item": number, **task.simulate(payload, None, RIGHT, chance)}))
    return "\n".join(lines).encode()
