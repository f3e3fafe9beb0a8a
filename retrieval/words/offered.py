"""What forms offer: rankers with what this installation keeps for them, and what is missing for the others.

A choice reads as `checkpoints.parse_ranker` does. Of a ranker of words there is one for each table it cannot
do without, and where there are lemma tables one for each of those, too.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import product

from retrieval.dense import checkpoints
from retrieval.engine.ranking import rankers
from retrieval.engine.words.kinds import KINDS, NAMED, Kind
from retrieval.models import WordTable
from retrieval.words import tables

Choice = tuple[str, str]
Kept = dict[str, list[str]]
"""The names of what is kept, by kind."""
LEMMAS = ("words", "lemmas")
"""The parameter of rankers of words, and its value, with which they rank by lemmas."""


def kept() -> Kept:
    """Return the names of what is kept of every kind, in order."""
    found: Kept = {kind.slug: [] for kind in NAMED.values()}
    for kind, slug in WordTable.objects.values_list("kind", "slug"):
        found[kind].append(slug)
    return found


def ranker_choices(known: Kept | None = None) -> list[Choice]:
    """Return every ranker with everything it can rank with here, each with a label."""
    known = kept() if known is None else known
    models = dict(checkpoints.ranker_choices())
    found: list[Choice] = []
    for ranker in rankers.all():
        if checkpoints.KIND in ranker.parameters:
            found += [(spec, label) for spec, label in models.items() if spec.startswith(f"{ranker.slug}:")]
        else:
            found += _choices(ranker, known)
    return found


def missing(known: Kept | None = None) -> list[str]:
    """Return what rankers lack that are not offered, a sentence a thing, with the command to add it."""
    known = kept() if known is None else known
    lacking: dict[str, list[str]] = {}
    for ranker in rankers.all():
        for kind in _needed_kinds(ranker):
            if not known[kind.slug]:
                lacking.setdefault(kind.slug, []).append(ranker.label)
    return [
        f"Not offered: {', '.join(labels)}. {tables.none_of(KINDS[slug])}" for slug, labels in lacking.items()
    ]


def _choices(ranker: rankers.Ranker, known: Kept) -> Iterator[Choice]:
    """Yield a ranker with each table it needs, by tokens and by each lemma table."""
    by = [(name, parameter) for name, parameter in _named(ranker) if _always(ranker, parameter)]
    kept = [[(name, slug) for slug in known[NAMED[parameter.kind].slug]] for name, parameter in by]
    lemmas: list[tuple[tuple[str, str], ...]] = [()]
    for name, parameter in _named(ranker):
        if parameter.when == LEMMAS:
            lemmas += [(LEMMAS, (name, slug)) for slug in known[NAMED[parameter.kind].slug]]
    for tail in lemmas:
        for chosen in product(*kept):
            settings = (*chosen, *tail)
            spec = " ".join([ranker.slug, *(f"{name}={value}" for name, value in settings)])
            told = [slug for _, slug in chosen] + [f"lemmas by {slug}" for _, slug in tail[1:]]
            yield spec, " · ".join([ranker.label, *told])


def _needed_kinds(ranker: rankers.Ranker) -> list[Kind]:
    return [NAMED[each.kind] for _, each in _named(ranker) if _always(ranker, each)]


def _always(ranker: rankers.Ranker, parameter: rankers.Named) -> bool:
    """Return whether the ranker cannot do without a thing, its other parameters left as they are."""
    return not parameter.optional and parameter.used(ranker.defaults)


def _named(ranker: rankers.Ranker) -> Iterator[tuple[str, rankers.Named]]:
    for name, parameter in ranker.parameters.items():
        if isinstance(parameter, rankers.Named) and parameter.kind in NAMED:
            yield name, parameter
