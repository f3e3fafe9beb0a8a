"""How one person likes to read, and their keys: stored with the account, so on every machine.

The page's own script sends what was just changed; the form sends everything. What is
not sent stays as it was.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from django import forms
from django.conf import settings
from django.contrib.auth.models import AnonymousUser, User
from django.http import HttpRequest
from django.utils.translation import get_language_from_request, gettext_lazy, pgettext_lazy

from annotation.models import Preferences
from annotation.reading import keys
from annotation.tasktypes.base import Invalid, TaskType

if TYPE_CHECKING:
    from django.utils.functional import _StrOrPromise

    Setting = tuple[_StrOrPromise, list[tuple[str, _StrOrPromise]]]

LOOK: dict[str, Setting] = {
    "size": (
        pgettext_lazy("size of type", "Text"),
        [
            ("s", pgettext_lazy("size of type", "Small")),
            ("m", pgettext_lazy("size of type", "Medium")),
            ("l", pgettext_lazy("size of type", "Large")),
            ("xl", pgettext_lazy("size of type", "Largest")),
        ],
    ),
    "width": (
        gettext_lazy("Width of a line"),
        [
            ("narrow", pgettext_lazy("width of a line", "Narrow")),
            ("middle", pgettext_lazy("width of a line", "Middle")),
            ("wide", pgettext_lazy("width of a line", "Wide")),
        ],
    ),
    "spacing": (
        pgettext_lazy("space between lines", "Lines"),
        [
            ("close", pgettext_lazy("space between lines", "Close")),
            ("normal", pgettext_lazy("space between lines", "Normal")),
            ("open", pgettext_lazy("space between lines", "Open")),
        ],
    ),
    "face": (
        pgettext_lazy("face of type", "Face"),
        [
            ("serif", pgettext_lazy("face of type", "Book")),
            ("system", pgettext_lazy("face of type", "System")),
            ("sans", pgettext_lazy("face of type", "Plain")),
            ("easy", pgettext_lazy("face of type", "For dyslexia")),
        ],
    ),
    "theme": (
        pgettext_lazy("colour of the page", "Paper"),
        [
            ("auto", pgettext_lazy("colour of the page", "As the system")),
            ("light", pgettext_lazy("colour of the page", "Light")),
            ("sepia", pgettext_lazy("colour of the page", "Sepia")),
            ("dark", pgettext_lazy("colour of the page", "Dark")),
        ],
    ),
}
RHYTHM: dict[str, Setting] = {
    "rhythm": (
        gettext_lazy("Goal, pause, and a word after 45 minutes"),
        [("on", gettext_lazy("Shown")), ("off", gettext_lazy("Switched off"))],
    ),
    "goal": (
        gettext_lazy("Goal for a sitting, in items"),
        [("0", pgettext_lazy("goal", "None")), ("5", "5"), ("10", "10"), ("20", "20"), ("40", "40")],
    ),
}
LANGUAGE: Setting = (
    gettext_lazy("Language"),
    [("auto", gettext_lazy("As my browser says")), *settings.LANGUAGES],
)
# What a page shows without preferences; `templates/partials/reader.html` has the same.
USUAL = {
    "size": "m",
    "width": "middle",
    "spacing": "normal",
    "face": "serif",
    "theme": "auto",
    "rhythm": "on",
    "goal": "0",
    "language": "auto",
}
SWITCH = [("on", gettext_lazy("Work, except while you write")), (keys.OFF, gettext_lazy("Are switched off"))]


def preferences_of(user: User | AnonymousUser) -> Preferences:
    """Return the preferences of a signed-in person; empty ones, not stored, where they changed nothing."""
    found = getattr(user, "preferences", None) if user.is_authenticated else None
    return found if isinstance(found, Preferences) else Preferences()


def language_of(preferences: Preferences, request: HttpRequest) -> str:
    """Return the code of the language that was chosen, else of the one that the browser asks for."""
    chosen = str(preferences.reading.get("language", ""))
    return chosen if chosen in dict(settings.LANGUAGES) else get_language_from_request(request)


def key_map(user: User | AnonymousUser, task: TaskType) -> dict[str, str]:
    """Return the key of each act of the task, as this person has them."""
    return keys.mapping(task, preferences_of(user).keys)


class PreferencesForm(forms.Form):
    """The look as radios, the switch of the keys, and one short field for each key."""

    def __init__(self, data: Mapping[str, Any] | None, *, user: User) -> None:
        own = preferences_of(user)
        self.user = user
        initial = USUAL | own.reading | {"keys": keys.OFF if own.keys.get(keys.OFF) else "on"}
        super().__init__(data, initial=initial)
        for name, (label, choices) in (LOOK | RHYTHM | {"language": LANGUAGE}).items():
            self.fields[name] = forms.ChoiceField(
                label=label, choices=choices, required=False, widget=forms.RadioSelect
            )
        self.fields["keys"] = forms.ChoiceField(
            label=gettext_lazy("Letters and digits as keys"),
            choices=SWITCH,
            required=False,
            widget=forms.RadioSelect,
        )
        for _, group in keys.groups():
            for each in group:
                widget = forms.TextInput({"maxlength": 1, "size": 2, "autocomplete": "off"})
                shown = own.keys.get(each.act, each.usual).upper()
                self.fields[f"key-{each.act}"] = forms.CharField(
                    label=each.label, max_length=1, required=False, initial=shown, widget=widget
                )

    def look(self) -> list[forms.BoundField]:
        """Return the fields of how pages look, and the switch of the keys."""
        return [self[name] for name in (*LOOK, "keys")]

    def language(self) -> forms.BoundField:
        """Return the field of the language of the pages."""
        return self["language"]

    def sitting(self) -> list[forms.BoundField]:
        """Return the fields of a sitting. (A template finds a field before a method of the same name.)"""
        return [self[name] for name in RHYTHM]

    def groups(self) -> list[tuple[str, list[forms.BoundField]]]:
        """Return the key fields under the names of their tasks."""
        return [(name, [self[f"key-{each.act}"] for each in group]) for name, group in keys.groups()]

    def clean(self) -> dict[str, Any]:
        said = super().clean() or {}
        usual = {each.act: each.usual for _, group in keys.groups() for each in group}
        before = {act: key for act, key in preferences_of(self.user).keys.items() if act in usual}
        sent = {act: said.get(f"key-{act}") or usual[act] for act in usual if f"key-{act}" in self.data}
        try:
            # Keys that were apart when chosen may meet a new one: that is no reason to refuse a look.
            self.own = keys.checked(before | sent, before) if sent else before
        except Invalid as error:
            self.add_error(f"key-{error.field}" if error.field in usual else None, str(error))
        return said

    def save(self) -> Preferences:
        """Store what was sent."""
        own, said = preferences_of(self.user), self.cleaned_data
        reading = {name: said[name] for name in (*LOOK, *RHYTHM, "language") if said.get(name)}
        switch = said["keys"] or (keys.OFF if own.keys.get(keys.OFF) else "on")
        stored, _ = Preferences.objects.update_or_create(
            user=self.user,
            defaults={
                "reading": own.reading | reading,
                "keys": self.own | ({keys.OFF: True} if switch == keys.OFF else {}),
            },
        )
        return stored
