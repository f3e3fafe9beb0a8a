"""What researchers say of a recruiting service."""

from __future__ import annotations

import string
from typing import Any
from urllib.parse import urlsplit

from django import forms
from django.core.exceptions import ValidationError
from django.core.validators import URLValidator

from annotation.models.recruiting import LONGEST_ADDRESS, LONGEST_CODE, LONGEST_PARAMETER
from annotation.people.enrolments import MOST_DAYS, MOST_SEATS

NAME = string.ascii_letters + string.digits + "_.-"
PRINTABLE = string.ascii_letters + string.digits + string.punctuation


def only_https(value: str) -> None:
    """Raise `ValidationError` unless readers can be sent to this address: https, and no name or password in
    it.
    """
    problem = "Write an address that begins with https:// and holds no user name."
    try:
        URLValidator(schemes=["https"])(value)
    except ValidationError:
        raise ValidationError(problem) from None
    if "@" in urlsplit(value).netloc:
        raise ValidationError(problem)


class AddressField(forms.CharField):
    """An address that readers may follow; it may be left empty."""

    def __init__(self, **kwargs: Any) -> None:
        super().__init__(
            required=False,
            max_length=LONGEST_ADDRESS,
            validators=[only_https],
            widget=forms.URLInput({"placeholder": "https://"}),
            **kwargs,
        )


class ServiceForm(forms.Form):
    """Make a link for a recruiting service."""

    seats = forms.IntegerField(label="For how many people", min_value=1, max_value=MOST_SEATS, initial=20)
    days = forms.IntegerField(label="Valid for (days)", min_value=1, max_value=MOST_DAYS, initial=30)
    parameter = forms.CharField(
        label="Name of the id in the address",
        max_length=LONGEST_PARAMETER,
        initial="PROLIFIC_PID",
        help_text="What the service calls the person in the address that it opens. Other names in it, such "
        "as STUDY_ID and SESSION_ID, are not kept.",
    )
    code = forms.CharField(
        label="Completion code",
        max_length=LONGEST_CODE,
        required=False,
        help_text="Shown to who has read all there is for them.",
    )
    completed = AddressField(label="Address for who has done all")
    screened = AddressField(
        label="Address for who is screened out", help_text="Who failed practice, or found nothing to read."
    )
    left = AddressField(
        label="Address for who stopped",
        help_text="Who leaves without finishing, withdraws, or does not agree to the consent.",
    )

    def clean_parameter(self) -> str:
        name = str(self.cleaned_data["parameter"])
        if not name[0].isalpha() or not set(name) <= set(NAME):
            raise ValidationError("Use letters, digits and _ . - only, with a letter first.")
        return name

    def clean_code(self) -> str:
        code = str(self.cleaned_data["code"])
        if not set(code) <= set(PRINTABLE):
            raise ValidationError("Use letters, digits and signs without accents, and no spaces.")
        return code
