"""Citations in brackets: what a critic prints between ``(`` and ``)`` to say where a quotation stands.

What stands between brackets is read token by token. Each kind of token has a letter, and a citation is
told by the row of letters: names, then places. One word that belongs to no citation makes the bracket the
critic's own, of which only a page at its end goes: ``(the word recurs, pp. 45, 67)``. No token can be read in
two ways, so reading takes steps in proportion to the text.
"""

import re
from collections.abc import Iterator
from typing import NamedTuple

Span = tuple[int, int]

_CAPITAL = "[A-Z" + "".join(chr(code) for code in range(0xC0, 0x530) if chr(code).isupper()) + "]"
_MONTH = r"(?:jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)[a-z]*+\b"
_ROMAN = r"(?=[ivxl])x{0,3}l?x{0,3}(?:ix|iv|v?i{0,3})(?![^\W_])"
_COUNT = (
    r"(?:one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|thirteen|fourteen|fifteen|twenty)\b"
)
_WHICH = rf"(?=(?:the )?(?:\d|(?i:{_ROMAN}|{_COUNT})))"
# Of several words that begin alike the first one listed is read.
_TOKENS = re.compile(
    # L: see, compare, quoted in; above and below.
    r"(?P<L>(?i:see(?: also)?|cf|compare|comp|vgl|siehe|voir|vide|qtd\.? in|(?:as )?(?:quoted|cited)"
    r" (?:in|by|from)|zit\. nach|e\. ?g|esp|especially|also|again|here|supra|infra|above|below|pace|contra"
    r"|apud)(?![^\W_])\.?+)"
    # B: ibid.
    r"|(?P<B>(?i:_?(?:ibid|ebd|op\. cit|loc\. cit)_?\.?+_?|_?(?:id\.|idem)_?)(?![^\W_]))"
    # O: and what follows, here and there.
    r"|(?P<O>(?:ff?\.|sqq?\.|et\sseqq?\.?+|(?:et\s|and\s)?_?passim(?![^\W_])_?))"
    # W: whose italics.
    r"|(?P<W>(?i:(?:(?:my|original|added|author[’']s)\s)?(?:emphas[ie]s|italics|translations?)"
    r"(?:\s(?:mine|added|original|in\s(?:the\s)?original))?)(?![^\W_]))"
    # U: p., vol., Chapter; single letters and "no." only with a full stop.
    rf"|(?P<U>(?:(?i:(?:vol|ch|chap|bk|pp?|pg|sec|pt|ll?|bd|fol|sig|para?|st|col|loc|sc|fn)s?\.?"
    r"|vv\.|(?:volume|chapter|book|page|section|part|letter|line|stanza|verse|column|act|scene|canto|location"
    rf"|footnote|note)s?)\s?+{_WHICH}|(?i:nos?|nn?|s|v|f)\.\s?+(?=\d)|(?:§§?|¶¶?)\s?+(?=\d)))"
    # K: a number in words.
    rf"|(?P<K>(?i:{_COUNT}))"
    # Y: a year; D, d: a number, d of one figure, with its note.
    r"|(?P<Y>\[?(?:1[5-9]|20)\d\d[a-z]?+\]?(?![^\W_]))"
    r"|(?P<D>\d{1,4}+(?:[a-eg-mo-z](?=\W|ff?\.|$))?+"
    r"(?:\s?nn?\.?\s?\d{1,3}|nn?\.?(?![^\W_])|\s?ff?(?![^\W_])\.?)?+(?![^\W_]))"
    # R, X: a roman number in small letters, in capitals.
    rf"|(?P<R>{_ROMAN})"
    rf"|(?P<X>(?=[IVXL])X{{0,3}}L?X{{0,3}}(?:IX|IV|V?I{{0,3}})(?![^\W_])(?!\. ?{_CAPITAL}[a-z]))"
    # E: ed., trans.
    r"|(?P<E>(?i:eds?|edn|edition|trans?|transl|tr|hrsg|hg|edited by|translated by)(?![^\W_])\.?+)"
    # T: a title in italics or between quotation marks.
    r"|(?P<T>_[^_]{1,80}_|[“\"«‘][^“”\"«»]{1,80}[”\"»’])"
    # A: and; J: the small words of names and titles.
    r"|(?P<A>(?:and|und|et(?! al)|u\.(?! ?a))(?![^\W_])|&)"
    r"|(?P<J>(?:of|the|de|von|van|den|der|di|da|del|des|du|la|le|in|on|with|an?|from|to|for|at)(?![^\W_]))"
    # N: a word with a capital, but for months and what begins a sentence.
    rf"|(?P<N>(?:et al|u\. ?a)(?![^\W_])\.?+"
    rf"|(?!(?i:{_MONTH})|(?:In|On|At|Of|Born|Died|No)\b)_?{_CAPITAL}[\w'’.&-]*+)"
    r"|(?P<mark>[,:./-]|--|[–—])|(?P<space>\s+)"
)
# Names and titles, then places, and so on; behind them whose italics or which edition.
_CITATION = re.compile(r"\AL*+(?:[LNTJEA,.:-]*+[UKdDYRXOB][UKdDYRXOBLA,.:-]*+)++(?:[WEJ][NTJEAL,.]*+)?+")
_BRACKETS = re.compile(r"(?<!\s)\s*+[(\[](?P<inside>(?:[^()\[\]]|\[\d{4}[a-z]?\]){1,200}+)(?P<close>[)\]])")
_YEARS = re.compile(r"\AY(?:[,A-]*+Y|-[dD])*+")
_BEHIND_A_SMALL_WORD = re.compile(r"J[dDYRX]")
_OF_A_NAME = re.compile(r"\b[A-Z][\w’'-]{0,30}\Z")
_FIRST = frozenset({"i", "ii", "iii", "iv", "v"})
_LONE = re.compile(r"\AL*+[,.]?[dRX][.]?")
_FEW = re.compile(r"\Ad(?:,d)*+,?Ad")
_PLACES = re.compile(r"[dDRXK]")
_PAUSE = re.compile(r"(?<!\s)\s*+(?:[.,;:!?]|$)")
_CLOCK = re.compile(r"[12]\d:[0-5]\d|\d{1,3},\d{3}|0\.\d+")
# Things that go by a number of their own: the critic speaks of them.
_COUNTED = re.compile(
    r"(?:Apollo|Sputnik|Voyager|Boeing|Flight|Route|Highway|Channel|Studio|Area|Formula|Catch|Fahrenheit"
    r"|Opus|Op|Symphony|Sonata|Quartet|Sonnet|Psalm|Canto|Hymn|Article|Amendment|Figure|Fig|Table"
    r"|Plate)\.? \d+"
)
_TAIL = re.compile(
    r"(?<!\s)(?:\s*+[,;:–—](?:\s(?:see|cf\.))?+|\s(?:on|at|in|from|see|cf\.))\s(?=(?i:pp?|vols?|chs?|chaps?|chapters?|bk|ll?)\b\.?\s?[\divx])"
)


