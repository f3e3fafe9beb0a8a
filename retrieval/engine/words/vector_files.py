"""Vectors of words as word2vec and fastText write them as text: a word and its numbers, one word a line.

    400000 300                  how many words of how many numbers: may be missing (GloVe)
    the 0.1 -0.25 …

The numbers of a line are its last fields, so a word may hold spaces. What real files hold and nobody can use
is left out and told: a word that was there before, one that is not UTF-8, a vector with NaN or an infinite
number, a last line that was cut. A line with another number of fields than the file begins with is refused:
everything after it would be guessed.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import numpy as np
import numpy.typing as npt

from common.errors import BadInput
from common.progress import Progress, silent
from retrieval.engine.words.lines import Line, lines
from retrieval.engine.words.remarks import Remarks

Row = npt.NDArray[np.float32]
WIDEST = 4_096
NO_TEXT = "word2vec’s and fastText’s binary files have to be saved as text first"


class VectorFile:
    """A file of word vectors, read once from its beginning to its end.

    width: numbers of a vector; 0 before the first is read.
    remarks: what was left out so far.
    """

    def __init__(self, path: Path, progress: Progress = silent) -> None:
        self.path, self.width, self.remarks = path, 0, Remarks()
        self._progress = progress
        self._promised: int | None = None
        self._n_lines = 0

    def rows(self) -> Iterator[tuple[str, Row]]:
        """Yield each word once, as it is written, and its vector, float32 (width,).

        Raises:
            BadInput: the file or a line cannot be read as vectors; the message names both.
        """
        seen: set[str] = set()
        for line in lines(self.path, self._progress):
            if (line.number == 1 and self._is_header(line)) or not line.text.strip():
                continue
            found = self._row(line)
            if found is None:
                continue
            if found[0] in seen:
                self.remarks.add("their word was there before", line.number)
                continue
            seen.add(found[0])
            yield found
        if self._promised is not None and self._n_lines < self._promised:
            raise BadInput(
                f"{self.path.name} has {self._n_lines:,} vectors, but line 1 says {self._promised:,}: it was "
                "cut; fetch it again, whole."
            )
        if not seen:
            raise BadInput(f"{self.path.name} has no vector; a line is a word and its numbers.")

    def _is_header(self, line: Line) -> bool:
        fields = line.text.split()
        if len(fields) != 2 or not all(each.isdigit() for each in fields):
            return False
        self._promised, self.width = int(fields[0]), int(fields[1])
        self._check_width(line)
        return True

    def _row(self, line: Line) -> tuple[str, Row] | None:
        """Return a line's word and vector; None where it is left out."""
        fields = [each for each in line.text.replace(b"\t", b" ").split(b" ") if each]
        if not self.width:
            self.width = _numbers_at_the_end(fields)
            self._check_width(line)
        if len(fields) <= self.width:
            if not line.ended:
                self.remarks.add("the file ends within it", line.number)
                return None
            raise BadInput(
                f"Line {line.number} of {self.path.name} has {max(len(fields) - 1, 0)} numbers; the vectors "
                f"before it have {self.width}. ({NO_TEXT[0].upper()}{NO_TEXT[1:]}.)"
            )
        self._n_lines += 1
        if self._promised is not None and self._n_lines > self._promised:
            raise BadInput(
                f"Line {line.number} of {self.path.name} is one vector more than the {self._promised:,} that "
                "line 1 says: give line 1 the right number, or take it out."
            )
        values = self._values(fields[-self.width :], line)
        word = self._word(b" ".join(fields[: -self.width]), line)
        if not np.isfinite(values).all():
            self.remarks.add("a number is NaN, infinite or too large", line.number)
            return None
        return None if word is None else (word, values)

    def _values(self, fields: list[bytes], line: Line) -> Row:
        try:
            # Too large a number becomes infinite, which is looked for.
            with np.errstate(over="ignore"):
                return np.array(list(map(_number, fields)), dtype=np.float32)
        except ValueError:
            wrong = next(each for each in fields if not _is_number(each))
            raise BadInput(
                f"Line {line.number} of {self.path.name} has {wrong[:20].decode(errors='replace')!r} where a "
                f"number should be; a line is a word and {self.width} numbers ({NO_TEXT})."
            ) from None

    def _word(self, raw: bytes, line: Line) -> str | None:
        try:
            return raw.decode()
        except UnicodeDecodeError:
            self.remarks.add("their word is not UTF-8", line.number)
            return None

    def _check_width(self, line: Line) -> None:
        if not 1 <= self.width <= WIDEST:
            raise BadInput(
                f"Line {line.number} of {self.path.name} makes vectors of {self.width} numbers; 1 to "
                f"{WIDEST} are possible. A line is a word and its numbers ({NO_TEXT})."
            )


def _numbers_at_the_end(fields: list[bytes]) -> int:
    """Return how many fields at the end are numbers, the first field left out: that is a word."""
    n = 0
    for each in reversed(fields[1:]):
        if not _is_number(each):
            break
        n += 1
    return n


def _number(field: bytes) -> float:
    """Return a number. Raises `ValueError` where it is none: Python alone reads `1_0` as ten."""
    if b"_" in field:
        raise ValueError
    return float(field)


def _is_number(field: bytes) -> bool:
    try:
        _number(field)
    except ValueError:
        return False
    return True
