"""Which letters a file's bytes are: said by its mark or a person, else UTF-8, else guessed and shown."""

import re
from typing import NamedTuple

from common.errors import BadField, BadInput

CHOICES = (
    ("utf-8", "UTF-8"),
    ("windows-1252", "Windows-1252 (Western; holds Latin-1)"),
    ("iso-8859-1", "Latin-1 (ISO 8859-1)"),
    ("iso-8859-15", "Latin-9 (ISO 8859-15)"),
    ("mac-roman", "Mac Roman"),
    ("cp437", "DOS (code page 437)"),
    ("cp850", "DOS, Western (code page 850)"),
    ("windows-1250", "Windows-1250 (Central European)"),
    ("iso-8859-2", "Latin-2 (ISO 8859-2)"),
    ("windows-1251", "Windows-1251 (Cyrillic)"),
    ("koi8-r", "KOI8-R (Cyrillic)"),
    ("windows-1253", "Windows-1253 (Greek)"),
    ("utf-16-le", "UTF-16, little-endian"),
    ("utf-16-be", "UTF-16, big-endian"),
)
NAMES = tuple(name for name, _ in CHOICES)
SHOWN, LONGEST_LINE, _IN_A_SENTENCE = 8, 120, 40
"""Lines with other than ASCII letters that are shown to a person, and their characters."""

# UTF-32's mark begins as UTF-16's does, so it is asked first.
_MARKS = (
    (b"\xef\xbb\xbf", "utf-8-sig"),
    (b"\xff\xfe\0\0", "utf-32"),
    (b"\0\0\xfe\xff", "utf-32"),
    (b"\xff\xfe", "utf-16"),
    (b"\xfe\xff", "utf-16"),
)
_GUESSED = ("windows-1252", "mac-roman", "cp437", "cp850")
_LIKELY = frozenset("éèêëàâäáçñöüôîïíóúùûœæåøÉÈÀÇÖÜÄÆßß£§°“”‘’—–…«»½¼·")
# Browsers, too, read what says Latin-1 as Windows-1252, of which it is a part.
_ALIASES = dict.fromkeys(("iso-8859-1", "iso-latin-1", "latin-1", "latin1", "cp1252"), "windows-1252")
_MOST_FOREIGN = 0.15
"""Of the bytes: where more are not ASCII the text is in no Western alphabet, and nothing is guessed."""
_SAID = re.compile(r"character set encoding: ?([\w-]{2,20})", re.IGNORECASE)
_CHARSET = re.compile(r"(?:charset=|<\?xml[^>]{1,80}\bencoding=)[\"']?([\w-]{2,20})", re.IGNORECASE)
_FOREIGN = re.compile(r"[^\x00-\x7f]")
# With the second row of controls: where Windows-1252 is read as Latin-1 its quotation marks are there.
_CONTROL = re.compile(r"[\x00-\x08\x0b\x0e-\x1f\x7f-\x9f\ud800-\udfff]")


class Decoded(NamedTuple):
    """A file's text.

    text: with LF at the ends of lines.
    encoding: by its name.
    guessed: whether nothing but the bytes speaks for it.
    lines: some of those with other than ASCII letters, numbered from 1, where it is not UTF-8.
    """

    text: str
    encoding: str
    guessed: bool
    lines: tuple[tuple[int, str], ...]


def decode(data: bytes, name: str, encoding: str = "", *, said: str = "", guess: bool = False) -> Decoded:
    """Read a file in the encoding given, else in that of its mark, else in UTF-8; CRLF and CR become LF.

    What is not UTF-8 is read as its markup has ``said``. Only with ``guess`` a file that is none of these
    is read as it most likely is; else the guess is shown in the refusal, and a person says what it is.

    Raises:
        BadField: it is not in that encoding, or in which it is must be said; the field is ``encoding``.
        BadInput: it is empty or binary.
    """
    if not data.strip(b" \t\r\n\f\v\xef\xbb\xbf"):
        raise BadInput(f"{name} is empty; a text was expected.")
    marked = next((of for mark, of in _MARKS if data.startswith(mark)), "")
    used = encoding or marked or "utf-8"
    guessed = False
    if not used.startswith("utf-16") and not used.startswith("utf-32"):
        _refuse_nul(data, name)
    try:
        text = _read(data, used, marked)
    except UnicodeDecodeError as error:
        if encoding or marked:
            raise _not_in(data, name, used, error) from None
        used = _ALIASES.get(said, said)
        # What says UTF-8 and is not has said nothing.
        guessed = used not in NAMES[1:]
        if guessed:
            used = likely(data)
        if not used or (guessed and not guess):
            raise _unsaid(data, name, used, error) from None
        text = _decoded(data, name, used)
    refuse_control(text, name)
    if not text.strip():
        raise BadInput(f"{name} is empty; a text was expected.")
    used = used.removesuffix("-sig")
    return Decoded(text, used, guessed, () if used == "utf-8" else foreign_lines(text))


def charset(data: bytes) -> str:
    """Return the encoding that an HTML page or an XML declaration says it is in, empty where none does."""
    found = _CHARSET.search(data[:4_000].decode("latin-1"))
    return found[1].lower() if found else ""


