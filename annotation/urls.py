"""Addresses of this app."""

from django.urls import include, path

from annotation.adjudication import views as adjudication_views
from annotation.mail import views as mail_views
from annotation.manage import setup
from annotation.people import joining, withdrawal_views
from annotation.reading import (
    aside_views,
    draft_views,
    queue_views,
    source,
    start_views,
    undo_views,
    views,
)
from annotation.reading.mine import message_views, notebook, own_page
from common.addresses import moved

app_name = "annotation"
urlpatterns = [
    path("work/<int:pk>/", views.work, name="work"),
    path("work/<int:pk>/later/", undo_views.later, name="later"),
    path("work/<int:pk>/take-back/", undo_views.take_back, name="take_back"),
    path("work/<int:pk>/act/", queue_views.act, name="act"),
    path("work/worker.js", queue_views.worker, name="worker"),
    path("work/<int:pk>/keep/", views.keep, name="keep"),
    path("work/<int:pk>/group/", views.group_seen, name="group_seen"),
    path("work/<int:pk>/prefetch/", views.next_item, name="prefetch"),
    path("work/<int:pk>/neighbour/", aside_views.neighbour, name="neighbour"),
    path("work/<int:pk>/earlier/", aside_views.earlier, name="earlier"),
    path("work/<int:pk>/source/", source.source, name="source"),
    path("work/<int:pk>/messages/", message_views.message, name="message"),
    path("work/<int:pk>/feedback/", start_views.feedback, name="feedback"),
    path("work/<int:pk>/draft/", draft_views.draft, name="draft"),
    path("studies/<slug:slug>/begin/", views.begin, name="begin"),
    path("studies/<slug:slug>/consent/", start_views.consent, name="consent"),
    path("studies/<slug:slug>/along/", queue_views.along, name="along"),
    path("studies/<slug:slug>/declined/", start_views.declined, name="declined"),
    path("studies/<slug:slug>/guidelines/", start_views.guidelines_read, name="guidelines_read"),
    path("studies/<slug:slug>/done/", views.done, name="done"),
    path("studies/<slug:slug>/mine/", own_page.own_page, name="own_page"),
    path("studies/<slug:slug>/notebook/", notebook.notebook, name="notebook"),
    path("studies/<slug:slug>/notebook/<slug:form>/", notebook.notebook_file, name="notebook_file"),
    path("studies/<slug:slug>/leave/", own_page.leave, name="leave"),
    path("studies/<slug:slug>/messages/", message_views.own_messages, name="messages"),
    path("studies/<slug:slug>/mail/", mail_views.own_mail, name="own_mail"),
    path("mail/stop/<str:token>/", mail_views.stop_mail, name="stop_mail"),
    path("mail/confirm/<str:token>/", mail_views.confirm_mail, name="confirm_mail"),
    path("studies/<slug:slug>/withdraw/", withdrawal_views.withdraw, name="withdraw"),
    path("studies/<slug:slug>/decisions/", adjudication_views.decisions_shown, name="decisions"),
    path("adjudicate/<slug:slug>/", adjudication_views.adjudicate, name="adjudicate"),
    path("adjudicate/<slug:slug>/<int:number>/", adjudication_views.adjudicate_item, name="adjudicate_item"),
    path("preferences/", draft_views.preferences, name="preferences"),
    path("join/", joining.join, name="join"),
    path("join/<int:pk>/", joining.invited, name="invited"),
    path("join/<str:token>/", joining.join_by_path, name="join_before"),
    path("", include("annotation.manage.urls")),
    # Addresses of before: links that were sent and pages that are open still lead on.
    path("work/<int:pk>/ahead/", moved(views.next_item, "annotation:prefetch"), name="prefetch_before"),
    path("work/<int:pk>/talk/", moved(message_views.message, "annotation:message"), name="message_before"),
    path(
        "studies/<slug:slug>/notes/",
        moved(message_views.own_messages, "annotation:messages"),
        name="messages_before",
    ),
    path(
        "studies/<slug:slug>/decided/",
        moved(adjudication_views.decisions_shown, "annotation:decisions"),
        name="decisions_before",
    ),
    path(
        "settle/<slug:slug>/",
        moved(adjudication_views.adjudicate, "annotation:adjudicate"),
        name="adjudicate_before",
    ),
    path(
        "settle/<slug:slug>/<int:number>/",
        moved(adjudication_views.adjudicate_item, "annotation:adjudicate_item"),
        name="adjudicate_item_before",
    ),
    path(
        "manage/<slug:slug>/setup/items/out/",
        moved(setup.remove_items, "annotation:remove_items"),
        name="remove_items_before",
    ),
]
