"""What the commands share: a file read, a bar drawn, an error said in one sentence."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from contextlib import ExitStack, contextmanager, suppress
from io import TextIOWrapper
from pathlib import Path
from shutil import copyfileobj
from tempfile import TemporaryFile
from typing import IO, BinaryIO

from django.core.management.base import CommandError, OutputWrapper
from tqdm import tqdm

from common.errors import BadInput
from common.progress import Progress
from common.tables.text import aligned

_BAR = "{desc}|{bar}| {n_fmt}/{total_fmt} {elapsed}"


def read(path: str) -> tuple[bytes, str]:
    """Read a file; return its bytes, and its name in characters that every terminal can print.

    Raises:
        CommandError: the file is missing, a folder, or may not be read.
    """
    name = path.encode("utf-8", "backslashreplace").decode()
    try:
        return Path(path).read_bytes(), name
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or str(error)
        raise CommandError(f"{name} cannot be read: {reason}.") from None


@contextmanager
def opened(path: str) -> Iterator[tuple[IO[bytes], str]]:
    """Open a file that is read from its beginning more than once, and its name as `read` has it.

    What comes from a pipe is kept in a temporary file meanwhile.

    Raises:
        CommandError: the file is missing, a folder, or may not be read.
    """
    name = path.encode("utf-8", "backslashreplace").decode()
    with ExitStack() as stack:
        try:
            file: IO[bytes] = stack.enter_context(Path(path).open("rb"))
            if not file.seekable():
                kept = stack.enter_context(TemporaryFile())
                copyfileobj(file, kept)
                file = kept
        except (OSError, ValueError) as error:
            reason = getattr(error, "strerror", None) or str(error)
            raise CommandError(f"{name} cannot be read: {reason}.") from None
        yield file, name


@contextmanager
def in_one_sentence() -> Iterator[None]:
    """End the command with a sentence instead of a traceback, on bad input and on Ctrl-C."""
    try:
        yield
    except BadInput as error:
        raise CommandError(str(error)) from None
    except KeyboardInterrupt:
        raise CommandError(
            "Stopped: nothing half-written is left, and the same command can be run again.", returncode=130
        ) from None


def text(path: str | None) -> str:
    """Read a file as UTF-8 text; empty where no file is given. Raises `CommandError`."""
    if path is None:
        return ""
    data, name = read(path)
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError:
        raise CommandError(f"{name} is not UTF-8 text: save it as UTF-8.") from None


def printed(out: OutputWrapper, pieces: Iterable[str]) -> None:
    """Print pieces of text as they come. Where their reader stops reading, `manage.py` ends quietly."""
    for piece in pieces:
        out.write(piece, ending="")
    out.flush()


@contextmanager
def whole(path: Path) -> Iterator[IO[str]]:
    """Open a text for writing, as `whole_bytes` does a file."""
    with whole_bytes(path) as file:
        text = TextIOWrapper(file, encoding="utf-8", newline="")
        try:
            yield text
        finally:
            text.detach()


@contextmanager
def whole_bytes(path: Path) -> Iterator[BinaryIO]:
    """Open a file for writing that appears under its name only when it is complete.

    Raises:
        CommandError: it cannot be written.
    """
    part = path.with_name(f".{path.name}.{os.getpid()}.part")
    if path.exists() and not path.is_file():
        # A device such as /dev/stdout would be replaced by the file.
        raise CommandError(f"{path} cannot be written: it is no ordinary file; name another.")
    try:
        with part.open("xb") as file:
            yield file
            file.flush()
            os.fsync(file.fileno())
        part.replace(path)
    except OSError as error:
        raise CommandError(f"{path} cannot be written: {error.strerror}.") from None
    finally:
        with suppress(OSError):
            part.unlink()


@contextmanager
def bar() -> Iterator[Progress]:
    """Show a progress bar on stderr; nothing where stderr is not a terminal."""
    with tqdm(total=1, disable=None, leave=False, bar_format=_BAR) as shown:
        said = ""

        def progress(done: int, total: int, stage: str) -> None:
            nonlocal said
            shown.total = total
            shown.set_description_str(f"{stage} ", refresh=False)
            shown.update(done - shown.n)
            # Some thousand sentences are drawn as often as one can see, a new stage at once.
            if stage != said:
                said = stage
                shown.refresh()

        yield progress


def table(rows: dict[str, int]) -> str:
    """Return labels and counts, one a line, the counts flush right."""
    cells = [[label, f"{number:,}"] for label, number in rows.items()]
    return "\n".join(f"  {line}" for line in aligned(cells))
