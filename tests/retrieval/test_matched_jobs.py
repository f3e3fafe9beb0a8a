"""Jobs whose negatives look like the gold: dealt out at the end, to the same rows however stopped."""

import json
import weakref
from collections import Counter

import pytest

from annotation.studies.build import build_study
from common.texts.surface import shared, words
from retrieval.candidates import matching, matching_costs, pipeline, submitting, waiting
from retrieval.candidates.more_negatives import more_negatives
from retrieval.engine.ranking import order, rankers
from retrieval.engine.ranking.surface import surface
from retrieval.engine.text.passages import texts
from retrieval.jobs import attempts, queue
from retrieval.models import Candidate, CandidateJob, MatchedExcerpt, Status
from tests import builders

pytestmark = pytest.mark.django_db

RULES = ["length", "case", "mark", "dialogue", "ending", "context", "reuse", "balance"]
OFF = dict.fromkeys(RULES, False)


def sentence(number):
    """Of differing length, some small, some opening with a mark, some spoken."""
    word = builders.SENTENCES[number % 24].split()[7]
    text = f"the {word} boat {number} came in" + " with the lamps lit" * (number * 7 % 11) + "."
    if number % 3:
        text = text.capitalize()
    return f"“{text}”" if number % 5 == 0 else f"“Ah!” {text}" if number % 7 == 0 else text


def quoted(firsts):
    book = builders.book(sentences=[sentence(number) for number in range(160)])
    critic = builders.source()
    for first in firsts:
        builders.excerpt(book, critic, first=first)
    builders.excerpt(book, critic, first=50, size=2)
    return book


@pytest.fixture
def boats():
    return quoted(range(3, 159, 13))


@pytest.fixture
def few():
    """Enough for three chunks of two."""
    return quoted(range(3, 68, 16))


def submitted(book, seed=0, **parameters):
    return submitting.submit(book, ranker="bm25", parameters=parameters, seed=seed)


def claimed(book, seed=0, **parameters):
    return queue.claim(submitted(book, seed, **parameters).pk, "one")


def done(book, seed=0, **parameters):
    job = submitted(book, seed, **parameters)
    pipeline.attempt(job.pk, "one")
    job.refresh_from_db()
    assert job.status == Status.DONE
    return job


def rows(job):
    fields = ("excerpt_id", "rank", "first", "size", "scores", "is_gold")
    return list(job.candidates.order_by("pk").values_list(*fields))


def outcome(job):
    matched = list(job.matched.values_list("excerpt_id", "length", "place", "kept", "options"))
    return rows(job), matched, CandidateJob.objects.values_list("done", "counts").get(pk=job.pk)


def stops(after):
    calls = iter(range(1000))
    return lambda job: next(calls) < after


def looks(job, key):
    """The gold of an excerpt, and its negatives."""
    found = job.candidates.filter(excerpt=key).order_by("rank")
    seen = [(each.is_gold, surface(job.book.passage(each.first, each.size))) for each in found]
    return next(each for gold, each in seen if gold), [each for gold, each in seen if not gold]


def test_negatives_look_like_the_gold_in_what_is_said_to_hold(boats):
    job = done(boats)
    places = Counter(job.matched.values_list("place", flat=True))
    assert sorted(places.values()) == [4, 4, 5]
    for each in job.matched.all():
        gold, others = looks(job, each.excerpt_id)
        assert len(others) == 2
        assert each.length == gold.length
        if "place" in each.kept:
            assert sum(other.length < gold.length for other in others) == each.place
        if "case" in each.kept:
            assert {other.lower for other in others} == {gold.lower}
        if "mark" in each.kept:
            assert {other.mark for other in others} == {gold.mark}
        if "dialogue" in each.kept:
            assert {other.spoken for other in others} == {gold.spoken}


def test_gold_and_negatives_have_the_ranks_and_scores_of_the_whole_ranking(boats):
    job, whole = done(boats), done(boats, matching=False, negatives=50, rules={"near_duplicate": False})
    known = {(row[0], row[2]): row for row in rows(whole)}
    compared = [(row, known[row[0], row[2]]) for row in rows(job) if (row[0], row[2]) in known]
    assert len(compared) > 13
    assert all(mine == theirs for mine, theirs in compared)


