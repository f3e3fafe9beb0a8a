"""What researchers write of e-mail, and what a reader says of their own."""

from __future__ import annotations

from typing import Any

from django import forms
from django.conf import settings
from django.core.exceptions import ValidationError
from django.core.validators import validate_email
from django.utils.translation import gettext_lazy

from annotation.mail import wording
from annotation.models import MailKind, MailTemplate
from annotation.models.mail import LONGEST_LETTER, LONGEST_SUBJECT
from annotation.people.enrolments import MOST_DAYS
from common.errors import BadInput

MOST_ADDRESSES = 200


class TemplateForm(forms.Form):
    """Write what a study sends of one kind, and switch it on or off. Invitations are sent when asked for."""

    on = forms.BooleanField(label="Send it", required=False)
    days = forms.IntegerField(
        label="After so many days without an answer",
        min_value=1,
        max_value=365,
        help_text="Once, and never to who has put an item off since their last answer: they know.",
    )
    subject = forms.CharField(max_length=LONGEST_SUBJECT)
    text = forms.CharField(
        max_length=LONGEST_LETTER,
        widget=forms.Textarea({"rows": 12}),
        help_text="Plain text. {study}, {link} and {contact} are filled in; how to stop e-mail is added.",
    )

    def __init__(self, data: Any, *, template: MailTemplate) -> None:
        said = {"on": template.since is not None, "days": template.days}
        super().__init__(data, initial={**said, "subject": template.subject, "text": template.text})
        if template.kind == MailKind.INVITED:
            del self.fields["on"]
        if template.kind != MailKind.REMINDED:
            del self.fields["days"]

    def clean_text(self) -> str:
        return str(self.cleaned_data["text"]).replace("\r\n", "\n")

    def clean(self) -> dict[str, Any]:
        said = self.cleaned_data
        try:
            wording.check(wording.Words(said.get("subject", ""), said.get("text", "{link}")))
        except BadInput as error:
            raise ValidationError(str(error)) from error
        return said


class AddressesForm(forms.Form):
    """Invite readers by e-mail, each by a link of their own."""

    addresses = forms.CharField(
        label="E-mail addresses",
        widget=forms.Textarea({"rows": 4, "autocomplete": "off", "spellcheck": "false"}),
        help_text=f"One a line, at most {MOST_ADDRESSES}. Each gets a link for one person. An address is "
        "kept until its message was sent, and no longer.",
    )
    days = forms.IntegerField(label="Valid for (days)", min_value=1, max_value=MOST_DAYS, initial=14)
    language = forms.ChoiceField(
        label="Language of the letter",
        choices=settings.LANGUAGES,
        initial="en",
        required=False,
        help_text="Of the usual words. Words of your own are sent as you wrote them.",
    )

    def clean_addresses(self) -> list[str]:
        text = str(self.cleaned_data["addresses"])
        found = list(
            dict.fromkeys(each.strip() for each in text.replace(",", "\n").splitlines() if each.strip())
        )
        if len(found) > MOST_ADDRESSES:
            raise ValidationError(f"These are {len(found)} addresses: use at most {MOST_ADDRESSES} at once.")
        for each in found:
            try:
                validate_email(each)
            except ValidationError:
                raise ValidationError(f"“{each[:80]}” is no e-mail address: write one a line.") from None
        return found


class OwnMailForm(forms.Form):
    """Say where a reader is written to, and whether they are at all."""

    address = forms.EmailField(
        label=gettext_lazy("Your e-mail address"),
        required=False,
        help_text=gettext_lazy(
            "Kept with your account and seen by no researcher. Left empty, nobody can write to you."
        ),
        error_messages={"invalid": gettext_lazy("Write an address such as name@example.org.")},
    )
    wanted = forms.BooleanField(label=gettext_lazy("Write to me about this study"), required=False)
