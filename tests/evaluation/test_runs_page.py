"""The page that measures stored runs on stored judgments, and the command that does the same."""

import csv
import io
import json

import pytest
from django.core.management import CommandError, call_command
from django.urls import reverse

from annotation.models import Role, Study
from evaluation.runs import judgments, measuring
from retrieval.corpora.models import Corpus, Grade, Pool, Qrels, Run, TopicSet, TopicVersion
from tests import builders
from tests.evaluation.relevant import judged
from tests.variorum.test_api import script

pytestmark = pytest.mark.django_db


@pytest.fixture
def there():
    return builders.judged_collection()


@pytest.fixture
def dora():
    return builders.researcher("Dora")


@pytest.fixture
def shown(there, dora, client):
    """Open the page, with what was chosen."""
    client.force_login(dora)
    return lambda **chosen: client.get(reverse("evaluation:runs", args=["quays", "boats"]), chosen)


def chosen(**more):
    return {"qrels": "experts", "run": ["bm25", "rm3"], **more}


def rows(text):
    return {
        (row["run"], row["kind"], row["measure"], row["topic"], row["facet"]): row
        for row in csv.DictReader(io.StringIO(text))
    }


def test_before_anything_is_chosen_all_runs_are_measured(shown):
    answer = shown()
    report = answer.context["report"]
    assert [run.name for run in report.runs] == ["bm25", "rm3"]
    assert (report.judged.level, report.judged.most, report.ties) == (2, 4, "stored")
    assert "One over the rank of the first relevant document." in answer.text
    assert "Choose a run to compare with" in answer.text


def test_values_are_those_of_the_stored_order(shown):
    found = rows(shown(**chosen(format="csv")).text)
    # Topic 1: d1 is relevant, first of bm25 and last of rm3. Topic 2: d2, second of bm25 and first of rm3.
    mrr = {key[0]: float(row["value"]) for key, row in found.items() if key[1:3] == ("mean", "mrr")}
    assert mrr == {"bm25": 0.75, "rm3": 0.625}
    assert float(found["rm3", "topic", "mrr", "1", ""]["value"]) == 0.25


def test_a_comparison_is_told_drawn_and_linked_to_its_topics(shown):
    answer = shown(**chosen(base="bm25", by="mrr", depth="2", facet="specificity"))
    (chart,) = answer.context["charts"]
    assert [bar.value for bar in chart.chart.bars] == [0.5, -0.75]
    assert "Raised on 1 of 2 topics, most on 2 +0.500; lowered on 1, most on 1 −0.750." in answer.text
    assert "Difference from bm25, tested by" in answer.text
    assert "Found by one run alone among the first 2" in answer.text
    assert "Topics of facet specific" in answer.text
    assert reverse("corpora:topic", args=["boats", 2]) in answer.text
    assert "1: late boats" in answer.text


def test_a_chart_hangs_what_was_lowered_from_the_line_of_nothing(shown):
    (chart,) = shown(**chosen(base="bm25", by="mrr")).context["charts"]
    raised, lowered = chart.bars
    middle = float(raised.y) + float(raised.height)
    assert float(lowered.y) == middle
    assert float(lowered.height) == 1.5 * float(raised.height)


@pytest.mark.parametrize(
    ("wrong", "sentence"),
    [
        ({"level": "9"}, "level of relevance must lie between 1 and 4, not at 9"),
        ({"measures": "F1"}, "No measure is called &#x27;F1&#x27;"),
        ({"qrels": "nobody"}, "nobody is not one of the available choices"),
        ({"run": ["bm25"], "base": "rm3"}, "rm3 is not among the runs chosen above"),
        ({"depth": "0"}, "greater than or equal to 1"),
        ({"run": []}, "This field is required"),
    ],
)
def test_what_cannot_be_measured_is_said_in_the_form(shown, wrong, sentence):
    answer = shown(**chosen() | wrong)
    assert answer.status_code == 422
    assert sentence in answer.text


def test_what_is_too_much_for_a_page_is_given_to_the_command(shown, monkeypatch):
    monkeypatch.setattr(measuring, "MOST_AT_ONCE", 10)
    text = shown(**chosen(base="bm25", measures="MAP,P@5", level="1")).text
    assert "These runs and judgments have 21 rows; at most 10 are measured on a page" in text
    monkeypatch.setattr(measuring, "MOST_AT_ONCE", 100)
    monkeypatch.setattr(measuring, "MOST_PAIRS", 3)
    assert "2 runs were chosen; with 2 topics at most 1 are measured" in shown(**chosen()).text
    assert (
        "manage.py evaluate_runs experts bm25 rm3 --corpus quays --level 1 --measures MAP,P@5 --compare bm25"
        in text
    )


