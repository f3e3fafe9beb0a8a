"""Addresses of this app."""

from django.urls import path

from evaluation import close_views, rank_views, views, watch_views

app_name = "evaluation"
urlpatterns = [
    path("results/<slug:slug>/", views.results, name="results"),
    path("results/<slug:slug>/microscope/", close_views.microscope, name="microscope"),
    path("results/<slug:slug>/apparatus/", close_views.apparatus, name="apparatus"),
    path("results/<slug:slug>/apparatus/<int:number>/", close_views.apparatus_item, name="apparatus_item"),
    path("watch/<slug:slug>/", watch_views.watching, name="watch"),
    path("jobs/<int:pk>/ranking/", rank_views.ranking, name="ranking"),
]
