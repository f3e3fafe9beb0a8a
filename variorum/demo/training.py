"""The demonstration's training: two tiny encoders, learned by the worker while one watches.

They learn sentences of the novel in the novel's own text, and nothing of what the critics quote: to rank the
novel for its critics with them repeats nothing that was learned. The sermon says when to stop.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from django.contrib.auth.models import User

from retrieval.engine.training.recipe import Recipe
from retrieval.loading import import_book
from retrieval.models import Book, TrainingJob
from retrieval.training import plan as training_plan
from retrieval.training.plan import Plan
from variorum.demo.sermon import CITATION, PLAIN

NAME, SERMON = "toy", "sermon-at-holm"
SENTENCES, CONTEXTS = 1000, ((4, 4), (2, 2), (1, 1))
SMALL = {"context_tokens": 64, "quotation_tokens": 48}
RECIPE: dict[str, Any] = {
    "batch": 32,
    "epochs": 8,
    "patience": 2,
    "seed": 1889,
    "mask_overlaps": True,
    "mixing": "drawn",
}


def submit_training(novel: Book, staff: User, say: Callable[[str], None]) -> TrainingJob:
    """Submit the training of a toy model, once; the worker computes it."""
    job = TrainingJob.objects.filter(name=NAME).first()
    if job is not None:
        return job
    sermon = import_book(
        PLAIN.read_bytes(),
        name=PLAIN.name,
        slug=SERMON,
        title=CITATION,
        author="The vicar of Holm",
        year=1871,
        licence="Written for Variorum (MIT; CC0 1.0)",
    ).book
    settings, rates = training_plan.encoder_settings("", SMALL)
    say("A toy model waits to be trained: watch the worker do it on the page Training.")
    plan = Plan(
        NAME,
        (novel.slug,),
        (sermon.slug,),
        contexts=CONTEXTS,
        cloze=SENTENCES,
        quotations=False,
        settings=settings,
        recipe=Recipe(**RECIPE, **rates),
    )
    return training_plan.submit(plan, by=staff)
