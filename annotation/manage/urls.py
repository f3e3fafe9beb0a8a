"""Addresses of the researcher's pages, within the namespace `annotation`."""

from django.urls import path

from annotation.manage import (
    content,
    erasure,
    exports,
    leak_checks,
    leaks,
    lifecycle,
    people,
    roles,
    sample,
    setup,
    studies,
    tokens,
    workbench,
)
from annotation.manage.machine import answers as machine_answers
from annotation.manage.machine import reader as machine_reader
from annotation.manage.machine import views as machine_views
from annotation.manage.record import views as record
from annotation.manage.recruiting import mail, services
from annotation.manage.webhooks import views as webhooks

urlpatterns = [
    path("manage/", studies.studies, name="studies"),
    path("manage/new/", studies.build, name="build"),
    path("manage/<slug:slug>/", studies.study, name="study"),
    path("manage/<slug:slug>/open/", studies.open_page, name="open"),
    path("manage/<slug:slug>/close/", studies.close, name="close"),
    path("manage/<slug:slug>/reopen/", lifecycle.reopen, name="reopen"),
    path("manage/<slug:slug>/duplicate/", lifecycle.duplicate_study, name="duplicate"),
    path("manage/<slug:slug>/delete/", lifecycle.delete, name="delete"),
    path("manage/<slug:slug>/restore/", lifecycle.restore, name="restore"),
    path("manage/<slug:slug>/setup/", setup.setup, name="setup"),
    path("manage/<slug:slug>/setup/items/", setup.setup_items, name="setup_items"),
    path("manage/<slug:slug>/setup/items/progress/", setup.items_progress, name="items_progress"),
    path("manage/<slug:slug>/setup/items/remove/", setup.remove_items, name="remove_items"),
    path("manage/<slug:slug>/setup/sample/", sample.sample_page, name="sample"),
    path("manage/<slug:slug>/setup/consent/", setup.setup_consent, name="setup_consent"),
    path("manage/<slug:slug>/setup/<slug:step>/", setup.step, name="step"),
    path("manage/<slug:slug>/people/", roles.people, name="people"),
    path("manage/<slug:slug>/people/<slug:pseudonym>/", roles.act, name="person"),
    path("manage/<slug:slug>/invite/", people.invite, name="invite"),
    path("manage/<slug:slug>/recruiting/", services.recruiting, name="recruiting"),
    path("manage/<slug:slug>/recruiting/payment/", services.payment_list, name="payment_list"),
    path("manage/<slug:slug>/mail/", mail.mail, name="mail"),
    path("manage/<slug:slug>/mail/<slug:kind>/", mail.mail_template, name="mail_template"),
    path("manage/<slug:slug>/revoke/<int:pk>/", people.revoke, name="revoke"),
    path("manage/<slug:slug>/erase/<slug:pseudonym>/", erasure.erase_reader, name="erase"),
    path("manage/<slug:slug>/guidelines/", content.guidelines, name="guidelines"),
    path("manage/<slug:slug>/items/", content.items, name="items"),
    path("manage/<slug:slug>/items/<int:number>/", content.item, name="item"),
    path("manage/<slug:slug>/items/<int:number>/cover/", leaks.cover, name="cover"),
    path("manage/<slug:slug>/printed/", leaks.printed, name="leaks"),
    path("manage/<slug:slug>/printed/progress/", leak_checks.progress, name="leaks_progress"),
    path("manage/<slug:slug>/workbench/", workbench.workbench_page, name="workbench"),
    path("manage/<slug:slug>/workbench/<int:number>/", workbench.workbench_item, name="workbench_item"),
    path("manage/<slug:slug>/items/<int:number>/explain/", setup.explain, name="explain"),
    path("manage/<slug:slug>/notes/", content.notes, name="notes"),
    path("manage/<slug:slug>/notes/<int:number>/<slug:pseudonym>/", content.reply, name="reply"),
    path("manage/<slug:slug>/machines/", machine_views.machines, name="machines"),
    path("manage/<slug:slug>/machines/new/", machine_views.new, name="new_machine_reader"),
    path("manage/<slug:slug>/machines/answers/", machine_answers.answers, name="import_answers"),
    path("manage/<slug:slug>/machines/prompt/", machine_views.prompt, name="machine_prompt"),
    path("manage/<slug:slug>/machines/<slug:name>/", machine_reader.machine_reader, name="machine_reader"),
    path(
        "manage/<slug:slug>/machines/<slug:name>/progress/", machine_reader.progress, name="machine_progress"
    ),
    path(
        "manage/<slug:slug>/machines/<slug:name>/readings/", machine_reader.readings, name="machine_readings"
    ),
    path("manage/<slug:slug>/machines/<slug:name>/delete/", machine_reader.delete, name="delete_machine"),
    path("manage/<slug:slug>/export/", exports.export_page, name="export"),
    path("manage/<slug:slug>/record/", record.of_study, name="record"),
    path("manage/<slug:slug>/webhooks/", webhooks.webhooks, name="webhooks"),
    path("manage/<slug:slug>/webhooks/<int:pk>/end/", webhooks.end, name="end_webhook"),
    path("manage/<slug:slug>/webhooks/<int:pk>/test/", webhooks.send_test, name="test_webhook"),
    path("manage/<slug:slug>/webhooks/messages/<int:pk>/resend/", webhooks.resend, name="resend_message"),
    path("record/", record.of_site, name="site_record"),
    path("tokens/", tokens.tokens, name="tokens"),
    path("tokens/<int:pk>/revoke/", tokens.revoke_token, name="revoke_token"),
]
