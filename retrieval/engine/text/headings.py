"""Recognise headings: a line by itself, judged by its own form.

Whether the line stands where a heading can stand is decided in ``layout``.
"""

import re

_NUMERAL = r"(?:[ivxlc]+|\d{1,3}|one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|the (?:first|second|third|fourth|fifth|last))"  # noqa: E501
_CHAPTER = re.compile(
    rf"\A(?:chapter|chap\.|letter|book|part|volume|vol\.|canto|act|scene|section|stave|{_NUMERAL} part)"
    rf"(?: (?:the )?{_NUMERAL}(?:st|nd|rd|th)?)?[.:]?"
    r"(?: ?(?:[-–—:.]|--) ?(?P<title>\S.*)| {1,8}(?P<more>\S.*))?",
    re.IGNORECASE,
)
_NUMBERED = re.compile(rf"\A(?:\w++\.? (?:the )?{_NUMERAL}\b|{_NUMERAL} part\b)", re.IGNORECASE)
_ROMAN = re.compile(r"(?=[IVXLC])(?:C{0,3})(?:XC|XL|L?X{0,3})(?:IX|IV|V?I{0,3})\.?")
_BARE_NUMBER = re.compile(r"\d{1,3}\.?")
_NAMED = re.compile(
    r"(?:the )?(?:preface|prologue|epilogue|introduction|conclusion|appendix|postscript|advertisement"
    r"|dedication|foreword|afterword|notes?|bibliography|finis|end)\.?"
    r"|the end of .{1,60}|end of (?:the )?(?:book|volume|vol\.|part) .{1,60}",
    re.IGNORECASE,
)
_SENTENCE_END = re.compile(r"[.!?:;,…]['\"”’)\]_]*$|--$|—$|[”\"]$")
_INITIALS = re.compile(r"(?:[A-Z]\. ?)+(?:[A-Z][a-z]*\.?)?")
# Between double marks it is a letter's signature: "JANE BENNET."
_QUOTED_TITLE = re.compile(r"\A['‘][A-Z][A-Z ’'&-]*[A-Z]['’]")
_LETTER = re.compile(r"[^\W\d_]")
_LETTERS = re.compile(r"[^\W\d_]+")
_GOES_ON = re.compile(r"[,;:]$")
_DASH = re.compile(r"--|—")


def is_chapter(line: str) -> bool:
    """``Chapter 1``, ``CHAPTER I.``, ``Letter 2``, ``BOOK THE FIRST``, with or without a title behind it."""
    line = line.strip("_* ")
    if len(line) > 90:
        return False
    found = _CHAPTER.fullmatch(line)
    if not found:
        return False
    if " " not in line:
        # "Part" or "Letter" alone is a word, in capitals it is a heading.
        return line.isupper() and line.rstrip(".:") not in {"ACT", "PART", "BOOK"}
    rest = found["title"] or found["more"] or ""
    numbered = _NUMBERED.match(line) is not None
    return numbered and (not rest or rest[0].isupper() or rest[0] in "_“\"'‘(") and not _is_open_prose(rest)


def _is_open_prose(rest: str) -> bool:
    """``Chapter 3 Elizabeth saw that he was gone,`` goes on; ``CHAPTER III. The Lodger.`` does not."""
    return bool(_GOES_ON.search(rest)) or (len(rest) > 40 and rest.endswith("."))


def is_number(line: str) -> bool:
    """A bare numeral: ``I``, ``II.``, ``12``."""
    line = line.strip("_ ")
    return bool(_ROMAN.fullmatch(line) or _BARE_NUMBER.fullmatch(line))


def is_named(line: str) -> bool:
    """``PREFACE``, ``Epilogue``, ``THE END``, ``Finis``."""
    return _NAMED.fullmatch(line.strip("_ [].")) is not None


def is_capitals(line: str) -> bool:
    """A title in capitals: ``MANSFIELD PARK``, ``'EMMA'``, not ``R.W.``, not a shout and not a speech."""
    line = line.strip("_ ")
    if len(line) > 120 or line.upper() != line or len(_LETTER.findall(line)) < 3:
        return False
    if _QUOTED_TITLE.fullmatch(line):
        return True
    if line[0] in "\"“'‘" or line.endswith(("!", "?", ",", ";", '"', "”", "--", "—")):
        return False
    return _INITIALS.fullmatch(line) is None


def is_title(line: str) -> bool:
    """A short line that no punctuation closes, as under a chapter's number or on a title page."""
    inner = line.strip("_ ")
    if line.startswith("_") and line.rstrip(" .").endswith("_") and line.count("_") == 2:
        return True
    if not inner or "\n" in inner or len(inner) > 80 or not _LETTER.search(inner):
        return False
    if inner.startswith(("(", "[")):
        return inner.endswith((")", "]"))
    if inner[0].islower() or inner[0] in '"“':
        return inner.lower().startswith("by ")
    return _SENTENCE_END.search(inner) is None or _is_title_case(inner)


def _is_title_case(line: str) -> bool:
    words = [word for word in _LETTERS.findall(line) if len(word) > 3]
    return (
        line.endswith(".") and len(words) > 1 and len(line) <= 60 and all(word[0].isupper() for word in words)
    )


def is_summary(line: str) -> bool:
    """A chapter's summary: topics in a row, parted by dashes, no sentence among them."""
    topics = [topic.strip(" _\"'“‘") for topic in _DASH.split(line)]
    return len(topics) >= 4 and sum(topic[:1].isupper() for topic in topics) >= 0.9 * len(topics)
