"""The words of e-mail: the usual ones, and those that a researcher wrote, with their placeholders."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from string import Formatter
from typing import NamedTuple

from django.utils import translation
from django.utils.translation import gettext as _
from django.utils.translation import gettext_noop

from annotation.models import MailKind, MailTemplate, Study
from annotation.models.mail import DAYS
from common.errors import BadInput

PLACEHOLDERS = ("study", "link", "contact")
SOMEBODY = gettext_noop("the researcher who sent you this")
END = gettext_noop("You get this because of the study “{study}”. No more e-mail about it: {stop}")


class Words(NamedTuple):
    """Subject and text of a message, with or without placeholders."""

    subject: str
    text: str


USUAL: Mapping[str, Words] = {
    MailKind.INVITED: Words(
        gettext_noop("Would you read for “{study}”?"),
        gettext_noop(
            "Hello,\n\nyou are invited to read for the study “{study}”. This link is for you alone; who "
            "joins by it is known by a letter there, not by a name:\n\n{link}\n\nQuestions? Ask {contact}."
        ),
    ),
    MailKind.OPENED: Words(
        gettext_noop("“{study}” is open"),
        gettext_noop(
            "Hello,\n\nthe study “{study}”, which you joined, is open now. You can begin whenever you like:"
            "\n\n{link}\n\nQuestions? Ask {contact}."
        ),
    ),
    MailKind.REMINDED: Words(
        gettext_noop("Items wait for you in “{study}”"),
        gettext_noop(
            "Hello,\n\nthere are still items for you in the study “{study}”. You go on where you were:\n\n"
            "{link}\n\nIf you do not want to go on, nothing is expected of you. This is the only "
            "reminder.\n\nQuestions? Ask {contact}."
        ),
    ),
    MailKind.REPLIED: Words(
        gettext_noop("A reply to your note in “{study}”"),
        gettext_noop(
            "Hello,\n\nthe researcher has answered a note of yours in the study “{study}”. Read it here:\n\n"
            "{link}"
        ),
    ),
    MailKind.DECIDED: Words(
        gettext_noop("What was decided in “{study}”"),
        gettext_noop(
            "Hello,\n\nthe study “{study}” is closed. What was decided on items that you read, and why, "
            "stands here:\n\n{link}\n\nThank you for your reading."
        ),
    ),
    MailKind.CONFIRM: Words(
        gettext_noop("Is this your address? “{study}”"),
        gettext_noop(
            "Hello,\n\nsomebody who reads for the study “{study}” gave this e-mail address as theirs. If it "
            "was you, open this link, and you are told what waits for you:\n\n{link}\n\nIf it was not "
            "you, do nothing: nothing more is sent to you."
        ),
    ),
}
OWN = (MailKind.INVITED, MailKind.OPENED, MailKind.REMINDED, MailKind.REPLIED, MailKind.DECIDED)
"""The kinds whose words a researcher may write."""


def of(study: Study, kind: str) -> MailTemplate:
    """Return what the study writes of this kind: its own words, else the usual ones, which are not stored."""
    stored = study.mail_templates.filter(kind=kind).first()
    return stored or MailTemplate(study=study, kind=kind, days=DAYS, **USUAL[kind]._asdict())


def in_language(template: MailTemplate, language: str) -> Words:
    """Return the words of a template in that language; those that a researcher wrote stay as they are."""
    own, usual = Words(template.subject, template.text), USUAL[template.kind]
    if own != usual:
        return own
    with translation.override(language):
        return Words(_(usual.subject), _(usual.text))


def check(said: Words) -> None:
    """Raise `BadInput` unless the placeholders are known, and the text has its link."""
    for part in (said.subject, said.text):
        named = {field for _, field in pieces(part) if field is not None}
        for name in sorted(named - set(PLACEHOLDERS)):
            known = ", ".join(f"{{{each}}}" for each in PLACEHOLDERS)
            raise BadInput(f"There is no {{{name}}}: use {known}.")
    if "link" not in {field for _, field in pieces(said.text)}:
        raise BadInput("The text has no {link}: readers could not come by it.")


def pieces(text: str) -> Iterator[tuple[str, str | None]]:
    """Yield pieces of plain text, each with the placeholder behind it or None. Raises `BadInput`."""
    try:
        for plain, field, form, turned in Formatter().parse(text):
            whole = f"{field}{'!' + turned if turned else ''}{':' + form if form else ''}"
            yield plain, None if field is None else whole
    except ValueError:
        raise BadInput("A { or } stands alone: write {{ or }} for the sign itself.") from None


def filled(said: Words, study: Study, link: str, stop: str, language: str = "en") -> Words:
    """Return the message with its placeholders filled and the way to stop it at its end, in that language.

    The subject is one line whatever the study is called: a header can have no second.
    """
    with translation.override(language):
        values = {"study": study.title, "link": link, "contact": study.contact or _(SOMEBODY)}
        end = _(END).format(study=study.title, stop=stop)
    subject = " ".join(fill(said.subject, values).split())
    return Words(subject, f"{fill(said.text, values).rstrip()}\n\n-- \n{end}\n")


def fill(text: str, values: Mapping[str, str]) -> str:
    """Return the text with its placeholders filled; what is filled in is not looked through again."""
    return "".join(plain + (values[field] if field else "") for plain, field in pieces(text))
