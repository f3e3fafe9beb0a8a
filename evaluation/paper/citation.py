"""CITATION.cff of a study: how whoever uses its data cites it, in the Citation File Format 1.2.0.

The file is YAML; every value is written as JSON writes a text, which YAML reads as the same text.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Sequence
from datetime import date
from typing import NamedTuple

from django.conf import settings

from annotation.models import Study
from common.errors import BadField
from common.tables.table import one_line

MESSAGE = "If you use these data, please cite them as below."
NO_AUTHORS = (
    "A citation needs its authors, and a study keeps none: name each as “Family, Given”, or an institution "
    "by its "
    "name alone, with an ORCID iD behind a semicolon where there is one."
)
LICENCES = (
    "CC-BY-4.0",
    "CC-BY-SA-4.0",
    "CC-BY-NC-4.0",
    "CC-BY-NC-SA-4.0",
    "CC0-1.0",
    "ODC-By-1.0",
    "ODbL-1.0",
    "PDDL-1.0",
    "MIT",
)
"""Licences of data, as SPDX and the format call them."""
LONGEST, MOST = 200, 200
_ORCID = re.compile(r"(?:https://orcid\.org/)?(\d{4}-\d{4}-\d{4}-\d{3}[\dX])")


class Author(NamedTuple):
    """A person, or an institution: then `given` is empty and `family` its name.

    orcid: an address, or empty.
    """

    family: str
    given: str
    orcid: str


class Cited(NamedTuple):
    """What a researcher says of the data.

    authors: as they typed them.
    version: of the data; empty for none.
    licence: one of `LICENCES`; empty for none.
    released: the day of the release.
    """

    authors: Sequence[str]
    version: str
    licence: str
    released: date


def citation(study: Study, said: Cited) -> str:
    """Return the file. Raises `BadField` with what is missing or wrong; no author is made up."""
    authors = [author(text) for text in said.authors if text.strip()]
    if not authors:
        raise BadField("author", NO_AUTHORS)
    if len(authors) > MOST:
        raise BadField("author", f"There are {len(authors)} authors; at most {MOST} fit.")
    if said.licence and said.licence not in LICENCES:
        raise BadField(
            "licence", f"The licence must be one of {', '.join(LICENCES)}, not {said.licence!r:.60}."
        )
    if len(said.version) > LONGEST:
        raise BadField("version", f"The version has {len(said.version)} characters; at most {LONGEST} fit.")
    return "\n".join(_lines(study, said, authors)) + "\n"


def author(text: str) -> Author:
    """Read one author. Raises `BadField` for a name that is none, and an ORCID iD whose check is wrong."""
    name, _, orcid = (one_line(part).strip() for part in text.partition(";"))
    family, _, given = (part.strip() for part in name.partition(","))
    if not family or len(name) > LONGEST or (given == "" and name.rstrip().endswith(",")):
        raise BadField("author", f"“{one_line(text)[:60]}” is no author: write “Family, Given”, or one name.")
    if not orcid:
        return Author(family, given, "")
    found = _ORCID.fullmatch(orcid)
    if found is None or not is_orcid(found[1]) or not given:
        raise BadField("author", f"“{orcid[:60]}” is no ORCID iD of a person: 0000-0002-1825-0097 is one.")
    return Author(family, given, f"https://orcid.org/{found[1]}")


def is_orcid(text: str) -> bool:
    """Return whether the last sign of an ORCID iD is the check of the others (ISO 7064, MOD 11-2)."""
    total = 0
    signs = text.replace("-", "")
    for each in signs[:-1]:
        total = (total + int(each)) * 2
    return signs[-1] == "0123456789X"[(12 - total % 11) % 11]


def _lines(study: Study, said: Cited, authors: Sequence[Author]) -> Iterator[str]:
    yield "cff-version: 1.2.0"
    yield f"message: {_quoted(MESSAGE)}"
    yield "type: dataset"
    yield f"title: {_quoted(study.title)}"
    yield "authors:"
    for each in authors:
        if each.given:
            yield f"  - family-names: {_quoted(each.family)}"
            yield f"    given-names: {_quoted(each.given)}"
        else:
            yield f"  - name: {_quoted(each.family)}"
        if each.orcid:
            yield f"    orcid: {_quoted(each.orcid)}"
    if said.version.strip():
        yield f"version: {_quoted(said.version)}"
    yield f"date-released: {said.released.isoformat()}"
    if said.licence:
        yield f"license: {said.licence}"
    yield f"abstract: {_quoted(_abstract(study))}"
    yield from _software()


def _abstract(study: Study) -> str:
    n = study.items.filter(retired=None, kind="work").count()
    return (
        f"Judgments of the study “{study.slug}” ({study.task_type.label}): {n:,} "
        f"{'item' if n == 1 else 'items'}, "
        f"{study.overlap} {'reading' if study.overlap == 1 else 'readings'} each by design."
    )


def _software() -> Iterator[str]:
    """What the data were made with."""
    yield "references:"
    yield "  - type: software"
    yield f"    title: {_quoted('Variorum: annotation and human evaluation for literary evidence')}"
    yield "    authors:"
    yield f"      - name: {_quoted('The Variorum authors')}"
    yield f"    version: {_quoted(settings.VERSION)}"


def _quoted(text: str) -> str:
    return json.dumps(" ".join(one_line(text).split()), ensure_ascii=False)
