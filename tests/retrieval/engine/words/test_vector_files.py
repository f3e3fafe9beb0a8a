"""Files of word vectors as they are found in the world."""

import gzip

import numpy as np
import pytest

from common.errors import BadInput
from retrieval.engine.words import lines
from retrieval.engine.words.vector_files import VectorFile


@pytest.fixture
def read(tmp_path):
    """Write bytes as a file; return its words, its matrix and its remarks."""

    def of(data, name="words.vec"):
        (tmp_path / name).write_bytes(data)
        file = VectorFile(tmp_path / name)
        rows = list(file.rows())
        return [word for word, _ in rows], np.array([row for _, row in rows]), file.remarks.sentences()

    return of


@pytest.mark.parametrize("pack", [bytes, gzip.compress])
@pytest.mark.parametrize("head", [b"", b"2 3\n", b"\xef\xbb\xbf"])
def test_plain_or_gzip_with_or_without_the_first_line(read, pack, head):
    words, matrix, remarks = read(pack(head + b"boat 0.5 -1 2e-1\r\nsea 1 2 3 \n"))
    assert words == ["boat", "sea"]
    assert matrix.dtype == np.float32
    assert np.array_equal(matrix, np.array([[0.5, -1, 0.2], [1, 2, 3]], dtype=np.float32))
    assert remarks == []


def test_words_may_hold_odd_spaces_and_numbers(read):
    data = (
        "boat 1 2\nat sea 3 4\nnon\u00a0breaking 5 6\nline\u2028end 7 8\n1850 9 10\n\ta\tb 11 12\n\n".encode()
    )
    words, matrix, _ = read(data)
    assert words == ["boat", "at sea", "non\u00a0breaking", "line\u2028end", "1850", "a b"]
    assert matrix[:, 0].tolist() == [1, 3, 5, 7, 9, 11]


def test_what_nobody_can_use_is_left_out_and_told(read):
    data = b"boat 1 2\nsea nan 1\nboat 3 4\nle\xe9 1 1\nquay 1 inf\nrope 1e300 1\nmast 5 6\noar 7"
    words, matrix, remarks = read(data)
    assert words == ["boat", "mast"]
    assert matrix.tolist() == [[1, 2], [5, 6]]
    assert remarks == [
        "3 lines left out: a number is NaN, infinite or too large; the first is line 2.",
        "1 line left out: their word was there before; the first is line 3.",
        "1 line left out: their word is not UTF-8; the first is line 4.",
        "1 line left out: the file ends within it; the first is line 8.",
    ]


@pytest.mark.parametrize(
    ("data", "says"),
    [
        (b"boat 1 2\nsea 1\nmast 1 2\n", r"Line 2 of words.vec has 1 numbers; the vectors before it have 2"),
        (b"boat 1 2\nsea 1 2,5\n", r"Line 2 of words.vec has '2,5' where a number should be"),
        (b"boat 1 2\nsea 1 1_0\n", r"Line 2 of words.vec has '1_0' where a number should be"),
        (b"1 2\nboat 1 2\nsea 1 2\n", r"Line 3 of words.vec is one vector more than the 1 that line 1 says"),
        (b"3 2\nboat 1 2\nsea 1 2\n", r"has 2 vectors, but line 1 says 3: it was cut"),
        (b"2 2\nboat 1 2\nsea 1", r"has 1 vectors, but line 1 says 2"),
        (b"boat\nsea\n", r"Line 1 of words.vec makes vectors of 0 numbers; 1 to 4096 are possible"),
        (b"1 9999\nboat 1\n", r"makes vectors of 9999 numbers"),
        (b"2 2\nboat \x00\x80\x01?\x9d\n", r"Line 2 of words.vec has 1 numbers.*binary files"),
        (b"", r"words.vec has no vector"),
        (b"4 2\n", r"has 0 vectors, but line 1 says 4"),
        (b"PK\x03\x04 and so on", r"words.vec is a zip archive: unpack it"),
        ("boat 1 2\n".encode("utf-16"), r"words.vec is not UTF-8"),
        (
            gzip.compress(b"boat 1 2\n" * 99, mtime=0)[:-9],
            r"words.vec is damaged after line \d+: fetch it again",
        ),
        (b"x" * (lines.LONGEST_LINE + 2), r"Line 1 of words.vec has more than 1,048,576 bytes"),
    ],
)
def test_a_file_that_is_none_is_refused_with_its_line(read, data, says):
    with pytest.raises(BadInput, match=says):
        read(data)


def test_a_missing_file_is_refused(tmp_path):
    with pytest.raises(BadInput, match=r"gone.vec cannot be read: No such file"):
        list(VectorFile(tmp_path / "gone.vec").rows())


def test_says_how_far_it_is(tmp_path):
    told = []
    (tmp_path / "a.vec").write_bytes(b"".join(b"w%d 1.0 2.0\n" % n for n in range(3_000)))
    list(VectorFile(tmp_path / "a.vec", lambda *step: told.append(step)).rows())
    assert [step[1:] for step in told] == [(41, "Reading kB")] * 4
    assert [step[0] for step in told] == sorted(step[0] for step in told)
    assert told[-1][0] == 41
