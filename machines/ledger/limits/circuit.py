"""The circuit of an endpoint: an ill one is left alone for a while, then tried with one call.

Five failures in a row open it for 30 s, each further opening for twice as long, up to a quarter of an hour.
"""

from __future__ import annotations

from django.db.models import F

from machines.ledger.limits.clock import Epoch
from machines.models import EndpointState

FAILURES = 5
FIRST_SECONDS, LONGEST_SECONDS = 30, 900
LOOK_AGAIN = 1.0
"""Seconds until the next look while another worker's trial is under way."""


def wait(state: EndpointState, now: float) -> tuple[float, bool]:
    """Return how long to wait, and whether the next call is the trial of an open circuit.

    `state` is locked by the transaction that asks.
    """
    if not state.open_until:
        return 0.0, False
    if now < state.open_until:
        return state.open_until - now, True
    if now < state.trial_until:
        return min(LOOK_AGAIN, state.trial_until - now), True
    return 0.0, True


def begin_trial(state: EndpointState, seconds: float) -> bool:
    """Let one call through for so long; return whether it is ours."""
    due = EndpointState.objects.filter(pk=state.pk, open_until__gt=0, open_until__lte=Epoch())
    return bool(due.filter(trial_until__lte=Epoch()).update(trial_until=Epoch() + seconds))


def note(state: EndpointState, *, well: bool, ill: int) -> bool:
    """Count what a batch of calls showed: whether one went well, after `ill` that did not, or before.

    `state` is locked. Returns whether it differs now.
    """
    if not (state.failures or state.open_until) if well else not ill:
        return False
    states = EndpointState.objects.filter(pk=state.pk)
    if well:
        states.update(failures=0, openings=0, open_until=0, trial_until=0)
    else:
        states.update(failures=F("failures") + ill)
        _open(state.name)
    return True


def _open(name: str) -> None:
    """Open the circuit where it is closed, or was tried in vain."""
    for state in EndpointState.objects.filter(name=name, failures__gte=FAILURES):
        seconds = min(LONGEST_SECONDS, FIRST_SECONDS * 2 ** min(state.openings, 10))
        still = EndpointState.objects.filter(
            pk=state.pk, open_until=state.open_until, trial_until=state.trial_until
        )
        if not state.open_until or state.trial_until:
            still.update(open_until=Epoch() + seconds, trial_until=0, openings=F("openings") + 1)
