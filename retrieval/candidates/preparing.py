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
from retrieval.candidates.waiting import AT_ONCE
from retrieval.engine.ranking import negatives, order
from retrieval.engine.ranking.matching import ALTERNATIVES, Matching, cells
from retrieval.engine.ranking.negatives import Rules
from retrieval.engine.ranking.order import Scores
from retrieval.engine.ranking.shelf import Choice, Shelf, shelf
from retrieval.models import CandidateJob, Excerpt, MatchedExcerpt

Choices = list[list[dict[str, Any]]]
"""Of each cell the choices: the rules `kept`, the passages `chosen` by their first sentences, the `leans`."""


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
        self._most = ALTERNATIVES if self._rule.reuse or self._rule.balance else 1
        self._golds = matching.sentences_asked_for(job)
        asked = Counter((each.first, each.size) for each in job.excerpts.only("first", "size"))
        self._several = {gold for gold, n in asked.items() if n > 1} if self._rule.reuse else set()
        self._chose: dict[tuple[int | None, int | None], Choices] = {}
        if self._several:
            self._remember()

    def _remember(self) -> None:
        """Take up what excerpts chose in an earlier attempt for others with the same gold."""
        rows = self._job.matched.select_related("excerpt").filter(kept__isnull=True)
        for each in rows.iterator(chunk_size=AT_ONCE):
            gold = each.excerpt.first, each.excerpt.size
            if gold in self._several and "same" not in each.options:
                self._chose[gold] = each.options["choices"]

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
        told = [[self._told(each, found) for each in row] for row in choices]
        same = self._same((gold.first, gold.size), told, found, excerpt, ranking)
        named = {first for row in [*told, *(same or [])] for each in row for first in each["chosen"]}
        options = {
            "gold": self._stored(
                negatives.Candidate(gold.first, gold.size, best.gold_rank, best.gold_score), excerpt, ranking
            ),
            "passages": [
                list(self._stored(self._ranked(first, excerpt, ranking), excerpt, ranking).values())
                for first in sorted(named)
            ],
            "choices": told,
            "best": [each.rank for each in best.chosen],
            "alone": {
                name: [
                    {"kept": row[0].kept, "ranks": [one.rank for one in row[0].chosen]}
                    for row in self._choices(found, by, 1)
                ]
                for name, by in self._rule.alone().items()
            },
        }
        if same is not None:
            options["same"] = same
        waiting = MatchedExcerpt(job=self._job, excerpt=excerpt, length=found.gold.length, options=options)
        short = all(len(row[0].chosen) < self._number for row in choices)
        return Prepared([waiting], Counter(best.excluded) + Counter({TOO_FEW: int(short)}))

    def _choices(self, found: Shelf, by: Matching, most: int) -> list[list[Choice]]:
        return [found.alternatives(by, self._number, cell, most) for cell in cells(by, self._number)]

    def _same(
        self, gold: tuple[int, int], mine: Choices, found: Shelf, excerpt: Excerpt, ranking: Ranking
    ) -> Choices | None:
        """What the first excerpt with the same gold chose, as this one ranks it; None for that first."""
        if gold not in self._several:
            return None
        theirs = self._chose.setdefault(gold, mine)
        return None if theirs is mine else self._following(theirs, found, excerpt, ranking)

    def _following(self, theirs: Choices, found: Shelf, excerpt: Excerpt, ranking: Ranking) -> Choices:
        """What another excerpt chose, as this one ranks it; where one of the passages is no negative here,
        without any.
        """
        rows = []
        for cell, row in zip(cells(self._rule, self._number), theirs, strict=True):
            mine = []
            for each in row:
                chosen = [self._ranked(first, excerpt, ranking) for first in each["chosen"]]
                kept = [rule for rule in each["kept"] if rule != "context" or found.keeps(cell, chosen)]
                fit = all(one.score > order.UNRANKED and found.is_wrong(one) for one in chosen)
                mine.append(self._told(Choice(tuple(chosen) if fit else (), tuple(kept)), found))
            rows.append(mine)
        return rows

    def _ranked(self, first: int, excerpt: Excerpt, ranking: Ranking) -> negatives.Candidate:
        score = float(ranking.scores[first])
        return negatives.Candidate(first, excerpt.size or 0, order.rank(ranking.scores, first), score)

    def _told(self, choice: Choice, found: Shelf) -> dict[str, Any]:
        leans = found.leans(choice.chosen) if self._rule.balance else ()
        return {"kept": choice.kept, "chosen": [each.first for each in choice.chosen], "leans": leans}

    def _stored(self, each: negatives.Candidate, excerpt: Excerpt, ranking: Ranking) -> dict[str, Any]:
        made = ranked(self._job, excerpt, each, **of_parts(ranking.parts, each.first))
        return {"first": made.first, "rank": made.rank, "scores": made.scores}
