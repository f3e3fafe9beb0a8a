"""Addresses of this app."""

from django.urls import URLPattern

app_name = "annotation"
urlpatterns: list[URLPattern] = []
