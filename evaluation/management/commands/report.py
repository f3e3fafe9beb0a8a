"""Print what the judgments of a study say."""

from __future__ import annotations

from argparse import ArgumentParser, ArgumentTypeError
from datetime import date
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError
from django.utils import timezone

from annotation.models import Study
from common.console import in_one_sentence
from common.errors import BadInput
from evaluation.kinds.registry import all_kinds
from evaluation.management.console import give
from evaluation.metrics.common.intervals import RESAMPLES
from evaluation.paper import formats, registry
from evaluation.paper.citation import LICENCES, Cited, citation
from evaluation.paper.layouts import birco_2
from evaluation.paper.methods.written import LANGUAGES, paragraph
from evaluation.paper.values import Asked
from evaluation.report.compute import report
from evaluation.report.formats import FORMATS
from evaluation.runs.files import read_runs

MOST_RESAMPLES = 100_000
NAMED = 20


def resamples(text: str) -> int:
    """A number of resamples that gives an interval and ends in time."""
    if not text.isascii() or not text.isdigit() or not 100 <= int(text) <= MOST_RESAMPLES:
        raise ArgumentTypeError(f"must be a whole number from 100 to {MOST_RESAMPLES:,}, not {text!r}.")
    return int(text)


def weightings() -> str:
    """The ways of weighing that each kind of data offers, in words."""
    kinds = {name: one.weightings.items() for name, one in all_kinds().items() if one.weightings}
    return "; ".join(
        f"{name}: {', '.join(f'{way}, {says}' for way, says in ways)}" for name, ways in kinds.items()
    )


class Command(BaseCommand):
    help = "Accuracy and agreement of a study, with intervals, as a table, JSON, CSV or LaTeX."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("study", help="the study's slug")
        parser.add_argument("--format", choices=FORMATS, default="table")
        parser.add_argument("--output", type=Path, metavar="FILE", help="write there instead of printing")
        parser.add_argument(
            "--resamples", type=resamples, default=RESAMPLES, help="for the intervals (default: %(default)s)"
        )

        parser.add_argument(
            "--weighting",
            default="",
            metavar="HOW",
            help=f"how items weigh, the usual way first: {weightings()}",
        )
        add_layouts(parser)

    def handle(self, *args: Any, **options: Any) -> None:
        study = find(options["study"])
        if text := self.written(study, options):
            give(self, [text], options["output"])
            return
        if options["run"] and options["layout"] != birco_2.LAYOUT.name:
            raise CommandError("--run names rank files for --layout birco-2.")
        if options["layout"]:
            with in_one_sentence():
                runs = tuple(read_runs(options["run"]))
                asked = Asked(study, options["resamples"], runs)
                laid = registry.filled(options["layout"], asked)
            give(self, [formats.FORMATS[options["format"]].render(laid)], options["output"])
            return
        try:
            found = report(study, resamples=options["resamples"], weighting=options["weighting"], again=True)
        except BadInput as error:
            raise CommandError(f"--{error}") from error
        give(self, [FORMATS[options["format"]].render(found)], options["output"])

    def written(self, study: Study, options: dict[str, Any]) -> str:
        """What is no report: the methods paragraph, or the citation; empty where none is asked for."""
        if options["methods"]:
            return f"{paragraph(study, options['methods'], options['resamples'])}\n"
        if options["citation"]:
            released = options["released"] or timezone.localdate()
            said = Cited(options["author"], options["data_version"], options["licence"], released)
            with in_one_sentence():
                return citation(study, said)
        return ""


def day(text: str) -> date:
    """A day, as argparse wants its errors."""
    try:
        return date.fromisoformat(text)
    except ValueError:
        raise ArgumentTypeError(f"{text!r} is no day: write it as 2026-05-31.") from None


def add_layouts(parser: ArgumentParser) -> None:
    """What a paper needs in place of the report: a table of another paper, the methods, the citation."""
    parser.add_argument(
        "--layout",
        choices=registry.LAYOUTS,
        metavar="NAME",
        help=f"a table or figure of a paper, filled with this study: {', '.join(registry.LAYOUTS)}",
    )
    parser.add_argument(
        "--run",
        type=Path,
        action="append",
        default=[],
        metavar="FILE",
        help="a rank file for --layout birco-2, in place of the stored runs; may be given more than once",
    )
    parser.add_argument("--methods", choices=LANGUAGES, help="the methods paragraph, in English or German")
    parser.add_argument("--citation", action="store_true", help="CITATION.cff of the data; needs --author")
    parser.add_argument(
        "--author",
        action="append",
        default=[],
        metavar="NAME",
        help="of the citation: “Family, Given; ORCID”, or an institution; once for each",
    )
    parser.add_argument("--data-version", default="", metavar="V", help="of the citation: that of the data")
    parser.add_argument("--licence", default="", metavar="L", help=f"of the citation: {', '.join(LICENCES)}")
    parser.add_argument("--released", type=day, metavar="DAY", help="of the citation (default: today)")


def find(slug: str) -> Study:
    """The study of that name, or one sentence with the names there are."""
    study = Study.objects.filter(slug=slug, deleted=None).first()
    if study is not None:
        return study
    known = list(
        Study.objects.filter(deleted=None).order_by("slug").values_list("slug", flat=True)[: NAMED + 1]
    )
    if not known:
        raise CommandError(f"There is no study “{slug}”: there is none yet.")
    more = ", …" if len(known) > NAMED else ""
    raise CommandError(f"There is no study “{slug}”. There are: {', '.join(known[:NAMED])}{more}.")
