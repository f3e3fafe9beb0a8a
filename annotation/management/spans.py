"""What the two commands that load span items share."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from django.contrib.auth.models import User
from django.core.management.base import CommandError, CommandParser

from annotation.spans.loading import Loaded


def of_a_new_study(parser: CommandParser) -> None:
    """The options that say what a study that is made now shall be; one there is keeps what it has."""
    parser.add_argument("--title", default="", help="default: its short name")
    parser.add_argument("--overlap", type=int, default=3, help="judgments an item (default 3)")
    parser.add_argument("--seed", type=int, default=0, help="whole number for intervals (default 0)")
    parser.add_argument("--researcher", help="user name of the study's researcher")
    parser.add_argument("--guidelines", metavar="FILE", help="what readers are told, as UTF-8 text")
    parser.add_argument("--contact", default="", help="whom readers may ask")


def about(options: dict[str, Any]) -> dict[str, Any]:
    """Those options as `load` takes them."""
    name, by = options["researcher"], None
    if name is not None:
        by = User.objects.filter(username=name).first()
        if by is None:
            raise CommandError(f"There is no user {name!a}: give the user name of an account there is.")
    told = {key: options[key] for key in ("title", "overlap", "seed", "contact")}
    return {**told, "by": by, "guidelines": text_of(options["guidelines"])}


def bytes_of(path: str) -> bytes:
    try:
        return Path(path).read_bytes()
    except OSError as error:
        raise CommandError(f"{path} cannot be read: {error.strerror}.") from None


def text_of(path: str | None) -> str:
    if path is None:
        return ""
    try:
        return bytes_of(path).decode("utf-8-sig")
    except UnicodeDecodeError:
        raise CommandError(f"{path} is not UTF-8 text: save it as UTF-8.") from None


def said(loaded: Loaded) -> str:
    """One sentence on what happened."""
    new = "1 item" if loaded.new == 1 else f"{loaded.new:,} items"
    if loaded.created:
        return f"Built “{loaded.study.slug}”, a draft with {new}."
    if not loaded.new:
        return f"Nothing was new: “{loaded.study.slug}” has all {loaded.known:,} items already."
    return f"Added {new} to “{loaded.study.slug}”; {loaded.known:,} were there before."
