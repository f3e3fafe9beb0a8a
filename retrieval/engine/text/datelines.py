"""The line of a diary or a letter that says when it was written: ``5 May.``, ``_3 May. Bistritz._--``.

It heads what follows as a heading does, so it is no candidate. One that stands before the text on the same
line is cut off in front of the dash.
"""

import re

LONGEST = 90
"""Characters."""

_MONTHS = (
    r"jan(?:uary|\.)|feb(?:ruary|\.)|march|apr(?:il|\.)|may|june|july|aug(?:ust|\.)|sept(?:ember|\.)"
    r"|oct(?:ober|\.)|nov(?:ember|\.)|dec(?:ember|\.)|januar|februar|märz|mai|juni|juli|oktober|dezember|janvier|février|mars"
    r"|avril|juin|juillet|août|septembre|octobre|novembre|décembre"
)
_WEEKDAYS = r"(?:mon|tues|wednes|thurs|fri|satur|sun)day|(?:mon|diens|donners|frei|sams|sonn)tag|mittwoch"
_YEAR = re.compile(r"1[5-9](?:\d\d|—|--|__)")
_DAY = r"\d{1,2}(?:st|nd|rd|th|\.)?"
_DATE = re.compile(
    rf"(?<![^\W_])(?:{_DAY} (?:of )?(?:{_MONTHS})|(?:{_MONTHS}) (?:the )?{_DAY}|(?:{_WEEKDAYS})(?=[,.]))"
    r"(?![^\W_])",
    re.IGNORECASE,
)
# In a diary: "9th.--A sleepless night".
_DAY_ALONE = re.compile(r"\d{1,2}(?:st|nd|rd|th)")
# An entry of the same day has a label in italics that is no date: "_Later._--", "_Same day, 11 o'clock._--".
_HOUR = re.compile(
    r"(?<![^\W_])(?:later|same day|(?:mid)?night|noon|morning|evening|afternoon|o[’']clock|[ap]\. ?m\.)"
    r"(?![^\W_])",
    re.IGNORECASE,
)
_ITALICS = re.compile(r"\A_(?P<label>[^_\n]{1,88})_\.?(?P<dash>--|[—–]|$)")
_PLAIN = re.compile(r"\A(?P<label>[^\n—]{1,88}?)\.?(?P<dash>--|[—–]|$)")
_SMALL = re.compile(r"(?<![^\W_])[a-zäöüß]{3,40}(?![^\W_])")
_DIGIT = re.compile(r"\d")
_LETTER = re.compile(r"[^\W\d_]")
# The small words of a date and a place.
_OF_DATES = re.compile(
    r"the|and|near|from|later|same|day|night|midnight|noon|morning|evening|afternoon|clock|den|bei|past|half|before"
    r"|one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve"
)


def dateline(paragraph: str) -> int:
    """Return how many characters of the paragraph are its dateline; 0 where there is none.

    All of it where nothing follows; what follows a dash begins with the dash.
    """
    if paragraph[0] in '"“' and 1 < len(paragraph) <= LONGEST:
        # A quoted letter opens every paragraph with a mark; what is closed too is said, unless it has a year.
        closed = paragraph[-1] in '"”' and _YEAR.search(paragraph) is None
        return len(paragraph) if not closed and dateline(paragraph[1:]) == len(paragraph) - 1 else 0
    # Most paragraphs show at once that they have none: these patterns are slow.
    if paragraph[0] != "_" and _DIGIT.search(paragraph, 0, LONGEST) is None:
        return 0
    found = _ITALICS.match(paragraph) or _PLAIN.match(paragraph)
    if found is None or (not found["dash"] and len(paragraph) > LONGEST):
        return 0
    # "_July_ 22_nd_, 1848."
    label = found["label"].replace("_", "")
    italic = paragraph[0] == "_"
    if not label[:1].isalnum() and label[:1] != "(":
        return 0
    dated = (
        _DATE.search(label) is not None
        or (found["dash"] and _DAY_ALONE.fullmatch(label))
        or (italic and _HOUR.search(label) is not None)
    )
    if not dated or not _is_bare(label):
        return 0
    at = found.start("dash")
    # "17—." : a year that the author hides.
    return at if _LETTER.search(paragraph, at) else len(paragraph)


def _is_bare(label: str) -> bool:
    """Whether nothing but a date and a place is said: no small word but those of dates."""
    without = _DATE.sub("", label) if _DAY_ALONE.fullmatch(label) is None else ""
    return all(_OF_DATES.fullmatch(word) for word in _SMALL.findall(without))
