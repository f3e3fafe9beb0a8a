"""The apparatus against TEI's own schema, where it was fetched: see ``tests/evaluation/tei_schema.py``."""

import os
from io import StringIO
from pathlib import Path

import pytest
from django.core.management import call_command

from annotation.models import Study
from evaluation.apparatus import tei
from tests.evaluation.graded import graded
from tests.evaluation.judged import judged
from tests.evaluation.marked import marked
from tests.evaluation.rubrics import answered
from tests.evaluation.tei_schema import RELAX_NG, SCHEMA

etree = pytest.importorskip("lxml.etree", reason="lxml is not installed: nothing is validated")
SHARED = os.environ.get("VARIORUM_TEST_DATA") or None
pytestmark = [
    pytest.mark.django_db,
    pytest.mark.skipif(not SCHEMA.exists(), reason="no TEI schema: python -m tests.evaluation.tei_schema"),
]


def schema_for(document):
    """TEI's schema without the elements that the document has none of, which change nothing for it.

    No pattern of an element by another name matches anything there, as little as `notAllowed` does. The
    whole schema takes libxml2 seconds to read, this part of it hundredths of one.
    """
    there = {etree.QName(each).localname for each in document.iter(etree.Element)}
    tree = etree.parse(SCHEMA)
    for pattern in tree.findall(f".//{RELAX_NG}element[@name]"):
        if pattern.get("name").rpartition(":")[2] not in there:
            pattern.getparent().replace(pattern, etree.Element(f"{RELAX_NG}notAllowed"))
    return etree.RelaxNG(tree)


def faults(text):
    document = etree.fromstring(text.encode())
    schema = schema_for(document)
    schema.validate(document)
    return [f"line {each.line}: {each.message}" for each in schema.error_log]


def document(study):
    return "".join(tei.lines(study))


STUDIES = {
    "spans": lambda: marked(
        [(7, 9), (8, 12), "n"],
        ["u", (5, 14), "b"],
        ["n", "n", "u"],
        [".", ".", "."],
        gold=[(8, 12), "n", None, (8, 9)],
    ),
    "several spans": lambda: marked([((0, 3), (7, 12)), ((7, 12),), "n"], task="spans"),
    "spans without an anchor": lambda: marked([(0, 3), (2, 5), "n"], anchor=None),
    "text from right to left": lambda: marked(
        [(0, 1), (0, 2), "n"], text="בראשית ברא אלהים\nאת השמים", anchor=(0, 1), language="he"
    ),
    "text that XML cannot hold": lambda: marked([(0, 3)], text="A <b> & \x0b\r\ne", anchor=None),
    "choices": lambda: judged(["ggx", "gub", "xxy"]),
    "choices without gold": lambda: judged(["gxy"], gold=False),
    "grades": lambda: graded(["012", "3u.", "3b3", "111"], gold="1.2"),
    "rubrics": lambda: answered(["rsd", "wu.", "bpp"]),
    "nobody has read": lambda: judged(["...", "..."]),
}


@pytest.mark.parametrize("make", STUDIES.values(), ids=STUDIES.keys())
def test_every_kind_of_apparatus_is_valid(make):
    assert faults(document(make())) == []


@pytest.mark.parametrize(
    ("right", "wrong"),
    [("</lem>", "</lem><w/>"), (' from="#', ' form="#'), (' method="double-end-point"', "")],
)
def test_the_schema_refuses_what_is_wrong(right, wrong):
    text = document(marked([(7, 9), (8, 12), "n"]))
    assert right in text
    assert faults(text.replace(right, wrong))


@pytest.mark.skipif(not SHARED, reason="VARIORUM_TEST_DATA is not set: no shared Vulgate")
def test_the_apparatus_of_the_shared_references_is_valid():
    folder = Path(SHARED) / "vulgate"
    files = ["--verses", folder / "vulgate.tsv.gz", "--references", folder / "nt_ot_refs_gospels_acts.json"]
    stop = ["--stop-words", folder / "latin.stop"]
    call_command("import_references", "vulgate", *map(str, [*files, *stop]), stdout=StringIO())
    call_command("simulate", "vulgate", "--seed", "2019", "--accuracy", "0.55", stdout=StringIO())
    text = document(Study.objects.get(slug="vulgate"))
    assert text.count("<app ") > 250
    assert faults(text) == []
