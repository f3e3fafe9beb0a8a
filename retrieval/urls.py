"""Addresses of this app."""

from django.urls import path

from retrieval.views import (
    books,
    collection,
    curation,
    excerpts,
    imports,
    jobs,
    matches,
    parts,
    search,
    sources,
)

app_name = "retrieval"
urlpatterns = [
    path("books/", books.books, name="books"),
    path("books/import/", imports.import_book, name="import_book"),
    path("books/<slug:slug>/", books.book, name="book"),
    path("books/<slug:slug>/generate/", jobs.generate, name="generate"),
    path("books/<slug:slug>/parts/", parts.book_parts, name="book_parts"),
    path("books/<slug:slug>/search/", search.search, name="search"),
    path("sources/", sources.sources, name="sources"),
    path("sources/import/", imports.import_source, name="import_source"),
    path("sources/<slug:slug>/", sources.source, name="source"),
    path("sources/<slug:slug>/find/", sources.find_excerpts, name="find_excerpts"),
    path("sources/<slug:slug>/matches/", matches.source_matches, name="source_matches"),
    path("sources/<slug:slug>/exclude/", matches.exclude, name="exclude"),
    path("sources/<slug:slug>/take/<slug:book>/<int:start>-<int:end>/", matches.take, name="take"),
    path("exclusions/<int:pk>/lift/", matches.lift, name="lift"),
    path("matches/", matches.matches, name="matches"),
    path("collection/", collection.collection, name="collection"),
    path("relic/import/", imports.import_relic, name="import_relic"),
    path("excerpts/", excerpts.excerpts, name="excerpts"),
    path("excerpts/<int:pk>/", excerpts.excerpt, name="excerpt"),
    path("excerpts/<int:pk>/reject/", curation.excerpt_reject, name="excerpt_reject"),
    path("excerpts/<int:pk>/restore/", curation.excerpt_restore, name="excerpt_restore"),
    path("excerpts/<int:pk>/borders/", curation.excerpt_borders, name="excerpt_borders"),
    path("jobs/", jobs.jobs, name="jobs"),
    path("jobs/<int:pk>/", jobs.job, name="job"),
    path("jobs/<int:pk>/progress/", jobs.job_progress, name="job_progress"),
    path("jobs/<int:pk>/cancel/", jobs.job_cancel, name="job_cancel"),
    path("jobs/<int:pk>/retry/", jobs.job_retry, name="job_retry"),
]
