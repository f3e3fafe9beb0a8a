"""Which documents of a corpus are searched: by genre, language, year, and any facet that its file gave."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np
from django.db.models import Max, Min, Q, QuerySet, TextField
from django.db.models.fields.json import KeyTextTransform
from django.db.models.functions import Cast

from common.errors import BadField
from retrieval.corpora.models import Corpus, Document
from retrieval.engine.corpora.index import Mask

ALL = "all"
"""The name of the subset that is the whole corpus."""
AT_ONCE = 5_000
SEEN = 1_000
"""Documents whose facets are named where one is not there."""
SHOWN = 20


@dataclass(frozen=True)
class Filter:
    """The documents that are searched; what is empty or None leaves none out.

    genres: a document has one of them; `("all",)`: every document.
    languages: a document has one of them, or names none and the corpus is in one of them.
    first_year, last_year: of documents; those without a year are left out where one is given.
    facets: pairs of a name and its value; a document has all of them.
    """

    genres: tuple[str, ...] = ()
    languages: tuple[str, ...] = ()
    first_year: int | None = None
    last_year: int | None = None
    facets: tuple[tuple[str, str], ...] = ()

    def __post_init__(self) -> None:
        first, last = self.first_year, self.last_year
        if first is not None and last is not None and first > last:
            raise BadField("first_year", f"No year is from {first} to {last}; give the earlier one first.")

    @property
    def name(self) -> str:
        """Return the filter in words, as runs keep it; `all` for the whole corpus."""
        years = "-".join("" if year is None else str(year) for year in (self.first_year, self.last_year))
        said = [
            ("genre", ",".join(sorted(self._genres))),
            ("language", ",".join(sorted(self.languages))),
            ("year", "" if years == "-" else years),
            *self.facets,
        ]
        return "; ".join(f"{name}={value}" for name, value in said if value) or ALL

    @property
    def _genres(self) -> set[str]:
        return set() if self.genres == (ALL,) else set(self.genres)

    def as_json(self) -> dict[str, Any]:
        """Return what is said beside the genres, as a run keeps it; empty where nothing is."""
        said = {name: value for name, value in asdict(self).items() if value not in ((), None)}
        said.pop("genres", None)
        return said | ({"facets": dict(self.facets)} if self.facets else {})

    def mask(self, corpus: Corpus) -> Mask | None:
        """Return which documents (documents,) are of it; None for all.

        Raises:
            BadField: the corpus has no such genre, language or facet, or no document is of all this.
        """
        if self.name == ALL:
            return None
        mask = np.zeros(corpus.n_documents, dtype=np.bool_)
        rows = self._of(corpus).values_list("number", flat=True)
        mask[np.fromiter(rows.iterator(chunk_size=AT_ONCE), dtype=np.int64)] = True
        if not mask.any():
            raise self._nothing(corpus)
        return mask

    def count(self, corpus: Corpus) -> int:
        """Return how many documents are of it. Raises `BadField` as `mask`."""
        number = corpus.n_documents if self.name == ALL else self._of(corpus).count()
        if not number:
            raise self._nothing(corpus)
        return number

    def _nothing(self, corpus: Corpus) -> BadField:
        return BadField("first_year", f'No document of "{corpus.slug}" is of this: {self.name}.')

    def _of(self, corpus: Corpus) -> QuerySet[Document]:
        _known("genre", self._genres, genres_of(corpus), corpus)
        _known("languages", self.languages, languages_of(corpus), corpus)
        rows = Document.objects.filter(corpus=corpus).order_by()
        if self._genres:
            rows = rows.filter(genre__in=self._genres)
        if self.languages:
            own = Q(language="") if corpus.language in self.languages else Q()
            rows = rows.filter(Q(language__in=self.languages) | own)
        if self.first_year is not None:
            rows = rows.filter(year__gte=self.first_year)
        if self.last_year is not None:
            rows = rows.filter(year__lte=self.last_year)
        for n, (name, value) in enumerate(self.facets):
            _known("facets", [name], facets_of(corpus), corpus)
            said = Cast(KeyTextTransform(name, "extra"), TextField())
            rows = rows.annotate(**{f"facet_{n}": said}).filter(**{f"facet_{n}": value})
        return rows


def genres_of(corpus: Corpus) -> list[str]:
    """Return the genres of the corpus's documents; the empty one where some name none."""
    rows = Document.objects.filter(corpus=corpus).order_by("genre")
    return list(rows.values_list("genre", flat=True).distinct())


def languages_of(corpus: Corpus) -> list[str]:
    """Return the languages of the corpus's documents; where one names none it is the corpus's."""
    rows = Document.objects.filter(corpus=corpus).order_by("language")
    found = rows.values_list("language", flat=True).distinct()
    return sorted({language or corpus.language for language in found})


def years_of(corpus: Corpus) -> tuple[int | None, int | None]:
    """Return the first and the last year of the corpus's documents; None where no document has one."""
    found = Document.objects.filter(corpus=corpus).aggregate(first=Min("year"), last=Max("year"))
    return found["first"], found["last"]


def facets_of(corpus: Corpus) -> list[str]:
    """Return the names of what else the first `SEEN` documents say of themselves."""
    rows = Document.objects.filter(corpus=corpus).order_by("number").values_list("extra", flat=True)
    return sorted({name for extra in rows[:SEEN] for name in extra})


def facet_of(text: str) -> tuple[str, str]:
    """Return name and value of a facet from `name=value` or `name: value`. Raises `BadField`."""
    for sign in ("=", ":"):
        name, there, value = (part.strip() for part in text.partition(sign))
        if name and there and value:
            return name, value
    raise BadField("facets", f"“{text[:60]}”: a name, = and a value were expected, such as subset=train.")


def _known(field: str, wanted: Iterable[str], there: Sequence[str], corpus: Corpus) -> None:
    what = {"genre": "genre", "languages": "language", "facets": "facet"}[field]
    for each in sorted(wanted):
        if each not in there:
            has = ", ".join(sorted(filter(None, there))[:SHOWN]) or "none"
            raise BadField(field, f'The corpus "{corpus.slug}" has no {what} "{each}"; it has: {has}.')
