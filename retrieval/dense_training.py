"""From books and their excerpts to a trained checkpoint: the splits, the folders, the model card."""

from __future__ import annotations

import platform
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass, field
from importlib.metadata import version
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from django.conf import settings as site

from retrieval import checkpoints
from retrieval.engine import dense_folder
from retrieval.engine.dense_pairs import Pair, Wrong, digest
from retrieval.engine.dense_recipe import Recipe
from retrieval.engine.dense_settings import Settings
from retrieval.engine.errors import BadInput
from retrieval.engine.passages import Passage, slice_text
from retrieval.engine.tokens import GAP
from retrieval.models import Book, CandidateJob, Checkpoint, Excerpt

if TYPE_CHECKING:
    from django.contrib.auth.models import User

Report = Callable[[int, int, int, float], None]
Context = tuple[int, int]


@dataclass(frozen=True)
class Plan:
    """What to train: the books of each split, where to begin, and how.

    `start` is a checkpoint's name, or empty for a toy with random weights. `contexts`: sentences left and
    right; with several, each excerpt is learned once with each. `negatives`: jobs whose wrong passages join.
    `cloze`: so many sentences of each book are learned beside the quotations, their context being the book's
    own sentences around them (inverse cloze task, Lee, Chang and Toutanova 2019).
    """

    name: str
    books: tuple[str, ...]
    validate: tuple[str, ...]
    start: str = ""
    contexts: tuple[Context, ...] = ((4, 4),)
    negatives: tuple[int, ...] = ()
    cloze: int = 0
    settings: Settings = field(default_factory=Settings)
    recipe: Recipe = field(default_factory=Recipe)


def train(plan: Plan, *, by: User | None = None, report: Report = lambda *_: None) -> Checkpoint:
    """Train, keep the best epoch as a checkpoint, and allow it; goes on where the same plan stopped.

    `report` is called with (epoch, step, steps, loss).

    Raises:
        BadInput: the name is taken, a book is unknown, has no excerpt, or is in both splits; as the engine.
    """
    checkpoints.check_new(plan.name)
    if len(plan.contexts) > 1 and not plan.recipe.mask_overlaps:
        raise BadInput(
            "With several contexts a quotation is its own wrong answer; switch --mask-overlaps on as well."
        )
    wrong = _wrong(plan)
    learned, held = (pairs(names, plan.contexts, wrong) for names in (plan.books, plan.validate))
    learned = [pair for slug in plan.books for pair in (*of_book(learned, slug), *cloze(plan, slug))]
    home = site.DATA_DIR / "training" / plan.name
    start, toy = _start(plan, home)
    from retrieval.engine import dense_history, training  # loads torch

    found = training.train(
        start,
        home / "epochs",
        learned,
        held,
        settings=plan.settings,
        recipe=plan.recipe,
        asked=site.DEVICE,
        report=report,
    )
    card = _card(plan, learned, held, start, toy=toy) | {
        "curve": [epoch._asdict() for epoch in found.curve],
        "best_epoch": found.best.number,
        "validation_loss": found.best.validation,
    }
    target = site.DATA_DIR / "checkpoints" / plan.name
    target.parent.mkdir(parents=True, exist_ok=True)
    if not target.exists():
        dense_history.publish(found.folder, start / dense_folder.TOKENISER, card, target)
    return checkpoints.add(target, slug=plan.name, by=by)[0]


def pairs(
    slugs: Sequence[str], contexts: Sequence[Context], wrong: dict[int, tuple[Wrong, ...]]
) -> list[Pair]:
    """The excerpts in use of these books, in the order of their sources, once with each context.

    Raises:
        BadInput: a book is unknown, or none of its excerpts has a place in it.
    """
    found: list[Pair] = []
    for slug in slugs:
        book = Book.objects.filter(slug=slug).first()
        if book is None:
            known = ", ".join(Book.objects.order_by("slug").values_list("slug", flat=True)[:20])
            raise BadInput(f"There is no book {slug!r}; the known books are: {known or 'none yet'}.")
        bounds = book.bounds()
        excerpts = list(Excerpt.objects.in_use().filter(book=book, first__isnull=False))
        if not excerpts:
            raise BadInput(f"The book {slug!r} has no excerpt to learn from; find its excerpts first.")
        for left, right in contexts:
            for each in excerpts:
                gold = each.gold or Passage(0, 1)
                text = slice_text(book.text, bounds, gold)
                query = each.query(left, right)
                found.append(Pair(slug, query, text, gold.first, gold.size, wrong.get(each.pk, ())))
    return found