def likely(data: bytes) -> str:
    """Return the Western encoding the bytes are most likely in, or nothing where they are in none.

    What a Project Gutenberg header says is taken; else the encoding in which the most bytes are letters and
    marks that English, French or German prints. Where several are alike it is Windows-1252, which holds
    Latin-1.
    """
    said = _SAID.search(data[:20_000].decode("latin-1"))
    if said:
        name = said[1].lower()
        name = _ALIASES.get(name, name)
        if name in NAMES[1:]:
            return name
    foreign = bytes(byte for byte in data if byte > 0x7F)
    if not foreign or len(foreign) > _MOST_FOREIGN * len(data):
        return ""
    counts = {name: _likely_letters(foreign, name) for name in _GUESSED}
    best = max(counts, key=lambda name: counts[name])
    if counts[best] * 2 <= len(foreign):
        return ""
    try:
        data.decode(best)
    except UnicodeDecodeError:
        return "iso-8859-1"
    return best


def foreign_lines(text: str, length: int = LONGEST_LINE) -> tuple[tuple[int, str], ...]:
    """Return the first lines with other than ASCII letters, numbered from 1, each cut round the first.

    A line that is like one before shows nothing new and is passed over.
    """
    found: list[tuple[int, str]] = []
    seen = set[str]()
    for number, line in enumerate(text.split("\n"), 1):
        letter = _FOREIGN.search(line)
        if letter:
            at = max(0, letter.start() - length // 2)
            at = line.find(" ", at, letter.start()) + 1 or at if at else 0
            shown = line[at : at + length].strip()
            if shown in seen:
                continue
            seen.add(shown)
            found.append((number, shown))
            if len(found) == SHOWN:
                break
    return tuple(found)


def _read(data: bytes, encoding: str, marked: str = "") -> str:
    for mark, of in _MARKS:
        if marked == of and data.startswith(mark) and encoding in (of, of.removesuffix("-sig")):
            encoding = of
            break
    # DOS ended its texts with ^Z.
    text = data.decode(encoding).removeprefix("\ufeff").rstrip("\x1a")
    return text.replace("\r\n", "\n").replace("\r", "\n")


def _decoded(data: bytes, name: str, encoding: str) -> str:
    try:
        return _read(data, encoding)
    except UnicodeDecodeError as error:
        raise _not_in(data, name, encoding, error) from None


def _likely_letters(foreign: bytes, encoding: str) -> int:
    return sum(letter in _LIKELY for letter in foreign.decode(encoding, errors="replace"))


def _refuse_nul(data: bytes, name: str) -> None:
    zero = data.find(b"\0")
    if zero >= 0:
        _refuse_wide(data, name)
        raise BadInput(
            f"{name} is a binary file (NUL at byte {zero}); "
            "plain text, HTML, EPUB, RTF, DOCX or TEI was expected."
        )


def _refuse_wide(data: bytes, name: str) -> None:
    """UTF-16 without its mark: every second byte of Western letters is NUL."""
    head = data[:4_000]
    for used, zeros in (("utf-16-le", head[1::2]), ("utf-16-be", head[::2])):
        if zeros.count(0) > 0.7 * len(zeros):
            line = " ".join(head[: len(head) // 2 * 2].decode(used, errors="replace").split())
            if len(data) % 2 or _CONTROL.search(line) or not any(map(str.isalpha, line)):
                return
            raise BadField(
                "encoding",
                f"{name} is not UTF-8: every second byte is NUL. It reads as {used} so: "
                f"“{line[:_IN_A_SENTENCE]}”. If that is right, give {used} as its encoding.",
            )


def refuse_control(text: str, name: str) -> None:
    """Raise `BadInput` for a text with characters that no text has: they would break a page or a table."""
    control = _CONTROL.search(text)
    if control:
        line = text.count("\n", 0, control.start()) + 1
        raise BadInput(
            f"{name} is a binary file (control character 0x{ord(control[0]):02x} in line {line}); "
            "plain text was expected, or another encoding."
        )


def _place(data: bytes, at: int) -> str:
    line = data.count(b"\n", 0, at) + 1
    return f"byte 0x{data[at]:02x} in line {line} (byte {at})"


def _not_in(data: bytes, name: str, encoding: str, error: UnicodeDecodeError) -> BadField:
    # With a mark the codec counts from behind it.
    at = error.start + (3 if encoding == "utf-8-sig" else 0)
    shown = encoding.removesuffix("-sig").upper() if encoding.startswith("utf") else encoding
    return BadField(
        "encoding", f"{name} is not {shown}: {_place(data, min(at, len(data) - 1))}; give its own encoding."
    )


def _unsaid(data: bytes, name: str, guess: str, error: UnicodeDecodeError) -> BadField:
    wrong = f"{name} is not UTF-8: {_place(data, error.start)}."
    if not guess:
        return BadField("encoding", f"{wrong} Give its encoding, or save it as UTF-8.")
    lines = foreign_lines(_read(data, guess), _IN_A_SENTENCE)[:3]
    shown = "; ".join(f"line {number}, “{line}”" for number, line in lines)
    return BadField(
        "encoding",
        f"{wrong} It reads as {guess} so: {shown}. If that is right, give {guess} as its encoding.",
    )
