"""Jobs that make candidate pools: what is stored, that being stopped leaves no trace, and the files."""

import json
from io import StringIO

import numpy as np
import pytest
from django.core.management import CommandError, call_command

from annotation.studies.build import build_study
from common.chat import Reply
from common.errors import BadInput
from evaluation.ranking.formats import FORMATS
from evaluation.ranking.report import rank_report
from retrieval.candidates import outcome, pipeline, pool_export, pooling, submitting
from retrieval.corpora.models import Corpus
from retrieval.corpora.reranking.ordering import Reorder
from retrieval.corpora.reranking.passages import Source
from retrieval.corpora.reranking.plans import RerankPlan
from retrieval.corpora.reranking.ties import of_run
from retrieval.engine.ranking import fusion, rankers
from retrieval.engine.text.passages import texts
from retrieval.jobs import queue as jobs
from retrieval.models import CandidateJob, Status
from tests import builders

pytestmark = pytest.mark.django_db
OTHER = {"ranker": "bm25", "k1": 1.2, "b": 0.1}
SENTENCES = [
    f"On day {number} the {word} boats went out before the {lamp} lamps were lit."
    for number in range(1, 21)
    for word, lamp in (("grey", "red"), ("slow", "low"), ("tarred", "dim"))
]


@pytest.fixture
def boats():
    book, critic = builders.book(sentences=SENTENCES), builders.source()
    for first in (3, 19, 33, 58):
        builders.excerpt(book, critic, first)
    builders.excerpt(book, critic, 6, size=2)
    return book


def ran(book, pool, seed=0, **parameters):
    job = submitting.submit(book, ranker="bm25", parameters={"pool": pool, **parameters}, seed=seed)
    assert pipeline.attempt(job.pk, "one")
    job.refresh_from_db()
    assert job.status == Status.DONE, job.error
    return job


def rows(job):
    fields = ("excerpt_id", "rank", "first", "size", "scores", "is_gold")
    return list(job.candidates.order_by("pk").values_list(*fields))


def command(*arguments):
    out, err = StringIO(), StringIO()
    call_command(*map(str, arguments), stdout=out, stderr=err)
    return out.getvalue(), err.getvalue()


def test_a_number_is_the_size_and_all_else_is_written_out(boats):
    job = submitting.submit(boats, ranker="bm25", parameters={"pool": 10}, seed=5)
    assert job.parameters["pool"] == {"size": 10, "method": "rrf", "with": []}
    assert (job.seed, job.parameters["negatives"]) == (5, 2)
    assert "pool" not in submitting.submit(boats, ranker="bm25", parameters={"pool": None}).parameters


@pytest.mark.parametrize(
    ("pool", "says"),
    [
        (9, "size of the pool is 9; it must be a whole number from 10 to 200"),
        (201, "size of the pool is 201"),
        (True, "size of the pool is True"),
        ("50", "pool is '50'; it must be a number, or size, method and with"),
        ({}, "size of the pool is None"),
        ({"size": 50, "seed": 3}, "A pool has no 'seed'; it has: size, method, with"),
        ({"size": 50, "method": "best"}, "method of the pool is 'best'; choose one of: rrf, alternating"),
        ({"size": 50, "with": "bm25"}, "fused with is 'bm25'; it must be a list"),
        ({"size": 50, "with": ["bm25"]}, "ranking to fuse is 'bm25'; it must name its ranker"),
        ({"size": 50, "with": [{"ranker": "magic"}]}, "no ranker called 'magic'"),
        ({"size": 50, "with": [{"ranker": "bm25", "k1": -1}]}, "k1 is -1"),
        ({"size": 50, "with": [{"ranker": "bm25"}]}, "fuses bm25 b=0.9 k1=0.5 twice"),
        ({"size": 50, "with": [{"ranker": "bm25", "k1": k} for k in (1, 2, 3, 4, 5)]}, "at most 5"),
    ],
)
def test_a_wrong_pool_is_named_and_leaves_nothing(boats, pool, says):
    with pytest.raises(BadInput, match=says):
        submitting.submit(boats, ranker="bm25", parameters={"pool": pool})
    assert not CandidateJob.objects.exists()


