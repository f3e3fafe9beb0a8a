"""System checks of the settings of endpoints: each fault in a sentence, and what a deployment should know."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from django.core import checks

from common.errors import BadInput
from machines.endpoints import endpoints, known, problems, scripted
from machines.endpoints.fields import is_loopback

HINT = "docs/models.md describes every field."


@checks.register("models")
def endpoints_are_described(app_configs: Any, **kwargs: Any) -> list[checks.CheckMessage]:
    """Refuse settings of endpoints that are not right: what is asked of whom must not be guessed."""
    wrong = [*problems(), *_missing()]
    return [checks.Error(f"VARIORUM_MODELS: {each}", hint=HINT, id="machines.E001") for each in wrong]


@checks.register("models", deploy=True)
def endpoints_are_safe(app_configs: Any, **kwargs: Any) -> list[checks.CheckMessage]:
    """Warn of keys that are not set, of traffic that can be read, and of prices that nobody has given."""
    return [checks.Warning(each, hint=hint, id=name) for name, each, hint in _risks()]


def _missing() -> Iterator[str]:
    """Yield what the settings name and is not there."""
    for endpoint in endpoints().values():
        if endpoint.kind == "scripted":
            try:
                scripted.script(endpoint)
            except BadInput as error:
                yield str(error)
        if wrong := known.authorities_wrong(endpoint):
            yield wrong
        if endpoint.folder is not None and not endpoint.folder.is_dir():
            yield f"Endpoint {endpoint.name}: there is no folder {endpoint.folder}."


def _risks() -> Iterator[tuple[str, str, str]]:
    """Yield the number, the sentence and the hint of each warning."""
    for endpoint in endpoints().values():
        named, variable = f"The model {endpoint.name}", endpoint.key_variable
        if variable and not known.key(endpoint):
            said = f"{named} needs a key, and {variable} is not set here."
            yield "machines.W001", said, "Set it where workers run; they alone call models."
        if endpoint.kind != "chat" or is_loopback(endpoint.url):
            continue
        if endpoint.url.startswith("http://"):
            said = f"{named} is called without encryption: passages and the key can be read on the way."
            yield "machines.W002", said, "Use https://, unless the network is yours alone."
        if not endpoint.prices.prompt and not endpoint.prices.completion:
            said = f"{named} has no price, so that no budget in money can stop it."
            yield "machines.W003", said, "Set prompt_price and completion_price, of a million tokens."
