"""Addresses of this app."""

from django.urls import include, path

from annotation import views

app_name = "annotation"
urlpatterns = [
    path("work/<int:pk>/", views.work, name="work"),
    path("work/<int:pk>/later/", views.later, name="later"),
    path("studies/<slug:slug>/begin/", views.begin, name="begin"),
    path("studies/<slug:slug>/done/", views.done, name="done"),
    path("join/<str:token>/", views.join, name="join"),
    path("", include("annotation.manage_urls")),
]
