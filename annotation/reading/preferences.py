"""How one person likes to read, and their keys: stored with the account, so on every machine.

The page's own script sends what was just changed; the form sends everything. What is
not sent stays as it was.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from django import forms
from django.contrib.auth.models import AnonymousUser, User

from annotation.models import Preferences
from annotation.reading import keys
from annotation.tasktypes.base import Invalid, TaskType

LOOK: dict[str, tuple[str, list[tuple[str, str]]]] = {
    "size": ("Text", [("s", "Small"), ("m", "Medium"), ("l", "Large"), ("xl", "Largest")]),
    "width": ("Width of a line", [("narrow", "Narrow"), ("middle", "Middle"), ("wide", "Wide")]),
    "spacing": ("Lines", [("close", "Close"), ("normal", "Normal"), ("open", "Open")]),
    "face": (
        "Face",
        [("serif", "Book"), ("system", "System"), ("sans", "Plain"), ("easy", "For dyslexia")],
    ),
    "theme": (
        "Paper",
        [("auto", "As the system"), ("light", "Light"), ("sepia", "Sepia"), ("dark", "Dark")],
    ),
}
RHYTHM: dict[str, tuple[str, list[tuple[str, str]]]] = {
    "rhythm": ("Goal, pause, and a word after 45 minutes", [("on", "Shown"), ("off", "Switched off")]),
    "goal": (
        "Goal for a sitting, in items",
        [("0", "None"), ("5", "5"), ("10", "10"), ("20", "20"), ("40", "40")],
    ),
}
# What a page shows without preferences; `templates/partials/reader.html` has the same.
USUAL = {
    "size": "m",
    "width": "middle",
    "spacing": "normal",
    "face": "serif",
    "theme": "auto",
    "rhythm": "on",
    "goal": "0",
}
SWITCH = [("on", "Work, except while you write"), (keys.OFF, "Are switched off")]


def preferences_of(user: User | AnonymousUser) -> Preferences:
    """Return the preferences of a signed-in person; empty ones, not stored, where they changed nothing."""
    found = getattr(user, "preferences", None) if user.is_authenticated else None
    return found if isinstance(found, Preferences) else Preferences()


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
        for name, (label, choices) in (LOOK | RHYTHM).items():
            self.fields[name] = forms.ChoiceField(
                label=label, choices=choices, required=False, widget=forms.RadioSelect
            )
        self.fields["keys"] = forms.ChoiceField(
            label="Letters and digits as keys", choices=SWITCH, required=False, widget=forms.RadioSelect
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

    def rhythm(self) -> list[forms.BoundField]:
        """Return the fields of the rhythm of a sitting."""
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
        reading = {name: said[name] for name in (*LOOK, *RHYTHM) if said.get(name)}
        switch = said["keys"] or (keys.OFF if own.keys.get(keys.OFF) else "on")
        stored, _ = Preferences.objects.update_or_create(
            user=self.user,
            defaults={
                "reading": own.reading | reading,
                "keys": self.own | ({keys.OFF: True} if switch == keys.OFF else {}),
            },
        )
        return stored
