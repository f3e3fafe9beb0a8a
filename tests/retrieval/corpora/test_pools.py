"""Pools: the union of runs, each pair once, and a second pool of only what is new."""

import pytest
from django.core.management import CommandError

from retrieval.corpora.models import Pool, PoolEntry
from tests.retrieval.corpora.conftest import said

pytestmark = pytest.mark.django_db


@pytest.fixture
def runs(quay, written):
    of = ("--corpus", "quay", "--topics", "boats")
    a = ("t1 Q0 d1 1 9 a", "t1 Q0 d2 2 8 a", "t1 Q0 d3 3 7 a", "t2 Q0 d1 1 9 a")
    b = ("t1 Q0 d3 1 9 b", "t1 Q0 d1 2 8 b", "t1 Q0 d5 3 7 b")
    said("import_run", written("a.run", *a), *of)
    said("import_run", written("b.run", *b), *of)


def entries(number):
    rows = PoolEntry.objects.filter(pool__number=number).order_by("topic", "document")
    return list(rows.values_list("topic__external_id", "document__external_id", "best_rank", "n_runs"))


def test_a_pool_is_the_union_of_each_topics_first_documents(runs):
    out = said("make_pool", "a", "b", "--corpus", "quay", "--depth", "2")
    assert out.splitlines() == [
        "Pool 1 of boats in quay: 4 documents to judge for 2 topics.",
        "  a: 3, of which no other run gave 2",
        "  b: 2, of which no other run gave 1",
    ]
    assert entries(1) == [("t1", "d1", 1, 2), ("t1", "d2", 2, 1), ("t1", "d3", 1, 1), ("t2", "d1", 1, 1)]


def test_a_second_pool_holds_only_what_is_new(runs):
    said("make_pool", "a", "--corpus", "quay", "--depth", "2")
    said("make_pool", "a", "b", "--corpus", "quay", "--depth", "3")
    assert entries(2) == [("t1", "d3", 1, 2), ("t1", "d5", 3, 1)]
    with pytest.raises(CommandError, match="in an earlier pool"):
        said("make_pool", "a", "b", "--corpus", "quay", "--depth", "3")
    assert Pool.objects.count() == 2


def test_runs_of_other_topics_do_not_mix(runs, written):
    said("import_topics", written("more.tsv", "t1\tale"), "--slug", "ale")
    said("import_run", written("c.run", "t1 Q0 d1 1 9 c"), "--corpus", "quay", "--topics", "ale")
    with pytest.raises(CommandError, match="not of the same corpus and the same topics"):
        said("make_pool", "a", "c", "--corpus", "quay")


@pytest.mark.parametrize("depth", ["0", "1001"])
def test_a_depth_that_is_none_is_refused(runs, depth):
    with pytest.raises(CommandError, match="the first 1 to 1,000 documents"):
        said("make_pool", "a", "--corpus", "quay", "--depth", depth)
    assert not Pool.objects.exists()
