"""What the site itself remembers."""

from __future__ import annotations

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
