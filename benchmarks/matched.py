"""What negatives that look like the gold cost in rank, and what readers gain by them who never read.

    VARIORUM_TEST_DATA=<folder of novels/ and criticism/> python -m benchmarks.matched
        [--passages N] [--seeds S]

Items of three options are made of what three critics quote of five novels by Austen, with BM25's ranking: by
RELiC's procedure (the two best wrong passages), with each rule of `matching` alone, and with all. For each
it prints the median and mean over the items of the negatives' mean rank, the share of items for which every
rule was kept, how many options in a hundred begin with a small letter, with a quotation mark, and are speech
(right/wrong), and how often a reader is right who takes

    shortest, longest, middle   by length;
    typical    the option whose length is nearest to the median of the other items' right options, of those of
               as many sentences where there are three or more;
    apart      the option whose neighbour in length, as a ratio, is the farthest;
    learned    what was right most often in four fifths of the items where distances between the lengths were
               like these (thirds of longest by shortest, and of the one gap by the other), tried on the last
               fifth: whatever pattern there is in them, such a reader finds it;
    form       the option that alone has another first letter, opening mark or speech, else one at random.

A hundred items tell 33 % from 45 % and not from 38 %. With --passages there are so many of each novel's own
passages besides, their contexts the four sentences either way, and of the critics' lengths: not what critics
quote, but many. Chance is 33.3 %. Each value is the mean over so many seeds.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable, Sequence
from dataclasses import replace
from random import Random
from typing import NamedTuple

import numpy as np
from tqdm import tqdm

from benchmarks.austen_ranks import Novel, read_novels
from retrieval.engine.ranking import places, rankers
from retrieval.engine.ranking.matching import OFF, Matching, cells
from retrieval.engine.ranking.negatives import Rules
from retrieval.engine.ranking.shelf import Choice, Shelf, shelf
from retrieval.engine.ranking.surface import Surface, surface
from retrieval.engine.text.passages import Passage
from retrieval.engine.text.tokens import GAP

NEGATIVES = 2
THIRDS = (1 / 3, 2 / 3)
SETTINGS = {
    "off (RELiC)": OFF,
    "length": replace(OFF, length=True),
    "case": replace(OFF, case=True),
    "opening mark": replace(OFF, mark=True),
    "dialogue": replace(OFF, dialogue=True),
    "ending": replace(OFF, ending=True),
    "context": replace(OFF, context=True),
    "reuse": replace(OFF, reuse=True),
    "all": Matching(),
    "all, band 1.15": Matching(band=1.15),
    "all, band 1.3": Matching(band=1.3),
}


class Query(NamedTuple):
    """A gold passage and its context."""

    gold: Passage
    left: Sequence[str]
    right: Sequence[str]

    @property
    def words(self) -> str:
        return " ".join([*self.left, GAP, *self.right])


class Ranked(NamedTuple):
    """An excerpt's wrong passages, and what its options look like."""

    name: str
    size: int
    shelf: Shelf
    texts: Sequence[str]

    def look(self, choice: Choice) -> list[Surface]:
        """The gold first."""
        return [self.shelf.gold, *(surface(self.texts[each.first]) for each in choice.chosen)]


class Item(NamedTuple):
    """What readers see of an item, and what stands behind it."""

    size: int
    seen: Sequence[Surface]
    ranks: Sequence[int]
    whole: bool

    @property
    def lengths(self) -> list[int]:
        return [each.length for each in self.seen]


def quoted(novel: Novel) -> list[Query]:
    return [Query(Passage(each.first, each.size), each.left, each.right) for each in novel.quoted]


def own(novel: Novel, number: int) -> list[Query]:
    """Passages of the novel itself, of the lengths that critics quote."""
    draw = Random(f"{novel.slug}:{number}")
    sentences = [novel.text[start:end] for start, end in novel.bounds]
    found = []
    for _ in range(number):
        size = draw.choice(novel.quoted).size
        first = draw.randrange(4, len(sentences) - size - 4)
        behind = first + size
        found.append(
            Query(Passage(first, size), sentences[first - 4 : first], sentences[behind : behind + 4])
        )
    return found


def ranked(novel: Novel, queries: Sequence[Query]) -> list[Ranked]:
    found = []
    golds = {each.gold.first + n for each in queries for n in range(each.gold.size)}
    for size in sorted({each.gold.size for each in queries}):
        texts = list(novel.texts(size))
        index = rankers.get("bm25").prepare(texts, {})
        for at, each in enumerate(queries):
            if each.gold.size == size:
                sides = (" ".join(each.left), " ".join(each.right))
                scores = index.scores([each.words])[0]
                one = shelf(scores, each.gold, texts, Rules(), context=sides, golds=golds)
                found.append(Ranked(f"{novel.slug} {at}", size, one, texts))
    return found


def items(queries: Sequence[Ranked], matching: Matching, seeds: int) -> list[list[Item]]:
    """Of every seed the items of a study that is made as a job makes it."""
    possible = cells(matching, NEGATIVES)
    choices = [[each.shelf.choose(matching, NEGATIVES, cell) for cell in possible] for each in queries]
    entries = [
        places.Entry(each.name, each.size, each.shelf.gold.length, [_offer(choice) for choice in row])
        for each, row in zip(queries, choices, strict=True)
    ]
    most = len(matching.rules())
    studies = []
    for seed in range(seeds if possible != [None] else 1):
        found = []
        for each, row, cell in zip(queries, choices, places.deal(entries, possible, seed), strict=True):
            choice = row[cell]
            seen, ranks = each.look(choice), [one.rank for one in choice.chosen]
            if len(ranks) == NEGATIVES:
                found.append(Item(each.size, seen, ranks, len(choice.kept) == most))
        studies.append(found)
    return studies


