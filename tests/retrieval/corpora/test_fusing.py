"""Runs fused by reciprocal ranks: the sums, what the new run says of itself, what is refused."""

import pytest
from django.core.management import CommandError

from retrieval.corpora.models import Run, Topic
from retrieval.engine.ranking import fusion
from tests.retrieval.corpora.conftest import said

pytestmark = pytest.mark.django_db


def run_file(written, name, *topics):
    """Load a run that ranks these documents for t1, t2 ... in this order."""
    lines = [
        f"t{topic} Q0 d{document} {rank} {10 - rank} {name}"
        for topic, documents in enumerate(topics, 1)
        for rank, document in enumerate(documents, 1)
    ]
    said("import_run", written(f"{name}.run", *lines), "--corpus", "quay", "--topics", "boats")


@pytest.fixture
def runs(quay, written):
    run_file(written, "words", (1, 2, 3), (4,))
    run_file(written, "near", (3, 1), ())
    run_file(written, "third", (5,), (5, 4))


def fuse(*args):
    return said("fuse_runs", *args, "--corpus", "quay", "--name", "fused")


def ranked():
    rows = Run.objects.get(name="fused").rows.order_by("topic__topic__number", "rank")
    return [
        tuple(row) for row in rows.values_list("topic__topic__external_id", "document__external_id", "score")
    ]


def test_a_fused_run_is_the_sum_of_reciprocal_ranks(runs):
    assert fuse("words", "near", "third") == 'Stored: "fused" (rrf), 6 rows.\n'
    assert ranked() == [
        ("t1", "d1", pytest.approx(1 / 61 + 1 / 62)),
        ("t1", "d3", pytest.approx(1 / 63 + 1 / 61)),
        ("t1", "d5", 1 / 61),
        ("t1", "d2", 1 / 62),
        ("t2", "d4", pytest.approx(1 / 61 + 1 / 62)),
        ("t2", "d5", 1 / 61),
    ]


def test_k_and_depth_and_parents_stand_in_the_run(runs):
    fuse("words", "near", "--k", "0", "--depth", "1")
    assert ranked() == [("t1", "d1", 1.5), ("t2", "d4", 1.0)]
    said_of_it = Run.objects.get(name="fused").parameters
    assert (said_of_it["k"], said_of_it["depth"]) == (0, 1)
    assert [each["name"] for each in said_of_it["parents"]] == ["words", "near"]
    assert all(len(each["sha256"]) == 64 for each in said_of_it["parents"])
    assert said_of_it["ties"] == "score descending, then document number ascending"


@pytest.mark.parametrize(
    ("args", "sentence"),
    [
        (("words",), "two runs or more"),
        (("words", "words"), "two runs or more, each once"),
        (("words", "gone"), 'has no run "gone"'),
        (("words", "near", "--k", "-1"), "k of reciprocal rank fusion is -1"),
        (("words", "near", "--k", "nan"), "k of reciprocal rank fusion is nan"),
        (("words", "near", "--depth", "0"), "not 0"),
    ],
)
def test_what_cannot_be_fused_is_refused_and_leaves_no_run(runs, args, sentence):
    with pytest.raises(CommandError) as refused:
        fuse(*args)
    assert sentence in str(refused.value)
    assert not Run.objects.filter(name="fused").exists()


def test_runs_of_other_wordings_or_topics_are_not_fused(runs, written):
    said("import_topics", written("others.tsv", "t1\tother"), "--slug", "others")
    said("import_run", written("o.run", "t1 Q0 d1 1 1 o"), "--corpus", "quay", "--topics", "others")
    with pytest.raises(CommandError, match='"words" and "o" are not of the same corpus and the same topics'):
        fuse("words", "o")
    Topic.objects.get(topics__slug="boats", number=0).versions.create(version=2, title="dry quay")
    run_file(written, "later", (2,))
    with pytest.raises(CommandError, match="different wordings of the topic t1"):
        fuse("words", "later")
    fuse("words", "near")


def test_the_order_of_the_lists_changes_no_bit():
    lists = [[3, 1, 2], [2, 3], [1, 2, 3], [7, 1]]
    assert fusion.reciprocal_rank_of_lists(lists) == fusion.reciprocal_rank_of_lists(lists[::-1])


def test_lists_of_all_candidates_are_fused_as_rows_of_scores_are():
    rows = [[0.3, 0.1, 0.7, 0.7], [5.0, 5.0, 1.0, 9.0]]
    fused = fusion.reciprocal_rank(rows)
    lists = [[2, 3, 0, 1], [3, 0, 1, 2]]
    found = dict(fusion.reciprocal_rank_of_lists(lists))
    assert [found[n] for n in range(4)] == pytest.approx(fused.tolist())
