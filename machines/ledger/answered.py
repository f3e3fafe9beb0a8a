"""Replies that are stored: found again for nothing, and marked where no answer could be made of them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection

from common.chat import Reply
from machines.client.weather import LONGEST_PROBLEM
from machines.models import ANSWERED, Call, State

TOLD = (
    "pk", "key", "state", "text", "finish", "probabilities", "model_echo", "fingerprint",
    "prompt_tokens", "completion_tokens", "reasoning_tokens", "cached_tokens",
)  # fmt: skip


def find(wanted: Collection[str]) -> dict[str, Reply]:
    """Return the replies that are stored for these keys, by key."""
    rows = Call.objects.filter(key__in=wanted, state__in=ANSWERED).only(*TOLD)
    return {row.key: reply_of(row) for row in rows}


def broken_off(wanted: Collection[str], purpose: str) -> Counter[str]:
    """Return how often calls with these keys broke off after they were sent, for this purpose."""
    rows = Call.objects.filter(key__in=wanted, state=State.UNKNOWN, purpose=purpose)
    return Counter(rows.values_list("key", flat=True))


def reply_of(row: Call) -> Reply:
    """Return the reply that a row holds."""
    return Reply(
        text=row.text,
        finish=row.finish,
        probabilities=row.probabilities,
        model=row.model_echo,
        fingerprint=row.fingerprint,
        prompt_tokens=row.prompt_tokens,
        completion_tokens=row.completion_tokens,
        reasoning_tokens=row.reasoning_tokens,
        cached_tokens=row.cached_tokens,
        call=row.pk,
    )


def mark_unreadable(call: int, why: str) -> None:
    """Note on an answered call that no answer could be made of it. What was noted before stays."""
    answered = Call.objects.filter(pk=call, state=State.ANSWERED)
    answered.update(state=State.UNREADABLE, problem=" ".join(why.split())[:LONGEST_PROBLEM])
