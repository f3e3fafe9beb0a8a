"""Recognise headings: a line by itself, judged by its own form.

A heading is short and holds no sentence. Whether the line stands where a heading can stand is decided in
``layout``; titles behind a number (``I. The Return``), which need their neighbours, are in ``numbering``.
"""

import re

LONGEST = 200
"""Characters; what is longer is no heading, whatever its form. Old titles have so many."""

_WORDS = (
    r"one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve"
    r"|the (?:first|second|third|fourth|fifth|last)|premier|premi[eè]re|seconde?|prim[oa]|primer[oa]"
)
_NUMERAL = rf"(?:[ivxlc]+|\d{{1,3}}|{_WORDS})"
_GERMAN_UNITS = r"kapitel|capitel|buch|teil|theil|band|abschnitt|brief|akt|aufzug|auftritt|gesang|abteilung"
_UNITS = (
    rf"chapter|chap\.|letter|book|part|volume|vol\.|canto|act|scene|section|stave|{_GERMAN_UNITS}"
    r"|chapitre|livre|partie|tome|lettre|capitolo|libro|parte|cap[ií]tulo"
)
_CHAPTER = re.compile(
    rf"\A(?:{_UNITS}|{_NUMERAL} part)"
    rf"(?: (?:the )?{_NUMERAL}(?:st|nd|rd|th)?)?[.:]?"
    r"(?: ?(?:[-–—:.]|--) ?(?P<title>\S.*)| {1,8}(?P<more>\S.*))?",
    re.IGNORECASE,
)
# "Erstes Kapitel", "Zweites Buch. Die Ankunft", "3. Kapitel".
_GERMAN = re.compile(
    rf"\A(?:[^\W\d_]{{2,30}}te[rs]?|letzte[rs]?|\d{{1,3}}\.) (?:{_GERMAN_UNITS})[.:]?"
    r"(?: ?(?:[-–—:.]|--)? ?(?P<title>\S.*))?",
    re.IGNORECASE,
)
_NUMBERED = re.compile(rf"\A(?:\w++\.? (?:the )?{_NUMERAL}\b|{_NUMERAL} part\b)", re.IGNORECASE)
_ROMAN = re.compile(r"(?=[IVXLC])(?:C{0,3})(?:XC|XL|L?X{0,3})(?:IX|IV|V?I{0,3})\.?")
_BARE_NUMBER = re.compile(r"\d{1,3}\.?")
_NAMED = re.compile(
    r"(?:the )?(?:preface|prologue|epilogue|introduction|conclusion|appendix|postscript|advertisement"
    r"|dedication|foreword|afterword|notes?|bibliography|finis|end|vorwort|nachwort|einleitung|schluss|ende"
    r"|avant-propos|préface|épilogue|fin)\.?"
    r"|the end of .{1,60}|end of (?:the )?(?:book|volume|vol\.|part) .{1,60}",
    re.IGNORECASE,
)
_DOCUMENT = re.compile(
    r"_(?:letter|telegram|note|memorandum|report|cutting)(?:,| from| by| to) [^_\n]{3,100}_\.?", re.IGNORECASE
)
_SENTENCE_END = re.compile(r"[.!?:;,…]['\"”’)\]_]*$|--$|—$|[”\"]$")
_INITIALS = re.compile(r"(?:[A-Z]\. ?)+(?:[A-Z][a-z]*\.?)?")
# Between double marks it is a letter's signature: "JANE BENNET."
_QUOTED_TITLE = re.compile(r"\A['‘][A-Z][A-Z ’'&-]*[A-Z]['’]")
_NAME_IN_CAPITALS = re.compile(r"\A[A-Z][A-Z ,'’-]+ [\"“][^\"“”]+[\"”]")
_LETTER = re.compile(r"[^\W\d_]")
_LETTERS = re.compile(r"[^\W\d_]+")
_GOES_ON = re.compile(r"[,;:]$")
_DASH = re.compile(r"--|—")
# Where a sentence ends and another begins: behind a word of two letters, so that "Mr. A. Finch" has none.
_INNER_END = re.compile(r"[^\W\d_]{3}[!?.][\"'”’)_]?(?: |--|—)[\"“'‘(_]?[^\W\d_]")
_TITLED = re.compile(
    r"\b(?:Mrs|Messrs|Rev|Esq|Hon|Capt|Col|Gen|Lieut|Prof|Vol|Chap|Jan|Feb|Aug|Sept|Oct|Nov|Dec)\."
)
_RUN_IN = re.compile(r"\.[)_]?(?:--|—)(?=[\"“'‘_]?[A-Z])")
_OPEN_TITLE = re.compile(
    r"(?:in which|wherein|containing|showing|treating of|of|how|concerning)\b", re.IGNORECASE
)


