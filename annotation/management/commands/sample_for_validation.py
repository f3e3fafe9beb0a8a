"""`manage.py sample_for_validation STUDY --judgments FILE --share 0.4`: a sample of what a machine judged."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser
from django.utils import timezone

from annotation.management.console import in_one_sentence, named_study
from annotation.models import MachineReader, StrataRule, Study
from annotation.validation import machine_answers, samples
from annotation.validation.machine_answers import Answers
from common.errors import BadInput
from common.wording import counted


class Command(BaseCommand):
    help = "Make the items of a draft a sample of what a machine judged, to be validated by people."

    def add_arguments(self, parser: CommandParser) -> None:
        usual = samples.Wish()
        parser.add_argument("study", help="short name of a draft with all items that the machine judged")
        what = parser.add_mutually_exclusive_group(required=True)
        what.add_argument("--reader", metavar="NAME", help="a machine reader, such as M1")
        what.add_argument(
            "--judgments", metavar="FILE", help="TREC qrels, or JSON lines: item or topic and document, grade"
        )
        what.add_argument(
            "--take-back", action="store_true", help="take the sample back: the draft has all its items again"
        )
        parser.add_argument("--of", metavar="STUDY", help="whose machine reader it is (default: the study's)")
        parser.add_argument("--share", type=float, default=usual.share, help="of the items (default 0.4)")
        parser.add_argument(
            "--rule", choices=StrataRule.values, default=str(usual.rule), help="of the strata"
        )
        parser.add_argument(
            "--top", type=int, default=usual.top_k, metavar="K", help="of each run (default 10)"
        )
        parser.add_argument(
            "--whole-topics",
            action="store_true",
            help="draw topics with all their items, for measures of a topic; needs --prefilled 0",
        )
        for arm in ("blind", "reveal", "prefilled"):
            parser.add_argument(f"--{arm}", type=int, default=1, metavar="PARTS", help=f"{arm}, default 1")
        parser.add_argument("--seed", type=int, help="of the draw and the arms (default: the study's)")
        parser.add_argument("--preview", action="store_true", help="print the strata and draw nothing")

    def handle(self, *args: Any, **options: Any) -> None:
        study = named_study(options["study"])
        with in_one_sentence():
            if options["take_back"]:
                n = samples.take_back(study, by=None)
                self.stdout.write(f"The sample is taken back: “{study.slug}” has all {counted(n, 'item')}.")
                return
            found, wish = answers(study, options), wish_of(options)
            plan = samples.plan(study, found, wish)
            if not options["preview"]:
                samples.take(study, found, wish, by=None, now=timezone.now())
        self.print(plan)
        done = "would be" if options["preview"] else "were"
        n, drawn = len(plan.drawing.stratum_of), len(plan.drawing.drawn)
        self.stdout.write(f"{drawn:,} of {counted(n, 'item')} {done} drawn.")

    def print(self, plan: samples.Plan) -> None:
        """Write the strata and what the researcher should know."""
        for stratum in plan.drawing.strata:
            self.stdout.write(f"{stratum.name}: {stratum.drawn:,} of {stratum.size:,}")
        for note in plan.notes:
            self.stdout.write(note)


def answers(study: Study, options: dict[str, Any]) -> Answers:
    """Return the machine's answers that were named. Raises `BadInput`."""
    if options["judgments"]:
        path = Path(options["judgments"])
        try:
            return machine_answers.of_file(study, path.read_bytes(), path.name)
        except OSError as error:
            raise CommandError(f"{path}: {error.strerror}.") from None
    owner = named_study(options["of"]) if options["of"] else study
    reader = MachineReader.objects.filter(study=owner, name=options["reader"]).first()
    if reader is None:
        names = ", ".join(owner.machine_readers.values_list("name", flat=True)) or "it has none"
        raise BadInput(f"“{owner.slug}” has no machine reader {options['reader']!r}: {names}.")
    return machine_answers.of_reader(study, reader)


def wish_of(options: dict[str, Any]) -> samples.Wish:
    """Return what the options ask for."""
    names = ("share", "rule", "blind", "reveal", "prefilled", "seed", "whole_topics")
    return samples.Wish(top_k=options["top"], **{name: options[name] for name in names})
