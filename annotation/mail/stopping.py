"""Stopping e-mail of a study with one click, without signing in: by a signed link, which holds no address."""

from __future__ import annotations

from typing import NamedTuple

from django.core import signing
from django.urls import reverse

from annotation.models import MailStop, Study
from annotation.models.mail import address_digest

SALT = "annotation.mail"
SIGNER = signing.Signer(salt=SALT, sep=".")


class Stop(NamedTuple):
    """What a link stops: e-mail of a study to whoever has an address of that digest."""

    study: Study
    digest: str


def stop_path(study: Study, address: str) -> str:
    """Return the path of the page that stops e-mail of this study to that address."""
    return reverse("annotation:stop_mail", args=[SIGNER.sign(f"{study.pk}-{address_digest(address)}")])


def read(token: str) -> Stop | None:
    """Return what a link stops; None for a forged one, and where the study is gone."""
    try:
        pk, _, digest_of = SIGNER.unsign(token).partition("-")
    except signing.BadSignature:
        return None
    study = Study.objects.filter(pk=pk, deleted=None).first()
    return Stop(study, digest_of) if study is not None else None


def stop(what: Stop) -> None:
    """Write nothing more of this study to that address."""
    MailStop.objects.get_or_create(study=what.study, digest=what.digest)


def lift(what: Stop) -> None:
    """Write to that address again, at the wish of whoever has its link."""
    MailStop.objects.filter(study=what.study, digest=what.digest).delete()


def go_on(study: Study, address: str) -> None:
    """Write to that address again, at its owner's wish."""
    MailStop.objects.filter(study=study, digest=address_digest(address)).delete()


def stopped(study: Study, address: str) -> bool:
    """Return whether that address wants no e-mail of this study."""
    return MailStop.objects.filter(study=study, digest=address_digest(address)).exists()


def stop_for(study: Study, address: str) -> None:
    """Write nothing more of this study to that address, at its owner's wish."""
    stop(Stop(study, address_digest(address)))
