"""Which documents of a corpus a page shows: by genre, language and year, with how many there are of each."""

from __future__ import annotations

from collections import Counter
from typing import NamedTuple

from django.db.models import Count, QuerySet
from django.http import HttpRequest

from common.lists import whole_number, word
from retrieval.corpora.models import Corpus, Document

DECADES_FROM = 20
"""With more years than these, they are counted by decade."""


class Wanted(NamedTuple):
    """What the address asks for; empty and None ask for nothing.

    genre, language: of the documents.
    first, last: years; documents without a year are left out where one of them is given.
    """

    genre: str
    language: str
    first: int | None
    last: int | None

    @property
    def anything(self) -> bool:
        """Return whether any document is left out."""
        return bool(self.genre or self.language or self.first is not None or self.last is not None)

    def of(self, documents: QuerySet[Document]) -> QuerySet[Document]:
        """Return those that are wanted."""
        said = {
            "genre": self.genre or None,
            "language": self.language or None,
            "year__gte": self.first,
            "year__lte": self.last,
        }
        return documents.filter(**{name: value for name, value in said.items() if value is not None})


class Spread(NamedTuple):
    """How many documents there are, by what they can be filtered by.

    genres, languages: pairs of a name and its count; the empty name is of those that say none.
    years: pairs of a year or decade in words and its count, in order; empty where no document has a year.
    """

    genres: list[tuple[str, int]]
    languages: list[tuple[str, int]]
    years: list[tuple[str, int]]


def wanted(request: HttpRequest) -> Wanted:
    """Read the address."""
    return Wanted(
        word(request, "genre"),
        word(request, "language"),
        whole_number(request, "from"),
        whole_number(request, "to"),
    )


def spread(corpus: Corpus) -> Spread:
    """Count the documents of a corpus; one index holds all that is asked."""
    rows = Document.objects.filter(corpus=corpus).order_by("genre", "year", "language")
    genres, languages, years = Counter[str](), Counter[str](), Counter[int]()
    for genre, year, language, number in rows.values_list("genre", "year", "language").annotate(
        n=Count("pk")
    ):
        genres[genre] += number
        languages[language] += number
        if year is not None:
            years[year] += number
    return Spread(sorted(genres.items()), sorted(languages.items()), _by_time(years))


def _by_time(years: Counter[int]) -> list[tuple[str, int]]:
    """By year where there are few, else by decade; from the earliest on."""
    if len(years) <= DECADES_FROM:
        return [(str(year), years[year]) for year in sorted(years)]
    decades = Counter[int]()
    for year, number in years.items():
        decades[year // 10 * 10] += number
    return [(f"{decade}–{decade + 9}", decades[decade]) for decade in sorted(decades)]