def test_off_is_the_ranker_s_best_as_in_jobs_from_before_matching(boats):
    off, former = done(boats, matching=False), submitted(boats)
    del former.parameters["matching"]
    former.save()
    pipeline.attempt(former.pk, "one")
    former.refresh_from_db()
    assert off.parameters["matching"] == {**OFF, "band": 1.2}
    assert rows(off) == rows(former)
    assert off.counts == former.counts
    assert not MatchedExcerpt.objects.exists()
    assert matching_costs.of_job(off) is None


@pytest.mark.parametrize("chunk", [1, 2])
@pytest.mark.parametrize("stopped_after", [0, 1, 2, 3])
def test_a_resumed_job_has_the_same_rows(few, stopped_after, chunk):
    whole, parts = claimed(few), claimed(few)
    pipeline.run(whole, chunk=100)
    with pytest.raises(pipeline.Interrupted):
        pipeline.run(parts, go_on=stops(stopped_after), chunk=chunk)
    assert not parts.candidates.exists()
    assert queue.release(parts)
    pipeline.run(queue.claim(parts.pk, "two"), chunk=chunk)
    assert outcome(whole) == outcome(parts)


def test_a_job_killed_while_it_deals_deals_again_to_the_same_rows(few, monkeypatch):
    whole, parts = claimed(few), claimed(few)
    pipeline.run(whole)
    with monkeypatch.context() as patch:

        def killed(*args, **options):
            raise MemoryError("no room")

        patch.setattr(MatchedExcerpt._default_manager, "bulk_update", killed)
        with pytest.raises(MemoryError):
            pipeline.run(parts)
    assert not parts.candidates.exists()
    assert "matching" not in CandidateJob.objects.get(pk=parts.pk).counts
    queue.release(parts)
    pipeline.run(queue.claim(parts.pk, "two"))
    assert outcome(whole) == outcome(parts)


def test_what_is_dealt_out_is_not_dealt_again(few):
    job = claimed(few)
    pipeline.run(job)
    before = outcome(job)
    pipeline.run(job)
    assert outcome(job) == before


def test_a_cancelled_job_deals_nothing(few, monkeypatch):
    job = claimed(few)
    deal = matching.deal
    monkeypatch.setattr(matching, "deal", lambda job: queue.cancel(job.pk) and deal(job))
    with pytest.raises(attempts.LeaseLost):
        pipeline.run(job)
    assert not Candidate.objects.exists()


def test_another_seed_deals_other_places(few):
    places = {tuple(done(few, seed).matched.values_list("place", flat=True)) for seed in range(3)}
    assert len(places) > 1


def test_what_it_cost_is_counted_by_job_and_by_rule(boats):
    job, best = done(boats), done(boats, matching=False)
    known = job.counts["matching"]
    means = sorted(
        sum(row[1] for row in rows(best) if row[0] == key and not row[5]) / 2
        for key in best.excerpts.values_list("pk", flat=True)
    )
    assert known["excerpts"] == 13
    assert known["best"] == {"median": means[6], "mean": round(sum(means) / 13, 1)}
    assert known["matched"]["mean"] >= known["best"]["mean"]
    # A database may keep names in an order of its own.
    assert sorted(known["alone"]) == sorted({*RULES} - {"balance"})
    assert all(each["mean"] >= known["best"]["mean"] for each in known["alone"].values())
    kept = Counter(name for each in job.matched.all() for name in each.kept)
    names = ("reuse", "place", "case", "ending", "context", "band", "mark", "dialogue")
    assert known["kept"] == {name: kept[name] for name in names}


def test_one_rule_alone(boats):
    job = done(boats, matching={**OFF, "case": True})
    assert set(job.matched.values_list("place", flat=True)) == {None}
    assert list(job.counts["matching"]["alone"]) == ["case"]
    assert job.counts["matching"]["alone"]["case"] == job.counts["matching"]["matched"]
    for key in job.excerpts.values_list("pk", flat=True):
        gold, others = looks(job, key)
        assert {each.lower for each in others} == {gold.lower}


