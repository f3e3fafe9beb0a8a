"""The apparatus: an item's readings under its line, on pages and as TEI."""

from __future__ import annotations

import re
from io import StringIO
from xml.etree import ElementTree

import pytest
from django.core.management import CommandError, call_command

from annotation.models import Assignment, Item, Role
from evaluation.apparatus import tei
from evaluation.apparatus.entries import entries
from tests import builders
from tests.evaluation.judged import judged
from tests.evaluation.marked import marked, row

pytestmark = pytest.mark.django_db
TEI = "{http://www.tei-c.org/ns/1.0}"
XML = "{http://www.w3.org/XML/1998/namespace}"


def first(study):
    return next(entries(study))


def said(entry):
    return [(each.words or each.said, " ".join(each.sigla)) for each in entry.readings]


def parsed(study):
    return ElementTree.fromstring("".join(tei.lines(study)))


class TestReadings:
    def test_most_readers_make_the_lemma(self):
        entry = first(marked([(7, 9), (8, 12), (8, 12)]))
        assert said(entry) == [("tide asks no man", "B C"), ("the tide", "A")]
        assert entry.agreement == "mean overlap 46.7 %, 1 of 3 pairs identical"

    def test_gold_makes_the_lemma_whatever_readers_say(self):
        entry = first(marked([(7, 9), (7, 9), (8, 12)], gold=[(8, 12)]))
        assert said(entry) == [("tide asks no man", "gold C"), ("the tide", "A B")]
        assert entry.lemma.is_gold

    def test_of_equally_many_the_first_in_the_passage(self):
        assert said(first(marked([(8, 12), (7, 9), (8, 9)])))[0] == ("the tide", "B")

    def test_who_reads_nothing_stands_last_with_the_reason(self):
        entry = first(marked(["u", "n", (8, 9)]))
        assert said(entry) == [("tide", "C"), ("no allusion", "B"), ("can’t decide", "A")]
        assert entry.readings[2].note == "It has no clear end"
        assert entry.agreement == ""

    def test_choices_read_options(self):
        entry = first(judged(["ggx"]))
        assert said(entry) == [
            ("Item 1, the second passage.", "gold A B"),
            ("Item 1, the third passage.", "C"),
        ]
        assert entry.agreement == "1 of 3 pairs agree"
        assert entry.pieces[0].text.startswith("Essay 1 begins")

    def test_adjudicators_read_along_and_enter_no_number(self, cleo):
        study = marked([(7, 9), (8, 12), "."])
        judge = builders.enrolment(study, cleo, role=Role.ADJUDICATOR, pseudonym="J1")
        place = Assignment.objects.get(study=study, slot=3)
        row(place, judge, (8, 12)).save()
        entry = first(study)
        assert said(entry) == [("the tide", "A"), ("tide asks no man", "B J1")]
        assert entry.agreement == "mean overlap 20.0 %, 0 of 1 pair identical"

    def test_pieces_make_up_the_passage_with_how_many_marked_them(self):
        entry = first(marked([(7, 9), (8, 12), (8, 12)]))
        assert "".join(piece.text for piece in entry.pieces) == Item.objects.get().payload["text"]
        marks = {piece.text.strip(): (piece.depth, piece.in_lemma, piece.is_anchor) for piece in entry.pieces}
        assert marks["tide"] == (4, True, True)
        assert marks["asks no man"] == (3, True, False)
        assert marks["the"] == (2, False, False)

    def test_few_queries_however_many_items(self, django_assert_max_num_queries):
        study = marked(*[[(7, 9), (8, 12), "n"]] * 30)
        with django_assert_max_num_queries(2):
            assert len(list(entries(study))) == 30


class TestPages:
    def test_twenty_items_a_page_each_with_its_address(self, dora, as_user):
        marked(*[[(7, 9), (8, 12), "n"]] * 21, by=dora)
        browser = as_user(dora)
        text = browser.get("/results/sermon/apparatus/").content.decode()
        assert len(re.findall(r'<section class="entry"', text)) == 20
        assert 'href="/results/sermon/apparatus/20/"' in text
        assert "Page 1 of 2" in text
        one = browser.get("/results/sermon/apparatus/21/").content.decode()
        assert "<mark>" in one
        assert 'rel="prev" href="/results/sermon/apparatus/20/"' in one
        assert 'rel="next"' not in one

    def test_passages_have_their_language_and_are_escaped(self, dora, as_user):
        text = "וְאָהַבְתָּ <b>אֵת</b> & יְהוָה"
        marked([(0, 2), "n", "."], by=dora, text=text, anchor=None, language="he")
        page = as_user(dora).get("/results/sermon/apparatus/1/").content.decode()
        assert 'lang="he" dir="auto"' in page
        assert "<b>אֵת" not in page

    @pytest.mark.parametrize("path", ["apparatus/", "apparatus/1/", "apparatus/?format=tei"])
    def test_researchers_only(self, dora, ada, stan, as_user, path):
        marked([(7, 9), (8, 12), "n"], by=dora)
        for other in (ada, stan):
            assert as_user(other).get(f"/results/sermon/{path}").status_code == 404

    def test_an_item_that_is_not_there(self, dora, as_user):
        marked([(7, 9), (8, 12), "n"], by=dora)
        assert as_user(dora).get("/results/sermon/apparatus/2/").status_code == 404

    def test_no_items_yet(self, dora, as_user):
        marked(by=dora)
        assert (
            "The study has no items yet." in as_user(dora).get("/results/sermon/apparatus/").content.decode()
        )

    def test_the_download_is_the_document(self, dora, as_user):
        study = marked([(7, 9), (8, 12), "n"], by=dora)
        reply = as_user(dora).get("/results/sermon/apparatus/", {"format": "tei"})
        assert reply["Content-Type"] == "application/tei+xml; charset=utf-8"
        assert reply["Content-Disposition"] == 'attachment; filename="sermon-apparatus.xml"'
        assert b"".join(reply.streaming_content).decode() == "".join(tei.lines(study))


