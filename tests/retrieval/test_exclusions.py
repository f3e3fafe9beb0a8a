"""What staff exclude from a source, what goes with it, and how it comes back."""

from datetime import UTC, datetime, timedelta

import pytest
from django.core.management import call_command

from common.errors import BadInput
from retrieval.curating.excerpts import reject, restore
from retrieval.curating.exclusions import EXCLUDED, exclude, lift
from retrieval.loading import find_excerpts, import_source
from retrieval.models import Act, Comparison, Curation, Excerpt, Exclusion, Standing
from retrieval.texts.source_places import paragraphs, span
from tests import builders
from tests.retrieval.quay import ESSAY

pytestmark = pytest.mark.django_db
NOW = datetime(2026, 11, 20, 9, 0, tzinfo=UTC)


def out(source, places=None, book=None, reason="a reprint"):
    where = span(source.text, *places) if places else None
    return exclude(source, book=book, span=where, reason=reason, by=None, now=NOW)


def in_use(source):
    return [each.printed[:9] for each in source.excerpts.in_use()]


class TestRanges:
    def test_excerpts_in_it_are_rejected_and_come_back(self, quay, critic):
        find_excerpts(quay, critic)
        assert in_use(critic) == ["The lamps", "He said t"]
        made = out(critic, ("2", ""))
        assert made.rejected == 1
        assert in_use(critic) == ["The lamps"]
        row = Curation.objects.get()
        assert (row.act, row.reason, row.exclusion) == (Act.REJECTED, "a reprint", made.exclusion)
        assert lift(made.exclusion, by=None, now=NOW) == 1
        assert in_use(critic) == ["The lamps", "He said t"]
        assert Exclusion.objects.get().lifted == NOW

    def test_the_search_leaves_it_out_and_says_so(self, quay, critic):
        out(critic, ("1", ""))
        found = find_excerpts(quay, critic)
        assert (found.new, found.dropped[EXCLUDED]) == (1, 1)
        assert in_use(critic) == ["He said t"]
        [excluded] = [each for each in Comparison.objects.get().dropped if each[2] == EXCLUDED]
        assert critic.text[excluded[0] : excluded[1]].startswith("The lamps along")

    def test_after_lifting_the_search_finds_it(self, quay, critic):
        made = out(critic, ("1", ""))
        find_excerpts(quay, critic)
        assert lift(made.exclusion, by=None, now=NOW) == 0
        assert find_excerpts(quay, critic).new == 1

    def test_everything_excluded_is_a_refusal_that_says_why(self, quay, critic):
        out(critic, ("1", "3"))
        with pytest.raises(BadInput, match=r"no excerpt was stored \(dropped: .*excluded 2"):
            find_excerpts(quay, critic)
        assert not Excerpt.objects.exists()
        assert Comparison.objects.get().found == 0

    def test_of_one_book_only(self, quay, critic):
        other = builders.book()
        excerpt = builders.excerpt(other, critic)
        Excerpt.objects.filter(pk=excerpt.pk).update(start=0, end=50)
        find_excerpts(quay, critic)
        assert out(critic, ("1", ""), book=quay).rejected == 1
        assert Excerpt.objects.get(pk=excerpt.pk).standing == Standing.IN_USE

    def test_where_two_meet_lifting_one_restores_nothing(self, quay, critic):
        find_excerpts(quay, critic)
        one, two = out(critic, ("1", "")), out(critic, ("1", "2"), reason="wider")
        assert (one.rejected, two.rejected) == (1, 1)
        assert lift(one.exclusion, by=None, now=NOW) == 0
        assert lift(two.exclusion, by=None, now=NOW) == 2
        assert len(in_use(critic)) == 2

    def test_what_was_rejected_by_hand_stays_rejected(self, quay, critic):
        find_excerpts(quay, critic)
        first = critic.excerpts.order_by("start").first()
        reject(first, reason="by hand", by=None, now=NOW)
        made = out(critic, ("1", "2"))
        assert made.rejected == 1
        assert lift(made.exclusion, by=None, now=NOW) == 1
        assert in_use(critic) == ["He said t"]

    def test_one_excerpt_cannot_be_restored_out_of_it(self, quay, critic):
        find_excerpts(quay, critic)
        out(critic, ("1", ""))
        held = critic.excerpts.get(standing=Standing.REJECTED)
        with pytest.raises(
            BadInput, match=r"excluded from its source \(a reprint\); lift that exclusion first"
        ):
            restore(held, reason="but", by=None, now=NOW)

    def test_twice_is_refused_both_ways(self, critic):
        made = out(critic, ("1", "2"))
        with pytest.raises(BadInput, match="excluded already"):
            out(critic, ("1", "2"))
        lift(made.exclusion, by=None, now=NOW)
        with pytest.raises(BadInput, match="lifted before"):
            lift(made.exclusion, by=None, now=NOW)
        assert out(critic, ("1", "2")).exclusion.pk != made.exclusion.pk


