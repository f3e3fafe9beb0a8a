"""One decision about many excerpts: recorded for each, whole, and taken back as one."""

import re
from datetime import timedelta

import pytest
from django.utils import timezone

from common.errors import BadInput
from retrieval.curating import bulk, deletion, dependents, exclusions
from retrieval.curating import excerpts as curating
from retrieval.models import Act, Curation, Deletion, Excerpt, Standing, Status, TrainingJob
from tests import builders

pytestmark = pytest.mark.django_db
NOW = timezone.now()


@pytest.fixture
def six():
    """Six excerpts of one book: four of one source, two of another."""
    book, one, two = builders.book(), builders.source(text="x" * 400), builders.source("two", "Two 1912")
    return [builders.excerpt(book, one, first=n) for n in range(4)] + [
        builders.excerpt(book, two, first=n) for n in range(10, 12)
    ]


def reject(rows, by=None, reason="No criticism", now=NOW):
    return bulk.decide(rows, Act.REJECTED, reason=reason, by=by, now=now)


def standings():
    return list(Excerpt.objects.order_by("pk").values_list("standing", flat=True))


class TestDecide:
    def test_each_is_recorded_as_if_it_were_alone(self, six, stan):
        curating.reject(six[0], reason="alone", by=stan, now=NOW)
        found = reject(Excerpt.objects.filter(source=six[0].source), by=stan)
        assert found == bulk.Decided(3, ("1 left as they were: not in use.",))
        assert standings() == ["rejected"] * 4 + ["in-use"] * 2
        rows = Curation.objects.exclude(reason="alone").order_by("excerpt")
        assert [(row.excerpt_id, row.act, row.reason, row.by, row.at) for row in rows] == [
            (each.pk, "rejected", "No criticism", stan, NOW) for each in six[1:4]
        ]

    def test_what_an_exclusion_holds_stays_rejected(self, six):
        Excerpt.objects.filter(pk=six[1].pk).update(start=10, end=20)
        exclusions.exclude(six[0].source, book=None, span=(5, 30), reason="index", by=None, now=NOW)
        reject(Excerpt.objects.exclude(pk=six[1].pk))
        found = bulk.decide(Excerpt.objects.all(), Act.RESTORED, reason="after all", by=None, now=NOW)
        assert found.done == 5
        assert found.left == ("1 left rejected: they lie in what is excluded from their source.",)
        assert standings() == ["in-use", "rejected", *["in-use"] * 4]

    def test_nothing_to_change_is_said_and_nothing_recorded(self, six):
        with pytest.raises(BadInput, match=r"Nothing was changed. 6 left as they were: not rejected\."):
            bulk.decide(Excerpt.objects.all(), Act.RESTORED, reason="x", by=None, now=NOW)
        with pytest.raises(BadInput, match="reason is missing"):
            reject(Excerpt.objects.all(), reason="")
        assert not Curation.objects.exists()

    def test_who_was_faster_wins_and_nothing_is_changed(self, six, monkeypatch):
        real = bulk.turn

        def faster(rows, *given, **named):
            Excerpt.objects.filter(pk=rows[2].pk).update(standing=Standing.REJECTED)
            real(rows, *given, **named)

        monkeypatch.setattr(bulk, "turn", faster)
        with pytest.raises(BadInput, match="decided about meanwhile; try again"):
            reject(Excerpt.objects.all())
        assert set(standings()) == {"in-use"}

    def test_queries_do_not_grow_with_what_is_decided(self, six, django_assert_max_num_queries):
        book, source = six[0].book, six[0].source
        Excerpt.objects.bulk_create(
            Excerpt(book=book, source=source, left=["a"], right=[], digest=f"d{n}") for n in range(1000)
        )
        with django_assert_max_num_queries(15):
            assert reject(Excerpt.objects.all()).done == 1006


class TestUndo:
    def test_the_last_decision_is_taken_back_and_again(self, six, stan):
        reject(Excerpt.objects.filter(source=six[0].source), by=stan)
        found = bulk.last(stan, NOW)
        assert (found.act, found.reason, len(found.keys)) == (Act.REJECTED, "No criticism", 4)
        later = NOW + timedelta(seconds=9)
        assert bulk.undo(found, by=stan, now=later).done == 4
        assert set(standings()) == {"in-use"}
        again = bulk.last(stan, later)
        assert (again.act, again.reason) == (Act.RESTORED, "Taken back: No criticism")
        assert Curation.objects.count() == 8

    def test_what_was_decided_about_since_is_left_as_it_is(self, six, stan, ada):
        reject(Excerpt.objects.all(), by=stan)
        curating.restore(
            Excerpt.objects.get(pk=six[0].pk), reason="mine", by=ada, now=NOW + timedelta(seconds=1)
        )
        assert len(bulk.last(stan, NOW).keys) == 5

    @pytest.mark.parametrize("seconds", [86_399, 86_401])
    def test_for_a_day_and_only_ones_own(self, six, stan, ada, seconds):
        reject(Excerpt.objects.all(), by=stan)
        found = bulk.last(stan, NOW + timedelta(seconds=seconds))
        assert (found is not None) == (seconds < 86_400)
        assert bulk.last(ada, NOW) is None

    def test_an_exclusion_is_lifted_and_not_undone_here(self, six, stan):
        exclusions.exclude(six[0].source, book=None, span=None, reason="index", by=stan, now=NOW)
        assert bulk.last(stan, NOW) is None