def is_chapter(line: str) -> bool:
    """``Chapter 1``, ``CHAPTER I.``, ``Letter 2``, ``BOOK THE FIRST``, with or without a title behind it."""
    line = line.strip("_* ")
    if len(line) > LONGEST:
        return False
    if german := _GERMAN.fullmatch(line):
        return _is_title_behind(german["title"] or "")
    found = _CHAPTER.fullmatch(line)
    if not found:
        return False
    if " " not in line:
        # "Part" or "Letter" alone is a word, in capitals it is a heading.
        return line.isupper() and line.rstrip(".:") not in {"ACT", "PART", "BOOK", "BAND", "LIVRE", "PARTE"}
    numbered = _NUMBERED.match(line) is not None
    return numbered and _is_title_behind(found["title"] or found["more"] or "")


def _is_title_behind(rest: str) -> bool:
    return not rest or ((rest[0].isupper() or rest[0] in "_“\"'‘(") and not _is_open_prose(rest))


def _is_open_prose(rest: str) -> bool:
    """``Chapter 3 Elizabeth saw that he was gone,`` goes on; ``CHAPTER III. The Lodger.`` does not.

    A longer title is told from a sentence by its capitals, or by opening as titles did: ``In which ...``.
    """
    if _GOES_ON.search(rest):
        return True
    if run_in(rest):
        return True
    # "BOOK II. (_Octavo_), CHAPTER III. (_Narwhale_), that is, _Nostril whale_."
    if len(rest) <= 40 or has_capitals(rest) or (rest[0] == "(" and ")" in rest):
        return False
    return rest.endswith(".") and _OPEN_TITLE.match(rest) is None


def run_in(line: str) -> int:
    """Return where the text begins behind a heading on the same line, 0 where none does.

    ``BOOK I. (Folio), CHAPTER II. (The Packet).--This ship was old`` : behind a full stop and a dash a
    sentence begins, which has more words in small letters than with a capital.
    """
    found = _RUN_IN.search(line[: LONGEST + 1])
    if found is None:
        return 0
    words = _LETTERS.findall(line[found.end() : found.end() + LONGEST])
    small = sum(word[0].islower() for word in words)
    return found.end() - len(_DASH.search(found[0])[0]) if small * 2 > len(words) else 0  # type: ignore[index]


def has_capitals(line: str) -> bool:
    """Whether nearly all longer words begin with a capital, as in an English title."""
    words = [word for word in _LETTERS.findall(line) if len(word) > 3]
    return len(words) > 1 and sum(word[0].isupper() for word in words) >= 0.8 * len(words)


def holds_sentence(text: str) -> bool:
    """Whether a sentence ends within the text and another begins: then it is no heading.

    A title in capitals, and one whose parts are each a few words (``THE END. VOLUME I``), hold none.
    """
    return not has_capitals(text) and _INNER_END.search(_TITLED.sub("", text)) is not None


def is_number(line: str) -> bool:
    """A bare numeral: ``I``, ``II.``, ``12``."""
    line = line.strip("_ ")
    return bool(_ROMAN.fullmatch(line) or _BARE_NUMBER.fullmatch(line))


def is_named(line: str) -> bool:
    """``PREFACE``, ``THE END``, ``Finis``; in a novel ``_Telegram from Mr. Finch to his wife._``"""
    return (_NAMED.fullmatch(line.strip("_ [].")) or _DOCUMENT.fullmatch(line)) is not None


def is_capitals(line: str) -> bool:
    """A title in capitals: ``MANSFIELD PARK``, ``'EMMA'``, not ``R.W.``, not a shout and not a speech."""
    line = line.strip("_ ")
    # LOG OF THE "DEMETER."
    named = _NAME_IN_CAPITALS.fullmatch(line)
    if len(line) > 120 or line.upper() != line or len(_LETTER.findall(line)) < 3:
        return False
    if _QUOTED_TITLE.fullmatch(line):
        return True
    if named is None and line.endswith(('"', "”")):
        return False
    if line[0] in "\"“'‘" or line.endswith(("!", "?", ",", ";", "--", "—")):
        return False
    return _INITIALS.fullmatch(line) is None


def is_title(line: str) -> bool:
    """A short line that no punctuation closes, as under a chapter's number or on a title page."""
    inner = line.strip("_ ")
    if len(inner) > 80:
        return False
    if line.startswith("_") and line.rstrip(" .").endswith("_") and line.count("_") == 2:
        return not holds_sentence(inner)
    if not inner or "\n" in inner or not _LETTER.search(inner):
        return False
    if inner.startswith(("(", "[")):
        return inner.endswith((")", "]"))
    if inner[0].islower() or inner[0] in '"“':
        return inner.lower().startswith(("by ", "von ", "par ", "di ", "por "))
    return _SENTENCE_END.search(inner) is None or is_closed_title(inner)


def is_closed_title(line: str) -> bool:
    """A title with a full stop behind it: ``The Lodger Goes.``"""
    words = [word for word in _LETTERS.findall(line) if len(word) > 3]
    return (
        line.endswith(".") and len(words) > 1 and len(line) <= 60 and all(word[0].isupper() for word in words)
    )
