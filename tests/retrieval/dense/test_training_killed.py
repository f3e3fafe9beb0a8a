"""A training that is killed again and again, each time elsewhere: the same weights and the same curve."""

import json

import pytest

from tests.retrieval import processes

pytestmark = pytest.mark.services  # it starts workers of its own and kills them

KILLED = """
import json, signal
from dataclasses import replace
from pathlib import Path
import safetensors.torch, torch
from django.db import connections
from retrieval.dense import checkpoints
from retrieval.engine.dense import toy
from retrieval.engine.training import history
from retrieval.engine.training.recipe import Recipe
from retrieval.models import Checkpoint, TrainingJob
from retrieval.training import plan as training_plan
from retrieval.training import run
from retrieval.training.plan import Plan
from retrieval.training.progress import TrainingProgress
from tests import builders

torch.set_num_threads(1)
settings.JOB_LEASE_SECONDS = 0   # the lease of who is killed has ended when the next one starts
settings.JOB_MAX_ATTEMPTS = 9
small = toy.Shape(width=16, layers=1, heads=2, vocabulary=320)
toy.Shape = lambda: small
for slug in ("boats", "ships"):
    book, critic = builders.novel(slug), builders.source("on-" + slug)
    for first in range(2, 14, 2):
        builders.excerpt(book, critic, first=first)
chosen, _ = training_plan.encoder_settings("", {})
recipe = Recipe(batch=3, epochs=3, patience=9, rate=1e-3, scale=20.0)
plan = Plan("killed", ("boats",), ("ships",), cloze=4, settings=chosen, recipe=recipe)
killed = training_plan.submit(plan).pk
whole = training_plan.submit(replace(plan, name="whole")).pk

def die(*args, **kwargs):
    os.kill(os.getpid(), signal.SIGKILL)

def in_the_middle_of_an_epoch(step=TrainingProgress.step):
    def stop(self, epoch, at, *rest):
        step(self, epoch, at, *rest)
        if (epoch, at) == (2, 2):
            die()
    TrainingProgress.step = stop

def while_an_epoch_is_written(save=safetensors.torch.save_file):
    def stop(tensors, path):
        save(tensors, path)
        if "adam" in str(path):
            die()
    safetensors.torch.save_file = stop

def between_two_epochs():
    TrainingProgress.kept = die

def while_the_checkpoint_is_written():
    history.shutil.copyfile = die

def before_it_is_allowed():
    checkpoints.add = die

ends = []
for place in (in_the_middle_of_an_epoch, while_an_epoch_is_written, between_two_epochs,
              while_the_checkpoint_is_written, before_it_is_allowed):
    connections.close_all()
    child = os.fork()
    if not child:
        place()
        run.attempt(killed, "one")
        os._exit(0)
    ends.append(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))
    row = TrainingJob.objects.get(pk=killed)
    ends.append([row.status, row.attempts, len(row.curve)])
    assert not Checkpoint.objects.exists()
for pk in (killed, whole):
    run.attempt(pk, "two")

def outcome(pk):
    row = TrainingJob.objects.get(pk=pk)
    folder = row.made.place
    same = {path.relative_to(folder).as_posix(): path.read_bytes().hex()
            for path in sorted(folder.rglob("*")) if path.is_file()}
    kept = settings.DATA_DIR / "training" / row.name / "epochs" / "epoch-003"
    same["adam"] = (kept / "adam.safetensors").read_bytes().hex()
    return {"files": same, "curve": row.curve, "done": [row.status, row.done, row.total]}

print(json.dumps({"before": ends, "killed": outcome(killed), "whole": outcome(whole)}))
"""


def test_J01_killed_at_five_places_a_training_ends_with_the_weights_of_an_undisturbed_one(folder):
    with processes.started(processes.alone(folder), "-c", processes.PREPARED + KILLED) as process:
        told = json.loads(process.until('{"before"'))
    assert told["before"] == [
        -9, ["running", 1, 1], -9, ["running", 2, 1], -9, ["running", 3, 1],
        -9, ["running", 4, 3], -9, ["running", 5, 3],
    ]  # fmt: skip
    assert told["killed"] == told["whole"]
    assert len(told["whole"]["curve"]) == 3
    assert len({each["loss"] for each in told["whole"]["curve"]}) == 3
    assert told["whole"]["done"] == ["done", 12, 12]
    assert {"context/model.safetensors", "quotation/model.safetensors", "card.json", "adam"} < set(
        told["whole"]["files"]
    )
