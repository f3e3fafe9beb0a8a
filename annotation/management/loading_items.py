"""Options and last sentence of the commands that load items of files."""

from __future__ import annotations

from typing import Any

from django.core.management.base import CommandParser

from annotation.management.console import named_user
from annotation.studies.build import LoadedItems
from common.console import text
from common.wording import counted, were


def add_study_options(parser: CommandParser) -> None:
    """Add the options that describe a study made now; one that is there keeps what it has."""
    parser.add_argument("--title", default="", help="default: its short name")
    parser.add_argument("--overlap", type=int, default=3, help="judgments an item (default 3)")
    parser.add_argument("--seed", type=int, default=0, help="whole number for intervals (default 0)")
    parser.add_argument("--researcher", help="user name of the study's researcher")
    parser.add_argument("--guidelines", metavar="FILE", help="what readers are told, as UTF-8 text")
    parser.add_argument("--contact", default="", help="whom readers may ask")


def study_options(options: dict[str, Any]) -> dict[str, Any]:
    """Return those options as `load_items` takes them."""
    told = {key: options[key] for key in ("title", "overlap", "seed", "contact")}
    return {**told, "by": named_user(options["researcher"]), "guidelines": text(options["guidelines"])}


def summary(loaded: LoadedItems) -> str:
    """Return in one sentence what was loaded."""
    new = counted(loaded.new, "item")
    if loaded.created:
        return f"Built “{loaded.study.slug}”, a draft with {new}."
    if not loaded.new:
        return f"Nothing was new: “{loaded.study.slug}” has all {loaded.known:,} items already."
    return f"Added {new} to “{loaded.study.slug}”; {loaded.known:,} {were(loaded.known)} there before."