def of_book(found: Sequence[Pair], slug: str) -> list[Pair]:
    """The pairs of one book."""
    return [pair for pair in found if pair.book == slug]


def cloze(plan: Plan, slug: str) -> list[Pair]:
    """Sentences of a book in its own context, drawn from the seed, or all that there are."""
    if not plan.cloze:
        return []
    book = Book.objects.get(slug=slug)
    bounds = book.bounds()
    left, right = plan.contexts[0]
    possible = range(left, len(bounds) - right)
    drawn = np.random.default_rng(plan.recipe.seed).permutation(len(possible))[: plan.cloze]
    found = []
    for first in (possible[at] for at in drawn.tolist()):
        before, own, after = (
            slice_text(book.text, bounds, Passage(at, size)) if size else ""
            for at, size in ((first - left, left), (first, 1), (first + 1, right))
        )
        found.append(Pair(slug, f"{before} {GAP} {after}", own, first, 1))
    return found


def _wrong(plan: Plan) -> dict[int, tuple[Wrong, ...]]:
    """The wrong passages that jobs found, by the key of their excerpt."""
    found: dict[int, tuple[Wrong, ...]] = {}
    for pk in plan.negatives:
        job = CandidateJob.objects.select_related("book").filter(pk=pk).first()
        if job is None:
            raise BadInput(f"There is no job {pk} to take hard negatives from.")
        bounds = job.book.bounds()
        for row in job.candidates.filter(is_gold=False).order_by("excerpt", "rank"):
            text = slice_text(job.book.text, bounds, Passage(row.first, row.size))
            found[row.excerpt_id] = (*found.get(row.excerpt_id, ()), Wrong(row.first, text))
    return found


def _start(plan: Plan, home: Path) -> tuple[Path, bool]:
    """The folder to begin from, and whether it is a toy: another checkpoint, or one of random weights."""
    if plan.start:
        row = checkpoints.find(plan.start)
        folder = Path(row.folder)
        if dense_folder.fingerprint(folder) != row.sha256:
            raise BadInput(f"The checkpoint {row.slug} has changed since it was added; add it again.")
        return folder, row.toy
    folder = home / "start"
    if not (folder / "quotation" / dense_folder.WEIGHTS).is_file():
        from retrieval.engine import dense_toy  # loads torch

        # Never of the books it is validated with: their vocabulary would be known.
        texts = Book.objects.filter(slug__in=plan.books).order_by("slug").values_list("text", flat=True)
        dense_toy.write_afresh(folder, list(texts), seed=plan.recipe.seed)
    return folder, True


def _card(
    plan: Plan, learned: Sequence[Pair], held: Sequence[Pair], start: Path, *, toy: bool
) -> dict[str, Any]:
    def split(slugs: Sequence[str], found: Sequence[Pair]) -> dict[str, Any]:
        rows = dict(Book.objects.filter(slug__in=slugs).values_list("slug", "sha256"))
        return {
            "books": [
                {"slug": slug, "sha256": rows[slug], "pairs": sum(pair.book == slug for pair in found)}
                for slug in slugs
            ],
            "sha256": digest(found),
        }

    return {
        "toy": toy,
        "encoder": asdict(plan.settings),
        "recipe": asdict(plan.recipe),
        "contexts": [f"{left}/{right}" for left, right in plan.contexts],
        "cloze": plan.cloze,
        "hard_negatives_of_jobs": list(plan.negatives),
        "start": {"name": plan.start or "random weights", "sha256": dense_folder.fingerprint(start)},
        "trained_on": split(plan.books, learned),
        "validated_with": split(plan.validate, held),
        "made_with": {name: version(name) for name in ("torch", "transformers", "tokenizers")}
        | {"python": platform.python_version(), "variorum": site.VERSION},
    }