class TestDelete:
    def test_what_stands_free_goes_and_the_rest_is_named(self, six, stan):
        job = builders.finished_job(six[0].book, six[:2])
        found = bulk.delete(Excerpt.objects.all(), reason="Tried out", by=stan, now=NOW)
        assert found.done == 4
        assert [f"job {job.pk}" in each for each in found.left] == [True, True]
        assert list(Excerpt.objects.order_by("pk")) == six[:2]
        assert Deletion.objects.filter(kind="excerpt", reason="Tried out", by=stan).count() == 4

    def test_each_leaves_the_line_that_it_would_leave_alone(self, six, stan):
        curating.reject(six[1], reason="An index", by=stan, now=NOW)
        curating.reject(six[2], reason="An index", by=stan, now=NOW)
        alone = deletion.delete(six[1], reason="Tried out", by=stan, now=NOW)
        bulk.delete(Excerpt.objects.filter(pk=six[2].pk), reason="Tried out", by=stan, now=NOW)
        together = Deletion.objects.exclude(pk=alone.pk).get()
        own = {"id": six[2].pk, **{name: getattr(six[2], name) for name in ("digest", "printed", "first")}}
        assert together.facts == {**alone.facts, **own}
        assert together.facts["with_it"] == ["1 decision about it"]
        assert together.name == f"Excerpt {six[2].pk} on {six[2].book}"
        assert not Curation.objects.exists()

    def test_the_queries_do_not_grow_with_the_excerpts(self, six, django_assert_max_num_queries):
        book, source = six[0].book, six[0].source
        Excerpt.objects.bulk_create(
            Excerpt(book=book, source=source, left=["a"], right=[], digest=f"d{n}") for n in range(500)
        )
        kept = builders.finished_job(book, six[:1])
        rows = Excerpt.objects.exclude(pk__in=[each.pk for each in six[1:]])
        with django_assert_max_num_queries(40):
            found = bulk.delete(rows, reason="Tried out", by=None, now=NOW)
        assert found.done == 500
        assert [f"job {kept.pk}" in each for each in found.left] == [True]
        assert Deletion.objects.count() == 500

    def test_one_with_other_borders_goes_with_the_one_before_it_and_not_without(self, six, monkeypatch):
        monkeypatch.setattr(bulk, "AT_ONCE", 2)
        for earlier, later in ((0, 3), (3, 1), (4, 5)):
            six[earlier].standing, six[earlier].superseded_by = Standing.SUPERSEDED, six[later]
            six[earlier].save()
        builders.finished_job(six[4].book, six[4:5])
        found = bulk.delete(Excerpt.objects.all(), reason="Tried out", by=None, now=NOW)
        assert found.done == 4
        assert list(Excerpt.objects.order_by("pk")) == six[4:]
        assert f"excerpt {six[4].pk}, which it supersedes" in found.left[1]

    def test_of_many_that_stay_the_first_are_named_and_the_rest_counted(self, six):
        builders.finished_job(six[0].book, six)
        found = bulk.delete(Excerpt.objects.all(), reason="Tried out", by=None, now=NOW)
        assert found.done == 0
        assert [each.split(" cannot")[0] for each in found.left] == [
            *(f"Excerpt {each.pk}" for each in six[:5]),
            "1 more were left for such reasons.",
        ]

    def test_what_the_sets_do_not_know_of_undoes_all_of_it(self, six, monkeypatch):
        builders.finished_job(six[4].book, six[4:5])
        monkeypatch.setattr(dependents, "held", lambda keys: set())
        with pytest.raises(BadInput, match="Something was built upon one of these excerpts meanwhile"):
            bulk.delete(Excerpt.objects.all(), reason="Tried out", by=None, now=NOW)
        assert Excerpt.objects.count() == 6
        assert not Deletion.objects.exists()

    def test_asked_one_by_one_or_all_at_once_the_same_are_held(self, six, dora):
        builders.finished_job(six[0].book, six[:1])
        training = TrainingJob.objects.create(name="tiny", code_version="t", status=Status.FAILED)
        training.excerpts.add(six[1])
        study = builders.study("fleet", by=dora)
        study.items.update(excerpt=six[2])
        alone = {each.pk for each in six if deletion.why_not(each)}
        assert alone == dependents.held([each.pk for each in six]) == {each.pk for each in six[:3]}


