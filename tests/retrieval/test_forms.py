"""The staff forms: they do what the commands do, and say a refusal beside its field."""

from __future__ import annotations

import json
from dataclasses import asdict
from dataclasses import fields as fields_of

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile

from retrieval import forms
from retrieval.engine.ranking.matching import SWITCHES
from retrieval.engine.ranking.negatives import Rules
from retrieval.forms import imports
from retrieval.models import Book, CandidateJob, LoadingJob, LoadingTask, Source
from tests import builders

pytestmark = pytest.mark.django_db

NOVEL = (
    b"The sea was up. Nobody in the town had asked it to come so far, and nobody dared to send it home again."
)
BOOK = {
    "slug": "sea",
    "title": "The Sea",
    "author": "A. Author",
    "year": "1891",
    "language": "en",
    "short": "on",
}


def upload(data, name="sea.txt"):
    return {"file": SimpleUploadedFile(name, data)}


def book_form(data=NOVEL, **changes):
    return forms.ImportBookForm({**BOOK, **changes}, upload(data))


def saved(form, *args):
    assert form.is_valid(), form.errors
    result = form.save(*args)
    assert result is not None, form.errors
    return result


def refusal(form, field, *args):
    """The sentence beside the field, after `save()` refused."""
    assert form.is_valid(), form.errors
    assert form.save(*args) is None
    assert list(form.errors) == [field]
    return form.errors[field][0]


def test_a_book_is_imported():
    imported = saved(book_form(licence="public domain"))
    assert imported.created
    assert Book.objects.values_list("title", "year", "licence").get() == ("The Sea", 1891, "public domain")


def test_a_file_that_is_no_text_is_refused_beside_the_file():
    assert "sea.txt is a binary file" in refusal(book_form(b"\x00\x01"), "file")
    assert "sea.txt is empty" in refusal(book_form(b""), "file")
    assert not Book.objects.exists()


def test_a_slug_that_is_taken_is_refused_beside_the_slug():
    saved(book_form())
    assert "already imported with other text" in refusal(book_form(b"Another book."), "slug")


def test_a_language_that_is_no_tag_is_refused_beside_the_language():
    assert "is not a tag" in refusal(book_form(language="English language"), "language")


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("slug", "s" * 81),
        ("slug", "the sea"),
        ("title", "T" * 301),
        ("year", "3001"),
        ("year", "-1"),
        ("author", ""),
    ],
)
def test_fields_that_cannot_be_kept_never_reach_the_import(field, value):
    form = book_form(**{field: value})
    assert not form.is_valid()
    assert list(form.errors) == [field]


def test_an_upload_beyond_the_limit_is_refused_with_both_sizes(monkeypatch):
    monkeypatch.setattr(imports, "LARGEST_UPLOAD", 100)
    form = book_form()
    assert not form.is_valid()
    sentence = form.errors["file"][0]
    assert "103\xa0bytes" in sentence
    assert "100\xa0bytes" in sentence


def test_the_limit_is_thirty_mebibytes():
    assert imports.LARGEST_UPLOAD == 30 * 1024 * 1024


def test_a_source_is_imported_and_a_second_text_of_its_slug_refused():
    fields = {"slug": "critic", "citation": "Critic 1911", "language": "en"}
    assert saved(forms.ImportSourceForm(fields, upload(NOVEL))).created
    assert not saved(forms.ImportSourceForm(fields, upload(NOVEL))).created
    other = forms.ImportSourceForm(fields, upload(b"Another essay."))
    assert "already imported with other text" in refusal(other, "slug")
    assert Source.objects.count() == 1


def test_a_relic_file_is_imported_or_refused_beside_the_file():
    starts = {f"{size}_sentence": [0] if size == 1 else [] for size in range(1, 6)}
    relic = {"quay": {"sentences": ["The end."], "quotes": {"q": [[], 0, 1, []]}, "candidates": starts}}
    (one,) = saved(
        forms.ImportRelicForm({"author": "A. Author"}, upload(json.dumps(relic).encode(), "r.json"))
    )
    assert (one.new, one.book.author) == (1, "A. Author")
    assert refusal(forms.ImportRelicForm({}, upload(b"{}", "r.json")), "file").startswith("r.json: ")


