"""Tables and figures of papers, filled with a study; the methods paragraph; the citation."""

from __future__ import annotations

import csv
import json
from datetime import UTC, date, datetime
from importlib.util import find_spec
from io import StringIO
from pathlib import Path

import numpy as np
import pytest
from django.core.management import CommandError, call_command
from django.urls import reverse

from annotation.models import Enrolment, Event, Item, Kind, Origin, State, Study
from evaluation.allusion import measuring
from evaluation.allusion.measuring import Asked as AskedTable
from evaluation.allusion.values import LABELS
from evaluation.metrics.machines.differences import DISTANCE as DIFFERENCE_FROM_RUN
from evaluation.metrics.ranking.bootstrap_error import bootstrap_error
from evaluation.metrics.registry import ALL_MEASURES
from evaluation.paper import registry
from evaluation.paper.citation import LICENCES, Cited, citation, is_orcid
from evaluation.paper.formats import FORMATS
from evaluation.paper.methods import german_words as german
from evaluation.paper.methods.english import _machine as english_machine
from evaluation.paper.methods.facts import Machine
from evaluation.paper.methods.german_measures import MEASURES
from evaluation.paper.methods.german_origins import machine as german_machine
from evaluation.paper.methods.written import paragraph
from evaluation.paper.values import Asked
from evaluation.report.compute import report
from evaluation.validation.compute import validation
from evaluation.values.wording import in_prose
from retrieval.corpora.models import Corpus, TopicSet
from tests import builders
from tests.evaluation.allusion.workshop import workshop
from tests.evaluation.graded import graded
from tests.evaluation.judged import judged, relic
from tests.evaluation.marked import marked
from tests.evaluation.relevant import judged as relevant
from tests.evaluation.rubrics import answered
from tests.evaluation.test_validation import study_with_readers
from tests.latex import complaints, needed

pytestmark = pytest.mark.django_db
DAY = date(2026, 5, 31)


def said(*args):
    out = StringIO()
    call_command("report", *args, "--resamples=100", stdout=out)
    return out.getvalue()


def cells(study, name):
    """Words and value of each cell of a layout, by row and column."""
    found = json.loads(FORMATS["json"].render(registry.filled(name, Asked(study, 100))))
    return {(each["row"], each["column"]): each for each in found["cells"]}


def test_relics_own_patterns_give_its_table_4():
    """137 items all agree, 62 two, 1 none: κ .68, 68.5 % and 0.5 %, as Thai et al. print them."""
    found = cells(relic(), "relic-4")
    assert [found["readers", name]["words"] for name in ("fleiss_kappa", "all_agree", "none_agree")] == [
        "0.682", "68.5 %", "0.5 %"
    ]  # fmt: skip
    assert [found["random", name]["words"] for name in ("fleiss_kappa", "all_agree", "none_agree")] == [
        "0.000", "11.1 %", "22.2 %"
    ]  # fmt: skip
    line = report(Study.objects.get(), resamples=100).line("all_agree")
    assert found["readers", "all_agree"]["value"] == line.estimate.value == 0.685
    assert found["readers", "all_agree"]["interval"] == "[61.8, 74.5]"


def test_a_layout_says_why_it_cannot_be_filled():
    fleet = judged(["ggg", "ggx"])
    missing = {layout.name: why for layout, why in registry.states(fleet)}
    assert "not made by a candidate job" in missing["relic-3"]
    assert "readers of the task “choice” mark none" in missing["manjavacas-figure-3"]
    assert "“choice” yields nominal data" in missing["birco-2"]
    assert missing["relic-4"] == ""
    for name, why in missing.items():
        if why:
            with pytest.raises(CommandError, match=f"{name} cannot be filled. "):
                said("fleet", "--layout", name)
    judged(["...", "..."], slug="unread")
    with pytest.raises(CommandError, match=r"relic-4 cannot be filled\. Nobody has judged anything yet"):
        said("unread", "--layout=relic-4")
    sermon = marked([(7, 12)])
    with pytest.raises(CommandError, match="No topics were made of its spans yet"):
        said("sermon", "--layout=manjavacas-3")
    with pytest.raises(CommandError, match="No two readers have marked a span"):
        said("sermon", "--layout=manjavacas-figure-3")
    # What was made of the spans may be gone since.
    Event.objects.create(study=sermon, verb="export", data={"format": "topics", "topics": "t", "corpus": "c"})
    assert "No topics" in registry.layout("manjavacas-2").missing(sermon)
    with pytest.raises(CommandError, match="--run names rank files for --layout birco-2"):
        said("fleet", "--layout=relic-4", "--run=x")


