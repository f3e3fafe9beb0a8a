"""A draft study from a finished job: what readers see, what is drawn, what is left out."""

import json
from collections import Counter

import pytest

from annotation.items.from_candidates import NOT_IN_USE
from annotation.models import Enrolment, Event, Guideline, Item, Study
from annotation.studies.build import add_from_job, build_study
from annotation.tasktypes.base import Invalid
from common.errors import BadInput
from retrieval.models import Book, Candidate, CandidateJob, Excerpt, Standing
from tests import builders


@pytest.fixture
def job(db):
    book = builders.book()
    source = builders.source()
    return builders.finished_job(book, [builders.excerpt(book, source, first) for first in (3, 7, 11, 15)])


def build(job, **options):
    defaults = {"slug": "fleet", "title": "The Fleet", "task": "choice", "overlap": 2, "seed": 7, "by": None}
    return build_study(job=job, **{**defaults, **options})


def test_an_item_for_each_excerpt_with_gold_and_negatives(job, dora):
    built = build(job, by=dora, guidelines="Read it aloud.", contact="Dora")
    study = built.study
    assert (built.items, built.left_out) == (4, Counter())
    assert (study.state, study.job, study.contact) == ("draft", job, "Dora")
    assert list(study.items.values_list("number", flat=True)) == [1, 2, 3, 4]
    for item in study.items.select_related("excerpt"):
        gold = item.payload["options"][item.gold["option"]]
        assert gold == job.book.passage(item.excerpt.first, item.excerpt.size)
        assert len(set(item.payload["options"])) == 3
        assert item.payload["citation"] == "Critic 1911"
        assert item.payload["book"] == "The Boats"
        assert len(item.digest) == 64
    assert Guideline.objects.get().text == "Read it aloud."
    assert Enrolment.objects.get().pseudonym == "R1"
    assert Event.objects.get(verb="build").data == {"job": job.pk, "items": 4, "left_out": {}}


def test_A02_nothing_in_the_payload_tells_where_an_option_came_from(job):
    build(job)
    for item in Item.objects.all():
        assert set(item.payload) == {"left", "right", "options", "language", "citation", "book"}
        assert "gold" not in json.dumps(item.payload)
        options = item.provenance["options"]
        assert [option["is_gold"] for option in options].index(True) == item.gold["option"]
        assert item.provenance["job"] == job.pk
        assert item.provenance["excerpt"] == item.excerpt_id
        for text, option in zip(item.payload["options"], options, strict=True):
            assert text == job.book.passage(option["first"], option["size"])
            assert option["scores"] == {"bm25": 10.0 - option["rank"]}


def drawn(study):
    """The excerpts in the order of the items, and where each has its gold."""
    items = study.items.select_related("excerpt").order_by("number")
    return [item.excerpt.digest for item in items], {i.excerpt.digest: i.gold["option"] for i in items}


def test_the_time_an_item_is_kept_is_part_of_the_build(job):
    assert build(job).study.lease_minutes == 120
    assert build(job, slug="quick", lease_minutes=15).study.lease_minutes == 15
    with pytest.raises(BadInput, match="lease minutes cannot be 0"):
        build(job, slug="never", lease_minutes=0)


def test_a_name_that_is_a_page_of_the_site_is_refused_at_every_door(job):
    with pytest.raises(BadInput, match="“new” is the address of a page: choose another short name"):
        build(job, slug="new")
    assert not Study.objects.exists()


def test_the_same_seed_draws_the_same_and_another_does_not(job):
    first = drawn(build(job).study)
    assert drawn(build(job, slug="again").study) == first
    others = [drawn(build(job, slug=f"s{seed}", seed=seed).study) for seed in range(5)]
    assert any(order != first[0] for order, _ in others)
    assert any(gold != first[1] for _, gold in others)


def test_gold_is_everywhere_over_many_items(db):
    book = builders.book(sentences=[f"Sentence {n} of a long and even book." for n in range(120)])
    source = builders.source()
    job = builders.finished_job(book, [builders.excerpt(book, source, first) for first in range(5, 95)])
    study = build(job).study
    places = Counter(item.gold["option"] for item in study.items.all())
    assert set(places) == {0, 1, 2}
    assert min(places.values()) > 15


def test_the_best_ranked_negatives_are_taken(job):
    excerpt = job.candidates.first().excerpt
    Candidate.objects.create(
        job=job, excerpt=excerpt, rank=9, first=20, size=1, scores={"bm25": 0.1}, is_gold=False
    )
    item = build(job).study.items.get(excerpt=excerpt)
    assert {option["rank"] for option in item.provenance["options"]} == {1, 2, 3}


