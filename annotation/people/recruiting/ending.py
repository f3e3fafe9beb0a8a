"""The end of a reader whom a service sent: the code and the address that lead them back to it."""

from __future__ import annotations

from enum import StrEnum
from typing import NamedTuple
from urllib.parse import urlsplit

from annotation.assignment import practice
from annotation.models import Enrolment, EnrolmentState, RecruitingService, State


class Ended(StrEnum):
    """How a reader's part ended; the words are those of the list for payment."""

    COMPLETED = "completed"
    SCREENED = "screened out"
    LEFT = "left"


class WayBack(NamedTuple):
    """What leads a reader back to the service.

    ended: how their part ended.
    code: to be typed there; empty where there is none.
    address: to be followed; empty where there is none.
    host: the name of the site that the address leads to.
    """

    ended: Ended
    code: str
    address: str
    host: str


def ended_as(me: Enrolment, *, done: int, left: bool) -> Ended | None:
    """Return how this reader's part ended; None while something is `left` to read, be it before others now.

    done: items ended. Who has done some and finds no more has completed it; who failed practice, or found
    nothing at all, is screened out.
    """
    if me.state != EnrolmentState.ACTIVE:
        return Ended.LEFT
    if left or me.study.state == State.DRAFT:
        return None
    return Ended.COMPLETED if done and not practice.practice_failed(me) else Ended.SCREENED


def way_back(me: Enrolment, ended: Ended | None) -> WayBack | None:
    """Return the way back to the service that sent this reader; None where none did, or nothing is given."""
    service = RecruitingService.objects.filter(ids__enrolment=me).first() if ended else None
    if service is None or ended is None:
        return None
    addresses = {
        Ended.COMPLETED: service.completed,
        Ended.SCREENED: service.screened,
        Ended.LEFT: service.left,
    }
    code, address = service.code if ended == Ended.COMPLETED else "", addresses[ended]
    if not code and not address:
        return None
    return WayBack(ended, code, address, urlsplit(address).hostname or "")
