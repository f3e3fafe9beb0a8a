"""An endpoint probed through the ledger, and what is known of it kept with the date."""

from __future__ import annotations

import random
from collections.abc import Callable
from dataclasses import replace
from datetime import timedelta

from django.db.models.functions import Now

from common.chat import Ask
from common.errors import BadInput
from machines.client import probe as client
from machines.client.endpoint import Abilities, Endpoint
from machines.client.probe import Probe
from machines.ledger.asking import Asking, always
from machines.ledger.stopped import Stopped
from machines.models import EndpointState

PURPOSE = "probe"
PATIENCE = 0.3
"""Seconds: whoever probes wants to know how it is now."""
OLD = timedelta(days=1)


def probe(endpoint: Endpoint, *, seconds: float = 60.0, go_on: Callable[[], bool] = always) -> Probe:
    """Probe an endpoint, and store what was found. Its calls are rows like others, and cost what they cost.

    `seconds`: the longest that one of its calls may take.
    """
    hasty = replace(endpoint, timeout=min(seconds, endpoint.timeout))

    def asking(abilities: Abilities) -> Ask:
        return Asking(hasty, purpose=PURPOSE, patience=PATIENCE, go_on=go_on, abilities=abilities)

    try:
        found = client.probe(asking, random.Random())  # noqa: S311  (words that nobody knows, no secrets)
    except (Stopped, BadInput) as error:
        found = Probe(problem=str(error))
    EndpointState.objects.update_or_create(
        name=endpoint.name, defaults={"probe": found.as_json(), "probed": Now()}
    )
    return found


def probe_if_old(endpoint: Endpoint, *, go_on: Callable[[], bool] = always) -> Probe:
    """Return what is known of an endpoint, probed again where that is more than a day old: before a job."""
    known = EndpointState.objects.filter(name=endpoint.name, probed__gte=Now() - OLD).first()
    found = client.from_json(known.probe) if known is not None else Probe()
    return found if found.reached else probe(endpoint, go_on=go_on)