def test_what_makes_no_item_is_left_out_and_counted(job):
    few, goldless, same, _ = sorted({c.excerpt_id for c in job.candidates.all()})
    job.candidates.filter(excerpt=few, is_gold=False, rank=1).delete()
    job.candidates.filter(excerpt=goldless, is_gold=True).delete()
    job.candidates.filter(excerpt=same, rank=2).update(first=job.candidates.get(excerpt=same, rank=1).first)
    built = build(job)
    assert built.items == 1
    assert built.left_out == Counter(
        {
            "too few candidates": 1,
            "the gold passage is unknown": 1,
            "Two options have the same words: nobody could choose between them": 1,
        }
    )


def test_a_job_of_which_nothing_can_be_made_leaves_nothing(job):
    job.candidates.filter(is_gold=True).delete()
    with pytest.raises(BadInput, match=r"No item can be made of job \d+: the gold passage is unknown \(4\)"):
        build(job)
    assert not Study.objects.exists()
    assert not Item.objects.exists()


@pytest.mark.parametrize(
    ("options", "error", "sentence"),
    [
        ({"job": 10**9}, BadInput, "no candidate job 1000000000"),
        ({"task": "chess"}, Invalid, "There is no task “chess”. Choose one of: choice"),
        ({"overlap": 0}, BadInput, "overlap cannot be 0"),
        ({"overlap": 51}, BadInput, "overlap cannot be 51"),
        ({"slug": "two words"}, BadInput, "slug cannot be 'two words'"),
        ({"slug": ""}, BadInput, "slug cannot be ''"),
        ({"title": ""}, BadInput, "title cannot be ''"),
        ({"title": "x\x00"}, Invalid, "“title” holds NUL"),
        ({"guidelines": "a\ud800"}, Invalid, "“guidelines” holds"),
        ({"seed": 2**63}, BadInput, "seed cannot be"),
        ({"option_order": "alphabet"}, BadInput, "option order cannot be 'alphabet'"),
    ],
)
def test_bad_settings_get_one_sentence_and_leave_nothing(job, options, error, sentence):
    with pytest.raises(error, match=sentence):
        build(**{"job": job, **options})
    assert not Study.objects.exists()


@pytest.mark.parametrize(
    ("status", "word"), [("queued", "waiting"), ("running", "running"), ("failed", "failed")]
)
def test_an_unfinished_job_is_named_with_its_state(job, status, word):
    CandidateJob.objects.update(status=status)
    with pytest.raises(BadInput, match=f"is not done but {word}"):
        build(job)


def test_a_taken_slug_is_said(job):
    build(job)
    with pytest.raises(BadInput, match="a study “fleet” already"):
        build(job)
    assert Study.objects.count() == 1


def test_the_book_may_change_its_title_and_items_stay(job):
    study = build(job).study
    Book.objects.update(title="Renamed")
    assert study.items.first().payload["book"] == "The Boats"


def test_progress_ends_at_all_the_excerpts(job):
    seen = []
    build(job, progress=lambda done, total: seen.append((done, total)))
    assert seen[-1] == (4, 4)


def test_an_excerpt_rejected_since_the_job_makes_no_item(job):
    rejected = Excerpt.objects.order_by("pk").first()
    Excerpt.objects.filter(pk=rejected.pk).update(standing=Standing.REJECTED)
    built = build(job)
    assert (built.items, built.left_out) == (3, Counter({NOT_IN_USE: 1}))
    assert not Item.objects.filter(excerpt=rejected).exists()


def missed(job, *ranks):
    """Rank the golds of the job's first excerpts so; of the others the ranker found them."""
    for excerpt, rank in zip(job.excerpts.order_by("pk"), ranks, strict=False):
        Candidate.objects.filter(job=job, excerpt=excerpt, is_gold=True).update(rank=rank)


def test_only_what_the_ranker_missed_becomes_relics_second_study(job, dora):
    missed(job, 1000, 1001, 4000)
    built = build(job, by=dora, beyond=1000)
    assert built.items == 2
    assert built.left_out == {"the ranker found its passage within rank 1000": 2}
    assert {item.excerpt.first for item in built.study.items.all()} == {7, 11}
    event = Event.objects.get(verb="build")
    assert event.data["beyond"] == 1000
    for item in built.study.items.all():
        ranks = {option["is_gold"]: option["rank"] for option in item.provenance["options"]}
        assert ranks[True] > 1000
        assert ranks[False] <= 3


def test_a_draft_takes_what_another_ranker_missed(job, dora):
    missed(job, 1000, 1001, 4000)
    study = build(job, by=dora, beyond=2000).study
    assert add_from_job(study, job, by=dora, beyond=1000).items == 1
    assert study.items.count() == 2


def test_where_the_ranker_missed_nothing_no_study_is_built(job):
    with pytest.raises(BadInput, match=r"No item can be made of job \d+: the ranker found its passage"):
        build(job, beyond=1000)
    with pytest.raises(BadInput, match="it must be 1 or more"):
        build(job, slug="again", beyond=0)
    assert not Study.objects.exists()
