"""Addresses of this app."""

from django.urls import path

from machines import views

app_name = "machines"
urlpatterns = [
    path("models/", views.models, name="models"),
    path("models/<slug:name>/probe/", views.probe_model, name="probe"),
]
