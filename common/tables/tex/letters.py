"""Letters as LaTeX sets them: with pdfLaTeX and T1 fonts, and what those lack by its name.

A word in Hebrew, say, is written ``\\otherletters{…}{Hebrew}``: LuaLaTeX and XeLaTeX set the word, pdfLaTeX,
which would stop at it, sets its script in brackets.
"""

from __future__ import annotations

import re
import unicodedata

from common.tables.table import one_line

MATHEMATICS = {
    "α": r"\alpha", "β": r"\beta", "γ": r"\gamma", "δ": r"\delta", "ε": r"\varepsilon", "ζ": r"\zeta",
    "η": r"\eta", "θ": r"\theta", "ι": r"\iota", "κ": r"\kappa", "λ": r"\lambda", "μ": r"\mu",
    "ν": r"\nu", "ξ": r"\xi", "π": r"\pi", "ρ": r"\rho", "σ": r"\sigma", "τ": r"\tau", "υ": r"\upsilon",
    "φ": r"\varphi", "χ": r"\chi", "ψ": r"\psi", "ω": r"\omega", "Γ": r"\Gamma", "Δ": r"\Delta",
    "Θ": r"\Theta", "Λ": r"\Lambda", "Ξ": r"\Xi", "Π": r"\Pi", "Σ": r"\Sigma", "Υ": r"\Upsilon",
    "Φ": r"\Phi", "Ψ": r"\Psi", "Ω": r"\Omega", "²": "^2", "×": r"\times", "±": r"\pm", "−": "-",
    "≤": r"\le", "≥": r"\ge", "≈": r"\approx", "≠": r"\ne", "→": r"\to", "←": r"\leftarrow",
    "↑": r"\uparrow", "↓": r"\downarrow", "√": r"\surd", "∞": r"\infty",
}  # fmt: skip

# Letters that pdfLaTeX sets only in mathematics, the characters TeX keeps for itself, and what is not seen.
SIGNS = {
    **{sign: f"${code}$" for sign, code in MATHEMATICS.items()},
    **{sign: f"\\{sign}" for sign in "{}$&#%_"},
    "\\": r"\textbackslash{}",
    "~": r"\textasciitilde{}",
    "^": r"\textasciicircum{}",
    "<": r"\textless{}",
    ">": r"\textgreater{}",
    "|": r"\textbar{}",
    "`": r"\textasciigrave{}",
    '"': "''",
    "—": "---",
    "–": "--",
    "‐": "-",
    "‑": "-",
    "…": r"\ldots{}",
    "‘": "`",
    "’": "'",
    "“": "``",
    "”": "''",
    "\u00a0": "~",
    "\u202f": r"\,",
    "\u2009": r"\,",
    "\u00ad": r"\-",
    **dict.fromkeys("\u200b\u200c\u200d\u200e\u200f\u2060\u2066\u2067\u2068\u2069\ufe0e\ufe0f\ufeff", ""),
    **dict.fromkeys("\u202a\u202b\u202c\u202d\u202e", ""),
}
# What pdfLaTeX sets as it stands: Latin-1 and Latin Extended-A as far as T1 has them, and some signs.
PLAIN = "\u0020-\u007e\u00a1-\u0125\u0128-\u0137\u0139-\u0165\u0168-\u017eȘșȚțẞ‚„†‡•‰‹›€™"
_KNOWN = PLAIN + "".join(map(re.escape, SIGNS))
_OTHER = re.compile(rf"[\u0370-\u03ff\u1f00-\u1fff]{{2,}}|[^{_KNOWN}]+(?: [^{_KNOWN}]+)*")

LONGEST = 20
"""Letters of a word that a line may have to hold; longer ones may be broken anywhere."""
_LONG = re.compile(rf"[^ ]{{{LONGEST + 1},}}")
_PIECE = re.compile(r"[^/_.:@=-]{0,11}[/_.:@=-]|[^/_.:@=-]{1,12}")
_DASH = re.compile(r"-(?=-)|,(?=,)")

COMMAND = (
    "% Letters that pdfLaTeX does not have: LuaLaTeX and XeLaTeX set them, in a font that has them.\n"
    "\\ifdefined\\otherletters\\else\\DeclareRobustCommand{\\otherletters}[2]"
    "{\\ifdefined\\Umathchar#1\\else[#2]\\fi}\\fi"
)


def escaped(text: str) -> str:
    """Return the text as LaTeX sets it: nothing in it is a command, and no line break ends a comment."""
    words = " ".join(unicodedata.normalize("NFC", one_line(text)).split())
    parts, place = [], 0
    for found in _OTHER.finditer(words):
        parts += [_signs(words[place : found.start()]), f"\\otherletters{{{found[0]}}}{{{name(found[0])}}}"]
        place = found.end()
    return "".join([*parts, _signs(words[place:])])


def pieces(word: str) -> list[str]:
    """Return a word as the pieces between which a line may be broken without a hyphen."""
    return _PIECE.findall(word) if len(word) > LONGEST else [word]


def _signs(words: str) -> str:
    broken = _LONG.sub(lambda found: "\0".join(pieces(found[0])), words)
    apart = _DASH.sub("\\g<0>\1", broken)
    worded = "".join(SIGNS.get(letter, letter) for letter in apart)
    return worded.replace("\0", r"\allowbreak{}").replace("\1", "{}").replace(r" \%", r"\,\%")


def others(text: str) -> list[str]:
    """Return the runs of letters in the text that pdfLaTeX does not have."""
    return [found[0] for found in _OTHER.finditer(unicodedata.normalize("NFC", one_line(text)))]


def name(run: str) -> str:
    """Return what stands for letters that cannot be set: their script, or what the sign is called."""
    called = unicodedata.name(run[0], f"U+{ord(run[0]):04X}")
    if unicodedata.category(run[0])[0] != "L":
        return called.lower() if called.isascii() and not called.startswith("U+") else called
    script = called.split()[0].split("-")[0]
    return script if script == "CJK" else script.capitalize()
