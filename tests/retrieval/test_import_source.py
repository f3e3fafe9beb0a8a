"""`import_source`: a critic's text, stored once or refused in one sentence."""

from __future__ import annotations

from io import StringIO

import pytest
from django.core.management import CommandError, call_command

from common.errors import BadInput
from retrieval.loading import import_source, storing
from retrieval.models import Source

pytestmark = pytest.mark.django_db

ESSAY = b"Nobody sleeps in this book. The keeper does, and is\nblamed for it on every page.\n"


def load(data=ESSAY, name="essay.txt", slug="critic", citation="Critic 1911", **more):
    return import_source(data, name=name, slug=slug, citation=citation, **more)


def test_a_source_keeps_its_text_and_citation():
    source, created, _ = load(language="en-GB")
    assert created
    assert source.text == "Nobody sleeps in this book. The keeper does, and is blamed for it on every page."
    assert (source.citation, source.language) == ("Critic 1911", "en-GB")
    assert source.sha256 == storing.sha256(source.text)


def test_again_adds_nothing_and_says_what_differs():
    first = load()
    second = load(citation="Critic 1912")
    assert (second.source.pk, second.created) == (first.source.pk, False)
    assert second.remarks == (
        'The source "critic" is already imported with this text; nothing was added.',
        'Not changed: the citation stays "Critic 1911" (given: "Critic 1912").',
    )
    assert Source.objects.get().citation == "Critic 1911"


def test_a_slug_taken_by_another_text_is_refused():
    load()
    with pytest.raises(BadInput, match="already imported with other text"):
        load(b"Somebody else's essay.")
    assert Source.objects.count() == 1


@pytest.mark.parametrize(
    ("data", "says"),
    [
        pytest.param(b"", "essay.txt is empty", id="empty file"),
        pytest.param(b"PK\x03\x04\x00\x00" * 9, "essay.txt is a damaged ZIP archive", id="damaged archive"),
        pytest.param(b"\x00\x01" * 9, "essay.txt is a binary file", id="binary file"),
        pytest.param("Le précurseur.".encode("cp1252"), "essay.txt is not UTF-8", id="wrong encoding"),
    ],
)
def test_a_file_that_is_no_text_is_refused(data, says):
    with pytest.raises(BadInput, match=says):
        load(data)
    assert not Source.objects.exists()


@pytest.mark.parametrize(
    "facts",
    [{"citation": ""}, {"citation": "C" * 301}, {"citation": "Critic\n1911"}, {"slug": "s" * 81}],
    ids=["no citation", "citation too long", "newline in the citation", "slug too long"],
)
def test_a_fact_that_cannot_be_kept_is_refused(facts):
    with pytest.raises(BadInput, match=f"^The {next(iter(facts))} "):
        load(**facts)
    assert not Source.objects.exists()


def test_the_command_prints_what_it_did(tmp_path):
    path = tmp_path / "essay.txt"
    path.write_bytes(ESSAY)
    for expected in ('Imported "critic" (Critic 1911): 80 characters.', 'The source "critic" is already'):
        out = StringIO()
        call_command("import_source", str(path), "--slug=critic", "--citation=Critic 1911", stdout=out)
        assert out.getvalue().startswith(expected)


def test_the_command_says_bad_input_in_one_sentence(tmp_path):
    path = tmp_path / "essay.txt"
    path.write_bytes(b"\xff\xff")
    with pytest.raises(CommandError, match="not UTF-8"):
        call_command("import_source", str(path), "--slug=critic", "--citation=Critic 1911")
    assert not Source.objects.exists()