def test_the_best_of_one_ranker_and_the_gold(boats):
    job = ran(boats, 10)
    for excerpt in boats.excerpts.all():
        found = list(job.candidates.filter(excerpt=excerpt).order_by("rank"))
        passages = texts(boats.text, boats.bounds(), excerpt.size)
        scores = rankers.get("bm25").prepare(passages, {}).scores([excerpt.context(4, 4)])[0]
        ranks = fusion.ranks(scores)
        assert len(found) == 10
        assert [each.first for each in found if each.is_gold] == [excerpt.first]
        assert all(each.rank == ranks[each.first] for each in found)
        assert all(each.scores == {"bm25": scores[each.first]} for each in found)
        spans = [set(range(each.first, each.first + each.size)) for each in found]
        assert sum(map(len, spans)) == len(set.union(*spans))


@pytest.mark.parametrize("method", ["rrf", "alternating"])
def test_several_rankings_with_scores_and_ranks_of_each(boats, method):
    job = ran(boats, {"size": 12, "method": method, "with": [OTHER]})
    names = ["bm25", "bm25 b=0.1 k1=1.2"]
    fuse = {"rrf": fusion.reciprocal_rank, "alternating": fusion.alternating}[method]
    for excerpt in boats.excerpts.all():
        passages = texts(boats.text, boats.bounds(), excerpt.size)
        each = [rankers.get("bm25").prepare(passages, values) for values in ({}, {"k1": 1.2, "b": 0.1})]
        scored = [index.scores([excerpt.context(4, 4)])[0] for index in each]
        together = fuse(scored)
        found = list(job.candidates.filter(excerpt=excerpt))
        assert len(found) == 12
        for row in found:
            assert row.rank == fusion.ranks(together)[row.first]
            assert [row.scores[name] for name in names] == [one[row.first] for one in scored]
            assert row.scores[method] == together[row.first]
            assert [row.scores["ranks"][name] for name in names] == [
                fusion.ranks(one)[row.first] for one in scored
            ]


def test_golds_that_were_put_in_are_counted(boats):
    job = ran(boats, 10)
    beyond = [each for each in job.candidates.filter(is_gold=True) if each.rank > 10]
    assert 0 < job.counts["inserted"] <= len(beyond)


@pytest.mark.parametrize("pool", [10, {"size": 12, "with": [OTHER]}])
@pytest.mark.parametrize("stopped_after", range(5))
def test_a_resumed_job_has_the_same_rows_counts_and_export(boats, pool, stopped_after):
    whole = ran(boats, pool, seed=3)
    parts = jobs.claim(submitting.submit(boats, ranker="bm25", parameters={"pool": pool}, seed=3).pk, "one")
    chunks = iter(range(100))
    with pytest.raises(pipeline.Interrupted):
        pipeline.run(parts, go_on=lambda job: next(chunks) < stopped_after, chunk=1)
    assert jobs.release(parts)
    parts = jobs.claim(parts.pk, "two")
    pipeline.run(parts, chunk=1)
    assert jobs.finish(parts)
    parts.refresh_from_db()
    assert rows(whole) == rows(parts)
    assert whole.counts == parts.counts
    assert command("export_pools", whole.pk) == command("export_pools", parts.pk)


def test_a_pool_of_all_there_is_says_how_many_are_short(boats):
    assert outcome.n_short(ran(boats, 200)) == 5


def test_the_files_say_which_is_right_in_one_place_only(boats, tmp_path):
    job = ran(boats, {"size": 10, "with": [OTHER]}, left=1, right=1)
    pools, qrels = tmp_path / "pools.jsonl", tmp_path / "qrels.txt"
    out, err = command("export_pools", job.pk, "--output", pools, "--qrels", qrels)
    assert out == ""
    assert "5 pools" in err
    assert sorted(path.name for path in tmp_path.iterdir()) == ["pools.jsonl", "qrels.txt"]
    queries = [json.loads(line) for line in pools.read_text().splitlines()]
    right = dict(line.split()[::2] for line in qrels.read_text().splitlines())
    for query, excerpt in zip(queries, boats.excerpts.order_by("pk"), strict=True):
        assert set(query) == {"id", "query", "book", "passages"}
        assert query["query"] == (f"He speaks of boats and of lamps. [masked quotation] {excerpt.right[0]}")
        assert all(set(passage) == {"id", "text"} for passage in query["passages"])
        assert len(query["passages"]) == 10
        by_id = {passage["id"]: passage["text"] for passage in query["passages"]}
        assert right[query["id"]] == f"boats-{excerpt.first}-{excerpt.size}"
        assert by_id[right[query["id"]]] == boats.passage(excerpt.first, excerpt.size)


