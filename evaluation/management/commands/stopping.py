"""`manage.py stopping STUDY`: the looks of its stopping rule; with numbers, the rule of a draft."""

from __future__ import annotations

from argparse import ArgumentParser
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError
from django.utils import timezone

from annotation.models import State, Study
from annotation.studies.running.stopping import DIFFERENCE, SPENDINGS, Rule, set_rule
from common.errors import BadField, BadInput
from common.tables import json
from common.tables.text import Style, text
from evaluation.management.commands.report import find
from evaluation.management.console import give
from evaluation.stopping.forms import POINTS, USUAL
from evaluation.stopping.looks import looked, offered
from evaluation.stopping.tables import data, document
from evaluation.stopping.taking import take


class Command(BaseCommand):
    help = "The stopping rule of a study and its looks; with --measure, chooses the rule of a draft."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("study")
        parser.add_argument("--measure", metavar="M", help="choose what the rule looks at")
        parser.add_argument("--width", type=float, metavar="N", help="half width wanted, in points")
        parser.add_argument(
            "--spending",
            choices=SPENDINGS,
            help="stop when a comparison is decided, not at a width; how it spends its 5 %% over the looks",
        )
        parser.add_argument(
            "--threshold", type=float, metavar="N", help="what the measure is compared with, in points"
        )
        parser.add_argument("--run", metavar="M", help=f"the run that {DIFFERENCE} compares readers with")
        parser.add_argument("--items", type=int, metavar="N", help="fully read items at the first look")
        parser.add_argument("--every", type=int, metavar="N", help="fully read items from look to look")
        parser.add_argument("--most", type=int, metavar="N", help="looks at most")
        parser.add_argument("--closes", action="store_true", help="close the study when the rule is met")
        parser.add_argument("--none", action="store_true", help="take the rule of a draft away")
        parser.add_argument("--format", choices=("table", "json"), default="table")
        parser.add_argument("--output", type=Path, metavar="FILE", help="write there instead of printing")

    def handle(self, *args: Any, **options: Any) -> None:
        study = find(options["study"])
        try:
            if options["measure"] or options["none"]:
                set_rule(study, None if options["none"] else chosen(study, options), by=None)
                study.refresh_from_db()
            elif study.state == State.OPEN:
                take(study, now=timezone.now())
        except BadField as error:
            raise CommandError(f"--{error.field}: {error}") from error
        except BadInput as error:
            raise CommandError(str(error)) from error
        found = looked(study, again=True)
        if options["format"] == "json":
            give(self, [json.written(data(found), 2)], options["output"])
        elif found is None:
            give(self, [f"“{study.title}” has no stopping rule.\n"], options["output"])
        else:
            give(self, [text(document(study.slug, found), Style())], options["output"])


def chosen(study: Study, options: dict[str, Any]) -> Rule:
    """The rule that was asked for. Raises BadField for a measure that the study does not have."""
    measures = [one.slug for one in offered(study)]
    if options["measure"] not in measures:
        has = f"one of {', '.join(measures)}" if measures else "chosen once the study has items"
        raise BadField("measure", f"It must be {has}.")
    said: dict[str, Any] = {
        name: usual if options[name] is None else options[name] for name, usual in USUAL.items()
    }
    said["width"] = options["width"] if options["spending"] else said["width"]
    compared: dict[str, Any] = {
        "spending": options["spending"] or "", "threshold": options["threshold"], "run": options["run"] or ""
    }  # fmt: skip
    for name, among in (("width", said), ("threshold", compared)):
        among[name] = None if among[name] is None else among[name] / POINTS
    return Rule(options["measure"], **said, **compared, closes=options["closes"])