def test_without_judgments_or_runs_the_page_says_what_is_missing(shown):
    Grade.objects.all().delete()
    Qrels.objects.all().delete()
    assert "import_qrels" in shown().text


def test_a_changed_wording_is_named(shown):
    topic = Run.objects.get(name="rm3").rows.last().topic.topic
    TopicVersion.objects.create(topic=topic, version=3, title="new words")
    assert "rm3 searched 1 topic in a wording that was changed since." in shown().text


def test_the_command_measures_the_same(shown, tmp_path):
    wanted = json.loads(shown(**chosen(base="bm25", facet="specificity", format="json")).text)
    out = io.StringIO()
    options = ("--compare", "bm25", "--facets", "specificity", "--per-topic", "--format", "json")
    call_command("evaluate_runs", "experts", "bm25", "rm3", "--corpus", "quays", *options, stdout=out)
    assert json.loads(out.getvalue()) == wanted
    for wrong in (("nobody", "bm25"), ("experts", "dense")):
        with pytest.raises(CommandError, match=r"There (are no judgments|is no run) “(nobody|dense)”"):
            call_command("evaluate_runs", *wrong, "--corpus", "quays")


def test_the_command_draws_a_picture_a_run_and_measure(there, tmp_path):
    call_command(
        *("evaluate_runs", "experts", "bm25", "rm3", "--corpus", "quays", "--compare", "bm25"),
        *("--measures", "MAP,P@5", "--pictures", str(tmp_path), "--picture-format", "svg"),
        stdout=io.StringIO(),
        stderr=io.StringIO(),
    )
    assert sorted(each.name for each in tmp_path.iterdir()) == ["1-rm3-map.svg", "1-rm3-p_at_5.svg"]
    with pytest.raises(CommandError, match="name the run to compare with"):
        call_command("evaluate_runs", "experts", "bm25", "--corpus", "quays", "--pictures", str(tmp_path))


def test_judgments_of_a_further_pool_are_laid_over_those_before(there):
    """What was judged first stands beside all; the further judgments may be alone, or with the first."""
    experts = Qrels.objects.get()
    later = Qrels.objects.create(corpus=experts.corpus, topics=experts.topics, name="later")
    whole = Qrels.objects.create(corpus=experts.corpus, topics=experts.topics, name="whole")
    given = list(experts.grades.values("topic_id", "document_id", "grade"))
    document = experts.corpus.documents.order_by("number").last()
    new = [{**given[0], "document_id": document.pk, "grade": 3}]
    Grade.objects.bulk_create(Grade(qrels=later, **each) for each in new)
    Grade.objects.bulk_create(Grade(qrels=whole, **each) for each in given + new)

    def rows_of(name, before):
        out = io.StringIO()
        options = ("--corpus", "quays", "--before", before, "--highest", "4", "--format", "json")
        call_command("evaluate_runs", name, "bm25", "rm3", *options, stdout=out)
        return json.loads(out.getvalue())["numbers"]

    found = rows_of("later", "experts")
    assert found == rows_of("whole", "experts")
    assert {row["kind"] for row in found} >= {"mean", "before the further pool"}
    later.grades.update(document_id=given[0]["document_id"], grade=1)
    with pytest.raises(CommandError, match="which the others grade 1"):
        rows_of("later", "experts")
    with pytest.raises(CommandError, match="There are no judgments “nobody”"):
        rows_of("later", "nobody")


def test_scripts_are_told_which_parameter_is_wrong(there, dora):
    address = "/api/v1/corpora/quays/evaluation/boats/"
    for name, value in (("level", 9), ("highest", 2)):
        reply = script(dora, "corpora").get(address, {"qrels": "experts", "run": ["bm25"], name: value})
        assert (reply.status_code, list(reply.json())) == (400, [name])


def test_the_judging_studies_are_found_in_few_queries(there, dora, django_assert_max_num_queries):
    for slug in ("one", "two", "three"):
        builders.enrolment(judged({("1", "quay-1"): "04"}, slug=slug), dora, role=Role.RESEARCHER)
    corpus, topics = Corpus.objects.get(), TopicSet.objects.get()
    with django_assert_max_num_queries(5):
        found = judgments.judging(Study.objects.all(), corpus, topics)
    assert {study.slug for study in found} == {"one", "two", "three"}


