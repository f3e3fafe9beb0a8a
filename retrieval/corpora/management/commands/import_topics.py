"""`manage.py import_topics FILE --slug S`: topics of JSONL, a table, XML, or TREC's tagged form."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandParser

from common.console import in_one_sentence
from common.wording import counted
from retrieval.corpora.loading import topics


class Command(BaseCommand):
    help = "Load a set of topics, all of it or nothing. Running it again adds nothing."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument(
            "file", help="a .jsonl file, a .tsv table, XML, TREC's form (.trec, .txt), or a BEIR folder"
        )
        parser.add_argument("--slug", required=True, help="its name in addresses: letters, digits, - and _")
        parser.add_argument("--title", default="", help="default: the slug")
        parser.add_argument("--source", default="", help="where the topics come from")
        parser.add_argument(
            "--language", default="en", help="of topics of which the file names none (default: en)"
        )

    def handle(self, *args: Any, **options: Any) -> None:
        facts = {name: options[name] for name in topics.FACTS} | {
            "title": options["title"] or options["slug"]
        }
        with in_one_sentence():
            loaded = topics.load(Path(options["file"]), facts, options["language"])
        found = loaded.topics
        facets = f"; facets: {', '.join(found.facets)}" if found.facets else ""
        self.stdout.write(
            f'{"Loaded" if loaded.created else "Known"}: "{found.slug}" ({found}), '
            f"{counted(found.members.count(), 'topic')}{facets}."
        )
