"""A corpus searched by a toy's vectors: the run, what is kept on disk, and what is refused."""

import shutil

import numpy as np
import pytest
from django.core.management import CommandError

from common.chat import Reply
from retrieval.corpora.models import Corpus, Document, Ranked, Run
from retrieval.corpora.reranking.ordering import Reorder
from retrieval.corpora.reranking.passages import Source
from retrieval.corpora.reranking.plans import RerankPlan
from retrieval.corpora.reranking.ties import second
from retrieval.corpora.searching import dense, indexes
from retrieval.dense import checkpoints
from retrieval.engine.corpora import needs
from retrieval.engine.dense import ranker
from retrieval.engine.nearest import kept, searching
from tests.retrieval.corpora.conftest import said
from tests.retrieval.dense import texts
from tests.retrieval.dense.conftest import toy as toy
from tests.retrieval.dense.later import dense_encoder

pytestmark = pytest.mark.django_db
LISTS = ("numbers", "ids", "texts", "scores")
"""What is shown of a topic, in one order."""
OF = ("--corpus", "pier", "--topics", "boats", "--ranker", "dense:toy")


@pytest.fixture
def pier(written, settings, tmp_path, toy):
    """Twelve documents, two of which read the same, and two topics; a toy that is allowed."""
    settings.DATA_DIR, settings.DEVICE = tmp_path / "data", "cpu"
    settings.DATA_DIR.mkdir()
    ranker.opened.cache_clear()
    checkpoints.add(toy, slug="toy")
    said_here = [*texts.BOOK[1:12], texts.BOOK[3]]
    rows = [
        {"id": f"d{n}", "text": text, "genre": "fiction" if n % 3 else "criticism"}
        for n, text in enumerate(said_here)
    ]
    said("import_corpus", written("pier.jsonl", *rows), "--slug", "pier")
    said("import_topics", written("t.tsv", "1\tthe boat at dawn", "2\tlong grey pier"), "--slug", "boats")
    return Corpus.objects.get()


def search(name, *args):
    return said("search_corpus", *OF, "--name", name, *args)


def ranked(name):
    rows = Ranked.objects.filter(run__name=name).order_by("topic", "rank")
    return [(row.topic.topic.external_id, row.document.number, row.score) for row in rows]


def brute(toy, query, genre=""):
    """Score all documents with the encoders themselves, and sort."""
    encoder = dense_encoder.Encoder(toy, ranker.FAITHFUL, asked="cpu")
    documents = Document.objects.filter(**({"genre": genre} if genre else {})).order_by("number")
    numbers, found = zip(*documents.values_list("number", "text"), strict=True)
    # As they are kept: blocks hold all documents, and one that reads like an earlier one has its vector.
    everything = list(Document.objects.order_by("number").values_list("text", flat=True))
    vectors = encoder.quotations(everything).astype(np.float16)
    rows = [vectors[everything.index(text)] for text in found]
    scores = (np.array(rows, dtype=np.float64) * encoder.contexts([query])[0].astype(np.float64)).sum(axis=1)
    order = np.lexsort((numbers, -scores))
    return [(numbers[at], scores[at]) for at in order]


@pytest.mark.parametrize("genre", ["", "criticism"])
def test_a_dense_run_is_that_of_all_products(pier, toy, genre):
    out = search("near", *(["--genre", genre] if genre else []))
    of = brute(toy, "the boat at dawn", genre)
    assert [row[1:] for row in ranked("near") if row[0] == "1"] == of
    assert f'Stored: "near" (dense), {2 * len(of)} rows.' in out


def test_documents_that_read_the_same_tie_and_the_earlier_goes_first(pier):
    search("near", "--depth", "12")
    for topic in ("1", "2"):
        found = [(number, score) for of, number, score in ranked("near") if of == topic]
        at = [number for number, _ in found].index(2)
        assert found[at + 1] == (11, found[at][1])


def test_a_dense_run_says_how_it_was_made(pier):
    search("near", "--genre", "criticism", "--depth", "2")
    run = Run.objects.get()
    assert run.ranker == "dense"
    assert len(run.parameters["dense"]["checkpoint"]) == 64
    assert run.parameters["dense"] | {"checkpoint": ""} == {
        "name": "toy",
        "checkpoint": "",
        "settings": ranker.FAITHFUL.named(),
        "precision": "fp32",
        "device": "cpu",
    }
    assert run.parameters["vectors"]["width"] == 32
    assert run.parameters["subset"]["name"] == "genre=criticism"
    assert run.parameters["subset"]["documents"] == 4
    assert run.parameters["ties"] == "score descending, then document number ascending"
    assert "torch" in run.made_with["library"]


