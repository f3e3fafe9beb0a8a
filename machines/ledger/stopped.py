"""What is raised where nothing more can be asked."""

from __future__ import annotations

from collections.abc import Mapping

from common.chat import Reply


class Stopped(Exception):
    """Nothing more can be asked, or not now.

    reason: why, in a sentence for people, without any key.
    retry_after: seconds until it can go on by itself, such as when an endpoint said when to come back; None
        where somebody has to do something first. A job puts itself back into the queue for so long.
    cancelled: whether `go_on` said no.
    replies: what was answered before, by the place of the request. It is stored, and free when asked again.
    """

    def __init__(self, reason: str, *, retry_after: float | None = None, cancelled: bool = False) -> None:
        super().__init__(reason)
        self.reason, self.retry_after, self.cancelled = reason, retry_after, cancelled
        self.replies: Mapping[int, Reply | None] = {}