class TestPage:
    SEND = {"which": "ticked", "act": "reject", "reason": "An index"}

    def test_ticked_ones_are_rejected_and_the_list_comes_back_as_it_was(self, as_user, stan, six):
        url = "/excerpts/decide/?book=boats&source=critic"
        data = {**self.SEND, "ticked": [six[0].pk, six[2].pk, six[5].pk]}
        response = as_user(stan).post(url, data, follow=True)
        assert response.redirect_chain == [("/excerpts/?book=boats&source=critic", 302)]
        assert "2 excerpts are rejected." in response.text
        # The last one is not in the list that was shown.
        assert standings() == ["rejected", "in-use", "rejected", *["in-use"] * 3]

    @pytest.mark.parametrize(("which", "done"), [("shown", 2), ("all", 4)])
    def test_all_of_the_page_or_of_the_list(self, as_user, stan, six, which, done):
        data = {**self.SEND, "which": which, "shown": [six[0].pk, six[1].pk]}
        as_user(stan).post("/excerpts/decide/?source=critic", data)
        assert standings().count("rejected") == done

    def test_taken_back_by_a_button_that_stays(self, as_user, stan, six):
        browser = as_user(stan)
        browser.post("/excerpts/decide/", {**self.SEND, "which": "all"})
        text = browser.get("/excerpts/?standing=rejected").text
        assert "6 excerpts (An index)." in text
        assert 'action="/excerpts/undo/?standing=rejected"' in text
        said = browser.post("/excerpts/undo/", follow=True).text
        assert "6 excerpts are as they were before." in said
        assert set(standings()) == {"in-use"}

    def test_nothing_to_take_back_is_a_sentence(self, as_user, stan, six):
        assert "There is nothing to take back" in as_user(stan).post("/excerpts/undo/", follow=True).text

    @pytest.mark.parametrize(
        ("changes", "sentence"),
        [
            ({}, "No excerpt is ticked"),
            ({"ticked": ["7"], "reason": ""}, "This field is required."),
            ({"ticked": ["x"]}, "x is not one of the available choices"),
            ({"ticked": ["9" * 30]}, "is not one of the available choices"),
            ({"which": "none"}, "none is not one of the available choices"),
            ({"ticked": ["1"], "act": ""}, "press one of the buttons"),
        ],
    )
    def test_refused_in_words_with_the_list_below(self, as_user, stan, six, changes, sentence):
        response = as_user(stan).post("/excerpts/decide/", {**self.SEND, **changes})
        assert response.status_code == 422
        assert sentence in response.text
        assert response.context["page"].paginator.count == 6
        assert set(standings()) == {"in-use"}

    def test_what_was_ticked_stays_ticked(self, as_user, stan, six):
        response = as_user(stan).post("/excerpts/decide/", {**self.SEND, "reason": "", "ticked": [six[1].pk]})
        assert re.findall(r'name="ticked" value="(\d+)" checked', response.text) == [str(six[1].pk)]

    def test_enter_in_the_reason_decides_nothing_and_says_what_to_press(self, as_user, stan, six):
        text = as_user(stan).get("/excerpts/").text
        (form,) = re.findall(r'<form method="post" action="/excerpts/decide/">.*?</form>', text, re.DOTALL)
        # Browsers press the first button of a form on Enter.
        first, *others = re.findall(r'<button[^>]* name="act" value="(\w*)"', form)
        assert (first, others) == ("", ["reject", "delete"])
        response = as_user(stan).post(
            "/excerpts/decide/", {**self.SEND, "act": first, "ticked": [six[1].pk], "reason": "An index"}
        )
        assert response.status_code == 422
        assert "press one of the buttons" in response.text
        assert "An index" in response.text
        assert set(standings()) == {"in-use"}

    def test_deleting_asks_first(self, as_user, stan, six):
        data = {**self.SEND, "act": "delete", "ticked": [six[0].pk, six[3].pk]}
        asked = as_user(stan).post("/excerpts/decide/?book=boats", data).text
        assert "Delete 2 excerpts" in asked
        assert 'action="/excerpts/decide/?book=boats"' in asked
        assert Excerpt.objects.count() == 6
        said = as_user(stan).post("/excerpts/decide/?book=boats", {**data, "confirmed": "1"}, follow=True)
        assert "2 excerpts are deleted." in said.text
        assert Excerpt.objects.count() == 4

    def test_researchers_see_no_box(self, as_user, dora, six):
        text = as_user(dora).get("/excerpts/").text
        assert 'type="checkbox"' not in text
        assert "/excerpts/decide/" not in text
