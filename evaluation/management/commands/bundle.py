"""`manage.py bundle STUDY FILE`: data set and report in one signed file that proves its numbers."""

from __future__ import annotations

from argparse import ArgumentParser
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError
from django.utils import timezone

from common.console import bar, in_one_sentence, whole_bytes
from evaluation.bundle import keys
from evaluation.bundle.reports import Asked
from evaluation.bundle.write import write_bundle
from evaluation.management.commands.report import find, resamples, weightings
from evaluation.metrics.common.intervals import RESAMPLES


class Command(BaseCommand):
    help = "Write a study's data set and its report as one signed file, which variorum-verify checks."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("study", nargs="?", help="the study's slug")
        parser.add_argument("file", nargs="?", type=Path, help="the bundle, such as study.bundle.zip")
        parser.add_argument("--licence", default="", help="of the data set, such as CC-BY-4.0")
        parser.add_argument(
            "--resamples", type=resamples, default=RESAMPLES, help="for the intervals (default: %(default)s)"
        )
        parser.add_argument(
            "--weighting",
            default="",
            metavar="HOW",
            help=f"how items weigh, the usual way first: {weightings()}",
        )
        parser.add_argument(
            "--public-key",
            action="store_true",
            help="print the public key that bundles are checked with, and write none; the first use makes it",
        )

    def handle(self, *args: Any, **options: Any) -> None:
        with in_one_sentence():
            if options["public_key"]:
                self.public_key()
            elif options["study"] and options["file"]:
                self.bundle(**options)
            else:
                raise CommandError("Name a study and the file to write, or ask for --public-key.")

    def public_key(self) -> None:
        key = keys.public(keys.own())
        self.stdout.write(key.pem.decode(), ending="")
        self.stderr.write(f"Fingerprint: {key.fingerprint}")

    def bundle(self, study: str, file: Path, licence: str, **options: Any) -> None:
        found = find(study)
        asked = Asked(timezone.now(), options["resamples"], options["weighting"])
        with bar() as progress, whole_bytes(file) as out:
            made = write_bundle(found, out, asked, licence=licence, by=None, progress=progress)
        self.stderr.write(f"Wrote {file}: {made.parts} parts, signed by the key {made.fingerprint}.")
        self.stderr.write(f"To check it: variorum-verify {file}")
