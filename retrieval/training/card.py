"""The model card beside the weights: what they were trained on, how, and with what result."""

from __future__ import annotations

import platform
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from importlib.metadata import version
from pathlib import Path
from typing import Any

from django.conf import settings as site

from retrieval.engine.dense import folder
from retrieval.engine.training.callbacks import Epoch
from retrieval.engine.training.pairs import Pair, digest
from retrieval.engine.training.recipe import Recipe
from retrieval.models import Split, TrainingJob
from retrieval.training.plan import Plan

NAMES = {Split.TRAIN: "trained_on", Split.VALIDATE: "validated_with", Split.TEST: "tested_on"}
LIBRARIES = ("torch", "transformers", "tokenizers")


def card(job: TrainingJob, plan: Plan, split: Mapping[Split, Sequence[Pair]], start: Path) -> dict[str, Any]:
    """Return the model card without the results: data, recipe, start, versions."""
    return {
        "toy": job.toy,
        "encoder": asdict(plan.settings),
        "recipe": asdict(plan.recipe),
        "contexts": [f"{left}/{right}" for left, right in plan.contexts],
        "cloze": plan.cloze,
        "quotations": plan.quotations,
        "hard_negatives_of_jobs": list(plan.negatives),
        "start": {"name": plan.start or "random weights", "sha256": folder.fingerprint(start)},
        **{NAMES[each]: _split(job, each, pairs) for each, pairs in split.items() if pairs},
        "made_with": {name: version(name) for name in LIBRARIES}
        | {"python": platform.python_version(), "variorum": site.VERSION, "code": job.code_version},
    }


def losses(curve: Sequence[Epoch], best: Epoch, recipe: Recipe, device: str) -> dict[str, Any]:
    """Return the results for the card: losses by epoch, the epoch kept, whether training ended early."""
    return {
        "curve": [epoch._asdict() for epoch in curve],
        "best_epoch": best.number,
        "validation_loss": best.validation,
        "stopped_early": len(curve) < recipe.epochs,
        "device": device,
    }


def _split(job: TrainingJob, split: Split, pairs: Sequence[Pair]) -> dict[str, Any]:
    number = Counter(pair.book for pair in pairs)
    books = job.splits.filter(split=split).values_list("book__slug", "book__sha256")
    return {
        "books": [{"slug": slug, "sha256": sha256, "pairs": number[slug]} for slug, sha256 in books],
        "sha256": digest(pairs),
    }
