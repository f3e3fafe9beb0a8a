"""`manage.py export_qrels STUDY --output FILE`: relevance judgments of a study's grades, by a named rule."""

from __future__ import annotations

from argparse import ArgumentParser
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand

from common.console import in_one_sentence, whole
from common.wording import counted
from evaluation.management.commands.evaluate_runs import at_least_one
from evaluation.management.commands.report import find
from evaluation.metrics.ranking.from_grades import RULES
from evaluation.qrels.of_study import ANSWERS, lines, sidecar, study_qrels


class Command(BaseCommand):
    help = "Write one grade a topic and document as TREC qrels, and beside them a file that names the rule."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("study", help="the study's slug")
        parser.add_argument(
            "--output", type=Path, metavar="FILE", required=True, help="FILE.json is written beside it"
        )
        parser.add_argument("--rule", choices=list(RULES), default="median", help="default: %(default)s")
        parser.add_argument(
            "--answers",
            choices=list(ANSWERS),
            default="all",
            help="first: only those before which no machine's answer was shown (default: %(default)s)",
        )
        parser.add_argument(
            "--level", type=at_least_one, help="the least relevant grade, as FILE.json names it; changes none"
        )
        parser.add_argument(
            "--pools", type=at_least_one, metavar="N", help="only documents of the pools numbered 1 to N"
        )
        parser.add_argument(
            "--header", action="store_true", help="a first line with #, which trec_eval reads from 10 on"
        )

    def handle(self, *args: Any, **options: Any) -> None:
        path: Path = options["output"]
        with in_one_sentence():
            study = find(options["study"])
            asked = [options[name] for name in ("rule", "level", "pools", "answers")]
            found = study_qrels(study, *asked)
            written = "".join(lines(found, options["header"]))
            with whole(path) as file, whole(path.with_name(f"{path.name}.json")) as beside:
                file.write(written)
                beside.write(sidecar(found, written))
        topics = counted(len(found.made.qrels), "topic")
        self.stderr.write(
            f"Wrote {counted(found.n_pairs, 'judgment')} of {topics} to {path}, by {found.made.rule}: "
            f"{found.rule}. {path.name}.json says what stands behind them."
        )
        if found.made.left_out:
            pairs = counted(len(found.made.left_out), "pair")
            self.stderr.write(f"Left out: {pairs} of topic and document without a grade.")