@pytest.fixture
def gaps(dora):
    """A choice of a candidate job of two excerpts, read by two."""
    from annotation.studies.build import build_study

    book, source = builders.book(), builders.source()
    job = builders.finished_job(book, [builders.excerpt(book, source, first) for first in (3, 6)])
    return build_study(slug="gaps", title="Gaps", task="choice", job=job, overlap=2, seed=7, by=dora).study


def test_rankings_of_the_job_fill_tables_3_and_a9(gaps):
    """The numbers are those of the job's own report; nobody has read, and the row of readers says so."""
    from evaluation.ranking.report import rank_report

    group = rank_report(gaps.job, resamples=100).of_kind("all")[0]
    found = cells(gaps, "relic-3")
    name = next(row for row, _ in found if row.endswith(" 4/4"))
    for slug in ("recall_at_1", "recall_at_100", "mean_rank"):
        assert found[name, slug]["value"] == group.line(slug).estimate.value
        assert found["random", slug]["value"] == group.line(slug).random
    assert "It chose the wrong passages" in found[name, "proxy"]["note"]
    assert found["readers", "proxy"]["note"] == "Nobody has judged anything yet."
    lengths = rank_report(gaps.job, resamples=100).of_kind("length")
    by_length = cells(gaps, "relic-a9")
    assert [by_length[each.label, "n_queries"]["value"] for each in lengths] == [
        each.n_queries for each in lengths
    ]


def test_captions_say_of_each_column_how_its_intervals_were_made(gaps):
    study = judged(["ggg", "ggx"])
    Study.objects.filter(pk=study.pk).update(job=gaps.job)
    found = registry.filled("relic-3", Asked(Study.objects.get(pk=study.pk), 100))
    assert "Below each recall and rank is its 95 % interval, a percentile bootstrap" in found.table.caption
    method = report(study, resamples=100).line("majority_accuracy").estimate.method
    assert any(note.endswith(f"Their intervals: {method}.") for note in found.notes)
    by_length = registry.filled("relic-a9", Asked(gaps, 100))
    assert "Wilson’s where a share is the same in all of them." in by_length.table.caption


def test_spans_fill_manjavacas_1_and_both_figures():
    study = marked([(7, 12), (7, 12), (8, 12)], [(7, 9), (8, 9), (8, 10)])
    row = report(study, resamples=100).found.dataset.rows[-1]
    found = cells(study, "manjavacas-1")["Spans that readers marked", "Jaccard (tokens)"]
    assert found["value"] == row.tokens.jaccard.mean
    shared = said("sermon", "--layout=manjavacas-figure-2", "--format=csv")
    counts = [
        int(float(each["value"])) for each in csv.DictReader(StringIO(shared)) if each["column"] == "count"
    ]
    assert counts == [*row.tokens.histogram, *row.lemmata.histogram]
    assert (
        "by the words and the lemmata that they share"
        in registry.filled("manjavacas-figure-2", Asked(study, 100)).table.caption
    )
    latex = said("sermon", "--layout=manjavacas-figure-3", "--format=latex")
    assert r"\includegraphics[width=\linewidth]{sermon-overlap.pdf}" in latex
    assert "6 pairs of spans" in latex


def test_a_bootstrapped_error_is_that_of_the_means_of_resamples():
    """Against the resampling written out, and against s / √n, which it estimates."""
    values = np.random.default_rng(3).random(40)
    found = bootstrap_error(values, seed=5, resamples=1000)
    assert found == bootstrap_error(values[::-1], seed=5, resamples=1000)
    assert found.error == pytest.approx(values.std(ddof=1) / np.sqrt(40), rel=0.1)
    assert found.mean == pytest.approx(values.mean(), abs=4 * found.error / np.sqrt(1000))
    assert bootstrap_error([0.5, 0.5], seed=1).error == 0
    assert bootstrap_error([], seed=1) == (None, None)
    with pytest.raises(ValueError, match="one row of finite numbers"):
        bootstrap_error([0.1, float("nan")], seed=1)


