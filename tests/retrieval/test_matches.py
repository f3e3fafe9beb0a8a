"""Who quotes what how often, what was not taken, and taking it anyway."""

from datetime import UTC, datetime

import pytest
from django.urls import reverse

from common.errors import BadInput
from retrieval.candidates import submitting
from retrieval.curating import taking
from retrieval.curating.excerpts import reject
from retrieval.curating.exclusions import exclude
from retrieval.curating.taking import suggest_places, take
from retrieval.engine.quotations import matching
from retrieval.engine.text.passages import Passage
from retrieval.loading import find_excerpts
from retrieval.models import Act, Curation, Excerpt, Standing
from retrieval.texts import matches
from retrieval.views import matches as matches_views
from tests import builders

pytestmark = pytest.mark.django_db
NOW = datetime(2026, 11, 20, 9, 0, tzinfo=UTC)
SAIL = "found asleep behind the sail loft"


def sail(source):
    start = source.text.index(SAIL)
    return start, start + len(SAIL)


@pytest.fixture
def compared(quay, critic):
    find_excerpts(quay, critic)
    return quay, critic


class TestNumbers:
    def test_a_row_a_pair(self, compared):
        quay, critic = compared
        builders.excerpt(quay, builders.source("relic", "A Dictionary of Quays", text=""))
        ours, theirs = sorted(matches.matches(), key=lambda row: row.source.slug)
        assert (ours.in_use, ours.rejected, ours.excluded) == (2, 0, "")
        assert ours.n_dropped == sum(count for _, count in ours.dropped) >= 1
        assert ("fewer than 10 words and punctuation marks", 1) in ours.dropped
        assert ours.doubts == ["very few quotations"]
        assert (theirs.compared, theirs.dropped) == (None, [])
        assert theirs.doubts == ["very few quotations", "its title says dictionary"]
        assert [row.source for row in matches.matches(critic)] == [critic]

    def test_what_staff_decided_shows(self, compared):
        _, critic = compared
        reject(critic.excerpts.first(), reason="no", by=None, now=NOW)
        [row] = matches.matches()
        assert (row.in_use, row.rejected) == (1, 1)
        exclude(critic, book=None, span=None, reason="an edition", by=None, now=NOW)
        [row] = matches.matches()
        assert (row.in_use, row.rejected, row.excluded) == (0, 2, "an edition")

    def test_hundreds_may_be_an_edition(self, db):
        book, source = builders.book(), builders.source()
        one = builders.excerpt(book, source)
        fields = {"left": ["x"], "right": [], "first": 1, "size": 1}
        Excerpt.objects.bulk_create(
            Excerpt(source=source, book=book, digest=f"{number:064}", **fields) for number in range(200)
        )
        assert matches.matches()[0].doubts == ["so many quotations that it may be an edition"]
        one.delete()
        assert matches.matches()[0].doubts == []

    def test_drops_are_slices_of_the_source(self, compared):
        _, critic = compared
        dropped = matches.drops(critic, critic.comparisons.all())
        [short] = [each for each in dropped if each.reason == "too-short"]
        assert short.printed == critic.text[short.start : short.end] == SAIL
        assert (short.paragraph, short.taken) == (3, None)
        assert short.label == "fewer than 10 words and punctuation marks"
        assert matches.drops(critic, critic.comparisons.all(), "too-short") == [short]
        assert matches.drops(critic, critic.comparisons.all(), "reprint") == []


