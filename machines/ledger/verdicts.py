"""What follows from the way a call ended: kept, tried again, given up, or the end of asking."""

from __future__ import annotations

import random
from dataclasses import dataclass, field

from machines.client.endpoint import Endpoint
from machines.client.weather import AGAIN, NOT_TAKEN, Outcome, Weather
from machines.ledger.settling import Ended
from machines.ledger.wanted import Wanted
from machines.models import State

MOST_ATTEMPTS = 5
MOST_UNKNOWN = 2
"""How often a call may break off after it was sent: once more than once is the most that is paid in vain."""
LONGEST_BACKOFF = 60.0
EQUAL_REFUSALS = 5


def backoff(attempt: int, chance: random.Random) -> float:
    """Return how long to wait before another attempt: up to 2^attempt seconds, a minute at most, at random.

    Full jitter: those who failed together do not come back together.
    """
    return chance.uniform(0.0, min(LONGEST_BACKOFF, 2.0 ** min(attempt, 10)))


@dataclass
class Verdicts:
    """What is decided about calls of one endpoint, and what was seen in a row.

    stop: why nothing more is asked, "" while there is no reason.
    cancelled: whether that is because somebody wanted it so.
    """

    endpoint: Endpoint
    chance: random.Random
    stop: str = ""
    cancelled: bool = False
    _refused: list[str] = field(default_factory=list)

    def on(self, wanted: Wanted, outcome: Outcome) -> Ended:
        """Decide about a call that has ended, and note in the question what it has met."""
        self._watch(outcome)
        if outcome.weather is Weather.FAIR:
            return Ended(wanted, outcome, State.ANSWERED)
        if outcome.weather in NOT_TAKEN:
            return Ended(wanted, outcome, State.REFUSED)
        if outcome.weather in AGAIN:
            return self._again(wanted, outcome)
        if outcome.weather is Weather.FORBIDDEN:
            return Ended(wanted, outcome, State.FAILED)
        wanted.unknown += 1
        wait = backoff(wanted.unknown, self.chance) if wanted.unknown < MOST_UNKNOWN else 0.0
        return Ended(wanted, outcome, State.UNKNOWN, wait)

    def _again(self, wanted: Wanted, outcome: Outcome) -> Ended:
        wanted.attempt += outcome.weather is not Weather.BUSY
        if wanted.attempt > MOST_ATTEMPTS:
            return Ended(wanted, outcome, State.FAILED)
        wait = backoff(wanted.attempt - 1, self.chance)
        return Ended(
            wanted, outcome, State.INTENT, wait if outcome.retry_after is None else outcome.retry_after
        )

    def _watch(self, outcome: Outcome) -> None:
        """Stop at a key that is not accepted, and when everything is refused for the same reason."""
        if outcome.weather is Weather.FORBIDDEN:
            variable = self.endpoint.key_variable
            named = f"the key in {variable}" if variable else "being asked without a key (key_variable)"
            self.stop = f"{self.endpoint.name} does not accept {named}: it said {outcome.status}."
        same = outcome.weather is Weather.REFUSED and self._refused[:1] in ([], [outcome.problem])
        self._refused = [*self._refused, outcome.problem] if same else []
        if outcome.weather is Weather.REFUSED and not same:
            self._refused = [outcome.problem]
        if len(self._refused) >= EQUAL_REFUSALS:
            self.stop = f"{EQUAL_REFUSALS} requests in a row were refused: {outcome.problem}"
