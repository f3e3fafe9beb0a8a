"""Studies, the people in them, the work they do, and the record of it."""

from annotation.models.answer_files import AnswerFile, AnswerForm
from annotation.models.data_sets import ReadFrom
from annotation.models.item_imports import ItemImport
from annotation.models.leaks import LeakCheck, LeakFinding
from annotation.models.machine import (
    MachineJob,
    MachinePurpose,
    MachineReader,
    MachineReading,
    Origin,
    PromptVersion,
    ReadingState,
)
from annotation.models.mail import ConfirmedAddress, Letter, MailKind, MailStop, MailTemplate
from annotation.models.people import ApiToken, Enrolment, EnrolmentState, Invitation, Preferences, Role
from annotation.models.record import SAID, Basis, Decision, Event, Judgment, Message, Outcome
from annotation.models.recruiting import OutsideId, RecruitingService
from annotation.models.seals import Erasure, Seal
from annotation.models.study import (
    LEASE_MINUTES,
    Consent,
    Filling,
    Grid,
    Guideline,
    Kind,
    OptionOrder,
    State,
    Study,
    StudyTexts,
)
from annotation.models.validation import ArmDraw, Sample, SampledItem, StrataRule
from annotation.models.webhooks import Delivery, HookEvent, Webhook
from annotation.models.work import EMPTY, Arm, Assignment, AssignmentStatus, Item

__all__ = [
    "EMPTY",
    "LEASE_MINUTES",
    "SAID",
    "AnswerFile",
    "AnswerForm",
    "ApiToken",
    "Arm",
    "ArmDraw",
    "Assignment",
    "AssignmentStatus",
    "Basis",
    "ConfirmedAddress",
    "Consent",
    "Decision",
    "Delivery",
    "Enrolment",
    "EnrolmentState",
    "Erasure",
    "Event",
    "Filling",
    "Grid",
    "Guideline",
    "HookEvent",
    "Invitation",
    "Item",
    "ItemImport",
    "Judgment",
    "Kind",
    "LeakCheck",
    "LeakFinding",
    "Letter",
    "MachineJob",
    "MachinePurpose",
    "MachineReader",
    "MachineReading",
    "MailKind",
    "MailStop",
    "MailTemplate",
    "Message",
    "OptionOrder",
    "Origin",
    "Outcome",
    "OutsideId",
    "Preferences",
    "PromptVersion",
    "ReadFrom",
    "ReadingState",
    "RecruitingService",
    "Role",
    "Sample",
    "SampledItem",
    "Seal",
    "State",
    "StrataRule",
    "Study",
    "StudyTexts",
    "Webhook",
]