class Reference(NamedTuple):
    """A citation, or the place at the end of a bracket that says more.

    start, end: half-open offsets, with the white space in front.
    named: whether it names a work, a critic, or *ibid.*; else it is a page, a chapter and the like.
    """

    start: int
    end: int
    named: bool


def references(text: str) -> Iterator[Reference]:
    """Return the citations between round or square brackets, in order."""
    for found in _BRACKETS.finditer(text):
        inside = found["inside"]
        parts = [_letters(part) for part in inside.split(";")]
        if all(map(_is_part, parts, inside.split(";"))) and _is_place(found, parts, text):
            named = any(set(part) & set("NTE") for part in parts) or parts == ["B"]
            yield Reference(*found.span(), named)
        elif tail := next((at for at in _TAIL.finditer(inside) if _tells(inside[at.end() :])), None):
            yield Reference(found.start("inside") + tail.start(), found.end("inside"), False)


def _letters(part: str) -> str:
    """Return the row of letters that a part of a bracket is read as; ``?`` where a word is none of them."""
    row = []
    at = 0
    while at < len(part):
        found = _TOKENS.match(part, at)
        if found is None or found.end() == at:
            return "?"
        kind = found.lastgroup or ""
        if kind == "mark":
            kind = "-" if found[0] in "-–—--" else "." if found[0] in "./" else found[0]
        elif kind == "D" and len(found[0]) == 1:
            kind = "d"
        row.append("" if kind == "space" else kind)
        at = found.end()
    return "".join(row)


def _is_part(row: str, part: str) -> bool:
    """Whether the part is a citation by itself, or says whose the italics are."""
    if row.strip(",.") == "W":
        return True
    if (
        _CITATION.fullmatch(row) is None
        or _COUNTED.fullmatch(part.strip())
        or row.count("K") > row.count("UK")
    ):
        return False
    if not set(row) & set("NT"):
        # "at p. 45", not "at 3"; "and" stands between two places.
        return (
            "J" not in row.lstrip("L")[1:]
            and ("J" not in row or row.lstrip("L")[1:2] == "U")
            and row[0] != "A"
        )
    # "Henry IV" is a name; "Henry IV, 45" may be a play. "Written in 1811", "Married at 20" are no places.
    return not row.endswith("NX") and _BEHIND_A_SMALL_WORD.search(row) is None


def _is_place(found: re.Match[str], rows: list[str], text: str) -> bool:
    """Whether a place is said: no lone year, hour, count or single figure."""
    row = ";".join(rows)
    if rows == ["B"] or any(set(each) & set("NTE") for each in rows):
        return True
    if _CLOCK.fullmatch(found["inside"]) or all(map(_YEARS.fullmatch, rows)) or _FEW.fullmatch(row):
        return False
    if _LONE.fullmatch(row):
        inside = found["inside"].strip(" .")
        # "John Austen (ii)" is the second of his name.
        of_a_name = inside.lower() in _FIRST and _OF_A_NAME.search(
            text[max(0, found.start() - 32) : found.start()]
        )
        if found["close"] == "]" or inside in "IVXL" or of_a_name:
            return False
        # One figure or letter counts, unless the sentence pauses behind it.
        return len(inside) > 1 or _PAUSE.match(text, found.end()) is not None
    if found["close"] == "]" and set(row) <= {"D"}:
        return False
    return _PLACES.search(row) is not None


def _tells(tail: str) -> bool:
    return all(_is_part(_letters(part), part) for part in tail.split(";"))
