"""Full stops that end no sentence: titles, initials, hours, and what German leaves spaces in."""

import re

_LONGEST = 12
_LONGEST_PART = 20
_NEXT = re.compile(r"[\s\"'“‘”’«»„‚‹›(\[_–—-]*(.)", re.DOTALL)
_LAST_WORD = re.compile(rf"[^\W\d_]{{1,{_LONGEST}}}+$")
# Behind these a full stop ends nothing, whatever follows.
_TITLES = re.compile(
    r"(?:mr|mrs|ms|messrs|dr|st|rev|revd|hon|capt|col|gen|lieut|lt|prof|mme|mlle|mdlle|mons|sgt|maj|gov|fr"
    r"|vol|vols|pp|cf|eds|viz|ch|chap|chaps|fig|ibid|op|cit|ie|eg"
    r"|hr|hrn|frl|bzw|evtl|ggf|sog|vgl|geb|dgl)"
)
# These abbreviate only before a figure: "No. 97", "Dec. 11th", "p. 4".
_BEFORE_FIGURES = re.compile(r"(?:nos?|nr|p|n|jan|feb|mar|apr|aug|sept?|oct|nov|dec|art|sec|para)")
# "8:35 P.M." ends a sentence where another follows, not in front of the day: "8:35 P.M. Monday".
_HOUR = re.compile(r"(?:\d|clock) ?[AP]\. ?M\Z", re.IGNORECASE)
_DAY = re.compile(
    r"\s{0,3}+(?:(?:mon|tues|wednes|thurs|fri|satur|sun)day|january|february|march|april|may|june|july|august"
    r"|september|october|november|december)\b",
    re.IGNORECASE,
)
# "Thus ends Book I. (Folio), and": a numeral behind what it counts, where the sentence plainly goes on.
_PART = re.compile(
    r"(?<!\w)(?:book|part|chapter|chap\.|vol\.|volume|canto|act|scene) [ivxl]{1,6}\Z", re.IGNORECASE
)
# "z. B.", "i. d. R.": within them a capital may follow; "d. h." and its like are never the end.
_SPACED = re.compile(r"[a-z]\.\s?[A-Z]\.")
_NEVER_LAST = re.compile(r"(?<!\w)(?:d\.\s?[hi]|u\.\s?a|s\.\s?[ou]|v\.\s?a)\Z")
# "5. Mai", "das 19. Jahrhundert", "im 3. Stock".
_COUNTED = re.compile(
    r"\s{0,3}+(?:(?:januar|jänner|februar|märz|april|mai|juni|juli|august|september|oktober|november|dezember)\b"
    r"|jahrhundert|jahrestag|kapitel|auflage|stock|band\b|buch\b|akt\b|aufzug|szene|regiment|lebensjahr)",
    re.IGNORECASE,
)
_ORDINAL = re.compile(r"(?<!\w)\d{1,2}\Z")


def next_letter(text: str, at: int) -> str | None:
    """Return the first character behind white space, quotation marks and dashes, None at the end."""
    found = _NEXT.match(text, at)
    return found[1] if found else None


def is_abbreviated(text: str, stop: int, at: int) -> bool:
    """Return whether the full stop at ``stop`` belongs to an abbreviation that ends no sentence.

    ``at`` is where the text goes on behind the stop and its closing marks.
    """
    before = text[max(0, stop - _LONGEST) : stop]
    word = _LAST_WORD.search(before)
    if word is None:
        return _ORDINAL.search(before) is not None and _COUNTED.match(text, at) is not None
    lower = word[0].lower()
    if text[at : at + 2] == " (" and _PART.search(text[max(0, stop - _LONGEST_PART) : stop]):
        return True
    if _TITLES.fullmatch(lower):
        return True
    if _BEFORE_FIGURES.fullmatch(lower) and not (len(lower) == 1 and word[0].isupper()):
        return (next_letter(text, at) or "").isdigit()
    if lower == "m" and _HOUR.search(before):
        return _DAY.match(text, at) is not None
    return len(lower) == 1 and _is_initial(text, before, word[0], stop)


def _is_initial(text: str, before: str, letter: str, stop: int) -> bool:
    """``W. H. Helm`` has initials; ``said I.`` has none; ``e. g.`` and ``z. B.`` are no names."""
    behind = before[-2:-1]
    if letter.isupper():
        return letter != "I" or behind == "." or before[-3:-1] == ". "
    if _NEVER_LAST.search(before) or _SPACED.match(text, stop - 1):
        return True
    return behind == "." and letter in {"e", "g"}