class TestOfAStudy:
    """A study of relevance, directed by Dora, whose grades are judgments of these topics and documents."""

    @pytest.fixture(autouse=True)
    def study(self, there, dora):
        votes = {
            ("1", "quay-1"): "044",
            ("1", "quay-2"): "000",
            ("2", "quay-2"): "3u3",
            ("2", "quay-3"): "110",
        }
        study = judged(votes, slug="lamps")
        study.title = "Lamps"
        study.save()
        builders.enrolment(study, dora, role=Role.RESEARCHER)
        return study

    def test_its_grades_are_judgments_by_a_rule(self, shown):
        answer = shown(**chosen(qrels="study:lamps", rule="mean"))
        report = answer.context["report"]
        assert report.judged.most == 4
        assert "Study: Lamps" in answer.text
        assert "the grade of a document is the mean grade, halves rounded up" in answer.text
        assert [run.evaluated.values[4].tolist() for run in report.runs] == [[1.0, 0.5], [0.25, 1.0]]

    def test_nobody_else_is_offered_it(self, there, client):
        client.force_login(builders.researcher("Fay"))
        address = reverse("evaluation:runs", args=["quays", "boats"])
        answer = client.get(address, chosen(qrels="study:lamps"))
        assert answer.status_code == 422
        assert "Study: Lamps" not in answer.text

    def test_a_study_of_other_documents_is_no_judge_of_these_even_where_topics_have_the_same_ids(
        self, there, dora
    ):
        other = judged({("1", "barge-1"): "044", ("2", "barge-2"): "3u3"}, slug="barges")
        builders.enrolment(other, dora, role=Role.RESEARCHER)
        said = "does not ask about topics of “boats” and documents of “quays”"
        with pytest.raises(CommandError, match=said):
            call_command("evaluate_runs", "study:barges", "bm25", "--corpus", "quays")
        asked_for = {"qrels": "study:barges", "run": ["bm25"]}
        reply = script(dora, "corpora", "read").get("/api/v1/corpora/quays/evaluation/boats/", asked_for)
        assert reply.status_code == 400
        assert said in reply.json()["qrels"][0]

    def test_practice_before_the_work_hides_no_study(self, shown, study):
        first = study.items.order_by("pk").first()
        first.kind, first.payload = "practice", {**first.payload, "topic": {"id": "p", "title": "Try"}}
        first.save()
        assert "Study: Lamps" in shown().text

    def test_programs_that_judged_are_warned_of(self, shown, study):
        study.enrolments.filter(role=Role.ANNOTATOR).update(simulated=True)
        assert "3 readers of the study are programs, not people." in shown(**chosen(qrels="study:lamps")).text

    def test_the_command_measures_on_it_too(self, shown):
        wanted = json.loads(shown(**chosen(qrels="study:lamps", rule="mean", format="json")).text)
        out = io.StringIO()
        options = ("--corpus", "quays", "--rule", "mean", "--per-topic", "--format", "json")
        call_command("evaluate_runs", "study:lamps", "bm25", "rm3", *options, stdout=out)
        assert json.loads(out.getvalue()) == wanted
        text = shown(**chosen(qrels="study:lamps", rule="mean")).text
        assert "manage.py evaluate_runs study:lamps bm25 rm3 --corpus quays --rule mean" in text

    def test_a_study_of_another_corpus_is_refused_though_its_ids_are_here(self, there, study):
        elsewhere = Corpus.objects.create(slug="piers", title="Piers", state="ready", recipe={"name": ""})
        pool = Pool.objects.create(corpus=elsewhere, topics=TopicSet.objects.get(), number=1, depth=4)
        builders.rewrite(study.items.all(), provenance={"pool": pool.pk})
        with pytest.raises(CommandError, match="“lamps” judged “boats” in “piers”, not “boats” in “quays”"):
            call_command("evaluate_runs", "study:lamps", "bm25", "--corpus", "quays")

    def test_a_key_needs_the_scope_read_for_it(self, dora):
        address = "/api/v1/corpora/quays/evaluation/boats/"
        asked_for = {"qrels": "study:lamps", "run": ["bm25"]}
        assert script(dora, "corpora").get(address, asked_for).status_code == 403
        reply = script(dora, "corpora", "read").get(address, asked_for)
        assert reply.json()["notes"][0].startswith("Judgments: those of the study “Lamps”")
        fay = builders.researcher("Fay")
        assert script(fay, "corpora", "read").get(address, asked_for).status_code == 404
