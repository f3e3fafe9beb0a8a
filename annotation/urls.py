"""Addresses of this app."""

from django.urls import include, path

from annotation.adjudication import views as settling_views
from annotation.people import joining, withdrawal_views
from annotation.reading import draft_views, message_views, own_page, start_views, views

app_name = "annotation"
urlpatterns = [
    path("work/<int:pk>/", views.work, name="work"),
    path("work/<int:pk>/later/", views.later, name="later"),
    path("work/<int:pk>/ahead/", views.look_ahead, name="ahead"),
    path("work/<int:pk>/talk/", message_views.talk, name="talk"),
    path("work/<int:pk>/feedback/", start_views.feedback, name="feedback"),
    path("work/<int:pk>/draft/", draft_views.draft, name="draft"),
    path("studies/<slug:slug>/begin/", views.begin, name="begin"),
    path("studies/<slug:slug>/consent/", start_views.consent, name="consent"),
    path("studies/<slug:slug>/declined/", start_views.declined, name="declined"),
    path("studies/<slug:slug>/guidelines/", start_views.guidelines_read, name="guidelines_read"),
    path("studies/<slug:slug>/done/", views.done, name="done"),
    path("studies/<slug:slug>/mine/", own_page.mine, name="mine"),
    path("studies/<slug:slug>/leave/", own_page.leave, name="leave"),
    path("studies/<slug:slug>/notes/", message_views.own_talks, name="talks"),
    path("studies/<slug:slug>/withdraw/", withdrawal_views.withdraw, name="withdraw"),
    path("studies/<slug:slug>/decided/", settling_views.decided, name="decided"),
    path("settle/<slug:slug>/", settling_views.settle, name="settle"),
    path("settle/<slug:slug>/<int:number>/", settling_views.settle_item, name="settle_item"),
    path("preferences/", draft_views.preferences, name="preferences"),
    path("join/", joining.join, name="join"),
    path("join/<int:pk>/", joining.invited, name="invited"),
    path("join/<str:token>/", joining.join_before, name="join_before"),
    path("", include("annotation.manage.urls")),
]
