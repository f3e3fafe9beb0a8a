"""What scripts other than Latin ask of a pattern for words: two sets of signs, to stand in its brackets."""

from __future__ import annotations

from unicodedata import category

POINTS = "".join(sign for sign in map(chr, range(0x300, 0x3000)) if category(sign).startswith("M"))
"""Signs that stand on letters and end no word: accents apart from their letter, Hebrew and Arabic points, the
vowels of Indian scripts."""

SINGLE = "\u3040-\u30ff\u3400-\u9fff\uf900-\ufaff\U00020000-\U0003ffff"
"""Chinese signs and kana: no space says where a word ends, so each is one."""
