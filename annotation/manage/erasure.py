"""Erasing a reader at their wish, by the researcher they wrote to."""

from __future__ import annotations

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.utils import timezone

from annotation.manage.frame import frame, reads_or_posts, researcher_of_study
from annotation.models import EnrolmentState, Study
from annotation.people import withdrawal
from annotation.people.withdrawal_views import confirm
from common.errors import BadInput
from common.wording import counted


@reads_or_posts
@researcher_of_study
def erase_reader(request: HttpRequest, study: Study, pseudonym: str) -> HttpResponse:
    """Show what will be kept or dropped; erase the person once the pseudonym is typed."""
    present = study.enrolments.exclude(state=EnrolmentState.WITHDRAWN)
    one = get_object_or_404(present, pseudonym=pseudonym)
    error = ""
    if request.method == "POST":
        try:
            confirm(request, one.pseudonym)
            done = withdrawal.erase(one, now=timezone.now())
        except BadInput as refused:
            error = str(refused)
        else:
            judgments = counted(done.judgments, "judgment")
            kept = "kept under the pseudonym" if done.kept else "dropped"
            messages.success(request, f"{done.pseudonym} is nobody now; {judgments} {kept}.")
            return redirect(study)
    context = frame(
        study, "study", one=one, keeps=withdrawal.keeps_judgments(one), n=one.judgments.count(), error=error
    )
    return render(request, "annotation/manage/erase.html", context, status=422 if error else 200)
