"""What a training is asked for: named, checked, and frozen in the row of a job."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass, field
from typing import TYPE_CHECKING, Any

from django.conf import settings as site
from django.db import transaction

from common.errors import BadInput
from retrieval.dense import checkpoints
from retrieval.engine.dense import settings as dense_settings
from retrieval.engine.dense.settings import Settings
from retrieval.engine.training.recipe import Recipe
from retrieval.jobs import notify, queue
from retrieval.models import Book, CandidateJob, Excerpt, Split, Status, TrainingBook, TrainingJob

if TYPE_CHECKING:
    from django.contrib.auth.models import User

Context = tuple[int, int]
PAPER = Recipe()
COSINE_SCALE = 20.0
TOY: dict[str, Any] = {"pooling": "mean", "similarity": "cosine", "rate": 1e-3}
"""Random weights learn nothing at the paper's rate; these are the defaults where there is no start."""
MOST_CLOZE = 100_000
LISTED = 20


@dataclass(frozen=True)
class Plan:
    """What to train.

    name: of the checkpoint that comes of it.
    books: slugs of the books to learn from.
    validate: slugs of those whose loss chooses the epoch.
    test: slugs of those the chosen epoch is tested on.
    start: name of the checkpoint to begin with; empty for a toy with random weights.
    contexts: sentences left and right of the gap; of several, each excerpt is learned with each in every
        epoch, or with one drawn for it (`Recipe.mixing`).
    negatives: keys of jobs whose wrong passages join.
    cloze: how many sentences of each book are learned beside the quotations, their context being the book's
        own sentences around them (inverse cloze task, Lee, Chang and Toutanova 2019).
    quotations: whether critics' quotations are learned; without, `cloze` is all there is, in every split.
    settings: how the encoders are used.
    recipe: how they are trained.
    """

    name: str
    books: tuple[str, ...]
    validate: tuple[str, ...]
    test: tuple[str, ...] = ()
    start: str = ""
    contexts: tuple[Context, ...] = ((4, 4),)
    negatives: tuple[int, ...] = ()
    cloze: int = 0
    quotations: bool = True
    settings: Settings = field(default_factory=Settings)
    recipe: Recipe = field(default_factory=Recipe)

    def splits(self) -> list[tuple[str, Split]]:
        """Return each book's slug with its split."""
        named = ((self.books, Split.TRAIN), (self.validate, Split.VALIDATE), (self.test, Split.TEST))
        return [(slug, split) for slugs, split in named for slug in slugs]

    def frozen(self) -> dict[str, Any]:
        """Return the part of the plan that a row keeps as JSON: all but its books and its start."""
        return {
            "contexts": [list(each) for each in self.contexts],
            "negatives": list(self.negatives),
            "cloze": self.cloze,
            "quotations": self.quotations,
            "settings": asdict(self.settings),
            "recipe": asdict(self.recipe),
        }


def encoder_settings(start: str, given: Mapping[str, Any]) -> tuple[Settings, dict[str, Any]]:
    """Return the encoder settings, and rate and scale of the recipe.

    Each is as given, else as the start has it, else the paper's.

    Raises:
        BadInput: there is no such checkpoint, or a setting is not possible.
    """
    begun = checkpoints.find(start).settings if start else TOY
    told = {**begun, **{name: value for name, value in given.items() if value is not None}}
    rate = told.pop("rate", PAPER.rate)
    scale = told.pop("scale", COSINE_SCALE if told.get("similarity") == "cosine" else PAPER.scale)
    return dense_settings.checked(told), {"rate": rate, "scale": scale}


def plan_of(job: TrainingJob) -> Plan:
    """Return the plan that a job was submitted with."""
    kept = job.plan
    by_split: dict[str, list[str]] = {split: [] for split in Split.values}
    for slug, split in job.splits.values_list("book__slug", "split"):
        by_split[split].append(slug)
    return Plan(
        job.name,
        tuple(by_split[Split.TRAIN]),
        tuple(by_split[Split.VALIDATE]),
        tuple(by_split[Split.TEST]),
        job.start,
        tuple((left, right) for left, right in kept["contexts"]),
        tuple(kept["negatives"]),
        kept["cloze"],
        kept["quotations"],
        Settings(**kept["settings"]),
        Recipe(**kept["recipe"]),
    )


def submit(plan: Plan, *, by: User | None = None) -> TrainingJob:
    """Put a new training into the queue. Its plan is frozen from now on.

    Raises:
        BadInput: the name is taken, a book is unknown, in two splits or has nothing to learn from, there is
            no such start or job, or the switches contradict each other.
    """
    check_name_free(plan.name)
    start = checkpoints.find(plan.start) if plan.start else None
    _check_switches(plan)
    books = _books(plan)
    excerpts = list(_excerpts(books).values_list("pk", "book")) if plan.quotations else []
    _check_enough(plan, books, [book for _, book in excerpts])
    job = TrainingJob(
        name=plan.name,
        start=start.slug if start else "",
        start_sha256=start.sha256 if start else "",
        toy=start.toy if start else True,
        plan=plan.frozen(),
        seed=plan.recipe.seed,
        code_version=queue.code_version(),
        queue=queue_for_trainings(),
        created_by=by,
    )
    with transaction.atomic():
        job.save()
        TrainingBook.objects.bulk_create(
            TrainingBook(job=job, book=books[slug], split=split) for slug, split in plan.splits()
        )
        job.excerpts.set([pk for pk, _ in excerpts])
    notify.on_commit(job)
    return job


