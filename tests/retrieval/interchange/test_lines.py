"""A file read line by line: its breaks, its mark, where it goes on, and what it refuses."""

import gzip
import io

import pytest

from common.errors import BadInput
from retrieval.engine.interchange import lines as module
from retrieval.engine.interchange.lines import lines, opened


def read(data, **given):
    return [(line.number, line.text, line.end) for line in lines(io.BytesIO(data), "x.jsonl", **given)]


def test_a_line_ends_at_a_line_feed_and_nowhere_else():
    data = "a\r\nb\u2028c\x0bd\n\ne".encode()
    assert read(data) == [(1, "a", 3), (2, "b\u2028c\x0bd", 11), (3, "", 12), (4, "e", 13)]


def test_the_byte_order_mark_is_no_text():
    assert read(b"\xef\xbb\xbfa\n") == [(1, "a", 5)]


def test_reading_goes_on_where_it_ended():
    assert read(b"one\ntwo\nthree\n", begin=4, number=1) == [(2, "two", 8), (3, "three", 14)]


@pytest.mark.parametrize(
    ("data", "sentence"),
    [
        (b"good\n\xff\n", "x.jsonl, line 2: byte 1 is not UTF-8 (0xff); save the file as UTF-8."),
        ("id\n".encode("utf-16"), "x.jsonl, line 1: the file is UTF-16; save it as UTF-8."),
        ("tide\n".encode("utf-16-be"), "x.jsonl, line 1: the file is UTF-16; save it as UTF-8."),
        (b"a\0b\n", "x.jsonl, line 1: holds a null character; text was expected."),
    ],
)
def test_what_is_no_text_is_refused_by_its_line(data, sentence):
    with pytest.raises(BadInput) as refused:
        read(data)
    assert str(refused.value) == sentence


def test_a_line_without_an_end_does_not_fill_memory(monkeypatch):
    monkeypatch.setattr(module, "LONGEST_LINE", 10)
    with pytest.raises(BadInput, match="line 2: longer than"):
        read(b"short\n" + b"x" * 11)


def test_a_packed_file_is_unpacked(tmp_path):
    packed = tmp_path / "corpus.jsonl.gz"
    packed.write_bytes(gzip.compress(b"one\ntwo\n"))
    with opened(packed) as stream:
        assert [line.text for line in lines(stream, "x", begin=4, number=1)] == ["two"]


@pytest.mark.parametrize(
    ("name", "data", "sentence"),
    [
        ("a.jsonl", b"version https://git-lfs.github.com/spec/v1\noid sha256:0\n", "Git-LFS pointer"),
        ("a.jsonl.gz", b"not packed at all, though its name says so", "not a whole gzip file"),
        ("a.jsonl.gz", gzip.compress(b"x" * 10_000, mtime=0)[:-12], "not a whole gzip file"),
    ],
)
def test_what_is_no_data_is_said_to_be_none(tmp_path, name, data, sentence):
    file = tmp_path / name
    file.write_bytes(data)
    with pytest.raises(BadInput, match=sentence), opened(file) as stream:
        list(lines(stream, name))


def test_a_missing_file_is_named(tmp_path):
    with (
        pytest.raises(BadInput, match=r"none\.jsonl cannot be read: No such file"),
        opened(tmp_path / "none.jsonl"),
    ):
        pass
