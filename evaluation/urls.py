"""Addresses of this app."""

from django.urls import path

from evaluation.microscope import views as close_views
from evaluation.ranking import views as rank_views
from evaluation.report import views
from evaluation.watch import views as watch_views

app_name = "evaluation"
urlpatterns = [
    path("results/<slug:slug>/", views.results, name="results"),
    path("results/<slug:slug>/microscope/", close_views.microscope, name="microscope"),
    path("results/<slug:slug>/apparatus/", close_views.apparatus, name="apparatus"),
    path("results/<slug:slug>/apparatus/<int:number>/", close_views.apparatus_item, name="apparatus_item"),
    path("watch/<slug:slug>/", watch_views.watching, name="watch"),
    path("jobs/<int:pk>/ranking/", rank_views.ranking, name="ranking"),
]
