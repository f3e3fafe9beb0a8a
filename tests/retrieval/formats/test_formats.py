"""Files with markup come in as paragraphs, headings, verse and notes, without their markup."""

import pytest

from common.errors import BadInput
from retrieval.engine.formats.reading import read
from retrieval.engine.text.sentences import segment
from tests.retrieval.formats.made import W, docx, epub, tei, zipped

CHAPTER = ["CHAPTER I", "It rained upon the town.", "Nobody spoke of it."]


def blocks(data, name="book"):
    """The format, and each paragraph with the kind the file gives it."""
    found = read(data, name)
    at, pairs = 0, []
    for paragraph in found.text.split("\n\n"):
        pairs.append((paragraph, found.known.get(at, "")))
        at += len(paragraph) + 2
    return found.format, pairs


def parted(data, **options):
    """Sentences, headings, and what is set aside with its kind."""
    found = read(data, "book")
    parts = segment(found.text, known=found.known, **options)
    cut = found.text
    return (
        [cut[a:b] for a, b in parts.sentences],
        [cut[a:b] for a, b in parts.headings],
        [(cut[a:b], kind) for a, b, kind in parts.left_out],
    )


HTML = """<!DOCTYPE html><html><head><title>Not this</title><style>p { color: red }</style></head><body>
<section class="pg-boilerplate"><p>The Project Gutenberg frame</p></section>
<div class="toc"><p><a href="#c1">The Lamps</a></p></div>
<h2>The Lamps<br/>Go Out</h2>
<p>It rained upon <i>the town</i>,<span class="pagenum">[Pg 3]</span>
and nobody&nbsp;spoke.<a href="#f1" class="fnanchor">[1]</a> It went&shy; on.</p>
<div class="poetry"><div class="stanza"><div class="verse">The tide came in,</div>
<div class="verse">the tide went out.</div></div></div>
<p>He read:<br>one line<br>another.</p>
<div class="footnotes"><div class="footnote"><p><span class="label">[1]</span> So says the almanac.</p>
<p>It is often wrong.</p></div></div>
<script>alert(1)</script></body></html>"""