def test_the_context_alone_deals_out_places_of_its_own(boats):
    job = done(boats, matching={**OFF, "context": True})
    fewer = Counter()
    for each in job.matched.all():
        assert each.place is None
        assert each.kept in ([], ["context"])
        around = frozenset(words(f"{each.excerpt.context(4, 0)} {each.excerpt.context(0, 4)}"))
        found = job.candidates.filter(excerpt=each.excerpt).order_by("-is_gold")
        gold, *others = [shared(job.book.passage(one.first, one.size), around) for one in found]
        if each.kept:
            assert gold not in others
            fewer[sum(other < gold for other in others)] += 1
    assert fewer


def offered(job):
    """How many excerpts offer each passage as a wrong one."""
    return Counter(job.candidates.filter(is_gold=False).values_list("first", "size"))


def test_no_wrong_passage_is_offered_twice_nor_asked_for_elsewhere(boats):
    asked = {"matching": {**OFF, "reuse": True}}
    freely, job = done(boats, matching=False), done(boats, **asked)
    assert max(offered(freely).values()) > 1
    golds = {first + n for first, size in job.excerpts.values_list("first", "size") for n in range(size)}
    times = offered(job)
    for each in job.matched.all():
        wrong = job.candidates.filter(excerpt=each.excerpt, is_gold=False)
        sentences = {one.first + n for one in wrong for n in range(one.size)}
        if "reuse" in each.kept:
            assert golds.isdisjoint(sentences)
            assert all(times[one.first, one.size] == 1 for one in wrong)
    assert job.counts["matching"]["kept"]["reuse"] >= 4


@pytest.mark.parametrize("chunk", [1, 100])
def test_excerpts_with_one_gold_have_the_same_wrong_passages(boats, chunk):
    """Else the passage that two items offer would be the right one of both."""
    second = builders.excerpt(boats, builders.source("second"), first=16)
    job = claimed(boats)
    pipeline.run(job, chunk=chunk)
    twins = [each.pk for each in job.excerpts.filter(first=16)]
    assert len(twins) == 2
    assert second.pk in twins
    options = [set(job.candidates.filter(excerpt=pk).values_list("first", "is_gold")) for pk in twins]
    assert options[0] == options[1]
    bm25 = rankers.get("bm25").prepare(texts(boats.text, boats.bounds(), 1), {})
    for row in job.candidates.filter(excerpt__in=twins):
        scores = bm25.scores([row.excerpt.query(4, 4)])[0]
        assert (row.rank, row.scores["bm25"]) == (order.rank(scores, row.first), scores[row.first])


def test_excerpts_with_one_gold_have_them_wherever_the_job_was_stopped(few):
    """The first of them may have been ranked by an earlier attempt."""
    builders.excerpt(few, builders.source("second"), first=19)
    whole = claimed(few)
    pipeline.run(whole)
    for stopped_after in range(1, 7):
        parts = claimed(few)
        with pytest.raises(pipeline.Interrupted):
            pipeline.run(parts, go_on=stops(stopped_after), chunk=1)
        queue.release(parts)
        pipeline.run(queue.claim(parts.pk, "two"))
        assert outcome(whole) == outcome(parts), stopped_after


def test_a_passage_is_stored_once_however_many_choices_name_it(boats):
    job = claimed(boats, negatives=5)
    with pytest.raises(pipeline.Interrupted):
        pipeline.run(job, go_on=stops(1), chunk=1)
    options = job.matched.get().options
    choices = [one for row in options["choices"] for one in row]
    named = [first for one in choices for first in one["chosen"]]
    passages = [first for first, *_ in options["passages"]]
    assert passages == sorted(set(named))
    assert len(choices) > 36
    assert all(rank and "bm25" in scores for _, rank, scores in options["passages"])
    assert len(json.dumps(options["choices"])) < 200 * len(choices)


