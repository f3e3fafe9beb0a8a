"""What several commands ask in the same words."""

from __future__ import annotations

from django.core.management.base import CommandParser


def add_corpus_and_topics(parser: CommandParser) -> None:
    """Add `--corpus` and `--topics`, both needed."""
    parser.add_argument("--corpus", required=True, metavar="SLUG", help="the documents")
    parser.add_argument("--topics", required=True, metavar="SLUG", help="the topics")
