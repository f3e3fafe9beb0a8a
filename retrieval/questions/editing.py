"""Questions changed by people: every change is kept, before and after."""

from __future__ import annotations

from typing import TYPE_CHECKING

from django.db import transaction

from common.errors import BadField
from retrieval.corpora.models import Question, QuestionEdit, Standing
from retrieval.engine.questions.paragraphs import LONGEST_QUESTION
from retrieval.questions.checks import CHANGED, assess, kept_texts

if TYPE_CHECKING:
    from django.contrib.auth.models import User


def edit(question: Question, text: str, why: str, by: User | None) -> Question:
    """Give a question other words, and check it again.

    Raises:
        BadField: it is empty or too long, or says this already.
    """
    text = " ".join(text.split())
    if not text:
        raise BadField("text", "The question is empty; leave it out instead.")
    if len(text) > LONGEST_QUESTION:
        raise BadField(
            "text", f"The question has {len(text):,} characters; {LONGEST_QUESTION:,} are the most."
        )
    with transaction.atomic():
        found = Question.objects.select_for_update().select_related("set").get(pk=question.pk)
        if found.text == text:
            raise BadField("text", "The question says this already; nothing was changed.")
        before, found.text = found.text, text
        assess(found, kept_texts(found.set, found), found.set.most_overlap)
        found.save(update_fields=CHANGED)
        _log(found, before, why, by)
    return found


def keep(question: Question, why: str, by: User | None) -> Question:
    """Keep a question that a rule refused, or that was left out; the reasons stay with it.

    Raises:
        BadField: no reason is given, it was never written, or it is kept already.
    """
    return _stand(question, Standing.WRITTEN, why, by)


def leave_out(question: Question, why: str, by: User | None) -> Question:
    """Leave a question out of what is exported.

    Raises:
        BadField: no reason is given, or it is left out already.
    """
    return _stand(question, Standing.LEFT_OUT, why, by)


def _stand(question: Question, standing: Standing, why: str, by: User | None) -> Question:
    if not why.strip():
        raise BadField("why", "Say why: whoever uses the set will want to know.")
    with transaction.atomic():
        found = Question.objects.select_for_update().get(pk=question.pk)
        if standing == Standing.WRITTEN and not found.text:
            raise BadField("text", "The question has no words yet; write it first.")
        if found.standing == standing:
            raise BadField("why", f"The question stands so already: {found.get_standing_display().lower()}.")
        before = Standing(found.standing).label
        found.standing = standing
        found.save(update_fields=["standing"])
        _log(found, found.text, f"{before} → {standing.label}: {why.strip()}", by)
    return found


def _log(question: Question, before: str, why: str, by: User | None) -> None:
    QuestionEdit.objects.create(
        question=question, before=before, after=question.text, why=why.strip()[:300], by=by
    )
