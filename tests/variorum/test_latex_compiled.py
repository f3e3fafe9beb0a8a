"""Reports as LaTeX, compiled by pdfLaTeX: no error, nothing too wide or too high. Skipped where it is not."""

from __future__ import annotations

import io

import pytest
from django.core.management import call_command

from annotation.studies import leak_report
from annotation.studies.leaks import check
from common.tables.latex import Paper, latex
from common.tables.table import Cell, Column, Row, Section, Table
from evaluation.cues import audit
from evaluation.difficulty import tables
from evaluation.difficulty.report import difficulty
from evaluation.ranking import formats as ranking
from evaluation.ranking import queries, submitted
from evaluation.ranking.report import rank_report
from evaluation.report import formats
from evaluation.report.compute import report
from evaluation.validation.compute import validation
from evaluation.validation.formats import FORMATS as VALIDATION
from tests import builders
from tests.evaluation import test_score_submission
from tests.evaluation.judged import NOW
from tests.evaluation.test_difficulty import hard
from tests.evaluation.test_evaluate_runs import files, run
from tests.evaluation.test_kinds_pages import KINDS, VOTES
from tests.evaluation.test_rank_report import book, ran
from tests.evaluation.test_validation import study_with_readers
from tests.latex import CLASSES, complaints, needed

__all__ = ["book", "files"]
pytestmark = [needed, pytest.mark.services]
HOSTILE = (
    "100 % _ & # ~ ^ \\ { } < > $ | ` \" ' -- ,,",
    "\\input{/etc/passwd} \\end{table}",
    "[0.1, 0.2]",
    "*",
    "κ χ² Δ ± −1 × ≤",
    "λόγος ἐν ἀρχῇ",
    "שלום עולם",
    "😀 👩‍💻",
    "日本語テキスト",
    "ſo Đ þ ħ Ŧ ę „a“ «b» e\u0301 q\u0301 \u202eRTL",
    "x" * 300,
    "https://example.org/a/very/long/address_of-something?x=1&y=2%20",
    "кириллица",
)


RANKING = (
    ("tune_bm25", "--book", "boats", "--k1", "0.5,1", "--b", "0.9"),
    ("compare_rankers", "--book", "boats", "--rankers", "bm25"),
    ("collection",),
)


def said(*arguments: str) -> str:
    """What a command prints."""
    out = io.StringIO()
    call_command(*arguments, stdout=out, stderr=io.StringIO())
    return out.getvalue()


def hostile() -> Paper:
    """A row for each hostile text, with it in every place of the paper."""
    rows = tuple(Row((Cell(each), Cell("—", below=each[:12], note=each, badge=each[:9]))) for each in HOSTILE)
    columns = (Column("a", HOSTILE[0], numeric=False), Column("b", HOSTILE[8]))
    words = " ".join(HOSTILE)
    return Paper(Table(columns, (Section(rows, words),), caption=words), "hostile", HOSTILE[0], (words,))


def shaped(n_columns: int, n_rows: int, words: str, *, numeric: bool = True, **more: object) -> Paper:
    """A table of that many columns beside the names of its rows."""
    columns = (Column("c", f"Mean reciprocal rank at {number}", numeric) for number in range(n_columns))
    rows = (Row((Cell(f"Row number {n}"), *[Cell(words)] * n_columns)) for n in range(n_rows))
    table = Table((Column("row", "", False), *columns), (Section(tuple(rows)),), caption="Of a shape. " * 20)
    return Paper(table, f"shape{n_columns}-{n_rows}-{len(words)}", **more)  # type: ignore[arg-type]


SHAPES = (
    hostile(),
    shaped(2, 3, "0.5"),
    shaped(14, 8, "0.912 [0.881, 0.934]"),
    shaped(9, 80, "0.912 [0.881, 0.934]"),
    shaped(2, 120, "12.5 %", wide=True),
    shaped(3, 20, "A sentence that goes on for a while, and then for a while longer. " * 4, numeric=False),
    shaped(3, 5, "x" * 80),
    shaped(0, 3, ""),
    Paper(Table((), ()), "none", problem="Nothing % yet"),
)


@pytest.mark.parametrize("form", CLASSES)
def test_tables_of_every_shape_fit_whatever_they_hold(form, tmp_path):
    columns = 2 if form == "latex-twocolumn" else 1
    assert complaints([latex(each, columns) for each in SHAPES], form, tmp_path) == []


@pytest.mark.django_db
@pytest.mark.parametrize("form", CLASSES)
def test_reports_of_every_kind_fit(form, tmp_path):
    owner = builders.researcher("Rhea")
    studies = [each.make(VOTES, slug=f"a-study-of-{name}", by=owner) for name, each in KINDS.items()]
    papers = [formats.FORMATS[form].render(report(study, now=NOW)) for study in studies]
    assert complaints(papers, form, tmp_path) == []


@pytest.mark.django_db
@pytest.mark.parametrize("form", CLASSES)
def test_what_is_said_of_items_fits(form, tmp_path):
    study = hard()
    papers = [
        tables.FORMATS[form].render(difficulty(study)),
        audit.FORMATS[form].render(audit.audit_of(study)),
        leak_report.FORMATS[form].render(leak_report.report(study, check(study))),
    ]
    assert complaints(papers, form, tmp_path) == []


@pytest.mark.django_db
@pytest.mark.parametrize("form", CLASSES)
def test_a_validation_fits(form, tmp_path):
    study, _ = study_with_readers(topics=3, each=30)
    assert complaints([VALIDATION[form].render(validation(study, now=NOW))], form, tmp_path) == []


@pytest.mark.parametrize("form", CLASSES)
def test_reports_on_runs_fit(form, tmp_path, files):
    asked = ((), ("--compare", "base"), ("--measures", "MAP,nDCG@10,bpref,MRR,P@5,P@10,recall@5"))
    papers = [run(files, *more, "--format", form, "--resamples", "200") for more in asked]
    assert complaints(papers, form, tmp_path) == []


@pytest.mark.django_db
@pytest.mark.parametrize("form", CLASSES)
def test_every_report_on_rankers_fits(form, tmp_path, book):
    job = ran(book)
    found = rank_report(job, resamples=200, contexts=True, now=NOW)
    papers = [
        each.FORMATS[form].render(one) for each, one in ((ranking, found), (queries, queries.queries(job)))
    ]
    papers += [said(*command, "--format", form) for command in RANKING]
    papers.append(submitted.FORMATS[form].render(test_score_submission.scored()))
    assert complaints(papers, form, tmp_path) == []


@pytest.mark.parametrize("form", CLASSES)
def test_what_is_too_wide_and_what_fails_is_found(form, tmp_path):
    """The test's own eye: without it the others would say nothing."""
    wide = "\\begin{table*}\\rule{500pt}{1pt}\\end{table*}\\begin{table}\\nosuchcommand\\end{table}"
    found = " ".join(complaints([wide], form, tmp_path))
    assert "Overfull" in found
    assert "Undefined control sequence" in found
