"""A sample of what a machine judged: planned, drawn, looked at, taken back."""

from __future__ import annotations

from typing import Any

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils import timezone

from annotation.manage.forms.sample import SampleForm
from annotation.manage.frame import frame, me, reads_or_posts, researcher_of_study
from annotation.models import Sample, Study
from annotation.validation import samples, strata
from common.errors import BadInput
from common.wording import counted


@reads_or_posts
@researcher_of_study
def sample_page(request: HttpRequest, study: Study) -> HttpResponse:
    """Show the sample, or the form that draws one; `preview` shows the strata and stores nothing."""
    if request.method == "POST" and "take_back" in request.POST:
        return taken_back(request, study)
    form = SampleForm(study=study)
    plan: samples.Plan | None = None
    if request.method == "POST":
        form = SampleForm(request.POST, request.FILES, study=study)
        plan, is_drawn = drawn(request, study, form)
        if is_drawn:
            return redirect("annotation:sample", study.slug)
    found = Sample.objects.filter(study=study).first()
    context = frame(study, "setup", form=form, plan=plan, sample=found, **in_strata(found, plan))
    return render(request, "annotation/manage/sample.html", context, status=422 if form.errors else 200)


def drawn(request: HttpRequest, study: Study, form: SampleForm) -> tuple[samples.Plan | None, bool]:
    """Plan what the form asks for, and draw it unless only a preview was; return whether it was drawn."""
    if not form.is_valid():
        return None, False
    try:
        answers = form.answers()
        plan = samples.plan(study, answers, form.wish())
        if "preview" in request.POST:
            return plan, False
        samples.take(study, answers, form.wish(), by=me(request), now=timezone.now())
    except BadInput as error:
        form.add_error(None, str(error))
        return None, False
    n, all_of_them = len(plan.drawing.drawn), len(plan.drawing.stratum_of)
    messages.success(request, f"{n:,} of {counted(all_of_them, 'item')} are the sample.")
    for note in plan.notes:
        messages.info(request, note)
    return plan, True


def taken_back(request: HttpRequest, study: Study) -> HttpResponse:
    """Take the sample back, and lead to the form again."""
    try:
        n = samples.take_back(study, by=me(request))
    except BadInput as error:
        messages.error(request, str(error))
    else:
        messages.success(request, f"The sample is taken back: the draft has all {counted(n, 'item')} again.")
    return redirect("annotation:sample", study.slug)


def in_strata(sample: Sample | None, plan: samples.Plan | None) -> dict[str, Any]:
    """Return the table of strata of a plan, else of a sample, for the template; nothing of neither."""
    if plan is not None:
        return strata.of_plan(plan)._asdict()
    return strata.of_sample(sample)._asdict() if sample is not None else {}
