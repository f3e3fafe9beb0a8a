"""`manage.py build_relevance STUDY --corpus C --topics T --scale five`: a draft of a pool, to be judged."""

from __future__ import annotations

from typing import Any

from django.core.management.base import BaseCommand, CommandParser

from annotation.items.from_pool import named_pool
from annotation.items.lines import json_object
from annotation.management import loading_items
from annotation.management.console import in_one_sentence
from annotation.studies.pools import build_of_pool
from annotation.tasktypes.relevance.rationale import SETTINGS
from annotation.tasktypes.scales import SCALES, check_scale, named_scale
from common.console import text

TASK = "relevance"


class Command(BaseCommand):
    help = "Make a draft study of a pool: each document is graded for its topic. Again, it adds what is new."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("study", help="short name of a draft, or of the study to make")
        parser.add_argument("--corpus", required=True, metavar="SLUG", help="the documents")
        parser.add_argument("--topics", required=True, metavar="SLUG", help="the topics")
        parser.add_argument("--pool", type=int, metavar="N", help="number of the pool (default: the last)")
        ready = ", ".join(SCALES)
        parser.add_argument(
            "--scale",
            help=f"{ready}, or a JSON file with a name and grades "
            f"(default: {next(iter(SCALES))}; of a study that is there, its own)",
        )
        parser.add_argument(
            "--highlight",
            action="store_true",
            help="mark the words of the topic's title in the document: it changes judgments, and is recorded",
        )
        parser.add_argument(
            "--rationale",
            choices=SETTINGS,
            help="ask for the words that decided, to be marked after the grade",
        )
        parser.add_argument(
            "--neighbours",
            action="store_true",
            help="readers may open what stands before and behind a document; judgments say which they did",
        )
        parser.add_argument(
            "--earlier-answers",
            action="store_true",
            help="readers may open their own earlier grades of the topic beside a document: it anchors",
        )
        parser.add_argument(
            "--leave-out",
            action="store_true",
            help="leave out, and name, documents that can be no item, such as very long ones",
        )
        loading_items.add_study_options(parser)

    def handle(self, *args: Any, **options: Any) -> None:
        about = loading_items.study_options(options)
        about["title"] = about["title"] or options["study"]
        with in_one_sentence():
            pool = named_pool(options["corpus"], options["topics"], options["pool"])
            shared: dict[str, Any] = {"highlight": True} if options["highlight"] else {}
            if options["rationale"]:
                shared["rationale"] = options["rationale"]
            if options["scale"] is not None:
                shared["scale"] = scale_of(options["scale"])
            about |= {name: options[name] for name in ("leave_out", "neighbours", "earlier_answers")}
            built = build_of_pool(options["study"], TASK, pool, shared, **about)
        self.stdout.write(built.in_words())
        if built.created:
            self.stdout.write(f"Invite annotators with: manage.py invite {built.study.slug}")


def scale_of(name: str) -> dict[str, Any]:
    """Return a ready scale by its name, or that of a JSON file. Raises `BadInput` or `Invalid`."""
    if name in SCALES or not name.endswith(".json"):
        return named_scale(name)
    scale = json_object(text(name), name)
    check_scale(scale)
    return scale
