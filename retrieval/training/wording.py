"""A training in words for the person who plans it and waits for it."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import fields
from typing import Any, NamedTuple

from retrieval.engine.dense.settings import Settings
from retrieval.engine.training.recipe import Recipe
from retrieval.jobs import status
from retrieval.models import Book, Excerpt, Split, Status, TrainingBook, TrainingJob

SWITCHES: dict[str, tuple[str, str]] = {
    "epochs": ("Epochs", "How often everything is learned, at most. The paper: 10."),
    "patience": (
        "Patience",
        "So many epochs without a lower validation loss end the training. The best one is kept.",
    ),
    "batch": (
        "Quotations a step",
        "All of one book; the others of its step are each one’s wrong answers. The paper: 100.",
    ),
    "rate": ("Learning rate", "How far a step moves the weights. The paper: 1e-5; a toy needs 1e-3."),
    "scale": ("Scale", "Multiplies scores before they compete: 1 for the dot product, 20 for the cosine."),
    "warmup": ("Warm-up", "Steps until the full rate is reached. The paper names none."),
    "seed": ("Seed", "What draws the order of steps and, in a toy, the first weights."),
    "mask_overlaps": (
        "Spare what is right too",
        "Two critics may quote one place: a wrong answer that overlaps the right one does not count. "
        "The paper could not do this.",
    ),
    "grouped": (
        "Texts of equal length together",
        "The same loss in less time. Off: all is padded to the limits, as in the paper’s code.",
    ),
    "sub_batch": (
        "Texts encoded at once",
        "At most, with gradients cached: a larger step in the same memory, in a third more time. 0: all.",
    ),
    "mixing": (
        "Several contexts",
        "In every epoch each excerpt is learned with each of its contexts, or with one drawn for it.",
    ),
    "hard_negatives": ("Hard negatives", "Wrong passages that a ranker placed high join the wrong answers."),
    "pooling": (
        "A text’s vector",
        "From its first token (the paper), from the pooler (its code), or the mean of all tokens.",
    ),
    "similarity": ("Nearness", "The dot product (the paper) or the cosine of two vectors."),
    "gap": (
        "The gap",
        "Marked by the mask token between left and right (the paper), or only a space, or written as <mask>.",
    ),
    "context_tokens": ("Tokens of context", "What is beyond is cut off. The paper: 256."),
    "cut": ("A long context is cut", "At both sides, evenly round the gap (the paper), or at its end."),
    "context_prefix": (
        "Words before a context",
        "What the encoder was trained to read before a query, if any.",
    ),
    "quotation_prefix": ("Words before a quotation", "And before a passage."),
    "quotation_tokens": ("Tokens of a quotation", "The rest is cut off. The paper: 98."),
}
OF_START = ("rate", "scale", *(field.name for field in fields(Settings)))
"""What, left open, the start decides."""
COST = (
    "No GPU is configured (VARIORUM_DEVICE), so it trains on the CPU: a toy takes seconds, encoders of the "
    "paper’s size take minutes a step and days for a whole collection. While it trains, other jobs wait "
    "for a second worker."
)


class TrainedBook(NamedTuple):
    """A book of a training.

    book: its row.
    split: what it is for, in words.
    pairs: how many it gives; None until they are counted.
    """

    book: Book
    split: str
    pairs: int | None


def named(field: str) -> tuple[str, str]:
    """Return the label of a switch and what it does; without words for it here, its own name."""
    return SWITCHES.get(field, (field.replace("_", " ").capitalize(), ""))


def cost(queue: str) -> str:
    """Say what it means to train without a GPU; nothing where there is one."""
    return "" if queue == "gpu" else COST


def progress(job: TrainingJob) -> str:
    """Say how many steps are done; of a running job also its speed and the time left."""
    begun = "getting ready" if job.status == Status.RUNNING else "not begun"
    counts = f"{job.done:,} of {job.total:,} steps" if job.total else begun
    if job.status == Status.DONE and job.finished and job.started:
        return f"{job.done:,} steps in {status.duration((job.finished - job.started).total_seconds())}"
    told = job.counts
    if job.status != Status.RUNNING or "pairs_a_second" not in told:
        return counts
    pairs, tokens = (_number(told[f"{name}_a_second"]) for name in ("pairs", "tokens"))
    words = [counts, f"{pairs} quotations and {tokens} tokens a second"]
    if "seconds_left" in told:
        words.append(f"about {status.duration(told['seconds_left'])} left")
    return " · ".join(words)


def ending(job: TrainingJob) -> str:
    """Say after which epoch a finished training ended, why, and which epoch was kept."""
    if job.made is None:
        return ""
    card, most = job.made.card, job.plan["recipe"]["epochs"]
    epochs, kept = (
        len(job.curve),
        f"The checkpoint is epoch {card['best_epoch']}, whose validation loss is lowest.",
    )
    if not card.get("stopped_early"):
        return f"All {epochs} epochs were learned. {kept}"
    patience = job.plan["recipe"]["patience"]
    waited = "one epoch" if patience == 1 else f"{patience} epochs"
    return (
        f"Stopped early, after epoch {epochs} of at most {most}: the validation loss had not fallen for "
        f"{waited}. {kept}"
    )


def loss_of_guessing(job: TrainingJob) -> str:
    """Say which loss guessing has, where it is known."""
    step = job.counts.get("step_pairs")
    if not step or job.plan["recipe"].get("hard_negatives"):
        return ""
    return f"Guessing among the {step} quotations of a step has a loss of {math.log(step):.2f}."


def test_results(job: TrainingJob) -> str:
    """Say how the checkpoint does on the books to test on; nothing where there are none."""
    found = (job.made.card if job.made else {}).get("test")
    if not found:
        return ""
    return (
        f"On the books to test on, {found['first']:,} of {found['pairs']:,} contexts put their own quotation "
        f"first in its step ({found['first'] / found['pairs']:.1%}; chance {found['chance']:.1%}), "
        f"with a loss of {found['loss']:.4f}."
    )


def plan_in_words(job: TrainingJob) -> list[tuple[str, str]]:
    """Return the frozen plan, what is learned and every switch, as labels and values."""
    plan = job.plan
    contexts = ", ".join(f"{left}/{right}" for left, right in plan["contexts"])
    cloze = f"{plan['cloze']:,} of each book" if plan["cloze"] else "none"
    jobs = ", ".join(f"job {pk}" for pk in plan["negatives"])
    known = {field.name for field in fields(Recipe)} | {field.name for field in fields(Settings)}
    return [
        ("Begins with", job.start or "random weights"),
        ("Critics’ quotations", "learned" if plan["quotations"] else "left out"),
        ("The books’ own sentences", cloze),
        ("Contexts", f"{contexts} (sentences before/after the gap)"),
        *([("Hard negatives of", jobs)] if jobs else []),
        *(
            (named(name)[0], _value(value))
            for name, value in {**plan["recipe"], **plan["settings"]}.items()
            if name in known and name != "hard_negatives" and value != ""
        ),
    ]


def books(job: TrainingJob, rows: Sequence[TrainingBook]) -> list[TrainedBook]:
    """Return the books by split, each with the number of its pairs that the card has."""
    card = job.made.card if job.made else {}
    pairs = {
        each["slug"]: each["pairs"]
        for part in ("trained_on", "validated_with", "tested_on")
        for each in card.get(part, {}).get("books", ())
    }
    return [
        TrainedBook(row.book, str(label), pairs.get(row.book.slug))
        for split, label in Split.choices
        for row in rows
        if row.split == split
    ]


def unlearned_books(job: TrainingJob, rows: Sequence[TrainingBook]) -> list[Book]:
    """Return the books that have excerpts of which none was learned."""
    books = [row.book for row in rows if row.split != Split.TRAIN or not job.plan["quotations"]]
    placed = Excerpt.objects.in_use().filter(book__in=books, first__isnull=False)
    having = set(placed.values_list("book", flat=True).distinct().order_by())
    return [book for book in books if book.pk in having]


def _value(value: Any) -> str:
    if isinstance(value, bool):
        return "on" if value else "off"
    return f"{value:g}" if isinstance(value, float) else str(value)


def _number(value: float) -> str:
    return f"{value:,.0f}" if value >= 10 else f"{value:.1f}"
