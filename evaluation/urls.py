"""Addresses of this app."""

from django.urls import path

from evaluation import rank_views, views

app_name = "evaluation"
urlpatterns = [
    path("results/<slug:slug>/", views.results, name="results"),
    path("jobs/<int:pk>/ranking/", rank_views.ranking, name="ranking"),
]
