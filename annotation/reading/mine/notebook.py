"""A reader's own notebook in a study: all they answered, wrote and were told.

It can be searched, printed and kept. Nothing in it is anybody else's, and nothing that a reader does not see
while reading: an item has the number it has for them, and an answer its words.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple
from unicodedata import combining, normalize

from django.contrib.auth.decorators import login_required
from django.core.paginator import Paginator
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils import timezone
from django.utils.translation import gettext as _
from django.utils.translation import gettext_noop
from django.views.decorators.http import require_safe

from annotation.judging import messages
from annotation.models import Enrolment, Judgment, Outcome
from annotation.reading import item_page
from annotation.reading.mine.own_page import reader
from common.tables import csv
from common.texts.surface import STACK
from common.wording import day_and_time

ROWS = 50
COLUMNS = ("item", "saved", "current", "said", "answer", "reason", "note", "talk")
TYPES = {"txt": "text/plain; charset=utf-8", "csv": "text/csv; charset=utf-8"}
SAID = {
    Outcome.ANSWER: gettext_noop("Answer"),
    Outcome.UNDECIDED: gettext_noop("Can’t decide"),
    Outcome.BROKEN: gettext_noop("Something is wrong"),
    Outcome.TAKEN_BACK: gettext_noop("Taken back"),
}


class Entry(NamedTuple):
    """One item in a reader's notebook.

    number: the item's, for this reader.
    judgment: what stands.
    earlier: what they said before, the latest first.
    about: the words that stood around what was asked; may be empty.
    lines: notes and messages about the item, the first one first.
    """

    number: int
    judgment: Judgment
    earlier: Sequence[Judgment]
    about: str
    lines: Sequence[messages.MessageLine]

    def words(self) -> str:
        """Return all that can be searched: what was said, why, what was written, and the text around it."""
        said = (f"{in_words(each)} {reason_in_words(each)}" for each in (self.judgment, *self.earlier))
        return " ".join([*said, *(line.text for line in self.lines), self.about])


def folded(text: str) -> str:
    """Return the text without case, accents and vowel points, and with single spaces, to be searched."""
    parted = normalize("NFKD", STACK.sub(r"\g<kept>", text.casefold()))
    return " ".join("".join(sign for sign in parted if not combining(sign)).split())


def in_words(judgment: Judgment) -> str:
    """Return what a judgment says in words; empty where it is no answer."""
    if judgment.answer is None:
        return ""
    item = judgment.assignment.item
    return judgment.assignment.study.task_type.in_words(item.payload, judgment.answer)


def entries(me: Enrolment, *, sought: str = "", written_only: bool = False) -> list[Entry]:
    """Return the reader's notebook, the item they were given last first.

    sought: only entries that hold these words, whatever their case and accents.
    written_only: only entries with a note or a message.
    """
    numbers, threads = item_page.own_numbers(me), messages.threads_of_reader(me)
    wanted, task, found = folded(sought), me.study.task_type, []
    for number, judgment, earlier in item_page.with_numbers(me, item_page.own_judgments(me), numbers):
        item = judgment.assignment.item
        thread = threads.get((item.pk, me.pk))
        entry = Entry(number, judgment, earlier, task.context(item.payload), thread.lines if thread else ())
        if (entry.lines or not written_only) and (not wanted or wanted in folded(entry.words())):
            found.append(entry)
    return found


@login_required
@require_safe
def notebook(request: HttpRequest, slug: str) -> HttpResponse:
    """Show the notebook: a page at a time, or whole to be printed."""
    me = reader(request, slug)
    sought, written_only = request.GET.get("q", "").strip(), "written" in request.GET
    found = entries(me, sought=sought, written_only=written_only)
    whole = "all" in request.GET
    page = Paginator(found, max(len(found), 1) if whole else ROWS).get_page(request.GET.get("page"))
    context = {
        "study": me.study,
        "me": me,
        "page": page,
        "whole": whole,
        "sought": sought,
        "written_only": written_only,
        "answered": me.judgments.exists(),
    }
    return render(request, "annotation/notebook.html", context)


@login_required
@require_safe
def notebook_file(request: HttpRequest, slug: str, form: str) -> HttpResponse:
    """Return the whole notebook as a text to be read, or as a table."""
    me = reader(request, slug)
    if form not in TYPES:
        raise Http404
    own = entries(me)
    body = as_text(me, own) if form == "txt" else "".join(csv.lines(rows(own), COLUMNS))
    return HttpResponse(
        body,
        content_type=TYPES[form],
        headers={"Content-Disposition": f'attachment; filename="notebook-{me.study.slug}.{form}"'},
    )


def rows(own: Sequence[Entry]) -> Iterator[dict[str, Any]]:
    """Yield a row for each thing the reader said, the one that stands before those it replaced."""
    for entry in own:
        talk = "\n".join(f"{spoken_by(line)}: {line.text}" for line in entry.lines)
        for each in (entry.judgment, *entry.earlier):
            yield {
                "item": entry.number,
                "saved": each.created.isoformat(),
                "current": each == entry.judgment,
                "said": SAID[Outcome(each.outcome)],
                "answer": in_words(each),
                "reason": each.reason,
                "note": each.note,
                "talk": talk if each == entry.judgment else "",
            }


def as_text(me: Enrolment, own: Sequence[Entry]) -> str:
    """Return the notebook as plain text, in the order in which the items were given."""
    title = _("Your notebook: {study}").format(study=me.study.title)
    head = f"{title}\n{me.pseudonym}, {day_and_time(timezone.now())}\n"
    return "\n".join([head, *(entry_as_text(each) for each in reversed(own))])


def entry_as_text(entry: Entry) -> str:
    """Return one entry as lines of text with an empty line behind it."""
    lines = [_("Item {number}").format(number=entry.number)]
    lines += [_("Text: {text}").format(text=entry.about)] * bool(entry.about)
    for each in (entry.judgment, *entry.earlier):
        said = in_words(each) or _(SAID[Outcome(each.outcome)])
        why = f" ({reason_in_words(each)})" if each.reason else ""
        line = f"{day_and_time(each.created)}: {said}{why}"
        lines.append(line if each == entry.judgment else _("Before that, {line}").format(line=line))
    lines += [f"{_(spoken_by(line))}, {day_and_time(line.at)}: {line.text}" for line in entry.lines]
    return "\n".join([*lines, ""])


def reason_in_words(judgment: Judgment) -> str:
    """Return why there is no answer, in the reader's language where it is one of the task's own reasons."""
    offered = judgment.assignment.study.task_type.undecided_reasons
    return _(judgment.reason) if judgment.reason in offered else judgment.reason


def spoken_by(line: messages.MessageLine) -> str:
    """Return who wrote a line, to the reader; in English, as the table has it."""
    return gettext_noop("The researcher") if line.from_researcher else gettext_noop("You")
