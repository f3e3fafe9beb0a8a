"""`manage.py evaluate_runs QRELS RUN [RUN ...]`: measures of runs on judgments, of files or of a corpus."""

from __future__ import annotations

from argparse import ArgumentParser, ArgumentTypeError
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from common.console import in_one_sentence
from evaluation.management.commands.report import find, resamples
from evaluation.management.console import PICTURES, give, needing_matplotlib, written
from evaluation.metrics.common.intervals import RESAMPLES
from evaluation.metrics.ranking.from_grades import RULES
from evaluation.metrics.ranking.graded import Qrels
from evaluation.metrics.ranking.measures import NAMES, RunMeasure, measures
from evaluation.runs import formats, pictures
from evaluation.runs.files import read_facets, read_qrels, read_runs
from evaluation.runs.judgments import PREFIX
from evaluation.runs.measuring import Asked, given_of, measured
from evaluation.runs.report import BLOCKS, RunsReport, runs_report
from evaluation.runs.stored import qrels_of
from retrieval.corpora.runs import naming


class Command(BaseCommand):
    help = "MAP, nDCG and the like of TREC run files on qrels, with intervals over topics and paired tests."
    # No page is needed to count, and loading all of them for the checks costs more than most runs.
    requires_system_checks: list[str] = []

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument(
            "qrels", help="TREC's four columns, a table with a head (BEIR's), or .jsonl; .gz, too"
        )
        parser.add_argument(
            "runs", nargs="+", metavar="RUN", help="TREC's six columns, MS MARCO's three, or with a head"
        )
        parser.add_argument(
            "--corpus",
            metavar="SLUG",
            help="measure what is stored with this corpus: qrels and runs are names, not files; the grades "
            "of a study are study:SLUG",
        )
        parser.add_argument("--rule", choices=RULES, help="of a study's grades (default: median)")
        parser.add_argument(
            "--level", type=at_least_one, help="the least grade that is relevant (default: half the scale)"
        )
        parser.add_argument(
            "--highest", type=at_least_one, help="highest grade of the scale (default: the highest given)"
        )
        parser.add_argument("--measures", type=asked, help=f"with commas: {NAMES}".replace("%", "%%"))
        parser.add_argument("--compare", default="", metavar="BASE", help="test every run against this one")
        parser.add_argument(
            "--facets",
            default="",
            metavar="FILE",
            help="topic, tab, facet a line: numbers of each facet; with --corpus the name of a facet",
        )
        parser.add_argument(
            "--pool", type=at_least_one, metavar="DEPTH", help="what each run brought alone, and without it"
        )
        parser.add_argument(
            "--before",
            default="",
            metavar="QRELS",
            help="the judgments there were before a further pool: both, side by side; a file, with --corpus "
            "a name or study:SLUG, over which the others are laid",
        )
        parser.add_argument("--per-topic", action="store_true", help="every value of every topic as well")
        parser.add_argument("--seed", type=int, default=0)
        parser.add_argument("--resamples", type=resamples, default=RESAMPLES, help="default: %(default)s")
        parser.add_argument("--format", choices=formats.NAMES, default="table")
        parser.add_argument("--output", type=Path, metavar="FILE", help="write there instead of printing")
        parser.add_argument(
            "--pictures",
            type=Path,
            metavar="DIR",
            help="with --compare: draw the difference on every topic, a file for each run and measure",
        )
        parser.add_argument("--picture-format", choices=PICTURES, default="pdf", help="default: %(default)s")

    def handle(self, *args: Any, **options: Any) -> None:
        if options["rule"] and not (options["corpus"] and options["qrels"].startswith(PREFIX)):
            raise CommandError(f"--rule is about the grades of a study ({PREFIX}SLUG, with --corpus).")
        if options["pictures"] and not options["compare"]:
            raise CommandError("--pictures draws differences: name the run to compare with (--compare).")
        with in_one_sentence():
            found = _of_corpus(options) if options["corpus"] else _of_files(options)
        form = formats.written(per_topic=options["per_topic"])[options["format"]]
        give(self, [form.render(found)], options["output"])
        if options["pictures"]:
            with needing_matplotlib():
                from common.pictures.paper import draw
            drawn = draw(pictures.for_print(found), options["picture_format"])
            for path in written(options["pictures"], drawn, options["picture_format"]):
                self.stderr.write(f"Wrote {path}.")


def _of_files(options: dict[str, Any]) -> RunsReport:
    return runs_report(
        read_qrels(Path(options["qrels"])),
        read_runs([Path(each) for each in options["runs"]]),
        blocks=(options["measures"],) if options["measures"] else BLOCKS,
        level=options["level"],
        most=options["highest"],
        base=options["compare"],
        facets=read_facets(Path(options["facets"])) if options["facets"] else None,
        depth=options["pool"],
        earlier=read_qrels(Path(options["before"])) if options["before"] else None,
        seed=options["seed"],
        resamples=options["resamples"],
    )


def _of_corpus(options: dict[str, Any]) -> RunsReport:
    corpus, name = naming.corpus(options["corpus"]), options["qrels"]
    study = find(name.removeprefix(PREFIX)) if name.startswith(PREFIX) else None
    judged = naming.run(corpus, options["runs"][0]) if study else qrels_of(corpus, name)
    wanted = Asked(
        corpus,
        judged.topics,
        name,
        tuple(options["runs"]),
        study=study,
        rule=options["rule"] or "median",
        level=options["level"],
        highest=options["highest"],
        blocks=(options["measures"],) if options["measures"] else BLOCKS,
        base=options["compare"],
        facet=options["facets"],
        depth=options["pool"],
    )
    earlier = _before(wanted, options["before"]) if options["before"] else None
    return measured(
        wanted,
        within_a_request=False,
        seed=options["seed"],
        resamples=options["resamples"],
        earlier=earlier,
    )


def _before(wanted: Asked, name: str) -> Qrels:
    """Return the judgments there were before a further pool. Raises `BadInput` where there are none."""
    study = find(name.removeprefix(PREFIX)) if name.startswith(PREFIX) else None
    return given_of(wanted._replace(qrels=name, study=study)).qrels


def asked(text: str) -> tuple[RunMeasure, ...]:
    """The measures named, as argparse wants its errors."""
    try:
        return measures(text)
    except ValueError as error:
        raise ArgumentTypeError(str(error)) from None


def at_least_one(text: str) -> int:
    """A whole number from 1 on."""
    if not text.isascii() or not text.isdigit() or int(text) < 1:
        raise ArgumentTypeError(f"{text!r} is not a whole number from 1 on.")
    return int(text)