class TestHtml:
    def test_its_markup_is_read_and_not_stored(self):
        assert blocks(HTML.encode()) == (
            "HTML",
            [
                ("The Lamps", "contents"),
                ("The Lamps\nGo Out", "heading"),
                ("It rained upon _the town_, and nobody spoke.[1] It went on.", ""),
                ("The tide came in,\nthe tide went out.", ""),
                ("He read:\none line\nanother.", ""),
                ("[1] So says the almanac. It is often wrong.", "footnote"),
            ],
        )

    def test_notes_and_headings_are_no_candidates(self):
        sentences, headings, aside = parted(HTML.encode())
        assert headings == ["The Lamps\nGo Out"]
        assert [kind for _, kind in aside] == ["contents", "footnote"]
        assert not any("almanac" in each for each in sentences)
        assert any("almanac" in each for each in parted(HTML.encode(), notes=True)[0])

    def test_a_list_under_a_heading_contents_is_no_row_of_headings(self):
        rows = "".join(f"<tr><td>{n}.</td><td>The Lamps</td><td>{n}5</td></tr>" for n in ("I", "II", "III"))
        page = (
            f"<h2>CONTENTS</h2><table>{rows}</table><h2>PREFACE</h2><p>It rained.</p>"
            "<h2>CHAPTER I.<br/>THE LAMPS</h2><p>It went on.</p>"
            "<h2>Transcriber’s Note</h2><p>A comma was set.</p>"
        )
        sentences, headings, aside = parted(f"<html><body>{page}</body></html>".encode())
        assert headings == ["PREFACE", "CHAPTER I.\nTHE LAMPS"]
        assert sentences == ["It rained.", "It went on."]
        assert {kind for _, kind in aside} == {"contents", "transcriber's note"}

    def test_a_text_in_pre_is_unwrapped(self):
        lines = (
            "It rained upon the town for most of the day and for the whole of the\nnight, and nobody spoke."
        )
        assert blocks(f"<html><body><pre>{lines}</pre></body></html>".encode())[1] == [
            (lines.replace("\n", " "), "")
        ]

    def test_a_paragraph_set_as_a_heading_is_none(self):
        text = "It rained upon the town, and nobody in it spoke of anything else. " * 5
        assert parted(f"<html><body><h1>{text}</h1></body></html>".encode())[1] == []

    def test_a_page_that_says_its_encoding_is_read_in_it(self):
        page = '<html><head><meta charset="iso-8859-1"></head><body><p>Le café ferma.</p></body></html>'
        assert read(page.encode("latin-1"), "p").text == "Le café ferma."

    def test_gutenbergs_markers_are_taken_off(self):
        page = (
            "<p>*** START OF THE PROJECT GUTENBERG EBOOK X ***</p><p>It rained.</p>"
            "<p>*** END OF THE PROJECT GUTENBERG EBOOK X ***</p><p>Licence</p>"
        )
        found = read(f"<html><body>{page}</body></html>".encode(), "p")
        assert found.text == "It rained."
        assert found.notes[1:] == (
            "Removed a Project Gutenberg header of 1 paragraphs.",
            "Removed a Project Gutenberg footer of 2 paragraphs.",
        )

    def test_what_an_xml_declaration_says_is_believed(self):
        page = '<?xml version="1.0" encoding="windows-1251"?><html><body><p>Дождь шёл.</p></body></html>'
        assert read(page.encode("windows-1251"), "p").text == "Дождь шёл."

    def test_an_element_with_a_prefix_is_what_it_is_behind_it(self):
        page = (
            "<html><body><svg:svg><svg:text>X</svg:text></svg:svg><p>It rained.<o:p></o:p></p></body></html>"
        )
        assert read(page.encode(), "p").text == "It rained."

    def test_a_page_without_its_head_is_no_plain_text(self):
        assert blocks(b"It rained.<p>Nobody <b>spoke</b>.<p>It<br>went on.")[1] == [
            ("It rained.", ""),
            ("Nobody spoke.", ""),
            ("It\nwent on.", ""),
        ]

    def test_quotation_marks_numbered_as_windows_does_are_read_as_browsers_read_them(self):
        assert (
            read(b"<html><body><p>&#147;Rain&#148;&#151;he said.</p></body></html>", "p").text
            == "“Rain”—he said."
        )

    def test_what_its_encoding_was_said_to_be_tells_its_format_too(self):
        page = "<html><body><p>It rained.</p></body></html>".encode("utf-16-le")
        assert read(page, "p", "utf-16-le").text == "It rained."

    @pytest.mark.parametrize("depth", [1000, 10_000])
    def test_deep_nesting_is_read_whole_or_refused(self, depth):
        page = f"<html><body><p>Before.</p>{'<div>' * depth}It rained.</body></html>".encode()
        if depth < 2000:
            assert read(page, "p").text == "Before.\n\nIt rained."
        else:
            with pytest.raises(BadInput, match="depth"):
                read(page, "deep.html")


