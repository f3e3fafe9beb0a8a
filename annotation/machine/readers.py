"""Machine readers of a study: made, and deleted with what they read."""

from __future__ import annotations

from typing import Any, NamedTuple

from django.contrib.auth.models import User
from django.db import transaction

from annotation.machine import prompts
from annotation.models import Event, MachineReader, PromptVersion, Study
from annotation.models.machine import MOST_TIMES, PENDING
from common.errors import BadField, BadInput
from machines import endpoints
from machines.endpoints import Endpoint

REPLICATES, REPEATED = 2, 50
"""How often 50 items are asked: enough to say how repeatable a model is."""
HOTTEST, FEWEST_TOKENS, MOST_TOKENS = 2.0, 8, 32_000


class Settings(NamedTuple):
    """How a machine reader reads, as its form asks.

    endpoint: the alias of one that the installation allows.
    prompt: the version of the prompt.
    temperature: 0 for the likeliest words.
    max_tokens: the longest reply; None: as the task type needs.
    seed: of all that is drawn, sent with each request.
    replicates, repeated, orders: as in `MachineReader`.
    """

    endpoint: str
    prompt: int
    temperature: float = 0.0
    max_tokens: int | None = None
    seed: int = 0
    replicates: int = REPLICATES
    repeated: int = REPEATED
    orders: int = 1


def make(study: Study, settings: Settings, *, by: User | None) -> MachineReader:
    """Make the next machine reader of the study: M1, M2 and so on.

    Raises:
        BadInput: the task's items cannot be put to a model, or a setting is not possible.
    """
    if not prompts.can_be_asked(study):
        raise BadInput(f"Models cannot be asked about items of the task “{study.task}”.")
    endpoint = endpoints.find(settings.endpoint)
    prompt = study.prompts.filter(version=settings.prompt).first()
    if prompt is None:
        raise BadField("prompt", "There is no prompt of that version: write one first.")
    tokens = checked(study, settings)
    with transaction.atomic():
        Study.objects.select_for_update(no_key=True).get(pk=study.pk)
        made: MachineReader = study.machine_readers.create(
            name=next_name(study),
            endpoint=endpoint.name,
            model=endpoint.model,
            scripted=endpoint.kind == "scripted",
            prompt=prompt,
            parameters={"temperature": settings.temperature, "max_tokens": tokens},
            seed=settings.seed,
            replicates=settings.replicates,
            repeated=settings.repeated,
            orders=settings.orders,
            created_by=by,
        )
        said = {"reader": made.name, "endpoint": made.endpoint, "prompt": prompt.version}
        Event.objects.create(study=study, actor=by, verb="machine reader", data=said)
    return made


def endpoint_of(reader: MachineReader) -> Endpoint:
    """Return the endpoint of a reader, as the settings describe it now.

    Raises:
        BadInput: nothing is asked of it; or its endpoint is not there any more, or leads to another model:
            one reader would be two models.
    """
    if not reader.is_asked:
        raise BadInput(f"{reader.name} is not asked: its answers were read in, as {reader.title}.")
    found = endpoints.find(reader.endpoint)
    scripted = found.kind == "scripted"
    if (reader.model and found.model != reader.model) or scripted != reader.scripted:
        raise BadInput(
            f"The settings of {reader.endpoint} name another model now, {found.model or found.kind!r}; "
            f"{reader.name} was made with {reader.model or 'another kind'!r}. Make another reader for it."
        )
    return found


def checked(study: Study, settings: Settings) -> int:
    """Return the longest reply in tokens. Raises `BadField` for a setting that is not possible."""
    task = study.task_type
    if not 0 <= settings.temperature <= HOTTEST:
        raise BadField("temperature", f"The temperature must be 0 to {HOTTEST:g}.")
    tokens = task.reply_tokens if settings.max_tokens is None else settings.max_tokens
    if not FEWEST_TOKENS <= tokens <= MOST_TOKENS:
        raise BadField("max_tokens", f"The longest reply must be {FEWEST_TOKENS} to {MOST_TOKENS:,} tokens.")
    for name, value in (("replicates", settings.replicates), ("orders", settings.orders)):
        if not 1 <= value <= MOST_TIMES:
            raise BadField(name, f"“{name}” must be 1 to {MOST_TIMES}.")
    if settings.repeated < 0:
        raise BadField("repeated", "How many items are asked more than once must be 0 or more.")
    if settings.orders > 1 and not task.orders_options:
        raise BadField("orders", "Items of this task have no options whose order could change: use 1.")
    return tokens


def next_name(study: Study) -> str:
    """Return the first of M1, M2 and so on that no reader of the study has had."""
    made = study.events.filter(verb="machine reader").count() + 1
    taken = set(study.machine_readers.values_list("name", flat=True))
    while f"M{made}" in taken:
        made += 1
    return f"M{made}"


def delete(reader: MachineReader, *, typed: str, by: User | None) -> None:
    """Delete a reader and all that it read. The ledger keeps its calls. `typed` must be its name.

    Raises:
        BadInput: it is not its name, a job of the reader has not ended, or the study's stopping rule compares
            with it.
    """
    if typed.strip() != reader.name:
        raise BadInput(f"Nothing was deleted. Type {reader.name}, the reader’s name, to go on.")
    with transaction.atomic():
        if reader.jobs.filter(PENDING).exists():
            raise BadInput(f"{reader.name} is reading: stop it first.")
        if reader.study.stop_run == reader.name:
            raise BadInput(
                f"The stopping rule compares readers with {reader.name}: while the study is a draft, choose "
                "another rule first; afterwards it stays."
            )
        said: dict[str, Any] = {"reader": reader.name, "readings": reader.readings.count()}
        Event.objects.create(study=reader.study, actor=by, verb="machine reader deleted", data=said)
        reader.delete()


def latest_prompt(study: Study) -> PromptVersion | None:
    """Return the latest version of the study's prompt, or None."""
    found: PromptVersion | None = study.prompts.order_by("-version").first()
    return found
