"""A form that does what a command does: its refusals stand beside the fields."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar

from django import forms

from common.errors import BadInput

Result = TypeVar("Result")


class ActingForm(forms.Form):
    """A form that does one thing. A refusal stands beside the field it is about."""

    blamed: str | None = None
    """The field a refusal stands beside where it does not say; None: above the form."""

    def attempt(self, action: Callable[[], Result]) -> Result | None:
        """Return what `action` returns; None where it refused, which the form then says."""
        try:
            return action()
        except BadInput as error:
            field = getattr(error, "field", None)
            self.add_error(field if field in self.fields else self.blamed, str(error))
            return None