def test_rank_files_fill_bircos_table(tmp_path):
    relevant({("1", "a"): "224", ("1", "b"): "010", ("2", "c"): "133", ("2", "d"): "000"}, slug="tides")
    (tmp_path / "good").write_text("1 Q0 a 1 2 good\n1 Q0 b 2 1 good\n2 Q0 c 1 2 good\n2 Q0 d 2 1 good\n")
    (tmp_path / "bad").write_text("1 Q0 b 1 2 bad\n1 Q0 a 2 1 bad\n2 Q0 d 1 2 bad\n2 Q0 c 2 1 bad\n")
    runs = [f"--run={tmp_path / name}" for name in ("good", "bad")]
    out = json.loads(said("tides", "--layout=birco-2", "--format=json", *runs))
    found = {(each["row"], each["column"]): each["value"] for each in out["cells"]}
    assert found["good", "ndcg_at_10_value"] == found["good", "ndcg_at_10_bootstrap"] == 1.0
    assert found["good", "ndcg_at_10_error"] == 0.0
    assert 0 < found["bad", "ndcg_at_10_value"] < 1
    assert "1,000 bootstrap resamples" in out["caption"]
    assert "seed" in out["caption"]


@needed
@pytest.mark.parametrize("form", ["latex", "latex-twocolumn"])
def test_layouts_fit_the_page(gaps, form, tmp_path):
    from evaluation.paper.drawing import drawn

    sermon = marked([(7, 12), (7, 12), (8, 12)], [(7, 9), (8, 9), (8, 10)])
    asked = [(relic(), "relic-4"), (gaps, "relic-3"), (gaps, "relic-a9"), (sermon, "manjavacas-1")]
    asked.append((sermon, "manjavacas-figure-3"))
    (tmp_path / "sermon-overlap.pdf").write_bytes(
        drawn(sermon, report(sermon, resamples=100), "overlap", "pdf")
    )
    made = [FORMATS[form].render(registry.filled(name, Asked(study, 100))) for study, name in asked]
    assert complaints(made, form, tmp_path) == []


def test_methods_say_what_was_done_in_two_languages():
    study = judged(["ggg", "ggx", "gub", "..."], simulated=True)
    text = paragraph(study, "en", 100)
    for part in (
        "Three readers gave seven answers to three items.",
        "All of them are programs, not people.",
        "“Can’t decide” was said once and “this item is broken” once;",
        "One item has no answer yet and enters no number.",
        "(k = 3)",
        "percentile bootstrap with 100 resamples of the items (seed 7)",
    ):
        assert part in text
    german_text = paragraph(study, "de", 100)
    for part in (
        "In der Studie „",
        "Drei Lesende gaben sieben Antworten zu drei Items.",
        "„Kann ich nicht entscheiden“ wurde einmal gesagt",
        "Ein Item hat noch keine Antwort und geht in keine Zahl ein.",
        "100 Ziehungen über die Items (Startwert 7)",
    ):
        assert part in german_text
    assert '"' not in text + german_text
    for claimed in ("adjudication", "machine reader", "check item", "consent", "withdrew"):
        assert claimed not in text
    for claimed in ("Adjudikation", "maschinell", "Kontrollitem", "Einwilligung", "zog am"):
        assert claimed not in german_text


@pytest.mark.parametrize(
    ("closed", "text", "german_text"),
    [
        (1, "The study was open on 1 May 2026.", "Die Studie war am 1. Mai 2026 offen."),
        (
            3,
            "The study was open from 1 May 2026 to 3 May 2026.",
            "Die Studie war vom 1. Mai 2026 bis zum 3. Mai 2026 offen.",
        ),
    ],
)
def test_methods_say_on_which_days_the_study_was_open(closed, text, german_text):
    study = judged(["ggg"])
    days = [datetime(2026, 5, day, 12, tzinfo=UTC) for day in (1, closed)]
    Study.objects.filter(pk=study.pk).update(opened=days[0], closed=days[1], state=State.CLOSED)
    study.refresh_from_db()
    assert text in paragraph(study, "en", 100)
    assert german_text in paragraph(study, "de", 100)


