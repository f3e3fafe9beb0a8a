"""E-mail to readers: what a study writes, what was sent to whom, and who wants none."""

from __future__ import annotations

from typing import ClassVar

from django.conf import settings
from django.db import models
from django.db.models import Q
from django.utils.crypto import salted_hmac

from annotation.models.people import Enrolment, Invitation
from annotation.models.study import Study

LONGEST_SUBJECT, LONGEST_LETTER, LONGEST_ABOUT = 150, 4000, 40
DAYS = 7
DIGEST = 32
"""Hexadecimal digits of the digest of an address."""


class MailKind(models.TextChoices):
    """What readers are written of."""

    INVITED = "invited", "Invitation"
    OPENED = "opened", "The study has opened"
    REMINDED = "reminded", "Reminder"
    REPLIED = "replied", "Reply to a note"
    DECIDED = "decided", "What was decided"
    CONFIRM = "confirm", "Confirm an address"


class MailTemplate(models.Model):
    """What a study writes of one kind, and since when it does. Without a row: the usual words, and off."""

    study = models.ForeignKey(Study, on_delete=models.CASCADE, related_name="mail_templates")
    kind = models.CharField(max_length=10, choices=MailKind.choices)
    since = models.DateTimeField(null=True, blank=True, help_text="Since when it is on; null: off")
    days = models.PositiveSmallIntegerField(
        default=DAYS, help_text="Days without an answer before the reminder"
    )
    subject = models.CharField(max_length=LONGEST_SUBJECT)
    text = models.TextField(max_length=LONGEST_LETTER)

    class Meta:
        ordering: ClassVar = ["study", "kind"]
        constraints: ClassVar = [
            models.UniqueConstraint(fields=["study", "kind"], name="mail_template_once_a_kind"),
        ]

    def __str__(self) -> str:
        return f"{self.get_kind_display()} of {self.study}"


class Letter(models.Model):
    """One message to one person, stored before it is sent, so that nothing is sent twice.

    An invitation holds its address until it was sent; every other goes to the address of the account.
    """

    study = models.ForeignKey(Study, on_delete=models.CASCADE, related_name="letters")
    kind = models.CharField(max_length=10, choices=MailKind.choices)
    reader = models.ForeignKey(Enrolment, on_delete=models.CASCADE, null=True, related_name="letters")
    invitation = models.OneToOneField(Invitation, on_delete=models.CASCADE, null=True, related_name="letter")
    about = models.CharField(
        max_length=LONGEST_ABOUT,
        blank=True,
        default="",
        help_text="Which of several: the key of a message; of an invitation a digest of the address",
    )
    address = models.EmailField(blank=True, default="", help_text="Of an invitation, until it was sent")
    language = models.CharField(max_length=10, default="en", help_text="Of an invitation: its language")
    created = models.DateTimeField(auto_now_add=True)
    tried = models.DateTimeField(null=True, blank=True, help_text="When sending it began")
    tries = models.PositiveSmallIntegerField(default=0)
    not_before = models.DateTimeField(null=True, blank=True)
    sent = models.DateTimeField(null=True, blank=True)
    by_hand = models.BooleanField(default=False, help_text="A researcher told them")
    problem = models.CharField(max_length=300, blank=True, default="", help_text="Why it was not sent")

    class Meta:
        ordering: ClassVar = ["pk"]
        indexes: ClassVar = [
            models.Index(
                fields=["not_before", "id"], name="letter_waiting", condition=Q(sent=None, problem="")
            ),
        ]
        constraints: ClassVar = [
            models.UniqueConstraint(fields=["reader", "kind", "about"], name="letter_once"),
            models.CheckConstraint(
                condition=Q(reader__isnull=False, invitation__isnull=True, address="")
                | Q(reader__isnull=True, invitation__isnull=False),
                name="letter_to_reader_or_by_invitation",
            ),
        ]

    def __str__(self) -> str:
        return f"{self.get_kind_display()} of {self.study}"


def address_digest(address: str) -> str:
    """Return a digest of an address that only this installation can make."""
    keyed = salted_hmac("annotation.mail.address", address.strip().lower(), algorithm="sha256")
    return keyed.hexdigest()[:DIGEST]


class MailStop(models.Model):
    """Whoever has this address wants no e-mail of the study: only a keyed digest of it is held."""

    study = models.ForeignKey(Study, on_delete=models.CASCADE, related_name="+")
    digest = models.CharField(max_length=DIGEST)
    created = models.DateTimeField(auto_now_add=True)

    class Meta:
        constraints: ClassVar = [
            models.UniqueConstraint(fields=["study", "digest"], name="mail_stop_once"),
        ]

    def __str__(self) -> str:
        return f"No e-mail of {self.study}"


class ConfirmedAddress(models.Model):
    """The owner of an account has shown that an address is theirs: only a keyed digest of it is held."""

    user = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="+")
    digest = models.CharField(max_length=DIGEST)
    created = models.DateTimeField(auto_now_add=True)

    class Meta:
        constraints: ClassVar = [
            models.UniqueConstraint(fields=["user", "digest"], name="confirmed_address_once"),
        ]

    def __str__(self) -> str:
        return f"An address of {self.user}"
