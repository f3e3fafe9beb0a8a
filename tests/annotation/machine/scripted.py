"""Models that say what a test wants: by the passages and grades they are shown."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence

from annotation.machine import prompts
from annotation.machine.readers import Settings, make
from annotation.models import MachineJob, MachineReader, Study
from common.chat import Reply, Request
from machines.client.endpoint import Endpoint
from machines.endpoints import scripted
from machines.ledger import Stopped
from retrieval.jobs import queue
from retrieval.models import Status

ENDPOINT = Endpoint("lamp", title="The lamp", kind="scripted", model="lamp-1")
FIRST = '{"passage": 1, "undecided": null}'


def registered(script: Callable[[Request], Reply | str] = lambda request: FIRST) -> Endpoint:
    scripted.register(ENDPOINT, script)
    return ENDPOINT


def reader_of(study: Study, **settings: object) -> MachineReader:
    """A machine reader of the study, with the prompt that follows from its guidelines."""
    words = prompts.proposed(study)
    last = study.prompts.order_by("-version").first()
    prompt = last or prompts.revise(study, *words, reason="", seen=0, by=None)
    return make(study, Settings(ENDPOINT.name, prompt.version, **{"replicates": 1, **settings}), by=None)


def claimed(reader: MachineReader, **fields: object) -> MachineJob:
    """A job of the reader that a worker has claimed, without a budget."""
    row = MachineJob.objects.create(reader=reader, code_version="test", **fields)
    job = queue.claim(row.pk, "worker", MachineJob)
    assert job is not None
    assert job.status == Status.RUNNING
    return job


def shown(request: Request) -> dict[str, object]:
    """What a model is shown of an item."""
    return json.loads(request.messages[1].content)


class Script:
    """An `Ask` that answers by a function of the request, counts, and stops where it is told."""

    def __init__(
        self, answer: Callable[[Request], Reply | str | None], stop_after: int | None = None
    ) -> None:
        self.answer, self.stop_after = answer, stop_after
        self.seen: list[Request] = []

    def __call__(self, requests: Sequence[Request]) -> list[Reply | None]:
        found: dict[int, Reply | None] = {}
        for place, request in enumerate(requests):
            if self.stop_after is not None and len(self.seen) >= self.stop_after:
                stopped = Stopped("The budget of 2 calls is used up.")
                stopped.replies = found
                raise stopped
            self.seen.append(request)
            said = self.answer(request)
            found[place] = (
                Reply(said, prompt_tokens=10, completion_tokens=5) if isinstance(said, str) else said
            )
        return [found[place] for place in range(len(requests))]
