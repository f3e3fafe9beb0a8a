"""An element of very many children takes steps in proportion to their number, not to its square."""

import pytest

from retrieval.engine.formats import docx as word
from retrieval.engine.formats import tei as encoded
from retrieval.engine.formats.reading import read
from tests.retrieval.formats.made import docx, tei


@pytest.fixture
def steps(monkeypatch):
    """How often a tag's name was asked for, or a run's properties: counted, for a clock says little."""
    counted = []
    for module, name in ((encoded, "local"), (word, "_has_italics")):
        asked = getattr(module, name)
        monkeypatch.setattr(module, name, lambda element, asked=asked: counted.append(1) or asked(element))
    return counted


def taken(steps, data, name):
    steps.clear()
    read(data, name)
    return len(steps)


def choice(number):
    return tei(f"<p>He <choice>{'<sic>spok</sic>' * number}<corr>spoke</corr></choice>.</p>")


def nested(number):
    inner = "<corr><choice><sic>a</sic><corr>b</corr></choice></corr>"
    return tei(f"<p>He <choice>{inner * number}</choice>.</p>")


def test_many_forms_of_one_choice_are_looked_through_once(steps):
    for made in (choice, nested):
        few, many = (taken(steps, made(number), "book.xml") for number in (200, 400))
        assert 200 < few < many <= 2.1 * few


def test_of_many_forms_the_corrected_one_is_read():
    assert read(choice(8000), "book.xml").text == "He spoke."


def test_a_run_of_many_texts_is_asked_for_its_italics_once(steps):
    texts = "<w:t>word </w:t>" * 3000
    run = f"<w:p><w:r><w:rPr><w:b/></w:rPr>{texts}</w:r><w:r><w:t>End.</w:t></w:r></w:p>"
    assert taken(steps, docx(run), "book.docx") == 2


def test_italics_of_a_text_box_are_not_those_of_the_run_it_hangs_on():
    box = "<w:txbxContent><w:p><w:r><w:rPr><w:i/></w:rPr><w:t>In a box.</w:t></w:r></w:p></w:txbxContent>"
    body = f"<w:p><w:r><w:t>Plain words. </w:t><w:pict>{box}</w:pict></w:r></w:p>"
    assert read(docx(body), "book.docx").text == "Plain words. _In a box._"
