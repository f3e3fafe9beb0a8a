"""What follows from the way a call ended: kept, tried again, given up, or the end of asking."""

from __future__ import annotations

import random
from dataclasses import dataclass, replace

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
TOO_LONG = "too_long"
"""How a reply ends, in the ledger, whose prompt did not fit and was cut by the endpoint."""


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
    met: what the last call that was not answered met, in a sentence.
    """

    endpoint: Endpoint
    chance: random.Random
    stop: str = ""
    cancelled: bool = False
    met: str = ""
    _equal: int = 0
    _last: str = ""

    def on(self, wanted: Wanted, outcome: Outcome) -> Ended:
        """Decide about a call that has ended, and note in the question what it has met."""
        self._watch(outcome)
        if outcome.weather is Weather.FAIR:
            return Ended(wanted, *self._fair(outcome))
        if outcome.weather in NOT_TAKEN:
            return Ended(wanted, outcome, State.REFUSED)
        if outcome.weather in AGAIN:
            return self._again(wanted, outcome)
        if outcome.weather is Weather.FORBIDDEN:
            return Ended(wanted, outcome, State.FAILED)
        wanted.unknown += 1
        wait = backoff(wanted.unknown, self.chance) if wanted.unknown < MOST_UNKNOWN else 0.0
        return Ended(wanted, outcome, State.UNKNOWN, wait)

    def _fair(self, outcome: Outcome) -> tuple[Outcome, State]:
        """Return a reply as it is kept: one to a prompt that was cut in silence is no answer."""
        reply, context = outcome.reply, self.endpoint.context
        if reply is None or context is None or (reply.prompt_tokens or 0) <= context:
            return outcome, State.ANSWERED
        said = f"It was too long: {reply.prompt_tokens:,} tokens, and {self.endpoint.name} reads {context:,}."
        return replace(outcome, reply=replace(reply, finish=TOO_LONG), problem=said), State.UNREADABLE

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
        self.met = outcome.problem or self.met
        if outcome.weather is Weather.FORBIDDEN:
            variable = self.endpoint.key_variable
            named = f"the key in {variable}" if variable else "being asked without a key (key_variable)"
            self.stop = f"{self.endpoint.name} does not accept {named}: it said {outcome.status}."
        if outcome.weather is Weather.FAIR:
            self._equal = 0
        if outcome.weather is Weather.REFUSED:
            self._equal = self._equal + 1 if outcome.problem == self._last else 1
            self._last = outcome.problem
        if self._equal >= EQUAL_REFUSALS:
            self.stop = f"{EQUAL_REFUSALS} requests in a row were refused: {outcome.problem}"
