"""Texts and quotations, from files to rows: whole or not at all, and never twice."""

from common.errors import BadField
from retrieval.loading.books import ImportedBook, import_book
from retrieval.loading.quotations import SearchResult, check_comparable, find_excerpts, search
from retrieval.loading.relic import ImportedRelic, import_relic
from retrieval.loading.sources import ImportedSource, import_source

__all__ = [
    "BadField",
    "ImportedBook",
    "ImportedRelic",
    "ImportedSource",
    "SearchResult",
    "check_comparable",
    "find_excerpts",
    "import_book",
    "import_relic",
    "import_source",
    "search",
]