def test_dealing_holds_the_options_of_a_few_excerpts_at_once(boats, monkeypatch):
    """All of them, of a thousand excerpts, were a gigabyte."""
    monkeypatch.setattr(waiting, "AT_ONCE", 3)
    job, held, most = claimed(boats), weakref.WeakSet(), []
    init, deal = MatchedExcerpt.__init__, matching.deal

    def counted(self, *given, **named):
        init(self, *given, **named)
        if self.options:
            held.add(self)
            most.append(sum(bool(each.options) for each in held))

    monkeypatch.setattr(
        matching, "deal", lambda job: (monkeypatch.setattr(MatchedExcerpt, "__init__", counted), deal(job))
    )
    pipeline.run(job)
    assert job.matched.filter(kept__isnull=True).count() == 0
    assert 1 <= max(most) <= 7


def test_too_few_passages_are_counted():
    short = builders.book("short", [sentence(number) for number in range(3)])
    builders.excerpt(short, builders.source("other"), first=1)
    job = done(short, negatives=4)
    assert job.counts["too_few"] == 1
    assert job.matched.get().kept == []
    assert job.candidates.filter(is_gold=False).count() == 2


def test_the_page_says_what_it_cost_and_the_json_too(boats, stan, as_user):
    job = done(boats)
    page = as_user(stan).get(job.get_absolute_url()).content.decode()
    assert "Wrong passages that look like the right one" in page
    assert "Speech or narration alone" in page
    assert "Every option’s length in its own band" in page
    assert "length (each in a band of its own, 1.2 times as long at its end); first letter" in page
    told = as_user(stan).get(f"/api/v1/jobs/{job.pk}/").json()
    assert json.dumps(told["counts"]["matching"]) == json.dumps(job.counts["matching"])
    bare = as_user(stan).get(done(boats, matching=False).get_absolute_url()).content.decode()
    assert "nothing: they are the ranker’s best" in bare
    assert "look like the right one</h2>" not in bare


def test_an_item_keeps_what_its_options_share_and_the_study_s_record_what_it_cost(boats, dora):
    job = done(boats)
    study = build_study(slug="fleet", title="Fleet", task="choice", job=job, overlap=2, seed=7, by=dora).study
    for item in study.items.all():
        each = job.matched.get(excerpt=item.excerpt)
        assert item.provenance["matched"] == {"place": each.place, "kept": each.kept}
        assert "matched" not in item.payload
    record = study.events.get(verb="build").data
    assert record["matching"] == matching_costs.of_job(job).sentence
    assert "the mean rank of an excerpt’s is" in record["matching"]


def test_what_comes_next_looks_like_the_gold_too(boats):
    job = done(boats)
    for each in job.matched.all():
        gold, _others = looks(job, each.excerpt_id)
        found = more_negatives(job, each.excerpt, 6)
        assert [one.pk for one in found.candidates[:2]] == list(
            job.candidates.filter(excerpt=each.excerpt, is_gold=False)
            .order_by("rank")
            .values_list("pk", flat=True)
        )
        assert len({one.first for one in found.candidates}) == len(found.candidates)
        if "case" in each.kept:
            seen = [surface(job.book.passage(one.first, one.size)) for one in found.candidates]
            assert {one.lower for one in seen} == {gold.lower}
        assert bool(found.reason) == (len(found.candidates) < 6)


def test_what_another_version_prepared_is_ranked_again(boats):
    whole = done(boats)
    job = claimed(boats)
    with pytest.raises(attempts.Interrupted):
        pipeline.run(job, go_on=stops(2), chunk=2)
    # As a version kept it that knew no `passages`: dealt out, it would fail.
    job.matched.update(options={"gold": {}, "choices": []}, length=1)
    CandidateJob.objects.filter(pk=job.pk).update(code_version="0.1+engine.0")
    queue.release(job)
    assert pipeline.attempt(job.pk, "another")
    job.refresh_from_db()
    assert (job.status, job.code_version) == (Status.DONE, whole.code_version)
    assert outcome(job) == outcome(whole)


def test_what_this_version_prepared_is_kept(boats):
    job = claimed(boats)
    with pytest.raises(attempts.Interrupted):
        pipeline.run(job, go_on=stops(2), chunk=2)
    kept = set(job.matched.values_list("pk", flat=True))
    queue.release(job)
    assert pipeline.attempt(job.pk, "another")
    assert kept
    assert kept <= set(job.matched.values_list("pk", flat=True))