class TestTei:
    TEXT = """<front><titlePage><docTitle><titlePart>The Quay</titlePart></docTitle>
    <docAuthor>Nobody</docAuthor>
    </titlePage><div type="contents"><list><item>The Lamps</item></list></div></front>
    <body><div><head>The Lamps</head><opener><dateline>Harrow, 5 May</dateline></opener>
    <p>It rained upon <hi rend="italic">the town</hi>.<note>So says the almanac.</note><pb n="4"/>
    Nobody <choice><sic>spok</sic><corr>spoke</corr></choice> of it.
    <note resp="#ed">The second edition has boots.</note></p>
    <lg><l>The tide came in,</l><pb n="5"/><l>the tide went out.</l></lg><fw>THE QUAY 5</fw></div></body>"""

    def test_what_the_encoder_said_is_taken(self):
        assert blocks(tei(self.TEXT)) == (
            "TEI",
            [
                ("The Quay\nNobody", "front matter"),
                ("The Lamps", "contents"),
                ("The Lamps", "heading"),
                ("Harrow, 5 May", "dateline"),
                ("It rained upon _the town_. Nobody spoke of it.", ""),
                ("So says the almanac.", "footnote"),
                ("The second edition has boots.", "editor's note"),
                ("The tide came in,\nthe tide went out.", ""),
            ],
        )

    def test_every_text_of_a_corpus_is_read(self):
        one, two = (
            "<TEI><text><body><p>It rained.</p></body></text></TEI>",
            "<TEI><text><p>It went on.</p></text></TEI>",
        )
        corpus = f"<?xml version='1.0'?><teiCorpus><teiHeader/>{one}{two}</teiCorpus>"
        assert read(corpus.encode(), "t").text == "It rained.\n\nIt went on."

    @pytest.mark.parametrize(
        "doctype",
        ["<!-- " + "made here " * 800 + "-->", '<!DOCTYPE TEI [<!ENTITY e "<b>x</b>"><!ELEMENT p ANY>]>'],
        ids=["long comment", "own declarations"],
    )
    def test_it_is_known_behind_whatever_stands_before_its_root(self, doctype):
        assert read(tei("<body><p>It rained.</p></body>", doctype=doctype), "t").text == "It rained."

    def test_an_entity_of_html_is_a_letter(self):
        text = "<body><p>It rained&nbsp;&mdash;it went on.</p></body>"
        doctype = '<!DOCTYPE TEI SYSTEM "nothing.dtd">\n'
        assert read(tei(text, doctype=doctype), "t").text == "It rained —it went on."

    @pytest.mark.parametrize(
        "entity",
        ['<!ENTITY a "ha"><!ENTITY b "&a;&a;&a;&a;&a;&a;">', '<!ENTITY b SYSTEM "file:///etc/hostname">'],
        ids=["that grows", "of a file"],
    )
    def test_an_entity_of_its_own_is_never_expanded(self, entity):
        with pytest.raises(BadInput, match="entity &b;"):
            read(tei("<body><p>It rained. &b;</p></body>", doctype=f"<!DOCTYPE TEI [{entity}]>"), "t.xml")

    def test_an_entity_that_grows_inside_an_attribute_is_refused(self):
        grows = "".join(f'<!ENTITY e{n} "{f"&e{n - 1};" * 10}">' for n in range(1, 10))
        doctype = f'<!DOCTYPE TEI [<!ENTITY e0 "ha">{grows}]>'
        with pytest.raises(BadInput, match=r"t\.xml"):
            read(tei('<body><p n="&e9;">It rained.</p></body>', doctype=doctype), "t.xml")

    def test_what_is_not_well_formed_is_refused_with_its_line(self):
        with pytest.raises(BadInput, match=r"t\.xml is not well-formed XML: .*line 2"):
            read(tei("<body><p>It rained.</body>"), "t.xml")

    def test_no_text_is_refused(self):
        with pytest.raises(BadInput, match="without a <text>"):
            read(b"<TEI><teiHeader/></TEI>", "t.xml")


class TestDocx:
    BODY = (
        '<w:p><w:pPr><w:pStyle w:val="berschrift1"/></w:pPr><w:r><w:t>The Lamps</w:t></w:r></w:p>'
        '<w:p><w:r><w:t xml:space="preserve">It rained upon </w:t></w:r><w:r><w:rPr><w:i/></w:rPr>'
        '<w:t>the town</w:t>'
        '</w:r><w:del><w:r><w:delText>, gone</w:delText></w:r></w:del><w:r><w:t>.</w:t></w:r>'
        '<w:r><w:footnoteReference w:id="2"/></w:r></w:p>'
        "<w:p><w:r><w:t>The tide came in,</w:t><w:br/><w:t>the tide went out.</w:t></w:r></w:p><w:p/>"
    )  # fmt: skip
    NOTES = (
        f'<w:footnotes {W}><w:footnote w:type="separator" w:id="0"><w:p/></w:footnote><w:footnote w:id="2">'
        "<w:p><w:r><w:t>So says the almanac.</w:t></w:r></w:p></w:footnote></w:footnotes>"
    )

    def test_styles_lines_and_notes_are_read(self):
        assert blocks(docx(self.BODY, footnotes=self.NOTES)) == (
            "DOCX",
            [
                ("The Lamps", "heading"),
                ("It rained upon _the town_.[1]", ""),
                ("[1] So says the almanac.", "footnote"),
                ("The tide came in,\nthe tide went out.", ""),
            ],
        )

    def test_a_note_that_is_referred_to_often_stands_once(self):
        """Else a kilobyte of references and a long note are gigabytes of text."""
        mark = '<w:r><w:footnoteReference w:id="2"/></w:r>'
        found = blocks(docx(self.BODY.replace(mark, 1000 * mark), footnotes=self.NOTES))
        assert found == blocks(docx(self.BODY, footnotes=self.NOTES))

    def test_a_text_box_is_read_once(self):
        box = "<w:p><w:r><w:t>In the box.</w:t></w:r></w:p>"
        found = read(docx(f"<w:p><w:r><w:t>Before.</w:t><w:txbx>{box}</w:txbx></w:r></w:p>"), "d.docx")
        assert found.text.count("In the box.") == 1

    def test_a_text_box_written_twice_is_read_once_and_parted_from_the_rest(self):
        box = "<w:txbx><w:p><w:r><w:t>In the box.</w:t></w:r></w:p></w:txbx>"
        both = f"<w:Choice>{box}</w:Choice><w:Fallback>{box}</w:Fallback>"
        found = read(docx(f"<w:p><w:r>{both}</w:r><w:r><w:t>After.</w:t></w:r></w:p>"), "d.docx")
        assert found.text == "In the box. After."

    def test_what_moved_is_read_where_it_went(self):
        run = "<w:r><w:t>It rained.</w:t></w:r>"
        body = f"<w:p><w:moveFrom>{run}</w:moveFrom></w:p><w:p><w:moveTo>{run}</w:moveTo></w:p>"
        assert read(docx(body), "d.docx").text == "It rained."

    def test_italics_go_on_over_words_runs(self):
        run = "<w:r><w:rPr><w:i/></w:rPr><w:t>{}</w:t></w:r>"
        body = f"<w:p>{run.format('the ')}{run.format('to')}{run.format('wn')}<w:r><w:t>.</w:t></w:r></w:p>"
        assert read(docx(body), "d.docx").text == "_the town_."

    def test_contents_and_a_heading_of_ones_own_are_told_by_their_styles(self):
        styles = (
            f'<w:styles {W}><w:style w:styleId="H"><w:name w:val="heading 1"/></w:style>'
            '<w:style w:styleId="Mine"><w:name w:val="Chapter of mine"/><w:basedOn w:val="H"/></w:style>'
            '<w:style w:styleId="V1"><w:name w:val="toc 1"/></w:style></w:styles>'
        )
        paragraph = '<w:p><w:pPr><w:pStyle w:val="{}"/></w:pPr><w:r><w:t>The lamps</w:t></w:r></w:p>'
        found = blocks(docx(paragraph.format("V1") + paragraph.format("Mine"), styles=styles))
        assert found[1] == [("The lamps", "contents"), ("The lamps", "heading")]

    def test_a_style_without_a_name_or_an_id_is_no_heading(self):
        styles = f'<w:styles {W}><w:style><w:name w:val="heading 1"/></w:style><w:style/></w:styles>'
        found = read(docx(self.BODY, styles=styles), "d.docx")
        assert "heading" not in found.known.values()

    def test_a_document_without_its_text_is_refused(self):
        with pytest.raises(BadInput, match="not well-formed"):
            read(zipped({"word/document.xml": "<w:document"}), "d.docx")