class TestTei:
    def test_spans_have_tokens_references_and_an_apparatus_that_points_to_them(self):
        root = parsed(marked([(7, 9), (8, 12), "n"], gold=[(8, 12)]))
        assert root.tag == f"{TEI}TEI"
        witnesses = {each.get(f"{XML}id") for each in root.iter(f"{TEI}witness")}
        assert witnesses == {"gold", "A", "B", "C"}
        assert root.find(f".//{TEI}variantEncoding").attrib == {
            "method": "double-end-point", "location": "external",
        }  # fmt: skip
        div = root.find(f".//{TEI}div")
        assert div.get(f"{XML}lang") == "en"
        passage = div.find(f"{TEI}ab[@type='passage']")
        assert "".join(passage.itertext()) == Item.objects.get().payload["text"]
        assert "".join(passage.find(f"{TEI}seg").itertext()) == "tide"
        assert div.find(f"{TEI}cit/{TEI}bibl").text == "The Shore Psalter 4:2"
        app = div.find(f".//{TEI}app")
        assert (app.get("from"), app.get("to")) == ("#item-1.t7", "#item-1.t11")
        lem, *rdg = app
        assert (lem.tag, lem.get("wit")) == (f"{TEI}lem", "#gold #B")
        assert lem.find(f"{TEI}ref").attrib == {"target": "#range(item-1.t8,item-1.t11)"}
        assert [(each.get("wit"), each.get("type")) for each in rdg] == [("#A", None), ("#C", "none")]

    def test_every_pointer_leads_to_something(self):
        root = parsed(marked([(7, 9), (8, 12), "n"], ["u", (5, 14), "b"], gold=["n"]))
        names = [each.get(f"{XML}id") for each in root.iter() if each.get(f"{XML}id")]
        assert len(names) == len(set(names))
        for each in root.iter():
            for name in ("wit", "from", "to", "target"):
                for pointer in re.findall(r"[\w.-]+", (each.get(name) or "").replace("#range", "")):
                    assert pointer in names

    def test_choices_stand_in_their_gap(self):
        root = parsed(judged(["ggx"]))
        assert root.find(f".//{TEI}variantEncoding").get("method") == "parallel-segmentation"
        passage = root.find(f".//{TEI}ab")
        lem = passage.find(f"{TEI}app/{TEI}lem")
        assert (lem.get("wit"), lem.text) == ("#gold #A #B", "Item 1, the second passage.")
        assert passage.text.startswith("Essay 1 begins")
        assert "The rest follows." in passage.find(f"{TEI}app").tail

    def test_what_xml_cannot_hold_is_replaced_and_the_rest_escaped(self):
        study = marked([(0, 3), ".", "."], text="A <b> & “c” \x0b d\r\ne", anchor=None, verse="</TEI>")
        passage = parsed(study).find(f".//{TEI}ab")
        assert "".join(passage.itertext()) == "A <b> & “c” \ufffd d\r\ne"

    def test_a_pseudonym_that_is_no_name_gets_one(self):
        assert tei.identifiers(["A", "Ä B", "gold", "item-1"]) == {
            "gold": "reader-3", "A": "A", "Ä B": "reader-2", "item-1": "reader-4",
        }  # fmt: skip

    def test_the_same_judgments_give_the_same_document(self):
        study = marked([(7, 9), (8, 12), "n"])
        assert "".join(tei.lines(study)) == "".join(tei.lines(study))

    def test_an_item_nobody_read_has_no_apparatus(self):
        root = parsed(marked([".", ".", "."]))
        assert root.find(f".//{TEI}div") is not None
        assert root.find(f".//{TEI}app") is None


class TestCommand:
    def test_prints_or_writes_the_document(self, tmp_path):
        study = marked([(7, 9), (8, 12), "n"])
        out = StringIO()
        call_command("export_tei", "sermon", stdout=out)
        path = tmp_path / "sermon.xml"
        call_command("export_tei", "sermon", "--output", str(path), stderr=StringIO())
        assert out.getvalue() == path.read_text(encoding="utf-8") == "".join(tei.lines(study))

    def test_where_it_cannot_be_written_is_one_sentence(self, tmp_path):
        marked([(7, 9), (8, 12), "n"])
        with pytest.raises(CommandError, match=r"nowhere/x.xml cannot be written: No such file"):
            call_command("export_tei", "sermon", "--output", str(tmp_path / "nowhere" / "x.xml"))

    def test_an_unknown_task_is_one_sentence(self):
        study = builders.study("riddle", items=0, state="draft")
        study.task = "riddle"
        study.save()
        with pytest.raises(
            CommandError, match=r"There is no apparatus of this study. There is no task “riddle”"
        ):
            call_command("export_tei", "riddle")