def test_the_place_of_the_gold_is_drawn_from_the_seed(boats):
    critic = builders.source("second")
    for first in range(60):
        builders.excerpt(boats, critic, first)

    def places(seed):
        job = ran(boats, 10, seed=seed)
        golds = {f"boats-{each.first}-{each.size}": each for each in job.candidates.filter(is_gold=True)}
        found = []
        for line in command("export_pools", job.pk)[0].splitlines():
            ids = [passage["id"] for passage in json.loads(line)["passages"]]
            found += [place for place, name in enumerate(ids) if name in golds]
        return found

    one = places(1)
    assert one == places(1)
    assert one != places(2)
    assert len(np.unique(one)) == 10


@pytest.mark.parametrize(
    ("make", "says"),
    [
        (lambda book: builders.finished_job(book, list(book.excerpts.all())).pk, "keeps negatives"),
        (
            lambda book: submitting.submit(book, ranker="bm25", parameters={"pool": 10}).pk,
            "not done but waiting",
        ),
        (lambda book: 987, "There is no job 987"),
    ],
)
def test_what_cannot_be_exported(boats, make, says):
    with pytest.raises(CommandError, match=says):
        command("export_pools", make(boats))


def test_nothing_half_written_is_left(boats, tmp_path):
    job = ran(boats, 10)
    with pytest.raises(CommandError, match="cannot be written"):
        command(
            "export_pools", job.pk, "--output", tmp_path / "pools.jsonl", "--qrels", tmp_path / "no" / "q"
        )
    assert list(tmp_path.iterdir()) == []
    with pytest.raises(CommandError, match="one file"):
        command("export_pools", job.pk, "--output", tmp_path / "x", "--qrels", tmp_path / "x")


def test_the_command_asks_for_all_of_it(boats):
    out, _ = command(
        "generate", "--book=boats", "--pool=10", "--fuse=bm25 k1=1.2 b=0.1", "--method=alternating",
        "--seed=4", "--wait",
    )  # fmt: skip
    job = CandidateJob.objects.get()
    assert job.parameters["pool"] == {"size": 10, "method": "alternating", "with": [OTHER]}
    assert (job.seed, job.status) == (4, Status.DONE)
    assert "Done: 50 candidates for 5 excerpts." in out


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (["--fuse=bm25 k1=1"], "for a pool only"),
        (["--pool=10", "--fuse=bm25 k1"], "'k1' is not NAME=VALUE"),
        (["--pool=5"], "size of the pool is 5"),
        (["--pool=10", "--seed=-1"], "seed is -1"),
    ],
)
def test_the_command_refuses_in_one_sentence(boats, arguments, says):
    with pytest.raises(CommandError, match=says):
        command("generate", "--book=boats", *arguments)
    assert not CandidateJob.objects.exists()


class TestPages:
    ASKED = {"ranker": "bm25", "negatives": "2", "size": "", "left": "4", "right": "4"}

    def test_staff_asks_for_a_pool(self, as_user, stan, boats):
        asked = {**self.ASKED, "pool": "20", "fuse": "bm25 k1=1.2 b=0.1\r\n", "method": "alternating"}
        assert as_user(stan).post("/books/boats/generate/", asked).status_code == 302
        job = CandidateJob.objects.get()
        assert job.parameters["pool"] == {"size": 20, "method": "alternating", "with": [OTHER]}

    @pytest.mark.parametrize(
        ("changes", "field"),
        [
            ({"pool": "9"}, "pool"),
            ({"pool": "x"}, "pool"),
            ({"fuse": "bm25 k1=1"}, "pool"),
            ({"pool": "10", "fuse": "bm25 k1"}, "__all__"),
            ({"pool": "10", "method": "best"}, "method"),
        ],
    )
    def test_a_refusal_stands_beside_its_field(self, as_user, stan, boats, changes, field):
        reply = as_user(stan).post("/books/boats/generate/", {**self.ASKED, **changes})
        assert reply.status_code == 422
        assert list(reply.context["form"].errors) == [field]
        assert not CandidateJob.objects.exists()

    def test_the_page_of_the_job_shows_the_best_and_the_gold(self, as_user, dora, boats):
        job = ran(boats, {"size": 20, "with": [OTHER]})
        text = as_user(dora).get(job.get_absolute_url()).content.decode()
        assert "20 passages for each excerpt" in text
        assert "by reciprocal ranks, of bm25 b=0.9 k1=0.5; bm25 b=0.1 k1=1.2" in text
        assert "and 13 more of the pool" in text
        assert text.count("Gold</span>") == outcome.SHOWN