def test_excerpts_are_looked_for_in_a_job_or_refused_beside_the_book(stan):
    book, source = builders.book(), builders.source()
    job = saved(forms.FindExcerptsForm({"book": book.slug}, source=source), stan)
    assert (job.work, job.book, job.source, job.created_by) == (LoadingTask.FIND, book, source, stan)
    other = builders.source("bare", "Bare 1912", "")
    assert "has no text" in refusal(forms.FindExcerptsForm({"book": book.slug}, source=other), "book", stan)
    assert LoadingJob.objects.count() == 1


def test_an_unknown_book_is_no_choice():
    form = forms.FindExcerptsForm({"book": "nowhere"}, source=builders.source())
    assert not form.is_valid()
    assert list(form.errors) == ["book"]


def generate_form(book, **changes):
    fields = {
        "ranker": "bm25",
        "negatives": "2",
        "size": "",
        "left": "4",
        "right": "4",
        "rules": [field.name for field in fields_of(Rules) if field.name not in ("gold", "run")],
        "run": "",
    }
    return forms.GenerateForm({**fields, **changes}, book=book)


def test_a_job_is_launched_with_the_fields_and_the_person(stan):
    book = builders.book()
    builders.excerpt(book, builders.source())
    job = saved(generate_form(book, negatives="3", right="0"), stan)
    job = CandidateJob.objects.get(pk=job.pk)
    assert (job.ranker, job.created_by, job.parameters["negatives"]) == ("bm25", stan, 3)
    assert (job.parameters["size"], job.parameters["left"], job.parameters["right"]) == (None, 4, 0)


def test_a_job_has_the_seed_of_its_form_or_one_that_is_drawn(stan):
    book = builders.book()
    builders.excerpt(book, builders.source())
    assert saved(generate_form(book, seed="1811"), stan).seed == 1811
    drawn = {saved(generate_form(book, seed=""), stan).seed for _ in range(4)}
    offered = {forms.GenerateForm(book=book)["seed"].value() for _ in range(4)}
    assert len(drawn) > 1
    assert len(offered) > 1
    assert list(generate_form(book, seed="-1").errors) == ["seed"]


def test_what_negatives_share_is_a_switch_each(stan):
    assert [name for name, _ in generate_form(builders.book()).fields["matching"].choices] == list(SWITCHES)


def test_every_rule_but_that_of_the_right_passage_is_a_switch(stan):
    book = builders.book()
    builders.excerpt(book, builders.source())
    names = {field.name for field in fields_of(Rules)} - {"gold", "run"}
    assert {name for name, _ in generate_form(book).fields["rules"].choices} == names
    assert saved(generate_form(book), stan).parameters["rules"] == asdict(Rules())
    for name in names:
        job = saved(generate_form(book, rules=sorted(names - {name}), run="5"), stan)
        assert job.parameters["rules"] == asdict(Rules(**{name: False, "run": 5}))
    none = saved(generate_form(book, rules=[]), stan)
    assert {name for name, on in none.parameters["rules"].items() if on is True} == {"gold"}


@pytest.mark.parametrize(("field", "value"), [("rules", ["gold"]), ("run", "0"), ("run", "1001")])
def test_a_rule_that_is_none_is_refused_beside_its_field(field, value):
    form = generate_form(builders.book(), **{field: value})
    assert not form.is_valid()
    assert list(form.errors) == [field]


def test_a_job_without_excerpts_or_context_is_refused_above_the_form(stan):
    book = builders.book()
    assert "no excerpt" in refusal(generate_form(book), "__all__", stan)
    assert "context is empty" in refusal(generate_form(book, left="0", right="0"), "__all__", stan)
    assert not CandidateJob.objects.exists()


@pytest.mark.parametrize(
    ("field", "value"),
    [("ranker", "nobody"), ("negatives", "0"), ("negatives", "51"), ("size", "21"), ("left", "5")],
)
def test_a_number_out_of_the_jobs_range_is_refused_beside_its_field(field, value):
    form = generate_form(builders.book(), **{field: value})
    assert not form.is_valid()
    assert list(form.errors) == [field]


@pytest.mark.parametrize(
    "form",
    [
        forms.ImportBookForm,
        forms.ImportSourceForm,
        forms.ImportRelicForm,
        forms.FindExcerptsForm,
        forms.GenerateForm,
    ],
)
def test_every_field_has_a_label(form):
    assert all(field.label for field in form.base_fields.values())
