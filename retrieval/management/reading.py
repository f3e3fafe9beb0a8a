"""What the commands that read a text ask about its file."""

from __future__ import annotations

from django.core.management.base import CommandParser

from retrieval.engine.formats.encodings import NAMES


def add_encoding(parser: CommandParser) -> None:
    """Add `--encoding`, which is needed where a file is no Unicode: it is never guessed unseen."""
    parser.add_argument(
        "--encoding",
        choices=NAMES,
        default="",
        metavar="NAME",
        help=f"of a plain-text file that is not UTF-8: {', '.join(NAMES[1:])}",
    )
