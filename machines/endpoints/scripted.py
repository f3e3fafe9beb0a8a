"""Endpoints whose answers a Python function makes: for the demonstration, for tests, for trying it out."""

from __future__ import annotations

import time
from collections.abc import Callable
from importlib import import_module

from common.chat import Reply, Request
from common.errors import BadInput
from machines.client.endpoint import Abilities, Endpoint
from machines.client.weather import Outcome, Weather

Script = Callable[[Request], Reply | str | Outcome]
"""Answers one request: a reply, its text, or an outcome where bad weather is played. Threads call it."""

_REGISTERED: dict[str, tuple[Endpoint, Script]] = {}


def register(endpoint: Endpoint, script: Script) -> None:
    """Make a scripted endpoint known to this process, in place of one of the same name."""
    if endpoint.kind != "scripted":
        raise ValueError(
            f"{endpoint.name} is of kind {endpoint.kind}: only scripted endpoints are registered"
        )
    _REGISTERED[endpoint.name] = (endpoint, script)


def registered() -> dict[str, Endpoint]:
    """Return the endpoints that this process registered."""
    return {name: endpoint for name, (endpoint, _) in _REGISTERED.items()}


def script(endpoint: Endpoint) -> Script:
    """Return the function that answers for an endpoint.

    Raises:
        BadInput: the settings name none that is there.
    """
    known = _REGISTERED.get(endpoint.name)
    if known is not None and known[0] == endpoint:
        return known[1]
    module, _, name = endpoint.function.partition(":")
    try:
        found = getattr(import_module(module), name)
    except (ImportError, AttributeError, ValueError) as error:
        raise BadInput(
            f"Endpoint {endpoint.name}: there is no function {endpoint.function!r:.200}."
        ) from error
    if not callable(found):
        raise BadInput(f"Endpoint {endpoint.name}: {endpoint.function!r:.200} is no function.")
    return found  # type: ignore[no-any-return]


class Scripted:
    """Calls to a scripted endpoint."""

    def __init__(self, endpoint: Endpoint) -> None:
        self.endpoint, self._script = endpoint, script(endpoint)

    def close(self) -> None:
        """Nothing is open."""

    def send(self, request: Request, abilities: Abilities) -> Outcome:
        """Return what the function says; where it fails, that is the outcome."""
        began = time.monotonic()
        try:
            said = self._script(request)
        except BadInput as error:
            return Outcome(Weather.REFUSED, problem=f"{self.endpoint.name}: {error}"[:500])
        except Exception as error:  # noqa: BLE001  (a script may fail as any endpoint may)
            problem = f"The script of {self.endpoint.name} failed: {type(error).__name__}: {error}"
            return Outcome(Weather.REFUSED, problem=problem[:500])
        if isinstance(said, Outcome):
            return said
        reply = Reply(text=said, model=self.endpoint.model) if isinstance(said, str) else said
        return Outcome(Weather.FAIR, reply, seconds=round(time.monotonic() - began, 4))