def test_a_choice_study_takes_the_gold_and_the_best_of_the_others(boats, dora):
    job = ran(boats, {"size": 12, "with": [OTHER]}, negatives=3)
    study = build_study(slug="pools", title="Pools", task="choice", job=job, overlap=1, seed=1, by=dora).study
    for item in study.items.all():
        chosen = sorted(option["rank"] for option in item.provenance["options"] if not option["is_gold"])
        others = job.candidates.filter(excerpt=item.excerpt, is_gold=False).order_by("rank")
        assert chosen == [each.rank for each in others[:3]]


class TestReport:
    def test_ranks_are_those_of_the_fusion_and_say_so(self, boats):
        job = ran(boats, {"size": 12, "with": [OTHER]})
        report = rank_report(job, resamples=100)
        golds = job.candidates.filter(is_gold=True)
        whole = report.of_kind("all")[0]
        assert whole.line("mean_rank").estimate.value == np.mean([each.rank for each in golds])
        assert whole.line("proxy_accuracy").random == pytest.approx(1 / 12)
        assert "2 rankings (bm25 b=0.9 k1=0.5; bm25 b=0.1 k1=1.2), fused by rrf, ranked" in " ".join(
            FORMATS["table"].render(report).split()
        )

    def test_contexts_are_not_made_again(self, boats):
        job = ran(boats, {"size": 12, "with": [OTHER]})
        with pytest.raises(BadInput, match="fuses several rankings"):
            rank_report(job, contexts=True, resamples=100)
        assert rank_report(ran(boats, 12), contexts=True, resamples=100).n_changed == 0


def test_a_ranking_that_needs_another_queue_takes_the_job_there(monkeypatch, settings):
    settings.DEVICE = "cuda"
    ranker = rankers.get("bm25")
    assert pooling.queue_for(ranker, {"with": [OTHER]}) == "cpu"

    class Dense(type(ranker)):
        slug, queue = "dense", "gpu"

    monkeypatch.setitem(rankers._rankers, "dense", Dense())
    assert pooling.queue_for(ranker, {"with": [{"ranker": "dense"}]}) == "gpu"


def test_pools_become_a_corpus_that_a_model_can_re_rank(boats):
    """The scripted model knows each right passage, so the re-ranked run has all of them first."""
    job = ran(boats, 10)
    out, _ = command("corpus_of_pools", job.pk, "--slug", "pools")
    corpus = Corpus.objects.get(slug="pools")
    run, qrels = corpus.runs.get(), corpus.qrels.get()
    assert out.endswith(f'{corpus.n_documents} passages for 5 topics; run "drawn", judgments "gold".\n')
    golds = dict(qrels.grades.values_list("topic", "document__text"))
    assert len(golds) == 5
    exported = [json.loads(each.line) for each in pool_export.export_pools(job)]
    first = run.rows.filter(topic__topic__external_id=exported[0]["id"]).order_by("rank")
    assert list(first.values_list("document__external_id", flat=True)) == [
        each["id"] for each in exported[0]["passages"]
    ]
    document = corpus.documents.first()
    assert document.book.text[document.start : document.end] == document.text

    def ask(requests):
        told = ["\n".join(each.content for each in request.messages) for request in requests]
        right = [any(json.dumps(f"{text}") in words for text in golds.values()) for words in told]
        return [Reply("10" if yes else "0") for yes in right]

    plan = RerankPlan(run="drawn", method="score", depth=10)
    source = Source(corpus, plan, run, None)
    found = Reorder(ask, plan, of_run)(list(source))
    numbers = {each.topic.topic_id: each.rows[0][1] for each in found}
    assert set(numbers.values()) == {10.0}
    with pytest.raises(CommandError, match='a corpus "pools" already'):
        command("corpus_of_pools", job.pk, "--slug", "pools")
    with pytest.raises(CommandError, match="no job 999"):
        command("corpus_of_pools", 999, "--slug", "other")
