"""`manage.py add_checkpoint FOLDER --name minilm --pooling mean --similarity cosine --gap space`."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser

from retrieval import checkpoints
from retrieval.engine.dense_settings import CHOICES, RANGES
from retrieval.engine.errors import BadInput


class Command(BaseCommand):
    help = "Allow dense rankers to load a model: a folder with safetensors, config.json and tokenizer.json."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("folder", type=Path)
        parser.add_argument("--name", required=True, help="what jobs call it")
        for name, choices in CHOICES.items():
            parser.add_argument(f"--{name}", choices=choices, help="default: as in dense-RELiC, or its card")
        for name, (lowest, highest) in RANGES.items():
            parser.add_argument(f"--{name.replace('_', '-')}", type=int, help=f"{lowest} to {highest}")

    def handle(self, *args: Any, **options: Any) -> None:
        given = {name: options[name] for name in (*CHOICES, *RANGES) if options[name] is not None}
        try:
            found, new = checkpoints.add(options["folder"], slug=options["name"], given=given)
        except BadInput as error:
            raise CommandError(str(error)) from None
        self.stdout.write(f"{'Added' if new else 'Known already'}: {found}, sha256 {found.sha256}.")
        said = ", ".join(f"{name} {value}" for name, value in found.settings.items())
        self.stdout.write(f"Its encoders: {said}.")
        self.stdout.write(
            f"Rank with it: manage.py generate --book … --ranker dense --set checkpoint={found.slug}"
        )
