"""Addresses of this app."""

from django.urls import path

from retrieval.views import books, excerpts, jobs, search, sources

app_name = "retrieval"
urlpatterns = [
    path("books/", books.books, name="books"),
    path("books/import/", books.import_book, name="import_book"),
    path("books/<slug:slug>/", books.book, name="book"),
    path("books/<slug:slug>/generate/", jobs.generate, name="generate"),
    path("books/<slug:slug>/search/", search.search, name="search"),
    path("sources/", sources.sources, name="sources"),
    path("sources/import/", sources.import_source, name="import_source"),
    path("sources/<slug:slug>/", sources.source, name="source"),
    path("sources/<slug:slug>/find/", sources.find_excerpts, name="find_excerpts"),
    path("relic/import/", sources.import_relic, name="import_relic"),
    path("excerpts/", excerpts.excerpts, name="excerpts"),
    path("excerpts/<int:pk>/", excerpts.excerpt, name="excerpt"),
    path("jobs/", jobs.jobs, name="jobs"),
    path("jobs/<int:pk>/", jobs.job, name="job"),
    path("jobs/<int:pk>/progress/", jobs.job_progress, name="job_progress"),
    path("jobs/<int:pk>/cancel/", jobs.job_cancel, name="job_cancel"),
    path("jobs/<int:pk>/retry/", jobs.job_retry, name="job_retry"),
]