class TestEpub:
    PAGES = {
        "nav.xhtml": "<p>Contents</p>",
        "one.xhtml": "<h1>The Lamps</h1><p>It rained.</p>",
        "two.xhtml": "<p>Nobody spoke.</p>",
    }

    def test_its_pages_come_in_the_order_of_the_spine(self):
        assert blocks(epub(self.PAGES, spine=["two.xhtml", "one.xhtml", "nav.xhtml"])) == (
            "EPUB",
            [("Nobody spoke.", ""), ("The Lamps", "heading"), ("It rained.", "")],
        )

    def test_a_protected_page_is_refused(self):
        hidden = '<encryption><CipherReference URI="book/one.xhtml"/></encryption>'
        with pytest.raises(BadInput, match="protected"):
            read(epub(self.PAGES, more={"META-INF/encryption.xml": hidden}), "e.epub")

    def test_scrambled_fonts_protect_nothing(self):
        hidden = '<encryption><CipherReference URI="book/font.otf"/></encryption>'
        assert "It rained." in read(epub(self.PAGES, more={"META-INF/encryption.xml": hidden}), "e").text

    def test_notes_that_only_epub_marks_are_notes(self):
        note = '<p>It rained.</p><aside epub:type="footnote"><p>1 So it says.</p></aside>'
        assert parted(epub({"one.xhtml": note}))[2] == [("1 So it says.", "footnote")]

    def test_a_page_with_nothing_on_it_is_passed_over(self):
        item = '<item id="{0}" href="{0}" media-type="text/html"/>'
        package = f"<p>{item.format('a')}{item.format('b')}<itemref idref='a'/><itemref idref='b'/></p>"
        container = '<c><rootfile full-path="p.opf"/></c>'
        files = {"META-INF/container.xml": container, "p.opf": package, "a": "", "b": "<p>It rained.</p>"}
        assert read(zipped(files), "e").text == "It rained."

    def test_a_container_without_a_package_is_refused(self):
        with pytest.raises(BadInput, match="names no package"):
            read(zipped({"META-INF/container.xml": "<container/>"}), "e.epub")

    def test_a_page_that_is_not_there_is_refused(self):
        container = '<c><rootfile full-path="p.opf"/></c>'
        package = '<p><item id="a" href="gone.xhtml" media-type="text/html"/><itemref idref="a"/></p>'
        with pytest.raises(BadInput, match=r"holds no gone\.xhtml"):
            read(zipped({"META-INF/container.xml": container, "p.opf": package}), "e.epub")


