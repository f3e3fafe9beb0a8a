"""`manage.py import_corpus FILE --slug S`: documents from a file, or cut from stored texts."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser

from common.console import bar, in_one_sentence
from common.wording import counted
from retrieval.corpora.loading import files, staging, texts
from retrieval.corpora.loading.texts import MOST_SENTENCES, PARAGRAPHS, Chosen


class Command(BaseCommand):
    help = (
        "Load a corpus: all of its documents or none. Running it again adds nothing; interrupted, it "
        "goes on where it stood when it is run again."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument(
            "file",
            nargs="?",
            help="a .jsonl file, a BEIR folder, a .tsv table, or TREC text (.trec, .sgml); .gz, too",
        )
        parser.add_argument(
            "--format",
            choices=files.NAMES,
            default="",
            help="of the file (default: what its name tells); verses: a table of book, chapter, verse, "
            "tokens and lemma, with tabs",
        )
        parser.add_argument(
            "--books",
            nargs="+",
            default=[],
            metavar="LIST",
            help="with --format verses: lists of books in their order, one a line; the name of a list is the "
            "genre of its verses",
        )
        parser.add_argument("--slug", required=True, help="its name in addresses: letters, digits, - and _")
        parser.add_argument("--title", default="", help="default: the slug")
        parser.add_argument("--language", default="en", help="BCP 47 tag of its documents (default: en)")
        parser.add_argument("--source", default="", help="where the documents come from")
        parser.add_argument("--licence", default="")
        parser.add_argument(
            "--texts",
            nargs="+",
            default=[],
            metavar="GENRE:SLUG[,SLUG]",
            help="cut it from these books and sources instead, e.g. fiction:emma,persuasion criticism:helm",
        )
        parser.add_argument(
            "--sentences",
            type=int,
            default=PARAGRAPHS,
            metavar="N",
            help=f"with --texts: sentences of a document, 1 to {MOST_SENTENCES} (default: paragraphs)",
        )
        parser.add_argument(
            "--leave-out-empty",
            action="store_true",
            help="leave out documents without title and text, and say their lines, rather than refuse them",
        )
        parser.add_argument(
            "--discard", action="store_true", help="remove what an interrupted loading staged"
        )

    def handle(self, *args: Any, **options: Any) -> None:
        with in_one_sentence():
            if options["discard"]:
                removed = staging.discard(options["slug"])
                self.stdout.write(f"Removed: {counted(removed, 'staged document')}.")
                return
            loaded = self._load(options)
        corpus = loaded.corpus
        self.stdout.write(
            f'{"Loaded" if loaded.created else "Known"}: "{corpus.slug}" ({corpus}), '
            f"{counted(corpus.n_documents, 'document')}, {counted(corpus.n_words, 'word')}."
        )
        if corpus.n_empty:
            lines = ", ".join(f"{line:,}" for line in corpus.empty_lines)
            more = " and later" if corpus.n_empty > len(corpus.empty_lines) else ""
            left_out = f"{counted(corpus.n_empty, 'document')} without title and text left out"
            self.stdout.write(f"  {left_out} (line {lines}{more}).")
        if corpus.n_equal:
            self.stdout.write(
                f"  {counted(corpus.n_equal, 'document')} with title and text of an earlier one."
            )
        for note in getattr(loaded, "notes", ()):
            self.stdout.write(f"  {note}")

    def _load(self, options: dict[str, Any]) -> files.Loaded:
        if bool(options["file"]) == bool(options["texts"]):
            raise CommandError("Give either a file or --texts: what the documents are.")
        if options["texts"] and (options["format"] or options["books"]):
            raise CommandError("--format and --books are for files; stored texts (--texts) need neither.")
        if options["file"] and options["sentences"] != PARAGRAPHS:
            raise CommandError("--sentences cuts stored texts (--texts); the documents of a file stay whole.")
        if options["texts"] and options["leave_out_empty"]:
            raise CommandError(
                "--leave-out-empty is for files; what is cut from stored texts is never empty."
            )
        facts = {name: options[name] for name in staging.FACTS} | {
            "title": options["title"] or options["slug"]
        }
        with bar() as progress:
            if options["file"]:
                return files.load(
                    Path(options["file"]),
                    facts,
                    progress,
                    leave_out_empty=options["leave_out_empty"],
                    form=options["format"],
                    books=list(map(Path, options["books"])),
                )
            return texts.load(_chosen(options["texts"]), options["sentences"], facts, progress)


def _chosen(groups: list[str]) -> list[Chosen]:
    found = []
    for group in groups:
        genre, colon, slugs = group.partition(":")
        if not (colon and genre and slugs):
            raise CommandError(
                f"--texts {group}: a genre, a colon and slugs were expected, e.g. fiction:emma."
            )
        found += [Chosen(slug, genre) for slug in slugs.split(",")]
    return found
