"""`manage.py convert_weights FOLDER --into FOLDER`: published `.bin` or `.pt` weights as safetensors."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser

from common.errors import BadInput
from retrieval.dense import converting
from retrieval.engine.dense import folder as dense_folder
from retrieval.engine.dense.folder import CARD


class Command(BaseCommand):
    help = "Convert published weights (.bin, .pt) into a checkpoint's folder; what could run code is refused."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument(
            "source", type=Path, help="a folder with config.json, or the file of weights in it"
        )
        parser.add_argument(
            "--quotations", type=Path, help="another encoder's folder or file, for quotations"
        )
        parser.add_argument(
            "--into", type=Path, required=True, metavar="FOLDER", help="which is not there yet"
        )

    def handle(self, *args: Any, **options: Any) -> None:
        try:
            made = converting.folder(options["source"], options["into"], options["quotations"])
        except BadInput as error:
            raise CommandError(str(error)) from None
        except KeyboardInterrupt:
            raise CommandError("Stopped; nothing was written.", returncode=130) from None
        card = dense_folder.read_json(made / CARD)
        for each in card["converted"]:
            for file in (*each["from"], *each.get("pieces_from", ())):
                self.stdout.write(f"{file['file']}: sha256 {file['sha256']}")
        self.stdout.write(f"Converted into {made}. Allow it: manage.py add_checkpoint {made} --name N")
