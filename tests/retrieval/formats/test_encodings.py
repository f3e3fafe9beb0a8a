"""Which letters the bytes are: said, marked, UTF-8, or guessed and shown."""

import pytest

from common.errors import BadField, BadInput
from retrieval.engine.formats.encodings import NAMES, decode, likely

FRENCH = "L’été, le café de la côte ferma “à cause” du gel; l’hôte n’en parla à personne.\n" * 3
PLAIN = "It rained upon the town, and nobody in the town spoke of it at all.\n"
DOS = FRENCH.translate(str.maketrans("’“”", '\'""'))


def test_reads_utf8_without_its_mark_and_with_one_kind_of_line_end():
    assert decode(b"\xef\xbb\xbfOne\r\ntwo\rthree\n", "a.txt") == ("One\ntwo\nthree\n", "utf-8", False, ())


@pytest.mark.parametrize("data", [b"", b" \n\t\n", b"\xef\xbb\xbf\n"])
def test_refuses_an_empty_file(data):
    with pytest.raises(BadInput, match=r"a\.txt is empty"):
        decode(data, "a.txt")


def test_names_line_and_byte_of_another_encoding_and_shows_the_guess():
    with pytest.raises(BadField) as refused:
        decode("One\ncaf\xe9\n".encode("latin-1"), "latin.txt")
    assert str(refused.value) == (
        "latin.txt is not UTF-8: byte 0xe9 in line 2 (byte 7). It reads as windows-1252 so: line 2, “café”. "
        "If that is right, give windows-1252 as its encoding."
    )
    assert refused.value.field == "encoding"


def test_counts_bytes_from_the_files_beginning_behind_a_byte_order_mark():
    with pytest.raises(BadInput, match=r"line 1 \(byte 4\)"):
        decode(b"\xef\xbb\xbfa\xff", "marked.txt")


@pytest.mark.parametrize("encoding", ["utf-16", "utf-32"])
def test_reads_a_wide_encoding_by_its_mark(encoding):
    found = decode("Ça va.\r\n".encode(encoding), "wide.txt")
    assert found[:3] == ("Ça va.\n", encoding, False)


@pytest.mark.parametrize("encoding", ["utf-16-le", "utf-16-be"])
def test_reads_a_wide_encoding_without_a_mark_where_it_is_said(encoding):
    data = "Ça va.".encode(encoding)
    assert decode(data, "wide.txt", encoding).text == "Ça va."
    with pytest.raises(
        BadField, match=rf"NUL\. It reads as {encoding} so: “Ça va.”. If that is right"
    ) as refused:
        decode(data, "wide.txt")
    assert refused.value.field == "encoding"


@pytest.mark.parametrize("data", [b"text\x00text", b"text\x07bell"])
def test_refuses_a_binary_file(data):
    with pytest.raises(BadInput, match="binary file"):
        decode(data, "a.bin")


@pytest.mark.parametrize(
    ("encoding", "text"), [("windows-1252", FRENCH), ("mac-roman", FRENCH), ("cp437", DOS)]
)
def test_guesses_what_western_texts_are_in(encoding, text):
    data = (PLAIN * 3 + text).encode(encoding)
    assert likely(data) == encoding
    found = decode(data, "old.txt", guess=True)
    assert (found.text, found.encoding, found.guessed) == (PLAIN * 3 + text, encoding, True)
    assert found.lines[0] == (4, text.split("\n")[0])


def test_what_gutenberg_says_is_the_guess():
    data = "Character set encoding: ISO-8859-2\n\nPřišel domů.\n".encode("iso-8859-2")
    assert likely(data) == "iso-8859-2"


def test_nothing_is_guessed_of_another_alphabet():
    data = "Все счастливые семьи похожи друг на друга.".encode("windows-1251")
    assert likely(data) == ""
    with pytest.raises(BadField, match="Give its encoding, or save it as UTF-8"):
        decode(data, "ru.txt", guess=True)
    assert decode(data, "ru.txt", "windows-1251").text.startswith("Все")


def test_a_file_that_is_not_in_the_encoding_said_is_refused():
    with pytest.raises(BadField, match=r"is not windows-1252: byte 0x81"):
        decode(b"caf\x81", "a.txt", "windows-1252")


@pytest.mark.parametrize("name", NAMES)
def test_every_encoding_offered_is_known(name):
    assert decode("It rained.".encode(name), "a.txt", name).text == "It rained."


def test_windows_1252_read_as_latin_1_is_refused_since_its_quotation_marks_were_controls():
    with pytest.raises(BadInput, match=r"control character 0x93 in line 1.*another encoding"):
        decode("“It rained.”".encode("windows-1252"), "a.txt", "iso-8859-1")


def test_what_says_utf_8_and_is_not_is_guessed_and_shown():
    with pytest.raises(BadField, match="It reads as windows-1252 so: line 1, “Le café"):
        decode("Le café ferma.".encode("latin-1"), "a.html", said="utf-8")


def test_the_mark_with_which_dos_ended_a_text_is_taken_off():
    assert decode(b"It rained.\r\n\x1a\x1a", "a.txt").text == "It rained.\n"