def test_methods_say_how_often_a_machine_was_asked():
    each = Machine("M1", "tide", "m", False, 1, Origin.ASKED, "", 0.0, 7, 1, 2, 5)
    assert "fünf Items je zweimal gefragt" in german_machine(each)
    assert "five items asked twice" in english_machine(each)


def test_methods_name_each_measure_of_a_rubric_once_and_its_questions():
    study = answered(["rrw", "wsp", "ddr"])
    text, german_text = (paragraph(study, language, 100) for language in ("en", "de"))
    assert "“How well does it fit?” (quality: 3 grades, asked where an earlier answer calls for it)" in text
    assert "„What would fit better?“ (remark: in eigenen Worten, gestellt, wo" in german_text
    assert text.count("randomly drawn") <= 1
    assert "Randolph κ, of the question type: " in text
    assert "Randolphs κ, zur Frage type: Übereinstimmung" in german_text
    assert "quality oder nicht gestellt" in german_text
    assert "or not asked" not in german_text


def test_methods_say_what_was_validated_of_how_many_drawn_how_and_with_what_claim():
    study, _ = study_with_readers(topics=3, each=30)
    text, german_text = (paragraph(study, language, 100) for language in ("en", "de"))
    one = validation(study).estimates[0]
    value, low, high = (f"{each:.3f}" for each in (one.powered.value, one.powered.low, one.powered.high))
    assert "of 90 items that it judged, " in text
    assert f"is {value} [{low}, {high}], an interval of" in text
    assert f"beträgt die mittlere Stufe {value} [{low}; {high}]".replace(".", ",") in german_text
    assert "Von 90 Items, über die sie geurteilt hat" in german_text


@pytest.mark.parametrize("language", ["en", "de"])
def test_one_reader_of_one_item_is_said_in_the_singular(language):
    study = judged(["g"], names=["Ada"])
    text = paragraph(study, language, 100)
    one = {
        "en": (
            "It has one item, whose right answer is known.",
            "by one reader (k = 1)",
            "One reader gave one answer to one item.",
        ),
        "de": (
            "Sie hat ein Item, dessen richtige Antwort bekannt ist.",
            "von einer Person gelesen werden (k = 1)",
            "Eine lesende Person gab eine Antwort zu einem Item.",
        ),
    }
    assert all(each in text for each in one[language])


@pytest.mark.parametrize("language", ["en", "de"])
def test_every_kind_of_study_has_its_paragraph_and_an_unread_one_claims_nothing(language):
    tasks = set()
    for study in (judged(["..."]), graded(["012"], gold="01"), marked([(7, 12), (7, 12)])):
        text = paragraph(study, language, 100)
        tasks.add(text.partition(".")[0])
        assert text.endswith(report(study, resamples=100).version + ".")
    assert len(tasks) == 3
    unread = paragraph(Study.objects.get(slug="fleet"), language, 100)
    assert {"en": "No reading has been given yet.", "de": "Bisher wurde keine Lesung abgegeben."}[
        language
    ] in unread
    assert {"en": "Reported are", "de": "Berichtet werden"}[language] not in unread


def test_a_paragraph_names_measures_in_words_and_not_in_code(db):
    text = paragraph(marked([(7, 12), (7, 12)]), "en", 100)
    assert all(f"{name}: " in text for name in ("placement κ", "token α"))
    assert not any(each in text for each in ("span_alpha", "placement_kappa", "token_alpha"))
    assert in_prose("span_alpha") == "span α"
    assert not any("_" in in_prose(one.label).replace("_o", "") for one in ALL_MEASURES)


def test_every_measure_has_german_words():
    assert set(MEASURES) == {each.slug for each in (*ALL_MEASURES, DIFFERENCE_FROM_RUN)}


def test_german_numbers_and_days():
    assert [german.counted(n, "eine Antwort", "Antworten") for n in (0, 1, 2, 12, 13, 1500)] == [
        "keine Antworten", "eine Antwort", "zwei Antworten", "zwölf Antworten", "13 Antworten", "1.500 "
        "Antworten",
    ]  # fmt: skip
    assert german.listed(["A", "B", "C"]) == "A, B und C"