class TestWholeSources:
    def test_the_search_is_refused_with_the_reason(self, quay, critic):
        find_excerpts(quay, critic)
        made = out(critic, book=quay, reason="an edition")
        assert made.rejected == 2
        with pytest.raises(BadInput, match=r'"critic" is excluded from the book "quay" \(an edition\); lift'):
            find_excerpts(quay, critic)
        assert lift(made.exclusion, by=None, now=NOW) == 2

    def test_excerpts_without_a_place_in_the_source_go_too(self):
        source = builders.source(text="")
        excerpt = builders.excerpt(builders.book(), source)
        assert out(source).rejected == 1
        excerpt.refresh_from_db()
        assert excerpt.standing == Standing.REJECTED


class TestFindingAgain:
    def test_a_rejected_quotation_is_known_and_stays_rejected(self, quay, critic, capsys):
        find_excerpts(quay, critic)
        reject(critic.excerpts.first(), reason="no", by=None, now=NOW)
        again = find_excerpts(quay, critic)
        assert (again.new, again.known, again.set_aside) == (0, 2, 1)
        assert len(in_use(critic)) == 1
        call_command("find_excerpts", "--book=quay", "--source=critic")
        assert "Of the known ones, rejected by staff: 1." in capsys.readouterr().out

    def test_the_comparison_is_replaced(self, quay, critic):
        find_excerpts(quay, critic, now=NOW)
        find_excerpts(quay, critic, now=NOW + timedelta(days=1))
        row = Comparison.objects.get()
        assert row.found == 2
        assert row.at == NOW + timedelta(days=1)
        assert all(critic.text[start:end].strip() for start, end, _ in row.dropped)


class TestPlaces:
    TEXT = "One. Two is here.\n\nTwo again; and on.\n\nThree."

    @pytest.mark.parametrize(
        ("first", "last", "words"),
        [
            ("1", "", "One. Two is here."),
            ("1.2", "", "Two is here."),
            ("1", "3", TEXT),
            ("1.2", "2.1", "Two is here.\n\nTwo again;"),
            (" 3 ", "3", "Three."),
        ],
    )
    def test_paragraphs_and_sentences(self, first, last, words):
        start, end = span(self.TEXT, first, last)
        assert self.TEXT[start:end] == words

    @pytest.mark.parametrize(
        ("first", "last", "field", "sentence"),
        [
            ("4", "", "first", "There is no paragraph 4: the source has 1 to 3."),
            ("0", "", "first", "There is no paragraph 0"),
            ("1.3", "", "first", "Paragraph 1 has no sentence 3: it has 1 to 2."),
            ("x", "", "first", "“x” is no place"),
            ("", "2", "first", "“” is no place"),
            ("1", "2.x", "last", "“2.x” is no place"),
            ("3", "1", "last", "1 stands before 3"),
        ],
    )
    def test_no_place(self, first, last, field, sentence):
        with pytest.raises(BadInput, match=sentence) as refused:
            span(self.TEXT, first, last)
        assert refused.value.field == field

    def test_they_hold_every_word(self):
        assert (
            "".join(self.TEXT[a:b] for a, b in paragraphs(self.TEXT)).split()
            == self.TEXT.replace("\n\n", "").split()
        )


class TestPages:
    def test_exclude_and_lift(self, as_user, stan, quay, critic):
        find_excerpts(quay, critic)
        browser = as_user(stan)
        response = browser.post(
            "/sources/critic/exclude/",
            {"first": "2", "last": "", "book": "quay", "reason": "letters"},
            follow=True,
        )
        text = response.content.decode()
        assert "Excluded. Excerpts rejected by it: 1." in text
        assert "letters" in text
        row = Exclusion.objects.get()
        assert (row.by, row.book) == (stan, quay)
        assert (
            "Excerpts in use again: 1."
            in browser.post(f"/exclusions/{row.pk}/lift/", follow=True).content.decode()
        )
        assert "lifted before" in browser.post(f"/exclusions/{row.pk}/lift/", follow=True).content.decode()

    @pytest.mark.parametrize(
        ("sent", "field"),
        [
            ({"first": "99", "reason": "x"}, "first"),
            ({"first": "1", "last": "99", "reason": "x"}, "last"),
            ({"first": "1", "reason": ""}, "reason"),
            ({"book": "unknown", "reason": "x"}, "book"),
        ],
    )
    def test_refused_beside_its_field(self, as_user, stan, critic, sent, field):
        response = as_user(stan).post("/sources/critic/exclude/", sent)
        assert response.status_code == 422
        assert list(response.context["form"].errors) == [field]
        assert not Exclusion.objects.exists()

    def test_dora_sees_what_is_excluded_and_cannot_lift_it(self, as_user, dora, critic):
        out(critic, ("1", ""))
        text = as_user(dora).get("/sources/critic/matches/").content.decode()
        assert "a reprint" in text
        assert "in force" in text
        assert "lift/" not in text

    def test_numbers_stand_beside_the_paragraphs(self, as_user, stan, critic):
        text = as_user(stan).get("/sources/critic/?paragraph=2").content.decode()
        assert text.count("data-number=") == len(paragraphs(critic.text)) == 3
        assert '<p id="p2" data-number="2">' in text


def test_importing_again_changes_nothing_of_this(quay, critic):
    out(critic, ("1", ""))
    assert not import_source(ESSAY.encode(), name="e", slug="critic", citation="Critic 1911").created
    assert Exclusion.objects.count() == 1