def _offer(choice: Choice) -> places.Offer:
    return places.Offer(choice.kept, [each.rank for each in choice.chosen])


Taste = Callable[[Item, int], float]
"""How much a reader likes an option, by its position among the item's."""


def right(study: Sequence[Item], taste: Taste) -> float:
    """How often the reader takes the gold, in per cent; ties are broken by chance."""
    won = 0.0
    for item in study:
        likes = [round(taste(item, at), 12) for at in range(len(item.seen))]
        won += (likes[0] == max(likes)) / likes.count(max(likes))
    return 100 * won / len(study)


def readers(study: Sequence[Item]) -> dict[str, Taste]:
    """Readers who know the study's lengths and no item's gold."""
    golds = [each.seen[0].length for each in study]
    sizes = [each.size for each in study]
    typical = {}
    for at, item in enumerate(study):
        others = [gold for n, gold in enumerate(golds) if n != at]
        alike = [gold for n, gold in enumerate(golds) if n != at and sizes[n] == item.size]
        typical[id(item)] = float(np.median(alike if len(alike) > 2 else others))

    def apart(item: Item, at: int) -> float:
        return sorted(abs(np.log(each / item.lengths[at])) for each in item.lengths)[1]

    def form(item: Item, at: int) -> float:
        shown = [(each.lower, each.mark, each.spoken) for each in item.seen]
        return sum([each[n] for each in shown].count(shown[at][n]) == 1 for n in range(3))

    return {
        "shortest": lambda item, at: -item.lengths[at],
        "longest": lambda item, at: item.lengths[at],
        "middle": lambda item, at: -abs(_place(item, at) - 1),
        "typical": lambda item, at: -abs(np.log(item.lengths[at] / typical[id(item)])),
        "apart": apart,
        "form": form,
    }


def learned(studies: Sequence[Sequence[Item]]) -> float:
    """How often the reader is right, in per cent, who learns from the distances between lengths.

    An item is tried on what was learned from other items, of all seeds.
    """
    rows = [(at % 5, *_distances(item), _place(item, 0)) for each in studies for at, item in enumerate(each)]
    fold, wide, lopsided, place = np.array(rows).T
    like = 3 * np.digitize(wide, np.quantile(wide, THIRDS)) + np.digitize(
        lopsided, np.quantile(lopsided, THIRDS)
    )
    won = 0.0
    for at in range(5):
        for each in range(9):
            known = place[(fold != at) & (like == each)]
            tried = place[(fold == at) & (like == each)]
            counts = [np.sum(known == option) for option in range(NEGATIVES + 1)]
            won += float(np.sum(tried == int(np.argmax(counts))))
    return 100 * won / len(rows)


def _place(item: Item, at: int) -> int:
    return sum(other < item.lengths[at] for other in item.lengths)


def _distances(item: Item) -> tuple[float, float]:
    low, middle, high = np.log(np.maximum(1, sorted(item.lengths)))
    return high - low, (middle - low) - (high - middle)


def row(studies: Sequence[Sequence[Item]]) -> list[str]:
    """The numbers of one setting."""
    means = [[float(np.mean(each.ranks)) for each in study] for study in studies]
    forms = []
    for field in ("lower", "mark", "spoken"):
        looks = [[getattr(seen, field) for seen in each.seen] for study in studies for each in study]
        gold = 100 * np.mean([look[0] for look in looks])
        wrong = 100 * np.mean([look[1:] for look in looks])
        forms.append(f"{gold:.0f}/{wrong:.0f}")
    names = list(readers(studies[0]))
    won = [np.mean([right(study, readers(study)[name]) for study in studies]) for name in names]
    return [
        f"{np.mean([np.median(each) for each in means]):.1f}",
        f"{np.mean(means):.1f}",
        f"{100 * np.mean([each.whole for study in studies for each in study]):.0f}",
        *forms,
        *(f"{each:.1f}" for each in won),
        f"{learned(studies):.1f}",
    ]


def table(queries: Sequence[Ranked], seeds: int) -> None:
    heads = ["median", "mean", "kept", "small", "mark", "speech"]
    for number, (name, matching) in enumerate(SETTINGS.items()):
        studies = items(queries, matching, seeds)
        if not number:
            print(f"| {len(queries)} items | {' | '.join([*heads, *readers(studies[0]), 'learned'])} |")
            print(f"| --- |{' ---: |' * (len(heads) + len(readers(studies[0])) + 1)}")
        print(f"| {name} | {' | '.join(row(studies))} |", flush=True)


def main() -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--passages", type=int, default=0, help="of each novel, besides what critics quote")
    parser.add_argument("--seeds", type=int, default=20, help="over which values are averaged (default: 20)")
    asked = parser.parse_args()
    novels = read_novels()
    for make in (quoted, *([lambda novel: own(novel, asked.passages)] if asked.passages else [])):
        made = [
            each
            for novel in tqdm(novels, desc="ranking", leave=False, disable=None)
            for each in ranked(novel, make(novel))
        ]
        table(made, asked.seeds)
        print()
    return 0


if __name__ == "__main__":
    sys.exit(main())
