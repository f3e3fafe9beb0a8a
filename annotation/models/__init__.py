"""Studies, the people in them, the work they do, and the record of it."""

from annotation.models.people import ApiToken, Enrolment, EnrolmentState, Invitation, Role
from annotation.models.record import Event, Judgment, Outcome
from annotation.models.study import LEASE_MINUTES, Guideline, Kind, OptionOrder, State, Study
from annotation.models.work import Assignment, Item, Place

__all__ = [
    "LEASE_MINUTES",
    "ApiToken",
    "Assignment",
    "Enrolment",
    "EnrolmentState",
    "Event",
    "Guideline",
    "Invitation",
    "Item",
    "Judgment",
    "Kind",
    "OptionOrder",
    "Outcome",
    "Place",
    "Role",
    "State",
    "Study",
]
