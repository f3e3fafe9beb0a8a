"""What an excerpt could have for negatives that look like its gold, found while its job ranks.

Of every cell several choices are kept: the first may be taken by another excerpt when all are dealt out.

Excerpts with the same gold get the same negatives. Else the passage that two items offer would be the right
one of both. Of several the first by digest chooses, and the others follow with these passages at the ranks
that their own contexts give them.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from retrieval.candidates import matching
from retrieval.candidates.choosing import TOO_FEW, of_parts, ranked
from retrieval.engine.ranking import negatives, order
from retrieval.engine.ranking.matching import Matching, cells
from retrieval.engine.ranking.negatives import Rules
from retrieval.engine.ranking.order import Scores
from retrieval.engine.ranking.shelf import Choice, Shelf, shelf
from retrieval.models import CandidateJob, Excerpt, MatchedExcerpt

ALTERNATIVES = 6
"""Choices kept of a cell, no passage in two of them: excerpts with contexts that are alike rank alike."""


class Prepared(NamedTuple):
    """An excerpt that waits to be dealt out, not yet stored, and what is to be counted."""

    rows: list[MatchedExcerpt]
    tally: Counter[str]


class Ranking(NamedTuple):
    """One excerpt's ranking: a score for every text, and those it was fused from, by ranker."""

    scores: Scores
    texts: Sequence[str]
    parts: Mapping[str, Scores]


class Preparing:
    """Prepares the excerpts of a job whose negatives are matched.

    Those with the same gold are to come by digest.
    """

    def __init__(self, job: CandidateJob) -> None:
        self._job, self._rule = job, matching.of_job(job)
        self._rules, self._number = Rules(**job.parameters["rules"]), job.parameters["negatives"]
        self._most = ALTERNATIVES if self._rule.reuse else 1
        self._golds = matching.sentences_asked_for(job)
        self._chose: dict[tuple[int | None, int | None], MatchedExcerpt] = {}
        if self._rule.reuse:
            # By an earlier attempt.
            for each in job.matched.select_related("excerpt").filter(kept__isnull=True):
                if "same" not in each.options:
                    self._chose[each.excerpt.first, each.excerpt.size] = each

    def excerpt(self, excerpt: Excerpt, ranking: Ranking) -> Prepared:
        """Find the best negatives for every cell, and beside them the ranker's own best and those by each
        rule alone, which say what matching costs.
        """
        gold, asked = excerpt.gold, self._job.parameters
        if gold is None:
            return Prepared([], Counter())
        context = (excerpt.context(asked["left"], 0), excerpt.context(0, asked["right"]))
        best = negatives.hard_negatives(
            ranking.scores, gold, ranking.texts, self._number, self._rules, context=context
        )
        found = shelf(ranking.scores, gold, ranking.texts, self._rules, context=context, golds=self._golds)
        choices = self._choices(found, self._rule, self._most)
        options = {
            "gold": self._stored(
                negatives.Candidate(gold.first, gold.size, best.gold_rank, best.gold_score), excerpt, ranking
            ),
            "choices": [[self._told(each, excerpt, ranking) for each in row] for row in choices],
            "best": [each.rank for each in best.chosen],
            "alone": {
                name: [
                    {"kept": row[0].kept, "ranks": [one.rank for one in row[0].chosen]}
                    for row in self._choices(found, by, 1)
                ]
                for name, by in self._rule.alone().items()
            },
        }
        waiting = MatchedExcerpt(job=self._job, excerpt=excerpt, length=found.gold.length, options=options)
        if self._rule.reuse:
            first = self._chose.setdefault((gold.first, gold.size), waiting)
            if first is not waiting:
                options["same"] = self._following(first, found, excerpt, ranking)
        short = all(len(row[0].chosen) < self._number for row in choices)
        return Prepared([waiting], Counter(best.excluded) + Counter({TOO_FEW: int(short)}))

    def _choices(self, found: Shelf, by: Matching, most: int) -> list[list[Choice]]:
        return [found.alternatives(by, self._number, cell, most) for cell in cells(by, self._number)]

    def _following(
        self, first: MatchedExcerpt, found: Shelf, excerpt: Excerpt, ranking: Ranking
    ) -> list[list[dict[str, Any]]]:
        """What another excerpt with the same gold chose, as this one ranks it; where one of the passages is
        no negative here, without any.
        """
        rows = []
        for cell, row in zip(cells(self._rule, self._number), first.options["choices"], strict=True):
            mine = []
            for each in row:
                chosen = [self._ranked(one["first"], excerpt, ranking) for one in each["chosen"]]
                kept = [rule for rule in each["kept"] if rule != "context" or found.keeps(cell, chosen)]
                fit = all(map(found.is_wrong, chosen))
                mine.append(self._told(Choice(tuple(chosen) if fit else (), tuple(kept)), excerpt, ranking))
            rows.append(mine)
        return rows

    def _ranked(self, first: int, excerpt: Excerpt, ranking: Ranking) -> negatives.Candidate:
        score = float(ranking.scores[first])
        return negatives.Candidate(first, excerpt.size or 0, order.rank(ranking.scores, first), score)

    def _told(self, choice: Choice, excerpt: Excerpt, ranking: Ranking) -> dict[str, Any]:
        chosen = [self._stored(each, excerpt, ranking) for each in choice.chosen]
        return {"kept": choice.kept, "chosen": chosen}

    def _stored(self, each: negatives.Candidate, excerpt: Excerpt, ranking: Ranking) -> dict[str, Any]:
        made = ranked(self._job, excerpt, each, **of_parts(ranking.parts, each.first))
        return {"first": made.first, "rank": made.rank, "scores": made.scores}
