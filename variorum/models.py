"""What the site itself remembers."""

from __future__ import annotations

from typing import ClassVar

from django.conf import settings
from django.db import models


class SignInTries(models.Model):
    """When a password was tried of late, for one account or from one address, and did not fit.

    Neither name nor address is kept: the key is a digest that only this site can make.
    """

    key = models.CharField(max_length=64, unique=True)
    times = models.JSONField(default=list, help_text="Seconds since 1970, of the last hour")
    changed = models.DateTimeField(db_index=True)

    class Meta:
        verbose_name_plural = "sign-in tries"

    def __str__(self) -> str:
        return f"{len(self.times)} tries until {self.changed}"


class LinkKind(models.TextChoices):
    """What a link is for. None is taken for another."""

    SIGN_IN = "signin", "Signs in, once"
    PASSWORD = "password", "Chooses a new password, once"
    DEMO = "demo", "Signs in to the demonstration, any number of times"


class SignInLink(models.Model):
    """A link for one person. Its code is not kept, only a digest: the table lets nobody in."""

    user = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="signin_links")
    kind = models.CharField(max_length=8, choices=LinkKind.choices)
    digest = models.CharField(max_length=64, unique=True, editable=False)
    bound = models.CharField(
        max_length=64, editable=False, help_text="Digest of the session hash: a new password ends the link"
    )
    expires = models.DateTimeField(db_index=True)
    used = models.DateTimeField(null=True, blank=True)
    press = models.CharField(
        max_length=32, blank=True, default="", help_text="Of the page whose button used it up"
    )

    def __str__(self) -> str:
        return f"{self.get_kind_display()}: {self.user}"


class KeptAnswer(models.Model):
    """What a request with an idempotency key was answered, for a day; without an answer it is under way.

    Who may have it again is the token that sent it, or the person where a browser did.
    """

    owner = models.CharField(max_length=40, editable=False, help_text="token:3 or person:7")
    key = models.CharField(max_length=255)
    request = models.CharField(max_length=64, editable=False, help_text="sha256 of method, address and body")
    status = models.PositiveSmallIntegerField(null=True, help_text="Null while the request is under way")
    body = models.BinaryField(default=bytes)
    created = models.DateTimeField(db_index=True)

    class Meta:
        constraints: ClassVar = [
            models.UniqueConstraint(fields=["owner", "key"], name="idempotency_key_once")
        ]

    def __str__(self) -> str:
        return f"{self.key} of {self.owner}: {self.status or 'under way'}"
