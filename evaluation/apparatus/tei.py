"""The apparatus of a study as TEI P5: ``<app>`` with ``<lem>`` and ``<rdg wit="#A #B">``, ``<listWit>``.

``docs/tei.md`` says what stands where. The text is the same for the same judgments: there is no date in it.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any
from xml.sax.saxutils import escape, quoteattr

from annotation.models import Study
from evaluation.apparatus.entries import GOLD, Entry, Reading, Token, entries, witnesses

NAMESPACE = "http://www.tei-c.org/ns/1.0"
# What XML 1.0 cannot hold, not even escaped.
FORBIDDEN = re.compile("[^\t\n\r\u0020-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_.-]*")


def lines(study: Study) -> Iterator[str]:
    """The document, piece by piece; nothing of the study is held whole."""
    spans = study.task_type.measure == "spans"
    readers = witnesses(study)
    names = identifiers([siglum for siglum, _, _ in readers])
    yield from _header(study, readers, names, spans)
    yield "  <text>\n    <body>\n"
    for entry in entries(study):
        yield from _item(entry, names, spans)
    yield "    </body>\n  </text>\n</TEI>\n"


def text(value: str) -> str:
    """As XML holds it; what it cannot hold becomes U+FFFD."""
    return escape(FORBIDDEN.sub("\ufffd", value), {"\r": "&#13;"})


def attribute(value: str) -> str:
    """Quoted."""
    return quoteattr(FORBIDDEN.sub("\ufffd", value))


def identifiers(sigla: list[str]) -> dict[str, str]:
    """An xml:id for each siglum: itself where it can be one, else ``reader-3`` by its place."""
    taken = {GOLD}
    names = {GOLD: GOLD}
    for number, siglum in enumerate(sigla, 1):
        fits = NAME.fullmatch(siglum) and siglum not in taken and not siglum.startswith("item-")
        names[siglum] = siglum if fits else f"reader-{number}"
        taken.add(names[siglum])
    return names


def _header(
    study: Study, readers: list[tuple[str, str, bool]], names: Mapping[str, str], spans: bool
) -> Iterator[str]:
    title = text(" ".join(study.title.split()))
    method, location = ("double-end-point", "external") if spans else ("parallel-segmentation", "internal")
    yield (
        f'<?xml version="1.0" encoding="UTF-8"?>\n<TEI xmlns="{NAMESPACE}">\n  <teiHeader xml:lang="en">\n'
        f"    <fileDesc>\n      <titleStmt>\n        <title>{title}</title>\n      </titleStmt>\n"
        f"      <publicationStmt>\n        <p>Exported from the study {text(study.slug)} by Variorum.</p>\n"
        "      </publicationStmt>\n      <sourceDesc>\n        <listWit>\n"
    )
    if study.items.filter(gold__isnull=False).exists():
        yield f'          <witness xml:id="{GOLD}">The answer known to be right</witness>\n'
    for siglum, role, simulated in readers:
        what = f"{role.capitalize()} {siglum}" + (", simulated: a program" if simulated else "")
        yield f"          <witness xml:id={attribute(names[siglum])}>{text(what)}</witness>\n"
    if not readers:
        yield '          <witness xml:id="nobody">Nobody reads in this study yet</witness>\n'
    yield (
        "        </listWit>\n      </sourceDesc>\n    </fileDesc>\n    <encodingDesc>\n"
        f'      <variantEncoding method="{method}" location="{location}"/>\n'
        "    </encodingDesc>\n  </teiHeader>\n"
    )


def _item(entry: Entry, names: Mapping[str, str], spans: bool) -> Iterator[str]:
    key = f"item-{entry.number}"
    yield f'      <div type="item" n="{entry.number}" xml:id="{key}" xml:lang={attribute(entry.language)}>\n'
    if entry.citation:
        yield f"        <head>{text(entry.citation)}</head>\n"
    if spans:
        yield f'        <ab type="passage">{text(entry.before)}{_passage(entry.tokens, key)}</ab>\n'
        for reference in entry.references:
            yield _reference(reference)
        if entry.readings:
            yield f'        <ab type="apparatus">{_app(entry, names, key)}</ab>\n'
    else:
        inside = f"{text(entry.left)} {_app(entry, names, key)} {text(entry.right)}".strip()
        yield f'        <ab type="passage">{inside}</ab>\n'
    if entry.agreement:
        yield f'        <note type="agreement" xml:lang="en">{text(entry.agreement)}</note>\n'
    yield "      </div>\n"


def _passage(tokens: tuple[Token, ...], key: str) -> str:
    """Every token with its name; the anchor's within one ``<seg>``."""
    pieces = []
    for number, token in enumerate(tokens):
        if token.is_anchor and not (number and tokens[number - 1].is_anchor):
            pieces.append('<seg type="anchor">')
        tag = "w" if token.is_word else "pc"
        pieces.append(f'<{tag} xml:id="{key}.t{token.number}">{text(token.text)}</{tag}>')
        last = token.is_anchor and not (number + 1 < len(tokens) and tokens[number + 1].is_anchor)
        pieces.append(("</seg>" if last else "") + text(token.after))
    return "".join(pieces)


def _reference(reference: Mapping[str, Any]) -> str:
    return (
        f"        <cit><quote xml:lang={attribute(reference['language'])}>{text(reference['text'])}</quote>"
        f"<bibl>{text(reference['citation'])}</bibl></cit>\n"
    )


def _app(entry: Entry, names: Mapping[str, str], key: str) -> str:
    """Empty where nobody has said anything and nothing is known to be right."""
    if not entry.readings:
        return ""
    places = [each.place for each in entry.readings if each.place]
    ends = ""
    if entry.tokens and places:
        first, last = min(start for start, _ in places), max(end for _, end in places) - 1
        ends = f' from="#{key}.t{first}" to="#{key}.t{last}"'
    inside = "".join(_reading(each, entry, names, key) for each in entry.readings)
    return f"<app{ends}>{inside}</app>"


def _reading(reading: Reading, entry: Entry, names: Mapping[str, str], key: str) -> str:
    tag = "lem" if reading is entry.lemma else "rdg"
    witness = attribute(" ".join(f"#{names[siglum]}" for siglum in reading.sigla))
    kind = "" if reading.act == "reading" else f' type="{reading.act}"'
    inside = text(reading.words)
    if entry.tokens and reading.place:
        start, end = reading.place
        inside = f'<ref target="#range({key}.t{start},{key}.t{end - 1})">{inside}</ref>'
    if reading.note:
        inside += f'<note type="reason">{text(reading.note)}</note>'
    return f"<{tag} wit={witness}{kind}>{inside}</{tag}>"
