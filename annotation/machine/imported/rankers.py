"""A ranker of ours answers the items of a study: of each item's passages the one that it scores highest for
the criticism with its gap.

Where the candidate job of the items has kept the ranker's scores, these are read. Any other ranker, or the
same with other parameters, ranks the passages of the book anew, as a job would: that takes as long as a job,
and is for the command line.

A ranker gives scores and ranks. Of the passages of a gap the highest is an answer; a grade of relevance or
the borders of a span do not follow from a score, so it answers items of no other kind.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from datetime import datetime
from hashlib import sha256
from typing import Any

from django.contrib.auth.models import User

from annotation.machine.imported.items import counted
from annotation.machine.imported.reading import ReadAnswers, Said, in_json
from annotation.machine.imported.storing import About, store
from annotation.models import AnswerForm, Item, MachineReader, ReadingState, Study
from common.errors import BadInput
from common.progress import Progress, silent
from retrieval.candidates.pooling import RANKS
from retrieval.dense import checkpoints
from retrieval.engine.ranking import order, rankers
from retrieval.engine.text import passages
from retrieval.models import Book, CandidateJob
from retrieval.words import freezing

SIDES = 4, 4
"""Sentences of criticism on each side, where the items are of no job that says it."""
PRECISION = "fp32"
NOT_THESE = (
    "Items of the task “{label}” are not answered by a ranker: a score or a rank is {what}. Let it make a "
    "run of a corpus instead, and measure that."
)
LICENCE = "as the study"
NONE_RANKED = "The ranker ranks none of these passages."


def refuse_task(study: Study) -> None:
    """Raise `BadInput` where an answer does not follow from scores of passages."""
    task = study.task_type
    if not task.orders_options:
        what = "no grade" if task.answer_numbers[:1] == ("grade",) else "no answer to them"
        raise BadInput(NOT_THESE.format(label=task.label, what=what))


def known(study: Study) -> list[str]:
    """Return the rankers whose scores of every option are kept; none where there are no such items."""
    if not study.task_type.orders_options:
        return []
    found: set[str] | None = None
    for made in counted(study).values_list("provenance__options", flat=True).iterator(2000):
        for option in made or [{}]:
            own = {name for name in option.get("scores", {}) if name != RANKS}
            found = own if found is None else found & own
        if not found:
            return []
    return sorted(found or ())


def answer(
    study: Study,
    ranker: str,
    *,
    by: User | None,
    now: datetime,
    settings: Mapping[str, object] | None = None,
    name: str = "",
    progress: Progress = silent,
) -> MachineReader:
    """Let a ranker answer all items, and store what it answers as a machine reader of the study.

    `ranker`: a name of `known`, or `bm25`, or `dense:NAME` with a checkpoint; `settings`: its parameters.

    Raises:
        BadInput: the study's items are not of passages, the ranker is unknown, or has answered already.
    """
    refuse_task(study)
    about: dict[str, Any] = {"ranker": ranker}
    if ranker in known(study) and not settings:
        scored, about["scores"] = kept(study, ranker), "kept by the candidate job"
    else:
        about["scores"] = "computed for these items"
        scored = fresh(study, ranker, settings or {}, about, progress)
    said = [highest(item, scores) for item, scores in scored]
    if not said:
        raise BadInput(f"“{study.slug}” has no items yet: nothing can be answered.")
    about |= chosen_by(study)
    lines = "\n".join(f"{each.item.digest} {each.text}" for each in said)
    found = ReadAnswers(ranker, sha256(lines.encode()).hexdigest(), AnswerForm.RANKER, said)
    source = f"Variorum’s ranker {ranker}: the passage with the highest score for the criticism with its gap."
    return store(study, found, About(name or ranker, source, LICENCE), by=by, now=now, details=about)


def kept(study: Study, ranker: str) -> Iterator[tuple[Item, list[float]]]:
    """Yield each item with the scores of its options that its candidate job kept."""
    for item in counted(study).iterator(500):
        item.study = study
        scores = [option["scores"][ranker] for option in item.provenance["options"]]
        yield item, [order.UNRANKED if each is None else float(each) for each in scores]


def fresh(
    study: Study, spec: str, settings: Mapping[str, object], about: dict[str, Any], progress: Progress
) -> Iterator[tuple[Item, list[float]]]:
    """Yield each item with the scores of its options, computed over all passages of their length."""
    ranker, model = checkpoints.parse_ranker(spec)
    values = rankers.complete(ranker, {**model, **settings})
    frozen = freezing.freeze(ranker, values, PRECISION)
    said = ", ".join(f"{name} {value}" for name, value in sorted(frozen.parameters.items()))
    about |= {"parameters": said} | ({"model sha256": frozen.checkpoint.sha256} if frozen.checkpoint else {})
    about |= {f"{table} sha256": digest for table, digest in sorted(frozen.tables.items())}
    given = freezing.opened(ranker, frozen.parameters, words=frozen.tables)
    items = list(counted(study).select_related("excerpt__book"))
    left, right = sides(study)
    groups: dict[tuple[int, int], list[Item]] = {}
    for item in items:
        item.study = study
        groups.setdefault(place_of(item), []).append(item)
    done = 0
    for (book_pk, size), own in sorted(groups.items()):
        book = Book.objects.get(pk=book_pk)
        index = ranker.prepare(passages.texts(book.text, book.bounds(), size), given)
        for start in range(0, len(own), 16):
            some = own[start : start + 16]
            queries = [each.excerpt.query(left, right) for each in some if each.excerpt]
            for item, row in zip(some, index.scores(queries), strict=True):
                yield item, [float(row[option["first"]]) for option in item.provenance["options"]]
            done += len(some)
            progress(done, len(items), "ranking")


def place_of(item: Item) -> tuple[int, int]:
    """Return the book and the length of the passages of an item. Raises `BadInput` where it has none."""
    options: Sequence[Mapping[str, int]] = item.provenance.get("options") or ()
    if item.excerpt is None or item.excerpt.book_id is None or not options:
        raise BadInput(
            f"Item {item.number} is made of no excerpt of a book that is here: nothing can be ranked for it."
        )
    return int(item.excerpt.book_id), int(options[0]["size"])


def sides(study: Study) -> tuple[int, int]:
    """Return how many sentences of criticism the study's job ranked with, on each side of the gap."""
    asked = study.job.parameters if study.job else {}
    return int(asked.get("left", SIDES[0])), int(asked.get("right", SIDES[1]))


def chosen_by(study: Study) -> dict[str, str]:
    """Return which ranker chose the wrong passages, where a job did: it is tried on what it thinks hard."""
    job: CandidateJob | None = study.job
    return {"wrong passages chosen by": f"{job.ranker}, job {job.pk}"} if job else {}


def highest(item: Item, scores: Sequence[float]) -> Said:
    """Return the option with the highest score; of two the first in canonical order.

    Where none is ranked there is no answer. What is not ranked is `null`: JSON knows no infinity.
    """
    best = max(scores)
    text = in_json([None if each == order.UNRANKED else each for each in scores])
    if best == order.UNRANKED:
        return Said(item, ReadingState.UNDECIDED, None, NONE_RANKED, text)
    answer = item.study.task_type.from_file(item.payload, scores.index(best))
    return Said(item, ReadingState.ANSWERED, answer, "", text, scores.count(best) > 1)
