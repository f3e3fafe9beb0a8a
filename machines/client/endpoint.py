"""What an installation says about one model that may be asked."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal

Kind = Literal["chat", "checkpoint", "scripted"]
KINDS: tuple[Kind, ...] = ("chat", "checkpoint", "scripted")

MILLION = 1_000_000


@dataclass(frozen=True)
class Prices:
    """What tokens cost, in micro-units (millionths of the currency) per million tokens.

    prompt: of tokens that are sent.
    completion: of tokens that come back, reasoning among them.
    cached: of prompt tokens that the endpoint says it had in its cache; None: as `prompt`.
    currency: its three letters, for pages.
    """

    prompt: int = 0
    completion: int = 0
    cached: int | None = None
    currency: str = "EUR"

    def cost(self, prompt: int, completion: int, cached: int = 0) -> int:
        """Return the price of so many tokens in micro-units, rounded up."""
        cached = min(cached, prompt)
        cheap = self.prompt if self.cached is None else self.cached
        return -(
            -((prompt - cached) * self.prompt + cached * cheap + completion * self.completion) // MILLION
        )


@dataclass(frozen=True)
class Endpoint:
    """A model that may be asked, as the settings of the installation describe it. It holds no key.

    name: the alias; the only thing that is stored with answers and exported.
    title: what pages call it.
    kind: "chat" for an address, "checkpoint" for a folder, "scripted" for a Python function.
    model: what the endpoint calls the model.
    revision: which version of it, where the installation knows; part of the cache's key.
    url: the base, up to and with `/v1`; "" for the other kinds.
    ca_file: a file of certificate authorities in PEM that the endpoint's own is checked by; None: those that
        are known to the system.
    key_variable: the environment variable that holds the key; "" where none is needed.
    prices: what tokens cost.
    rpm, tpm: requests and tokens per minute at most, over all workers; None: not limited.
    concurrency: calls in flight at most, over all workers.
    timeout: seconds until a reply must be there, whole.
    context: how many tokens the model reads and writes at most; None: not known.
    length_field: what the endpoint calls the limit of a reply.
    temperature: whether it takes a temperature; some models refuse any.
    decisions: whether `/v1/systemone` answers typed decisions with probabilities.
    extra: fields added to the body of each request.
    folder: where the weights of a checkpoint lie.
    function: the dotted name of a scripted endpoint's function, `module:function`.
    """

    name: str
    title: str = ""
    kind: Kind = "chat"
    model: str = ""
    revision: str = ""
    url: str = ""
    ca_file: Path | None = None
    key_variable: str = ""
    prices: Prices = field(default_factory=Prices)
    rpm: int | None = None
    tpm: int | None = None
    concurrency: int = 4
    timeout: float = 120.0
    context: int | None = None
    length_field: Literal["max_tokens", "max_completion_tokens"] = "max_tokens"
    temperature: bool = True
    decisions: bool = False
    extra: Mapping[str, Any] = field(default_factory=dict)
    folder: Path | None = None
    function: str = ""

    def __str__(self) -> str:
        return f"{self.title or self.name} (scripted)" if self.kind == "scripted" else self.title or self.name


@dataclass(frozen=True)
class Abilities:
    """What a probe found that an endpoint honours. An endpoint may drop a field and still answer 200.

    schema: "json_schema" or "schema", the shape in which it follows a schema; "" where it follows none,
        or refuses the field. None: not probed; the field is sent as "json_schema".
    logprobs: whether it tells probabilities of tokens; None: not probed; they are asked for.
    """

    schema: Literal["", "json_schema", "schema"] | None = None
    logprobs: bool | None = None
