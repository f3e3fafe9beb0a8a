"""What researchers send about machine readers: a prompt, a reader, the limits of a job."""

from __future__ import annotations

from decimal import Decimal
from typing import Any

from django import forms

from annotation.machine.jobs import Limits
from annotation.machine.prompts import LONGEST, LONGEST_REASON
from annotation.machine.readers import (
    FEWEST_TOKENS,
    HOTTEST,
    MOST_TOKENS,
    REPEATED,
    REPLICATES,
    Settings,
    latest_prompt,
)
from annotation.models import PromptVersion, Study
from annotation.models.machine import MOST_TIMES
from machines import endpoints

MICRO = 1_000_000
MOST_SEED, MOST_ITEMS, MOST_TOKENS_OF_ALL, MOST_CALLS = 2**62, 10**6, 10**12, 10**9


class PromptForm(forms.Form):
    """The two texts of a prompt, and why they are changed."""

    system = forms.CharField(
        label="First message",
        max_length=LONGEST,
        widget=forms.Textarea(attrs={"rows": 22}),
        help_text="What the model is told before any item. {{task}} stands for what is to be done, with the "
        "scale or the questions; {{reply}} for the form of the reply.",
    )
    template = forms.CharField(
        label="Second message",
        max_length=LONGEST,
        widget=forms.Textarea(attrs={"rows": 4}),
        help_text="What it is told of each item. {{item}} stands for the item, as JSON.",
    )
    reason = forms.CharField(
        label="Why it is changed",
        max_length=LONGEST_REASON,
        required=False,
        help_text="One line that stands beside the version.",
        error_messages={"required": "Say why the prompt is changed: it stands beside the version."},
    )
    seen = forms.IntegerField(widget=forms.HiddenInput, min_value=0)

    def __init__(self, *args: Any, first: bool, **kwargs: Any) -> None:
        """`first`: whether no version is there yet, which a reason would tell apart from this one."""
        super().__init__(*args, **kwargs)
        self.fields["reason"].required = not first


class ReaderForm(forms.Form):
    """A new machine reader."""

    endpoint = forms.ChoiceField(label="Model", help_text="One of those that this installation allows.")
    prompt = forms.TypedChoiceField(label="Prompt", coerce=int)
    temperature = forms.FloatField(
        min_value=0,
        max_value=HOTTEST,
        initial=0,
        help_text="0 asks for the likeliest words. It is no promise that two replies are equal: that is why "
        "some items are asked again.",
    )
    max_tokens = forms.IntegerField(
        label="Longest reply, in tokens",
        min_value=FEWEST_TOKENS,
        max_value=MOST_TOKENS,
        help_text="A model that thinks before it answers needs some thousands.",
    )
    seed = forms.IntegerField(
        min_value=0, max_value=MOST_SEED, help_text="Orders and repeated items are drawn from it."
    )
    replicates = forms.IntegerField(
        label="How often a repeated item is asked", min_value=1, max_value=MOST_TIMES, initial=REPLICATES
    )
    repeated = forms.IntegerField(
        label="Items that are repeated",
        min_value=0,
        max_value=MOST_ITEMS,
        initial=REPEATED,
        help_text="Drawn at random: they tell how often the model says the same again.",
    )
    orders = forms.IntegerField(
        label="Orders of the options",
        min_value=1,
        max_value=MOST_TIMES,
        initial=1,
        help_text="With as many orders as options, each option stands once at each place, which shows "
        "whether the model prefers a place. It costs that many times as much.",
    )

    def __init__(self, study: Study, data: Any = None) -> None:
        last = latest_prompt(study)
        said = {
            "max_tokens": study.task_type.reply_tokens,
            "seed": study.seed,
            "prompt": last.version if last else None,
        }
        super().__init__(data, initial=said)
        self.fields["endpoint"].choices = [(name, str(each)) for name, each in endpoints.endpoints().items()]  # type: ignore[attr-defined]
        self.fields["prompt"].choices = [(each.version, in_words(each)) for each in study.prompts.all()]  # type: ignore[attr-defined]
        if not study.task_type.orders_options:
            self.fields["orders"].widget = forms.HiddenInput()

    def settings(self) -> Settings:
        """Return what was asked for."""
        return Settings(**self.cleaned_data)


class LimitsForm(forms.Form):
    """What a job may spend."""

    money = forms.DecimalField(
        label="Money at most",
        min_value=Decimal(0),
        max_value=MICRO,
        max_digits=12,
        decimal_places=6,
        required=False,
    )
    tokens = forms.IntegerField(
        label="Tokens at most", min_value=1, max_value=MOST_TOKENS_OF_ALL, required=False
    )
    calls = forms.IntegerField(label="Calls at most", min_value=1, max_value=MOST_CALLS, required=False)

    def limits(self) -> Limits:
        """Return the limits that were set."""
        said = self.cleaned_data
        money = None if said["money"] is None else int(said["money"] * MICRO)
        return Limits(money, said["tokens"], said["calls"])


def in_words(prompt: PromptVersion) -> str:
    """Return a version of the prompt as a choice."""
    return f"Version {prompt.version}" + (f": {prompt.reason}" if prompt.reason else "")
