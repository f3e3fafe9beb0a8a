"""The few marks of Markdown that guidelines and consents need, as HTML; anything else stays text.

Paragraphs and their line breaks, `#` headings, `-` and `1.` lists, `>` quotations, `**strong**`,
`*emphasis*`, `` `code` `` and `[words](https://…)`. Everything is escaped before a tag is made, so
that no HTML of the writer, and no address but http, https and mailto, reaches a reader.
"""

from __future__ import annotations

import re
from html import escape
from itertools import groupby

ITEM = {"ul": re.compile(r"[-*•]\s+"), "ol": re.compile(r"\d{1,3}[.)]\s+")}
HEADING, QUOTATION = re.compile(r"#{1,6}\s+"), re.compile(r">\s?")
BETWEEN, NUMBER = re.compile(r"\n[ \t]*\n"), re.compile(r"\d+")
CODE = re.compile(r"`([^`\n]+)`")
LINK = re.compile(r"\[([^\[\]\n]+)\]\(((?:https?://|mailto:)[^\s()<>]+)\)")
WHOLE = re.compile(r"(`[^`\n]+`|\[[^\[\]\n]+\]\((?:https?://|mailto:)[^\s()<>]+\))")
STRONG = re.compile(r"\*\*(?=\S)([^*\n]+?)(?<=\S)\*\*")
EMPHASIS = re.compile(r"(?<![\w*])\*(?=\S)([^*\n]+?)(?<=\S)\*(?![\w*])")


def html(text: str) -> str:
    """Return the text as HTML that is safe to show."""
    blocks = BETWEEN.split(text.replace("\r\n", "\n").strip())
    return "\n".join(part for block in blocks if block.strip() for part in parts(block))


def parts(block: str) -> list[str]:
    """Return a block as HTML elements: a list or a heading may stand right beside other lines."""
    lines = [line.strip() for line in block.split("\n")]
    return [made(kind, list(group)) for kind, group in groupby(lines, key=kind_of)]


def kind_of(line: str) -> str:
    """Return what a line is: an item of a list, a heading, a quotation or part of a paragraph."""
    for kind, mark in (*ITEM.items(), ("heading", HEADING), ("quotation", QUOTATION)):
        if mark.match(line):
            return kind
    return "paragraph"


def made(kind: str, lines: list[str]) -> str:
    """Return lines of one kind as an element."""
    if kind in ITEM:
        items = "".join(f"<li>{inline(ITEM[kind].sub('', line, count=1))}</li>" for line in lines)
        first = int(NUMBER.match(lines[0])[0]) if kind == "ol" else 1  # type: ignore[index]  # it did match
        start = f' start="{first}"' if first != 1 else ""
        return f"<{kind}{start}>{items}</{kind}>"
    if kind == "heading":
        # No heading of the page: where these texts stand, an outline of their own would break its order.
        return "".join(f'<p class="heading">{inline(HEADING.sub("", line, count=1))}</p>' for line in lines)
    if kind == "quotation":
        said = "<br>".join(inline(QUOTATION.sub("", line, count=1)) for line in lines)
        return f"<blockquote><p>{said}</p></blockquote>"
    return f"<p>{'<br>'.join(map(inline, lines))}</p>"


def inline(text: str) -> str:
    """Return a line as HTML, with its marks."""
    # Code and links are whole: no other mark is read in them, or one could begin inside and end outside.
    return "".join(map(marked, WHOLE.split(escape(text))))


def marked(piece: str) -> str:
    """Return a piece of a line as HTML: code, a link, or text with strong and emphasis."""
    if code := CODE.fullmatch(piece):
        return f"<code>{code[1]}</code>"
    if link := LINK.fullmatch(piece):
        return f'<a href="{link[2]}" rel="noopener noreferrer">{link[1]}</a>'
    return EMPHASIS.sub(r"<em>\1</em>", STRONG.sub(r"<strong>\1</strong>", piece))