def queue_for_trainings() -> str:
    """Return the queue in which a training that is submitted now waits."""
    return "gpu" if site.DEVICE == "cuda" else "cpu"


def submit_or_resume(plan: Plan) -> TrainingJob:
    """Return the job of exactly this plan, or submit a new one.

    One that failed or was cancelled goes back into the queue.

    Raises:
        BadInput: the training of that name is done, or has another plan; as `submit`.
    """
    job = TrainingJob.objects.filter(name=plan.name).first()
    if job is None:
        return submit(plan)
    if job.status == Status.DONE:
        checkpoints.check_new(plan.name)
    for what, asked, kept in _compared(plan, plan_of(job)):
        if asked != kept:
            raise BadInput(
                f"A training was begun under the name {plan.name} with another {what}: {kept}; "
                "repeat its command exactly to go on, or choose another name."
            )
    queue.retry(job.pk, TrainingJob)
    job.refresh_from_db()
    return job


def _compared(asked: Plan, kept: Plan) -> list[tuple[str, Any, Any]]:
    both = (
        {**plan.frozen(), **asdict(plan.recipe), **asdict(plan.settings), "start": plan.start}
        | {"books": plan.books, "validate": plan.validate, "test": plan.test}
        for plan in (asked, kept)
    )
    first, second = both
    return [(name, first[name], second[name]) for name in first if name not in ("recipe", "settings")]


def check_name_free(name: str) -> None:
    """Check the name of a new training.

    Raises:
        BadInput: a training, a checkpoint or a folder of checkpoints has it.
    """
    checkpoints.check_new(name)
    if TrainingJob.objects.filter(name=name).exists():
        raise BadInput(f"There is a training {name!r} already; choose another name.")
    if (site.DATA_DIR / "checkpoints" / name).exists():
        raise BadInput(
            f"There is a folder checkpoints/{name} in the data directory already; "
            "add it with manage.py add_checkpoint, remove it, or choose another name."
        )


def _check_switches(plan: Plan) -> None:
    for words, slugs in (("learn from", plan.books), ("validate with", plan.validate)):
        if not slugs:
            raise BadInput(f"Choose at least one book to {words}.")
    if not plan.contexts:
        raise BadInput("Choose at least one context, such as 4/4.")
    if not 0 <= plan.cloze <= MOST_CLOZE:
        raise BadInput(f"The number of the books’ own sentences is {plan.cloze}; give 0 to {MOST_CLOZE:,}.")
    if not plan.quotations and not plan.cloze:
        raise BadInput("Without critics’ quotations there must be sentences of the books’ own to learn.")
    found = CandidateJob.objects.in_bulk(plan.negatives)
    for pk in plan.negatives:
        if pk not in found:
            raise BadInput(f"There is no job {pk} to take hard negatives from.")
        if found[pk].status != Status.DONE:
            raise BadInput(f"Job {pk} is not done; hard negatives are taken from finished jobs.")


def _books(plan: Plan) -> dict[str, Book]:
    """The books by slug, without their texts.

    Raises:
        BadInput: one is unknown, or there twice.
    """
    slugs = [slug for slug, _ in plan.splits()]
    light = Book.objects.only("pk", "slug", "title", "author", "n_sentences", "sha256")
    found = {book.slug: book for book in light.filter(slug__in=slugs)}
    for slug in slugs:
        if slug not in found:
            known = ", ".join(Book.objects.order_by("slug").values_list("slug", flat=True)[:LISTED])
            raise BadInput(f"There is no book {slug!r}; the known books are: {known or 'none yet'}.")
        if slugs.count(slug) > 1:
            raise BadInput(
                f"The book {slug} is in both splits; choose other books to validate with and to test on, "
                "or the loss would be of passages learned by heart."
            )
    _check_works(plan, found)
    return found


def _check_works(plan: Plan, books: Mapping[str, Book]) -> None:
    """Raises BadInput where one work is in two splits under two names: as another file or edition."""
    seen: dict[tuple[str, ...], tuple[str, Split]] = {}
    for slug, split in plan.splits():
        book = books[slug]
        work = (book.title.casefold().strip(), book.author.casefold().strip())
        for key in ((book.sha256,), work):
            other, before = seen.setdefault(key, (slug, split))
            if before != split:
                raise BadInput(
                    f"The books {other} and {slug} are one work, and would be in two splits; "
                    "put both into one, or leave one out."
                )


def _excerpts(books: Mapping[str, Book]) -> Any:
    return Excerpt.objects.in_use().filter(book__in=books.values(), first__isnull=False)


def _check_enough(plan: Plan, books: Mapping[str, Book], quoted: Iterable[int]) -> None:
    having = set(quoted)
    left, right = (max(sides) for sides in zip(*plan.contexts, strict=True))
    for slug, split in plan.splits():
        book = books[slug]
        if book.pk in having or (plan.cloze and book.n_sentences > left + right + 1):
            continue
        if not plan.cloze:
            what = {"train": "learn from", "validate": "validate with", "test": "test on"}[split]
            raise BadInput(f"The book {slug!r} has no excerpt to {what}; find its excerpts first.")
        raise BadInput(f"The book {slug!r} has neither an excerpt nor sentences enough for its own context.")
