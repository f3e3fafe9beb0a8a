"""The apparatus of a study as TEI P5: ``<app>`` with ``<lem>`` and ``<rdg wit="#A #B">``, ``<listWit>``.

``docs/tei.md`` says what stands where. The text is the same for the same judgments: there is no date in it.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping

from annotation.models import Study
from evaluation.apparatus.entries import Witness, entries, witnesses
from evaluation.kinds.apparatus import Apparatus
from evaluation.kinds.registry import kind_of
from evaluation.values.readings import GOLD, Entry, Reading
from evaluation.values.xml import attribute, text

NAMESPACE = "http://www.tei-c.org/ns/1.0"
NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_.-]*")


def lines(study: Study) -> Iterator[str]:
    """The document, piece by piece; nothing of the study is held whole. Raises Unreadable without a kind."""
    apparatus = kind_of(study).apparatus
    readers = witnesses(study)
    names = identifiers([each.siglum for each in readers])
    yield from _header(study, readers, names, apparatus)
    yield "  <text>\n    <body>\n"
    for entry in entries(study):
        yield from _item(entry, names, apparatus)
    yield "    </body>\n  </text>\n</TEI>\n"


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
    study: Study, readers: list[Witness], names: Mapping[str, str], apparatus: Apparatus
) -> Iterator[str]:
    title = text(" ".join(study.title.split()))
    method, location = apparatus.variants
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


def _item(entry: Entry, names: Mapping[str, str], apparatus: Apparatus) -> Iterator[str]:
    key = f"item-{entry.number}"
    yield f'      <div type="item" n="{entry.number}" xml:id="{key}" xml:lang={attribute(entry.language)}>\n'
    if entry.citation:
        yield f"        <head>{text(entry.citation)}</head>\n"
    yield from apparatus.tei(entry, key, _app(entry, names, apparatus, key))
    if entry.agreement:
        yield f'        <note type="agreement" xml:lang="en">{text(entry.agreement)}</note>\n'
    for siglum, marked in entry.rationales:
        quotes = "".join(f"<quote>{text(words)}</quote>" for words in marked)
        yield f'        <note type="rationale" resp={attribute(f"#{names[siglum]}")}>{quotes}</note>\n'
    yield "      </div>\n"


def _app(entry: Entry, names: Mapping[str, str], apparatus: Apparatus, key: str) -> str:
    """Empty where nobody has said anything and nothing is known to be right."""
    if not entry.readings:
        return ""
    inside = "".join(
        _reading(each, "lem" if each is entry.lemma else "rdg", names, apparatus.words(each, key))
        for each in entry.readings
    )
    return f"<app{apparatus.ends(entry, key)}>{inside}</app>"


def _reading(reading: Reading, tag: str, names: Mapping[str, str], words: str) -> str:
    witness = attribute(" ".join(f"#{names[siglum]}" for siglum in reading.sigla))
    kind = "" if reading.act == "reading" else f' type="{reading.act}"'
    note = f'<note type="reason">{text(reading.note)}</note>' if reading.note else ""
    return f"<{tag} wit={witness}{kind}>{words}{note}</{tag}>"
