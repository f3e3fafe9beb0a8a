"""`manage.py relic_submission --job J --output FILE`: RELiC's submission file, of a job or its own file."""

from __future__ import annotations

import json
from hashlib import sha256
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser
from tqdm import tqdm

from common.console import read, whole
from common.errors import BadInput
from common.wording import counted
from retrieval.candidates import submission
from retrieval.engine.ranking import rankers
from retrieval.engine.text import relic
from retrieval.jobs.queue import code_version
from retrieval.management.commands.generate import add_settings
from retrieval.models import CandidateJob


class Command(BaseCommand):
    help = "Write RELiC's submission file: the starts of the 100 best candidates of every quotation."

    def add_arguments(self, parser: CommandParser) -> None:
        what = parser.add_mutually_exclusive_group(required=True)
        what.add_argument("--job", type=int, help="number of a finished candidate job")
        what.add_argument("--file", help="a file of RELiC's, also one that hides the starts")
        parser.add_argument("--output", type=Path, required=True, metavar="FILE", help="write there, as JSON")
        parser.add_argument("--ranker", default="bm25", help="with --file (default: bm25)")
        about = "with --file: a parameter of the ranker, such as checkpoint=toy; may be repeated"
        add_settings(parser, about)
        parser.add_argument("--left", type=int, choices=range(5), default=4, help="with --file (default: 4)")
        parser.add_argument("--right", type=int, choices=range(5), default=4, help="with --file (default: 4)")

    def handle(self, *args: Any, **options: Any) -> None:
        try:
            with tqdm(total=1, disable=None, unit="quotation") as bar:

                def tell(done: int, total: int) -> None:
                    bar.total = total
                    bar.update(done - bar.n)

                if options["job"] is not None:
                    found = submission.of_job(known_job(options["job"]), tell)
                else:
                    found = self.of_file(options, tell)
        except BadInput as error:
            raise CommandError(str(error)) from None
        except KeyboardInterrupt:
            raise CommandError(
                "Stopped. The same command begins again; of a file it goes on behind the last whole book.",
                returncode=130,
            ) from None
        with whole(options["output"]) as file:
            json.dump(found, file)
        short = sum(len(starts) < submission.LISTED for starts in found.values())
        self.stderr.write(f"Wrote {options['output']}: {counted(len(found), 'quotation')}.")
        if short:
            self.stderr.write(
                f"{short:,} of them with fewer than {submission.LISTED} candidates; RELiC's scorer wants all."
            )

    def of_file(self, options: dict[str, Any], tell: submission.Tell) -> dict[str, list[int]]:
        """Rank the file's quotations book by book; what an interrupted run ranked is read back."""
        data, name = read(options["file"])
        ranker, given = rankers.get(options["ranker"]), dict(options["set"])
        # Another model under the same name, or another version of the code, goes on with nobody's work.
        frozen = submission.frozen(ranker, given)
        model = frozen.checkpoint.sha256 if frozen.checkpoint else ""
        made = [sorted(frozen.parameters.items()), model, *sorted(frozen.tables.items()), code_version()]
        asked = [ranker.slug, *made, options["left"], options["right"]]
        kept = Kept(options["output"], sha256(data + json.dumps(asked).encode()).hexdigest())
        found: dict[str, list[int]] = {}
        for book in submission.of_file(
            relic.parse(data, name),
            ranker,
            given,
            left=options["left"],
            right=options["right"],
            known=kept.read(),
            tell=tell,
        ):
            found |= book
            kept.add(book)
        kept.path.unlink(missing_ok=True)
        return found


class Kept:
    """What was ranked so far, beside the file that is to be written, a book a line."""

    def __init__(self, output: Path, of: str) -> None:
        self.path = output.with_name(f".{output.name}.{of[:16]}.part")

    def read(self) -> dict[str, list[int]]:
        """Return what an earlier run of the same command ranked; a line that was cut off is dropped."""
        found: dict[str, list[int]] = {}
        text = self.path.read_text(encoding="utf-8") if self.path.is_file() else ""
        lines = text.splitlines(keepends=True)
        if lines and not lines[-1].endswith("\n"):
            self.path.write_text("".join(lines[:-1]), encoding="utf-8")
            del lines[-1]
        for line in lines:
            found |= json.loads(line)
        return found

    def add(self, book: dict[str, list[int]]) -> None:
        with self.path.open("a", encoding="utf-8") as file:
            file.write(json.dumps(book) + "\n")


def known_job(pk: int) -> CandidateJob:
    """The job of that number.

    Raises:
        BadInput: there is none.
    """
    job = CandidateJob.objects.select_related("book").filter(pk=pk).first()
    if job is None:
        raise BadInput(f"There is no job {pk}; the page of a book lists its jobs.")
    return job
