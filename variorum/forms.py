"""How every form is rendered; a module of its own, because the settings name it."""

from __future__ import annotations

from typing import Any

from django.forms import BoundField, Textarea
from django.forms.renderers import DjangoTemplates


class Field(BoundField):
    """A text that was refused says what is stored instead: a page then knows it is unsaved (writing.js)."""

    def build_widget_attrs(self, attrs: Any, widget: Any = None) -> dict[str, Any]:
        found: dict[str, Any] = super().build_widget_attrs(attrs, widget)
        if self.form.is_bound and isinstance(widget or self.field.widget, Textarea):
            found["data-stored"] = self.initial or ""
        return found


class Renderer(DjangoTemplates):
    bound_field_class = Field
