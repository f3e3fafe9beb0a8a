"""A job that encodes passages tells its row how far the encoder is; every kind of job does it in this way."""

from __future__ import annotations

import time
from collections.abc import Callable

from retrieval.engine.dense.progress import EncodingProgress
from retrieval.jobs import attempts, status
from retrieval.jobs.attempts import GoOn
from retrieval.models import Job

BEAT = 1.0
"""Seconds between two words of progress."""


class EncodingHeartbeat:
    """Receives the encoder's progress: stores the rate, renews the lease, stops where the lease is lost.

    The rate is that of one stretch of work: it begins anew where the encoder turns to other texts. A stretch
    that is over within a second, such as the queries of a chunk, costs no word to the database.
    """

    def __init__(self, job: Job, go_on: GoOn, done: Callable[[EncodingProgress], int]) -> None:
        """`done`: what a step means in the job's own unit of progress."""
        self._job, self._go_on, self._done = job, go_on, done
        self._since: EncodingProgress | None = None
        self._began = self._next = 0.0

    def __call__(self, step: EncodingProgress) -> None:
        now, since = time.monotonic(), self._since
        if (
            since is None
            or (step.verb, step.of_tokens) != (since.verb, since.of_tokens)
            or step.tokens <= since.tokens
        ):
            self._since = since = step
            self._began, self._next = now, now + BEAT
        if now < self._next:
            return
        self._next = now + BEAT
        stage = status.encoding_progress(step, since, now - self._began)
        attempts.heartbeat(self._job, self._go_on, self._done(step), stage)
