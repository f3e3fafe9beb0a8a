"""RELiC's second study: the excerpts whose right passage a ranker missed by far.

Thai et al. (2022), section 4: the gold and the model's two best, only where the model ranked the gold outside
its first thousand. Experts were right on 94 % of a hundred of them.
"""

from __future__ import annotations

from django.db.models import QuerySet

from common.errors import BadInput
from retrieval.engine.ranking.pools import BEYOND
from retrieval.models import Candidate, CandidateJob, Excerpt


def missed_gold(job: CandidateJob, *, beyond: int = BEYOND) -> QuerySet[Excerpt]:
    """Return the keys of the job's excerpts whose gold is ranked beyond `beyond`.

    Raises:
        BadInput: `beyond` is below 1.
    """
    if beyond < 1:
        raise BadInput(f"The cutoff is rank {beyond}; it must be 1 or more.")
    golds = Candidate.objects.filter(job=job, is_gold=True, rank__gt=beyond)
    return Excerpt.objects.filter(pk__in=golds.order_by().values("excerpt")).order_by("pk")