def test_practice_and_checks_are_said_where_they_were(dora):
    study = judged(["ggg", "ggg", "ggg"])
    items = list(study.items.order_by("number"))
    builders.rewrite(Item.objects.filter(pk=items[1].pk), kind=Kind.PRACTICE)
    Study.objects.filter(pk=study.pk).update(pass_mark=1, check_every=5)
    study.refresh_from_db()
    assert "Before the work readers had to get 1 of one practice item right." in paragraph(study, "en", 100)
    assert "von einem Übungsitem 1 richtig beantwortet" in paragraph(study, "de", 100)
    assert "check item" not in paragraph(study, "en", 100)
    assert Enrolment.objects.count()


def test_a_citation_names_the_authors_it_is_given_and_none_else():
    study = judged(["ggg"])
    people = ("Lovelace, Ada; 0000-0002-1825-0097", 'Society of “Ships”: a\u2028 "club"')
    text = citation(study, Cited(people, "1.0", "CC-BY-4.0", DAY))
    import yaml

    found = yaml.safe_load(text)
    assert found["authors"] == [
        {"family-names": "Lovelace", "given-names": "Ada", "orcid": "https://orcid.org/0000-0002-1825-0097"},
        {"name": 'Society of “Ships”: a "club"'},
    ]
    assert (found["cff-version"], found["type"], found["title"]) == ("1.2.0", "dataset", study.title)
    assert (found["version"], found["license"], found["date-released"]) == ("1.0", "CC-BY-4.0", DAY)
    assert {"message", "abstract", "references"} <= set(found)
    assert "license" not in yaml.safe_load(citation(study, Cited(people, "", "", DAY)))


def schema():
    """The published schema of the format, out of a package of which nothing else is used; None without it."""
    found = find_spec("cffconvert")
    place = next(iter(found.submodule_search_locations or ()), "") if found else ""
    file = Path(place) / "schemas" / "1.2.0" / "schema.json"
    return json.loads(file.read_text(encoding="utf-8")) if place else None


@pytest.mark.skipif(not find_spec("cffconvert"), reason="pip install --no-deps -r requirements-cff.txt")
@pytest.mark.parametrize("licence", ["", *LICENCES])
def test_a_citation_is_valid_by_the_published_schema(licence):
    import jsonschema
    import yaml

    study = Study(slug="s", title="Gaps: a “study” #1", task="choice", overlap=1, pk=1)
    people = ("Lovelace, Ada; 0000-0002-1825-0097", "A Society")
    written = yaml.load(citation(study, Cited(people, "1.0", licence, DAY)), yaml.BaseLoader)
    jsonschema.validate(written, schema())
    with pytest.raises(jsonschema.ValidationError, match="'authors' is a required property"):
        jsonschema.validate({name: said for name, said in written.items() if name != "authors"}, schema())


@pytest.mark.parametrize(
    ("authors", "licence", "says"),
    [
        ((), "", "A citation needs its authors, and a study keeps none"),
        ((" ", ""), "", "A citation needs its authors"),
        (("Lovelace,",), "", "is no author"),
        (("Lovelace, Ada; 0000-0002-1825-0098",), "", "is no ORCID iD of a person"),
        (("A Society; 0000-0002-1825-0097",), "", "is no ORCID iD of a person"),
        (("Lovelace, Ada",), "mine", "The licence must be one of CC-BY-4.0"),
    ],
)
def test_a_citation_that_would_be_wrong_is_refused(authors, licence, says):
    study = judged(["ggg"])
    args = [f"--author={each}" for each in authors]
    with pytest.raises(CommandError, match=says):
        said(study.slug, "--citation", f"--licence={licence}", *args)


def test_an_orcid_id_ends_with_its_check():
    assert is_orcid("0000-0002-1825-0097")
    assert is_orcid("0000-0002-1694-233X")
    assert not is_orcid("0000-0002-1694-2330")


