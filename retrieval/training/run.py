"""Training in a job: from its row to epochs on disk, and from the best of them to an allowed checkpoint.

A worker that is killed leaves whole epochs behind, and the next one goes on after the last of them, to the
same weights on the same device.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from django.conf import settings as site

from common.errors import BadInput, needs_model_packages
from retrieval.dense import checkpoints
from retrieval.engine.dense import folder as dense_folder
from retrieval.jobs import attempts
from retrieval.jobs.attempts import GoOn, keep_going
from retrieval.models import Book, Split, TrainingJob
from retrieval.training import card as training_card
from retrieval.training import pairs
from retrieval.training import plan as training_plan
from retrieval.training.plan import Plan
from retrieval.training.progress import TrainingProgress


def attempt(pk: int, worker: str, *, go_on: GoOn = keep_going) -> bool:
    """Claim a training, run it and record how it ended, as `attempts.attempt`."""
    return attempts.attempt(TrainingJob, pk, worker, run, go_on=go_on)


def run(job: TrainingJob, *, go_on: GoOn = keep_going) -> None:
    """Train what is left to train, keep the best epoch as a checkpoint, and allow it.

    Raises:
        LeaseLost: the job was cancelled or claimed by another; whole epochs are kept.
        Interrupted: `go_on` said no, or the process is told to end.
        BadInput: the start has changed, a loss is no number, or as the engine.
    """
    plan = training_plan.plan_of(job)
    _say(job, "Reading the books")
    split = {each: pairs.of_split(job, plan, each) for each in Split}
    home = site.DATA_DIR / "training" / job.name
    start = _start(job, plan, home)
    watch = TrainingProgress(job, go_on, plan.recipe, len(split[Split.TRAIN]))
    how: dict[str, Any] = {
        "settings": plan.settings,
        "recipe": plan.recipe,
        "asked": "cuda" if job.queue == "gpu" else site.DEVICE,
        "watch": watch,
    }
    with needs_model_packages():
        from retrieval.engine.training import loop, repeatable, testing  # loads torch

    results = {}
    with repeatable.repeatable(start):
        found = loop.train(start, home / "epochs", split[Split.TRAIN], split[Split.VALIDATE], **how)
        if split[Split.TEST]:
            watch.stage("Testing")
            tested = testing.results(start, found.folder, split[Split.TEST], **how)
            results = {"test": tested._asdict()}
    watch.stage("Writing the checkpoint")
    card = training_card.card(job, plan, split, start) | results
    card |= training_card.losses(found.curve, found.best, plan.recipe, watch.device)
    target = _published(found.folder, start, card, job.name)
    made = checkpoints.add(target, slug=job.name, by=job.created_by)[0]
    attempts.heartbeat(job, keep_going, job.done, made=made)


def _say(job: TrainingJob, stage: str) -> None:
    attempts.heartbeat(job, keep_going, job.done, stage)


def _start(job: TrainingJob, plan: Plan, home: Path) -> Path:
    """The folder to begin from: another checkpoint, or one of random weights."""
    if job.start:
        folder = checkpoints.find(job.start).place
        if dense_folder.fingerprint(folder) != job.start_sha256:
            raise BadInput(f"The checkpoint {job.start} has changed since it was added; add it again.")
        return folder
    folder = home / "start"
    if not (folder / "quotation" / dense_folder.WEIGHTS).is_file():
        from retrieval.engine.dense import toy  # loads torch

        _say(job, "Making a tokeniser")
        # Never of the books it is validated with: their vocabulary would be known.
        texts = Book.objects.filter(slug__in=plan.books).order_by("slug").values_list("text", flat=True)
        toy.write_afresh(folder, list(texts), seed=plan.recipe.seed)
    return folder


def _published(epoch: Path, start: Path, card: dict[str, Any], name: str) -> Path:
    """The folder of the checkpoint, made of an epoch, or as an earlier attempt has made it.

    Raises:
        BadInput: a folder of that name is there, of another training.
    """
    from retrieval.engine.training import history  # loads torch

    target: Path = site.DATA_DIR / "checkpoints" / name
    target.parent.mkdir(parents=True, exist_ok=True)
    if not target.exists():
        return history.publish(epoch, start / dense_folder.TOKENISER, card, target)
    there = target / dense_folder.CARD
    if there.is_file() and dense_folder.read_json(there) == json.loads(json.dumps(card)):
        return target
    raise BadInput(
        f"There is a folder checkpoints/{name} in the data directory already, of another training; "
        "move it away and try again."
    )
