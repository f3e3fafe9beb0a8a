"""Addresses of this app."""

from django.urls import URLPattern

app_name = "retrieval"
urlpatterns: list[URLPattern] = []
