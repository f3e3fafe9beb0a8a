"""`manage.py score_run RUN --qrels QRELS`: a TREC run's numbers as trec_eval prints them."""

from __future__ import annotations

from argparse import ArgumentParser, ArgumentTypeError
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from common.console import in_one_sentence
from common.wording import counted
from evaluation.management.commands.evaluate_runs import at_least_one
from evaluation.management.console import give
from evaluation.metrics.ranking.trec_eval import COUNTS, LINES, NAMES, USUAL, Scored, check, score
from evaluation.runs.files import read_qrels, read_runs

WIDTH = 22


class Command(BaseCommand):
    help = (
        "Score a TREC run under trec_eval's names, over the topics that trec_eval takes. "
        "(evaluate_runs has intervals, tests and every format.)"
    )
    # No page is needed to count.
    requires_system_checks: list[str] = []

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("run", type=Path, help="TREC's six columns, MS MARCO's three, or with a head")
        parser.add_argument("--qrels", type=Path, required=True, help="TREC's four columns, or BEIR's")
        which = parser.add_mutually_exclusive_group()
        which.add_argument("--all", action="store_true", help="trec_eval's default lines")
        which.add_argument("--measures", type=named, help=f"with commas: {NAMES}")
        parser.add_argument("--level", type=at_least_one, default=1, help="least relevant grade (default: 1)")
        parser.add_argument(
            "--complete",
            action="store_true",
            help="as trec_eval -c: topics that the run lacks count 0",
        )
        parser.add_argument(
            "--judged-only",
            action="store_true",
            help="as trec_eval -J: without documents that have no judgment, so within each topic's pool",
        )
        parser.add_argument("--per-topic", action="store_true", help="as trec_eval -q: every topic as well")
        parser.add_argument("--output", type=Path, metavar="FILE", help="write there instead of printing")

    def handle(self, *args: Any, **options: Any) -> None:
        names = LINES if options["all"] else options["measures"] or USUAL
        with in_one_sentence():
            qrels = read_qrels(options["qrels"])
            (run,) = read_runs([options["run"]])
            how = {name: options[name] for name in ("complete", "judged_only")}
            try:
                found = score(run.run, qrels, names, options["level"], **how)
            except ValueError as error:
                raise CommandError(f"{options['run']}: {error}") from None
        give(self, [text(found, run.name, names, per_topic=options["per_topic"])], options["output"])
        self.note(found, complete=options["complete"])

    def note(self, found: Scored, *, complete: bool) -> None:
        """Say which topics do not enter."""
        if found.missing:
            what = "count 0 (--complete)" if complete else "do not enter; --complete counts them 0"
            self.stderr.write(f"{counted(len(found.missing), 'judged topic')} the run has not: they {what}.")
        if found.unjudged:
            self.stderr.write(
                f"{counted(len(found.unjudged), 'topic')} of the run without a judgment: left out."
            )


def text(found: Scored, name: str, names: tuple[str, ...], *, per_topic: bool) -> str:
    """Return the lines, of single topics first where they are asked for."""
    return "\n".join(lines(found, name, names, per_topic=per_topic))


def lines(found: Scored, name: str, names: tuple[str, ...], *, per_topic: bool) -> Iterator[str]:
    if per_topic:
        for place, topic in enumerate(found.topics):
            for each in names:
                if each != "gm_map":
                    yield line(each, topic, float(found.values[each][place]))
    yield f"{'runid':<{WIDTH}}\tall\t{name}"
    yield f"{'num_q':<{WIDTH}}\tall\t{len(found.topics)}"
    yield from (line(each, "all", found.all(each)) for each in names)


def line(name: str, topic: str, value: float) -> str:
    """Return a line as trec_eval prints it: the name in 22 columns, the topic, four digits."""
    return f"{name:<{WIDTH}}\t{topic}\t{f'{value:.0f}' if name in COUNTS else f'{value:.4f}'}"


def named(said: str) -> tuple[str, ...]:
    """Return the names in a text with commas, as argparse wants its errors."""
    names = tuple(dict.fromkeys(each.strip() for each in said.split(",") if each.strip()))
    try:
        for each in names:
            check(each)
    except ValueError as error:
        raise ArgumentTypeError(str(error)) from None
    if not names:
        raise ArgumentTypeError(f"No measure is named; there are {NAMES}.")
    return names
