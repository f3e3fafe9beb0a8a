"""The candidates that come next: of an excerpt in a finished job, more of its negatives than were asked for.

What the job kept comes first. The ranking is run again for this one excerpt, by the same rules, where the
ranker needs no model and answers soon; where not, that is a worker's affair, and other finished jobs that
ranked alike are looked at.
"""

from __future__ import annotations

from typing import NamedTuple

from common.errors import BadInput
from retrieval.candidates import matching as matched
from retrieval.candidates.choosing import ranked
from retrieval.dense import checkpoints
from retrieval.engine.ranking import negatives, rankers, shelf
from retrieval.engine.ranking.matching import DEPTH
from retrieval.engine.ranking.negatives import Rules
from retrieval.engine.text import passages
from retrieval.models import Candidate, CandidateJob, Excerpt, Status
from retrieval.search import patience
from retrieval.search.evidence import index_key
from retrieval.words import freezing


class MoreNegatives(NamedTuple):
    """Wrong candidates of one excerpt.

    candidates: by rank; some are stored, some are not.
    reason: why there are no more of them.
    """

    candidates: list[Candidate]
    reason: str = ""


def more_negatives(job: CandidateJob, excerpt: Excerpt, most: int) -> MoreNegatives:
    """Return at most `most` wrong candidates of the excerpt, the best first, those of the job among them."""
    kept = list(job.candidates.filter(excerpt=excerpt, is_gold=False).order_by("rank")[:most])
    if len(kept) >= most:
        return MoreNegatives(kept)
    if job.parameters.get("pool"):
        return MoreNegatives(kept, "The job kept a pool, and all of it is here.")
    if checkpoints.KIND in rankers.get(job.ranker).parameters:
        return from_other_jobs(job, excerpt, kept, most)
    return ranked_again(job, excerpt, kept, most)


def ranked_again(job: CandidateJob, excerpt: Excerpt, kept: list[Candidate], most: int) -> MoreNegatives:
    """Rank the excerpt again as the job did; only what was kept if the ranking has changed since."""
    gold, asked, book = excerpt.gold, job.parameters, job.book
    if gold is None:
        return MoreNegatives(kept, "The excerpt has no place in the book any more.")
    ranker, bounds = rankers.get(job.ranker), book.bounds()
    values = rankers.complete(ranker, {name: asked[name] for name in ranker.parameters if name in asked})
    texts = passages.texts(book.text, bounds, gold.size)
    key = index_key(ranker, values, job.words, (book.sha256, hash(tuple(bounds)), gold.size))
    try:
        given = freezing.opened(ranker, values, words=job.words)
    except BadInput as error:
        return MoreNegatives(kept, str(error))
    try:
        scores = patience.scores(ranker, given, texts, excerpt.query(asked["left"], asked["right"]), key)
    except patience.TooLong:
        return from_other_jobs(job, excerpt, kept, most)
    context = (excerpt.context(asked["left"], 0), excerpt.context(0, asked["right"]))
    rules = Rules(**asked.get("rules", {}))
    if matched.of_job(job):
        golds = matched.sentences_asked_for(job)
        found_on = shelf.shelf(scores, gold, texts, rules, context=context, golds=golds)
        return _like_the_gold(job, excerpt, kept, most, found_on)
    try:
        found = negatives.hard_negatives(scores, gold, texts, most, rules, context=context)
    except BadInput as error:
        return MoreNegatives(kept, str(error))
    rows = [ranked(job, excerpt, each) for each in found.chosen]
    if [(each.rank, each.first) for each in rows[: len(kept)]] != [(each.rank, each.first) for each in kept]:
        return MoreNegatives(kept, "The ranking is another one today than when the job ran: run a new job.")
    return MoreNegatives([*kept, *rows[len(kept) :]], found.reason)


def _like_the_gold(
    job: CandidateJob, excerpt: Excerpt, kept: list[Candidate], most: int, found: shelf.Shelf
) -> MoreNegatives:
    """Return what was kept, then by rank what looks like the gold in whatever that does.

    These may be shorter or longer than the gold: a version with one of them has another place of it.
    """
    known = [negatives.Candidate(each.first, each.size, each.rank, each.scores[job.ranker]) for each in kept]
    rows = [ranked(job, excerpt, each) for each in found.others(matched.of_job(job), known)]
    near = [each for each in kept if each.rank <= DEPTH]
    if not {(each.rank, each.first) for each in near} <= {(row.rank, row.first) for row in rows}:
        return MoreNegatives(kept, "The ranking is another one today than when the job ran: run a new job.")
    mine = {each.first for each in kept}
    new = [row for row in rows if row.first not in mine][: most - len(kept)]
    reason = "" if len(kept) + len(new) == most else "No more of the first thousand look like the right one."
    return MoreNegatives([*kept, *new], reason)


def from_other_jobs(job: CandidateJob, excerpt: Excerpt, kept: list[Candidate], most: int) -> MoreNegatives:
    """Take what other finished jobs kept that ranked the same excerpt alike and asked for more."""
    asked = {name: value for name, value in job.parameters.items() if name != "negatives"}
    others = CandidateJob.objects.filter(
        book=job.book, ranker=job.ranker, status=Status.DONE, checkpoint=job.checkpoint, excerpts=excerpt
    ).exclude(pk=job.pk)
    best = kept
    for other in others:
        theirs = {name: value for name, value in other.parameters.items() if name != "negatives"}
        if theirs == asked and other.words == job.words:
            rows = list(other.candidates.filter(excerpt=excerpt, is_gold=False).order_by("rank")[:most])
            best = max(best, rows, key=len)
    reason = (
        f"The ranker {job.ranker} needs a worker: run a job with the same settings and more negatives, and "
        "they are offered here."
    )
    return MoreNegatives(best, "" if len(best) >= most else reason)
