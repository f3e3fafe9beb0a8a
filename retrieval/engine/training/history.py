"""A training on disk: each epoch is stored whole, so that training can go on from it.

    epoch-003/context/…  quotation/…  adam.safetensors  state.json

An epoch is written beside its place and moved there when it is whole. The last and the best are kept.
"""

from __future__ import annotations

import json
import shutil
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import safetensors.torch
import torch

from common.errors import BadInput
from retrieval.engine.dense import folder, toy
from retrieval.engine.training.callbacks import Epoch

STATE, ADAM, WRITING = "state.json", "adam.safetensors", ".writing"


def best(curve: Sequence[Epoch]) -> Epoch:
    """Return the epoch with the lowest validation loss, the first of equals."""
    return min(curve, key=lambda epoch: (epoch.validation, epoch.number))


def place(work: Path, number: int) -> Path:
    """Return the folder of an epoch."""
    return work / f"epoch-{number:03d}"


def store(
    work: Path, told: Mapping[str, Any], curve: Sequence[Epoch], towers: Mapping[str, Any], optimizer: Any
) -> None:
    """Store the last epoch of the curve, and drop those that are neither last nor best."""
    writing = work / WRITING
    shutil.rmtree(writing, ignore_errors=True)
    for which, tower in towers.items():
        toy.save(tower, writing / which)
    moments = {
        f"{which}.{name}.{key}": value.detach().cpu().contiguous()
        for which, tower in towers.items()
        for name, weight in tower.named_parameters()
        for key, value in optimizer.state.get(weight, {}).items()
    }
    safetensors.torch.save_file(moments, writing / ADAM)
    state = {**told, "curve": [tuple(epoch) for epoch in curve]}
    (writing / STATE).write_text(json.dumps(state, indent=1), encoding="utf-8")
    writing.rename(place(work, curve[-1].number))
    for epoch in curve:
        if epoch.number not in (curve[-1].number, best(curve).number):
            shutil.rmtree(place(work, epoch.number), ignore_errors=True)


def resume(work: Path, told: Mapping[str, Any], towers: Mapping[str, Any], optimizer: Any) -> list[Epoch]:
    """Return the curve so far, with the towers and the optimizer as they were after its last epoch.

    Raises:
        BadInput: the training in `work` is another: it has other settings or data.
    """
    kept = sorted(path for path in work.glob("epoch-*") if (path / STATE).is_file())
    if not kept:
        return []
    state = folder.read_json(kept[-1] / STATE)
    for name, value in told.items():
        # Read back as JSON has it, so that tuples and lists are the same.
        if state.get(name) != json.loads(json.dumps(value)):
            raise BadInput(
                f"A training was begun in {work.name} with another {name}; "
                "repeat its command exactly to go on, or choose another name."
            )
    moments = safetensors.torch.load_file(kept[-1] / ADAM)
    for which, tower in towers.items():
        weights = safetensors.torch.load_file(kept[-1] / which / folder.WEIGHTS)
        tower.load_state_dict(weights)
        for name, weight in tower.named_parameters():
            found = {
                key: moments[f"{which}.{name}.{key}"]
                for key in ("step", "exp_avg", "exp_avg_sq")
                if f"{which}.{name}.{key}" in moments
            }
            if found:
                optimizer.state[weight] = {
                    key: value if key == "step" else value.to(weight.device, torch.float32)
                    for key, value in found.items()
                }
    return [Epoch(int(number), float(loss), float(held)) for number, loss, held in state["curve"]]


def publish(epoch: Path, tokeniser: Path, card: Mapping[str, Any], target: Path) -> Path:
    """Make an epoch a checkpoint: both encoders, the tokeniser and the card in a new folder.

    Raises:
        BadInput: there is such a folder already.
    """
    if target.exists():
        raise BadInput(f"There is a folder {target.name} already; choose another name.")
    writing = target.with_name(f"{WRITING}-{target.name}")
    shutil.rmtree(writing, ignore_errors=True)
    for which in folder.TOWERS:
        shutil.copytree(epoch / which, writing / which)
    shutil.copyfile(tokeniser, writing / folder.TOKENISER)
    text = json.dumps(card, indent=1, ensure_ascii=False, sort_keys=True)
    (writing / folder.CARD).write_text(text + "\n", encoding="utf-8")
    return writing.rename(target)
