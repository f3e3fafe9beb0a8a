"""Addresses of test collections."""

from django.urls import path

from retrieval.corpora.views import corpora, expansion, files, runs, topics

app_name = "corpora"
urlpatterns = [
    path("corpora/", corpora.corpora, name="corpora"),
    path("corpora/<slug:slug>/", corpora.corpus, name="corpus"),
    path("corpora/<slug:slug>/documents/<int:number>/", corpora.document, name="document"),
    path("corpora/<slug:slug>/expansion/", expansion.expansion_terms, name="expansion"),
    path("corpora/<slug:slug>/load/", files.load_file, name="load_file"),
    path("corpora/<slug:slug>/runs/<slug:name>/", runs.run, name="run"),
    path("corpora/<slug:slug>/pools/<slug:topics>/<int:number>/", runs.pool, name="pool"),
    path("new-topics/", topics.new_topics, name="new_topics"),
    path("topics/<slug:slug>/add/", topics.add_topic, name="add_topic"),
    path("topics/<slug:slug>/", topics.topics, name="topics"),
    path("topics/<slug:slug>/<int:number>/", topics.topic, name="topic"),
]