class TestRtf:
    RTF = (
        rb"{\rtf1\ansi\ansicpg1252{\fonttbl{\f0 Times;}}\f0 CHAPTER I\par It rained upon the caf\'e9.\par "
        rb"The tide came in,\line the tide went out.{\footnote So says the almanac.}\par}"
    )

    def test_paragraphs_and_lines_are_read_and_what_is_lost_is_said(self):
        found = read(self.RTF, "r.rtf")
        assert found.text == "CHAPTER I\n\nIt rained upon the café.\n\nThe tide came in,\nthe tide went out."
        assert found.notes == (
            "Read as RTF.",
            "Left out 1 footnote of the RTF file; saved as DOCX, it keeps them.",
        )

    def test_letters_beyond_the_first_plane_are_whole_and_halves_are_shown_as_lost(self):
        assert read(rb"{\rtf1 It rained \u-10179?\u-8704? upon \u-10179? us.\par}", "r").text == (
            "It rained \U0001f600 upon � us."
        )

    def test_a_file_of_an_old_mac_is_read_in_its_letters(self):
        assert read(rb"{\rtf1\mac The caf\'8e.\par}", "r.rtf").text == "The café."

    def test_a_control_character_is_refused(self):
        with pytest.raises(BadInput, match="control character 0x01"):
            read(rb"{\rtf1 It \'01 rained.\par}", "r.rtf")


def test_letters_are_stored_as_one_and_without_what_nobody_sees():
    text = "The cafe\u0301 by the har\xad\nbour, the quay\u200bside."
    want = "The café by the harbour, the quayside."
    assert read(text.encode(), "p").text == want
    assert read(f"<html><body><p>{text}</p></body></html>".encode(), "p").text == want


@pytest.mark.parametrize(
    ("data", "what"),
    [
        (b"\n%PDF-1.7", "a PDF"),
        (b"BZh91AY", "bzip2"),
        (b"\x89PNG\r\n", "a picture"),
        (b"%!PS-Adobe-3.0", "PostScript"),
        (b"\\documentclass{book}", "LaTeX"),
        (b'{"the_quay": {"quotes": {}}}', "import_relic"),
        (b"From: a\nMIME-Version: 1.0\n\n<html><p>It rained.</p>", "MHTML"),
        (b"<svg xmlns='x'><text>Rain</text></svg>", "root <svg>"),
        (b"%PDF-1.7", "a PDF"),
        (b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1", "before 2007"),
        (b"\0" * 60 + b"BOOKMOBI", "Kindle"),
        (zipped({"content.xml": "<o/>"}), "OpenDocument"),
        (zipped({"a.txt": "It rained."}), "ZIP archive; unpack"),
        (b"PK\x03\x04 and no more", "damaged ZIP"),
        (b"<?xml version='1.0'?><ead><p>It rained.</p></ead>", "root <ead>"),
        (b"\x1f\x8b\x08", "gzip"),
        (b"<html><body><p> </p></body></html>", "no words"),
    ],
)  # fmt: skip
def test_what_is_not_read_is_refused_by_its_name(data, what):
    with pytest.raises(BadInput, match=what) as refused:
        read(data, "book.bin")
    assert "book.bin" in str(refused.value)


@pytest.mark.parametrize("text", ["<3 said the letter.", "<p is what he wrote.", "a < b and b > c"])
def test_a_plain_text_that_begins_oddly_is_plain(text):
    assert blocks(text.encode()) == ("plain text", [(text, "")])


def test_I09_an_archive_that_unpacks_to_more_than_a_text_is_not_unpacked(monkeypatch):
    monkeypatch.setattr("retrieval.engine.formats.archive.LARGEST", 1000)
    bomb = docx("<w:p><w:r><w:t>" + "a" * 100_000 + "</w:t></w:r></w:p>")
    with pytest.raises(BadInput, match="unpacks to more than"):
        read(bomb, "bomb.docx")


def test_an_archive_of_too_many_files_is_not_read(monkeypatch):
    monkeypatch.setattr("retrieval.engine.formats.archive.MOST_FILES", 2)
    with pytest.raises(BadInput, match="more than 2 files"):
        read(epub(TestEpub.PAGES), "many.epub")
