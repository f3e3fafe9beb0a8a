"""`manage.py add_checkpoint FOLDER --name simcse --preset simcse`, or `--hub OWNER/NAME` to fetch one."""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser

from common.errors import BadInput, needs_model_packages
from retrieval.dense import checkpoints
from retrieval.engine.dense.presets import PRESETS
from retrieval.engine.dense.settings import CHOICES, PREFIXES, RANGES, checked
from retrieval.models import Checkpoint


class Command(BaseCommand):
    help = "Allow dense rankers to load a model: a folder with safetensors, config.json and tokenizer.json."

    def add_arguments(self, parser: CommandParser) -> None:
        what = parser.add_mutually_exclusive_group(required=True)
        what.add_argument("folder", type=Path, nargs="?")
        what.add_argument("--hub", metavar="OWNER/NAME", help="fetch a published model now, over the network")
        parser.add_argument("--revision", default="main", help="of --hub: a commit, tag or branch")
        parser.add_argument("--hub-quotations", metavar="OWNER/NAME", help="another model reads quotations")
        parser.add_argument("--quotations-revision", default="main", help="of --hub-quotations")
        parser.add_argument(
            "--convert", action="store_true", help="of --hub: fetch a .bin too, where there is nothing else"
        )
        parser.add_argument("--name", required=True, help="what jobs call it")
        parser.add_argument("--preset", choices=PRESETS, help="settings of a published kind of encoder")
        for name, choices in CHOICES.items():
            parser.add_argument(f"--{name}", choices=choices, help="default: as in dense-RELiC, or its card")
        for name, (lowest, highest) in RANGES.items():
            parser.add_argument(
                f"--{name.replace('_', '-')}", type=int, help=f"{lowest} to {highest}; 0: all"
            )
        for name in PREFIXES:
            parser.add_argument(f"--{name.replace('_', '-')}", help="written before each text; never cut")

    def handle(self, *args: Any, **options: Any) -> None:
        preset = vars(PRESETS[options["preset"]]) if options["preset"] else {}
        own = {name: options[name] for name in (*CHOICES, *RANGES, *PREFIXES) if options[name] is not None}
        if options["convert"] and not options["hub"]:
            raise CommandError("--convert is of --hub; convert a folder with manage.py convert_weights.")
        try:
            if options["hub"]:
                found, new = self.fetched(options, preset | own)
            else:
                found, new = checkpoints.add(options["folder"], slug=options["name"], given=preset | own)
        except BadInput as error:
            raise CommandError(str(error)) from None
        except KeyboardInterrupt:
            raise CommandError("Stopped; the same command goes on.", returncode=130) from None
        self.stdout.write(f"{'Added' if new else 'Known already'}: {found}, sha256 {found.sha256}.")
        said = ", ".join(f"{name} {value}" for name, value in found.settings.items() if value != "")
        self.stdout.write(f"Its encoders: {said}.")
        self.stdout.write(
            f"Rank with it: manage.py generate --book … --ranker dense --set checkpoint={found.slug}"
        )

    def fetched(self, options: dict[str, Any], given: dict[str, Any]) -> tuple[Checkpoint, bool]:
        """Fetch published models and return their checkpoint; keep no folder that is refused."""
        checkpoints.check_new(options["name"])
        checked(given)
        with needs_model_packages():
            from retrieval.dense import hub

        models = [hub.Model(options["hub"], options["revision"])]
        if options["hub_quotations"]:
            models.append(hub.Model(options["hub_quotations"], options["quotations_revision"]))
        folder = hub.fetch(options["name"], models, self.stdout.write, convert=options["convert"])
        try:
            return checkpoints.add(folder, slug=options["name"], given=given)
        except BaseException:
            shutil.rmtree(folder, ignore_errors=True)
            raise
