"""Addresses of this app."""

from django.urls import path

from evaluation import views

app_name = "evaluation"
urlpatterns = [
    path("results/<slug:slug>/", views.results, name="results"),
]
