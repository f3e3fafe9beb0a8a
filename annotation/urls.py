"""Addresses of this app."""

from django.urls import include, path

from annotation import (
    before_work,
    desk,
    joining,
    own_page,
    settling_views,
    talk_views,
    views,
    withdraw_views,
)

app_name = "annotation"
urlpatterns = [
    path("work/<int:pk>/", views.work, name="work"),
    path("work/<int:pk>/later/", views.later, name="later"),
    path("work/<int:pk>/ahead/", views.look_ahead, name="ahead"),
    path("work/<int:pk>/talk/", talk_views.talk, name="talk"),
    path("work/<int:pk>/feedback/", before_work.feedback, name="feedback"),
    path("work/<int:pk>/draft/", desk.draft, name="draft"),
    path("studies/<slug:slug>/begin/", views.begin, name="begin"),
    path("studies/<slug:slug>/consent/", before_work.consent, name="consent"),
    path("studies/<slug:slug>/declined/", before_work.declined, name="declined"),
    path("studies/<slug:slug>/guidelines/", before_work.guidelines_read, name="guidelines_read"),
    path("studies/<slug:slug>/done/", views.done, name="done"),
    path("studies/<slug:slug>/mine/", own_page.mine, name="mine"),
    path("studies/<slug:slug>/leave/", own_page.leave, name="leave"),
    path("studies/<slug:slug>/notes/", talk_views.own_talks, name="talks"),
    path("studies/<slug:slug>/withdraw/", withdraw_views.withdraw, name="withdraw"),
    path("studies/<slug:slug>/decided/", settling_views.decided, name="decided"),
    path("settle/<slug:slug>/", settling_views.settle, name="settle"),
    path("settle/<slug:slug>/<int:number>/", settling_views.settle_item, name="settle_item"),
    path("preferences/", desk.preferences, name="preferences"),
    path("join/", joining.join, name="join"),
    path("join/<int:pk>/", joining.invited, name="invited"),
    path("join/<str:token>/", joining.join_before, name="join_before"),
    path("", include("annotation.manage_urls")),
]
