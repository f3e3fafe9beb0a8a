"""Addresses of the researcher's pages, within the namespace `annotation`."""

from django.urls import path

from annotation.manage import content, exports, people, studies, tokens

urlpatterns = [
    path("manage/", studies.studies, name="studies"),
    path("manage/new/", studies.build, name="build"),
    path("manage/<slug:slug>/", studies.study, name="study"),
    path("manage/<slug:slug>/open/", studies.open_it, name="open"),
    path("manage/<slug:slug>/close/", studies.close, name="close"),
    path("manage/<slug:slug>/invite/", people.invite, name="invite"),
    path("manage/<slug:slug>/revoke/<int:pk>/", people.revoke, name="revoke"),
    path("manage/<slug:slug>/guidelines/", content.guidelines, name="guidelines"),
    path("manage/<slug:slug>/items/", content.items, name="items"),
    path("manage/<slug:slug>/items/<int:number>/", content.item, name="item"),
    path("manage/<slug:slug>/notes/", content.notes, name="notes"),
    path("manage/<slug:slug>/export/", exports.export_it, name="export"),
    path("tokens/", tokens.tokens, name="tokens"),
    path("tokens/<int:pk>/revoke/", tokens.revoke_token, name="revoke_token"),
]