class TestTaking:
    def test_makes_an_excerpt_with_its_context(self, compared, stan):
        quay, critic = compared
        made = take(quay, critic, sail(critic), Passage(1, 1), reason="his own words", by=stan, now=NOW)
        assert (made.printed, made.first, made.size) == (SAIL, 1, 1)
        assert made.left[-1] == "That he was"
        assert made.right[0] == "proves nothing."
        assert 0 < made.score < 80
        row = Curation.objects.get()
        assert (row.excerpt, row.act, row.reason, row.by) == (made, Act.TAKEN, "his own words", stan)
        assert submitting.submit(quay, ranker="bm25", parameters={}).total == 3
        [drop] = matches.drops(critic, critic.comparisons.all(), "too-short")
        assert drop.taken == made

    def test_looking_again_keeps_it(self, compared):
        quay, critic = compared
        take(quay, critic, sail(critic), Passage(1, 1), reason="x", by=None, now=NOW)
        again = find_excerpts(quay, critic)
        assert (again.new, again.known) == (0, 2)
        assert critic.excerpts.in_use().count() == 3

    @pytest.mark.parametrize(
        ("place", "sentence"),
        [
            (Passage(99, 1), "There is no sentence 100"),
            (Passage(0, 99), "The length is 99"),
            (Passage(5, 9), "ends at sentence 14"),
        ],
    )
    def test_a_gold_outside_the_book(self, compared, place, sentence):
        quay, critic = compared
        with pytest.raises(BadInput, match=sentence):
            take(quay, critic, sail(critic), place, reason="x", by=None, now=NOW)
        assert Excerpt.objects.count() == 2

    def test_an_excerpt_is_not_taken_twice(self, compared):
        quay, critic = compared
        first = critic.excerpts.first()
        with pytest.raises(BadInput, match=rf"excerpt {first.pk} already \(in use\); change that one"):
            take(quay, critic, (first.start + 3, first.end), Passage(1, 1), reason="x", by=None, now=NOW)
        reject(first, reason="no", by=None, now=NOW)
        with pytest.raises(BadInput, match=rf"excerpt {first.pk} already \(rejected\)"):
            take(quay, critic, (first.start + 3, first.end), Passage(1, 1), reason="x", by=None, now=NOW)

    def test_not_out_of_what_is_excluded(self, compared):
        quay, critic = compared
        exclude(critic, book=quay, span=sail(critic), reason="a letter", by=None, now=NOW)
        with pytest.raises(BadInput, match=r"excluded from the source \(a letter\); lift"):
            take(quay, critic, sail(critic), Passage(1, 1), reason="x", by=None, now=NOW)

    @pytest.mark.parametrize("span", [(5, 5), (9, 3), (-1, 4), (0, 10**6)])
    def test_no_words_there(self, compared, span):
        quay, critic = compared
        with pytest.raises(BadInput, match="There are no words at this place"):
            take(quay, critic, span, Passage(1, 1), reason="x", by=None, now=NOW)

    def test_nothing_around_it(self, quay):
        source = builders.source("bare", "Bare 1900", text=SAIL)
        with pytest.raises(BadInput, match="no context to read"):
            take(quay, source, (0, len(SAIL)), Passage(1, 1), reason="x", by=None, now=NOW)

    def test_the_right_place_is_suggested_first(self, compared):
        quay, _ = compared
        first = suggest_places(quay, SAIL)[0]
        assert first.first == 1
        assert SAIL in first.text
        assert suggest_places(quay, "xyzzy plugh") == []

    def test_what_is_too_long_is_not_compared(self, compared, monkeypatch):
        """A comparison takes time in proportion to both lengths, and this one is made in a request."""
        quay, critic = compared
        monkeypatch.setattr(matching, "LONGEST_COMPARED", len(SAIL))
        with pytest.raises(BadInput, match=r"is too long to be compared: choose at most 33 in the source"):
            take(quay, critic, sail(critic), Passage(1, 1), reason="x", by=None, now=NOW)


class TestPages:
    def test_a_stretch_that_is_no_quotation_is_refused_before_anything_is_read(
        self, as_user, stan, compared, monkeypatch
    ):
        monkeypatch.setattr(matches_views, "LONGEST_COMPARED", 40)
        monkeypatch.setattr(taking, "context_around", None)
        response = as_user(stan).get("/sources/critic/take/quay/0-41/", follow=True)
        assert "41 characters are no quotation: at most 40 can be taken." in response.text

    def test_take_it_anyway(self, as_user, stan, compared):
        _, critic = compared
        browser = as_user(stan)
        url = reverse("retrieval:take", args=["critic", "quay", *sail(critic)])
        assert f'href="{url}"' in browser.get("/sources/critic/matches/").content.decode()
        page = browser.get(url)
        assert f"<mark>{SAIL}</mark>" in page.content.decode()
        response = browser.post(url, {"first": 2, "size": 1, "reason": "his own words"})
        made = Excerpt.objects.get(first=1, printed=SAIL)
        assert response["Location"] == made.get_absolute_url()
        after = browser.get("/sources/critic/matches/").content.decode()
        assert f'href="{url}"' not in after
        assert f">Excerpt {made.pk}</a>" in after

    @pytest.mark.parametrize(
        ("sent", "field"),
        [
            ({"first": 7, "size": 1, "reason": "x"}, "first"),
            ({"first": 6, "size": 2, "reason": "x"}, "size"),
            ({"first": 2, "size": 1, "reason": ""}, "reason"),
        ],
    )
    def test_refused_beside_its_field(self, as_user, stan, compared, sent, field):
        url = reverse("retrieval:take", args=["critic", "quay", *sail(compared[1])])
        assert compared[0].n_sentences == 6
        response = as_user(stan).post(url, sent)
        assert response.status_code == 422
        assert list(response.context["form"].errors) == [field]

    @pytest.mark.parametrize("place", [(9, 3), (0, 10**7)])
    def test_no_such_place_in_the_source(self, as_user, stan, compared, place):
        url = reverse("retrieval:take", args=["critic", "quay", *place])
        assert as_user(stan).get(url).status_code == 404

    def test_filters(self, as_user, dora, compared):
        browser = as_user(dora)
        whole = browser.get("/sources/critic/matches/").context["page"].paginator.count
        assert whole == sum(row.n_dropped for row in matches.matches())
        assert browser.get("/sources/critic/matches/?reason=too-short").context["page"].paginator.count == 1
        assert browser.get("/sources/critic/matches/?book=other").context["page"].paginator.count == 0
        assert "not taken" in browser.get("/sources/critic/matches/").content.decode()

    def test_a_source_that_was_never_compared(self, as_user, dora, critic):
        text = as_user(dora).get("/sources/critic/matches/").content.decode()
        assert "It has not been compared with a book yet." in text
        assert "No source has been compared" in as_user(dora).get("/matches/").content.decode()

    def test_rejected_ones_are_counted_and_led_to(self, as_user, dora, compared):
        reject(compared[1].excerpts.first(), reason="no", by=None, now=NOW)
        text = as_user(dora).get("/matches/").content.decode()
        assert f"standing={Standing.REJECTED}" in text
