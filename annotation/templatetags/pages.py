"""What templates say about options and answers."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any
from uuid import uuid4

from django import template
from django.conf import settings
from django.template.loader import select_template
from django.utils.html import escape
from django.utils.safestring import SafeString
from django.utils.translation import get_language
from django.utils.translation import gettext as _

from annotation.models import Assignment, Item, Study
from annotation.reading.preferences import RHYTHM, key_map
from annotation.reading.source import may_be_read
from annotation.tasktypes.base import TaskType
from common.texts import markdown
from retrieval.engine.quotations.masking import COVERED

register = template.Library()
BESIDE = 120
"""Characters that are shown on both sides of what was found in a text."""
LONG_SPAN = 14
"""Words that are shown of a span in a list."""


BY_SCREEN = {
    "beside/below": '<span class="when-beside">beside</span><span class="when-below">below</span>',
    "Beside/below": '<span class="when-beside">Beside</span><span class="when-below">Below</span>',
    "neben/unter": '<span class="when-beside">neben</span><span class="when-below">unter</span>',
    "Neben/unter": '<span class="when-beside">Neben</span><span class="when-below">Unter</span>',
}
"""What guidelines may say of where things stand; they are written in the language of their study."""


@register.simple_tag
def site_version() -> str:
    """Return the version of this site and its language: what a browser keeps of another is not shown."""
    language = get_language()
    return str(settings.VERSION) if language in (None, "en") else f"{settings.VERSION}-{language}"


@register.simple_tag
def new_id() -> str:
    """Return an id for the press of a button: sent twice it is one act."""
    return str(uuid4())


@register.filter
def by_screen(html: str) -> SafeString:
    """Show “beside/below” as the one of the two that is so on the reader's screen; for guidelines."""
    for both, shown in BY_SCREEN.items():
        html = html.replace(both, shown)
    return SafeString(html)


@register.filter
def from_to(text: str) -> str:
    """Shorten a long run of words to its beginning and end, which tell one span from another."""
    words = text.split()
    if len(words) <= LONG_SPAN:
        return text
    return " ".join([*words[: LONG_SPAN - 6], "…", *words[-6:]])


@register.filter
def places_in(answer: Mapping[str, Any], payload: Mapping[str, Any]) -> list[str]:
    """Return the words of each span of an answer, in the order of the text."""
    text, tokens = payload["text"], payload["tokens"]
    return [text[tokens[start][0] : tokens[end - 1][1]] for start, end in answer["spans"]]


@register.filter
def found_in(spans: Sequence[tuple[int, int]], text: str) -> SafeString:
    """A text with these stretches marked; of a long one what stands around them."""
    low, high = max(0, spans[0][0] - BESIDE), min(len(text), spans[-1][1] + BESIDE)
    pieces, at = ["… " if low else ""], low
    for start, end in spans:
        pieces += [escape(text[at:start]), f"<mark>{escape(text[start:end])}</mark>"]
        at = end
    return SafeString("".join([*pieces, escape(text[at:high]), " …" if high < len(text) else ""]))


@register.filter
def covers_marked(text: str) -> SafeString:
    """A text with what is covered in it marked."""
    return SafeString(str(escape(text)).replace(COVERED, f"<mark>{COVERED}</mark>"))


@register.filter
def marked_up(text: str) -> SafeString:
    """Return a researcher's text as HTML, with its few marks; all else in it is escaped."""
    return SafeString(markdown.html(text))


@register.filter
def in_a_line(value: object) -> str:
    """Return what a payload may hold as a person writes it: `number: 0, name: Tom; number: 1, name: Ruth`."""
    if isinstance(value, Mapping):
        return ", ".join(f"{name}: {in_a_line(each)}" for name, each in value.items())
    if isinstance(value, list | tuple):
        return "; ".join(map(in_a_line, value))
    return _("none") if value is None else str(value)


@register.simple_tag
def answer_shown(study: Study, item: Item, answer: dict[str, Any]) -> SafeString:
    """Return an answer in short, by the task's own template where it has one."""
    return _by_task(study, item, answer, "answer")


@register.simple_tag
def answer_whole(study: Study, item: Item, answer: dict[str, Any]) -> SafeString:
    """Return an answer in full, to be read."""
    return _by_task(study, item, answer, "whole")


def _by_task(study: Study, item: Item, answer: dict[str, Any], form: str) -> SafeString:
    own = [f"annotation/tasks/{study.task}_{each}.html" for each in dict.fromkeys((form, "answer"))]
    names = [*own, "annotation/tasks/answer.html"]
    task = study.task_type
    rows, words = task.rows(item.payload, answer), task.in_words(item.payload, answer)
    context = {"rows": rows, "words": words, "payload": item.payload, "answer": answer}
    return SafeString(select_template(names).render(context).strip())


@register.filter
def in_book(assignment: Assignment) -> bool:
    """Return whether the reader may read the item's passages in their book."""
    return may_be_read(assignment)


@register.simple_tag(takes_context=True)
def own_keys(context: template.Context, task: TaskType) -> dict[str, str]:
    """Return the key of each act, as the reader of this page has them."""
    return key_map(context["user"], task)


@register.simple_tag
def goals_of_a_sitting() -> list[tuple[str, str]]:
    """Return the goals that a reader can set, each with its name."""
    return [(value, str(name)) for value, name in RHYTHM["goal"][1]]


@register.simple_tag
def key_of(keys: dict[str, str], act: str, number: int) -> str:
    """Return the key of an act with a number: `{% key_of keys "option" 2 %}` is that of `option_2`."""
    return keys.get(f"{act}_{number}", "")


@register.filter
def about(item: Item) -> str:
    """Return what tells the item from the others of its study."""
    return item.study.task_type.about(item.payload)


@register.filter
def of_act(keys: dict[str, str], act: str) -> str:
    """Return the key of an act by name."""
    return keys.get(act, "")


@register.filter
def value_of(chosen: dict[str, Any] | None, name: str) -> Any:
    """Return one value of what was chosen so far, empty without."""
    return (chosen or {}).get(name, "")