def test_page_and_api_give_the_same(dora, as_user):
    study = judged(["ggg", "ggx"], by=dora)
    client, address = as_user(dora), reverse("evaluation:paper", args=[study.slug])
    page = client.get(address).content.decode()
    assert "not here: Its items were not made by a candidate job" in page
    assert "“Can’t decide”" not in page
    laid = client.get(address, {"layout": "relic-4"}).content.decode()
    assert "Fleiss κ (↑)" in laid
    file = client.get(address, {"layout": "relic-4", "format": "csv"})
    assert file["Content-Disposition"] == 'attachment; filename="fleet-relic-4.csv"'
    assert client.get(address, {"layout": "relic-9"}).status_code == 422
    assert client.get(address, {"layout": "birco-2"}).status_code == 422
    drawn = client.get(address, {"figure": "shares", "form": "svg"})
    assert (drawn.status_code, drawn["Content-Type"]) == (200, "image/svg+xml")
    assert client.get(address, {"figure": "nothing"}).status_code == 404
    assert client.get(address, {"figure": "shares", "weighting": "none"}).status_code == 404
    cited = client.get(
        address, {"cite": "1", "authors": "Lovelace, Ada\nHelm, Anna", "released": "2026-05-31"}
    )
    assert cited.content.decode().count("family-names") == 2
    refused = client.get(address, {"cite": "1", "authors": "", "licence": "MIT"})
    assert (refused.status_code, "A citation needs its authors" in refused.content.decode()) == (422, True)
    assert client.get(address, {"cite": "1", "authors": "A", "released": "soon"}).status_code == 422

    def ask(name, **given):
        return client.get(reverse(f"api:{name}", args=[study.slug]), given)

    assert {each["layout"] for each in ask("layouts").json()} == set(registry.LAYOUTS)
    assert ask("layouts", layout="relic-4").json()["layout"] == "relic-4"
    assert ask("layouts", layout="relic-4", form="latex").content.startswith(b"% \\usepackage")
    assert ask("layouts", layout="relic-3").status_code == 400
    assert ask("layouts", nonsense=1).status_code == 400
    assert ask("methods", language="de").json()["text"] == paragraph(study, "de")
    assert ask("citation", author=["Lovelace, Ada", "Helm, Anna"]).content.count(b"family-names") == 2
    assert ask("citation").status_code == 400
    assert "shares" in ask("pictures").json()["pictures"]
    assert ask("pictures", picture="shares", form="pdf").content.startswith(b"%PDF")
    assert ask("pictures", picture="no").status_code == 400
    assert "weighting" in ask("pictures", weighting="none").json()


def test_a_picture_weighs_items_as_its_page_does(dora, as_user):
    study = marked([(7, 12), (7, 12), (8, 12)], [(7, 9), "n", (8, 10)], by=dora)
    client, address = as_user(dora), reverse("evaluation:paper", args=[study.slug])
    results = client.get(reverse("evaluation:results", args=[study.slug]), {"weighting": "item"})
    link = "?figure=shares&amp;form=svg&amp;weighting=item"
    assert link in results.content.decode()
    drawn = [
        client.get(address, {"figure": "shares", "form": "svg", "weighting": way}).content
        for way in ("item", "pair", "")
    ]
    assert drawn[0] != drawn[1] == drawn[2]


@pytest.mark.parametrize("number", [2, 3, 4])
def test_runs_on_the_queries_of_a_study_fill_manjavacas_2_to_4(number):
    """The numbers of `allusion_tables` on the topics that the study made, none of the paper's."""
    workshop()
    study = marked([(7, 12), (7, 12)])
    told = {"format": "topics", "topics": "spans", "corpus": "psalter"}
    Event.objects.create(study=study, verb="export", data=told)
    asked = AskedTable(Corpus.objects.get(), TopicSet.objects.get(), "spans", number, printed=False)
    ours = measuring.table(asked, int(study.seed), 100)
    found = cells(study, f"manjavacas-{number}")
    for (column, words), cell in ours.cells.items():
        for one in cell.means:
            assert found[f"{LABELS[one.measure.slug]}, {words}", column]["value"] == one.mean.value
    assert "Paper" not in FORMATS["latex"].render(registry.filled(f"manjavacas-{number}", Asked(study, 100)))
    assert ours.cells