def test_documents_are_encoded_once_and_what_was_stopped_goes_on(pier, monkeypatch):
    monkeypatch.setattr(kept, "BLOCK", 4)
    encode = dense._Encode.__call__
    blocks = []

    def stops(self, block):
        if len(blocks) == 2:
            raise KeyboardInterrupt
        blocks.append(block)
        return encode(self, block)

    monkeypatch.setattr(dense._Encode, "__call__", stops)
    with pytest.raises(CommandError, match="Stopped"):
        search("near")
    assert not Run.objects.exists()
    monkeypatch.setattr(
        dense._Encode, "__call__", lambda self, block: blocks.append(block) or encode(self, block)
    )
    search("near")
    assert [len(block) for block in blocks] == [4, 4, 4]
    monkeypatch.setattr(dense._Encode, "__call__", lambda *given: pytest.fail("encoded again"))
    search("again")
    assert ranked("again") == ranked("near")


def test_another_setting_is_another_file_of_vectors(pier, toy, settings):
    checkpoints.add(toy, slug="mean", given={"pooling": "mean", "quotation_tokens": 8})
    search("first")
    out = said("search_corpus", *OF[:-1], "dense:mean", "--name", "mean")
    assert len(list((settings.DATA_DIR / "vectors").iterdir())) == 2
    assert "of 12 reached the 8 tokens that the encoder reads" in out
    assert ranked("first") != ranked("mean")


@pytest.mark.parametrize(
    ("more", "sentence"),
    [
        (("--genre", "poetry"), 'has no genre "poetry"'),
        (("--depth", "0"), "not 0"),
        (("--k1", "2"), "--k1 is about words; vectors have none"),
        (("--stemmer", "plural"), "--stemmer is about words"),
        (("--feedback", "fiction"), "--feedback is about words; feedback goes with --ranker bm25"),
        (("--fb-docs", "3"), "--fb-docs is about words"),
        (("--fields", "narrative"), "topic 1 has nothing in narrative"),
        (("--ranker", "dense:nobody"), "no checkpoint 'nobody'"),
        (("--ranker", "dense:toy precision=fp32"), "takes no setting 'precision'"),
        (("--ranker", "bm25:toy"), "takes no checkpoint"),
    ],
)
def test_a_dense_search_that_cannot_be_is_refused(pier, more, sentence):
    with pytest.raises(CommandError) as refused:
        search("x", *more)
    assert sentence in str(refused.value)
    assert not Run.objects.exists()


def test_a_full_disk_is_told_before_anything_is_encoded(pier, monkeypatch):
    usage = shutil.disk_usage("/")._replace(free=500)
    monkeypatch.setattr(indexes.shutil, "disk_usage", lambda where: usage)
    with pytest.raises(CommandError, match="12 documents need 1 MB of disk for vectors of 32 numbers"):
        search("x")


def test_a_disk_that_fills_is_told_in_a_sentence(pier, monkeypatch):
    def fills(*given, **more):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(kept, "_put", fills)
    with pytest.raises(CommandError, match='vectors of "pier" cannot be written: No space left on device'):
        search("x")


def test_vectors_beyond_the_machine_s_memory_are_told_and_noted(pier, monkeypatch):
    monkeypatch.setattr(needs, "memory", lambda: 100)
    assert "this machine has 1 MB: comparing will wait for the disk." in search("near")


def test_what_a_gpu_multiplies_is_what_a_processor_multiplies(monkeypatch):
    monkeypatch.setattr("retrieval.engine.nearest.gpu.CARD", "cpu")
    random = np.random.default_rng(4)
    vectors = random.normal(size=(90, 12)).astype(np.float16)
    queries = random.normal(size=(3, 12)).astype(np.float32)
    on_card, here = (searching.nearest(vectors, queries, 9, device=device) for device in ("cuda", "cpu"))
    for one, other in zip(on_card, here, strict=True):
        assert (one.numbers.tolist(), one.scores.tolist()) == (other.numbers.tolist(), other.scores.tolist())


def test_a_re_ranker_breaks_its_ties_by_the_scores_of_the_encoder(pier):
    """All documents score 5, so the order is that of the encoder, as its own run has it."""
    said("search_corpus", *OF, "--name", "mine")
    mine = Run.objects.get(name="mine")
    plan = RerankPlan(run="mine", method="score", ties="toy", depth=12)
    source = Source(pier, plan, mine, None)
    breaks = second(pier, plan)
    shown = list(source)
    for each, scores in zip(shown, breaks(shown), strict=True):
        assert scores == pytest.approx(list(each.scores), rel=1e-6)
    turned = [each._replace(**{name: getattr(each, name)[::-1] for name in LISTS}) for each in shown]
    found = Reorder(lambda asked: [Reply("5")] * len(asked), plan, breaks)(turned)
    # d2 and d11 read the same: between them the id decides, in a run the number.
    for given, each in zip(shown, found, strict=True):
        score = dict(zip(given.numbers, given.scores, strict=True))
        assert [score[number] for number, _ in each.rows] == list(given.scores)
        numbers = [number for number, _ in each.rows]
        assert numbers.index(11) < numbers.index(2)
