"""What is set aside, how staff sort it otherwise, and what the text keeps of it."""

import json
from itertools import pairwise

import pytest

from common.errors import BadInput
from retrieval.curating.corrections import correct, current_layout, why_not
from retrieval.engine.text.corrections import LEFT_OUT, corrected, segment_corrected
from retrieval.engine.text.layout import HEADING, PROSE, parts
from retrieval.engine.text.sentences import segment
from retrieval.loading import find_excerpts, import_book, import_relic
from retrieval.models import Book
from tests import builders

pytestmark = pytest.mark.django_db


def at(text, words):
    return text.index(words)


def tiled(text, found):
    spans = sorted([*found.sentences, *found.headings, *((a, b) for a, b, _ in found.left_out)])
    assert all(one[1] <= two[0] for one, two in pairwise(spans))
    return "".join("".join(text[a:b].split()) for a, b in spans) == "".join(text.split())


class TestTheHeart:
    TEXT = (
        "CHAPTER I\n\nOne day it rained. It rained.\n\nNOBODY CAME\n\nThen it stopped.\n\n* * *\n\nThe sun."
    )

    def kinds(self, corrections):
        return [part.kind for part in corrected(self.TEXT, parts(self.TEXT), corrections)]

    def test_nothing_corrected_is_the_rule(self):
        assert segment_corrected(self.TEXT, {}) == segment(self.TEXT)

    @pytest.mark.parametrize(
        ("words", "kind"),
        [
            ("NOBODY", PROSE),
            ("Then it", HEADING),
            ("One day", LEFT_OUT),
            ("CHAPTER", LEFT_OUT),
            ("The sun", HEADING),
        ],
    )
    def test_a_paragraph_changes_and_the_text_stays_tiled(self, words, kind):
        corrections = {at(self.TEXT, words): kind}
        found = segment_corrected(self.TEXT, corrections)
        assert tiled(self.TEXT, found)
        changed = [a != b for a, b in zip(self.kinds({}), self.kinds(corrections), strict=True)]
        assert changed.count(True) == 1
        read = {PROSE: found.sentences, HEADING: found.headings, LEFT_OUT: found.left_out}[kind]
        assert any(self.TEXT[span[0] :].startswith(words) for span in read)

    def test_two_sentences_become_one_heading(self):
        before, after = segment(self.TEXT), segment_corrected(self.TEXT, {at(self.TEXT, "One day"): HEADING})
        assert len(after.sentences) == len(before.sentences) - 2
        assert len(after.headings) == len(before.headings) + 1

    @pytest.mark.parametrize(
        ("corrections", "sentence"),
        [
            ({3: HEADING}, "No paragraph begins at character 3"),
            ({0: "poem"}, "cannot be 'poem'; it is one of: prose, heading, by hand"),
            ({0: "index"}, "cannot be 'index'"),
        ],
    )
    def test_what_is_no_correction(self, corrections, sentence):
        with pytest.raises(BadInput, match=sentence):
            segment_corrected(self.TEXT, corrections)

    def test_an_ornament_is_no_sentence(self):
        with pytest.raises(BadInput, match="has no letter and no digit"):
            segment_corrected(self.TEXT, {at(self.TEXT, "* * *"): PROSE})


class TestBooks:
    def test_a_heading_becomes_text_and_back(self, quay):
        start = at(quay.text, "CHAPTER II")
        done = correct(quay, {start: PROSE})
        assert (done.before, done.book.n_sentences) == (6, 7)
        assert done.book.corrections == [[start, PROSE]]
        assert done.book.revision == 1
        assert quay.text[slice(*done.book.sentences[4])] == "CHAPTER II"
        back = correct(done.book, {start: HEADING}).book
        assert (back.n_sentences, back.corrections, back.revision) == (6, [], 2)
        assert back.sentences == quay.sentences

    def test_corrections_add_up_and_can_be_made_again(self, quay):
        one, two = at(quay.text, "In the morning"), at(quay.text, "CHAPTER II")
        correct(quay, {one: LEFT_OUT})
        book = correct(quay, {two: LEFT_OUT}).book
        assert book.corrections == [[two, LEFT_OUT], [one, LEFT_OUT]]
        again = segment_corrected(book.text, dict(book.corrections))
        assert again.sentences == book.bounds()
        assert [list(part) for part in again.left_out] == book.left_out
        assert tiled(book.text, again)
        assert [part.kind for part in current_layout(book)].count(LEFT_OUT) == 2

    def test_not_once_an_excerpt_points_at_it(self, quay, critic):
        find_excerpts(quay, critic)
        sentence = "The sentences of “The Quay” are fixed: 2 excerpts and 0 jobs point at them."
        with pytest.raises(BadInput, match=sentence):
            correct(quay, {0: PROSE})
        assert Book.objects.get().revision == 0

    def test_an_excerpt_found_meanwhile_in_the_old_sentences_is_refused(self, quay, critic):
        stale = Book.objects.get(pk=quay.pk)
        correct(quay, {0: PROSE})
        with pytest.raises(BadInput, match='sentences of the book "quay" were corrected meanwhile'):
            find_excerpts(stale, critic)
        assert not critic.excerpts.exists()
        assert find_excerpts(Book.objects.get(), critic).excerpts[0].first == 1

    @pytest.mark.parametrize("changes", [{}, {0: HEADING}])
    def test_no_change(self, quay, changes):
        with pytest.raises(BadInput, match="Every paragraph is what it was"):
            correct(quay, changes)

    def test_at_least_one_sentence_is_left(self, quay):
        with pytest.raises(BadInput, match="No sentence would be left"):
            correct(quay, {part.start: LEFT_OUT for part in parts(quay.text)})
        assert Book.objects.get().n_sentences == 6

    def test_relics_sentences_are_its_own(self):
        sentences = ["So it began and ", "it went on ", "until it ended. "]
        sizes = {f"{size}_sentence": [*range(max(0, 4 - size))] for size in range(1, 6)}
        import_relic(
            json.dumps({"quay": {"sentences": sentences, "quotes": {}, "candidates": sizes}}), name="r"
        )
        assert "they came with RELiC’s file" in why_not(Book.objects.get())
        with pytest.raises(BadInput, match="are not those the rules find"):
            correct(Book.objects.get(), {0: HEADING})

    def test_importing_again_keeps_them(self, quay):
        from tests.retrieval.quay import NOVEL

        correct(quay, {0: LEFT_OUT})
        again = import_book(
            NOVEL.encode(), name="q", slug="quay", title="The Quay", author="A. Author", year=1891
        )
        assert not again.created
        assert again.book.corrections == [[0, LEFT_OUT]]


class TestPages:
    URL = "/books/quay/parts/"

    def test_shows_what_is_no_sentence(self, as_user, dora, quay):
        text = as_user(dora).get(self.URL).content.decode()
        assert "CHAPTER II" in text
        assert "<select" not in text
        assert "6 sentences, 2 headings, 0 other parts set aside" in text

    def test_dora_changes_nothing(self, as_user, dora, quay):
        assert as_user(dora).post(self.URL, {"kind-0": PROSE}).status_code == 404
        assert Book.objects.get().revision == 0

    def test_change_a_heading_and_another_paragraph(self, as_user, stan, quay):
        browser = as_user(stan)
        start = at(quay.text, "In the morning")
        sent = {"kind-0": LEFT_OUT, "sentence": 5, "becomes": HEADING}
        text = browser.post(self.URL, sent, follow=True).content.decode()
        assert "The book has 4 sentences now; it had 6." in text
        assert Book.objects.get().corrections == [[0, LEFT_OUT], [start, HEADING]]
        assert text.count(">by hand</span>") == 2

    @pytest.mark.parametrize(
        ("sent", "field"),
        [
            ({"sentence": 99, "becomes": HEADING}, "sentence"),
            ({"sentence": 2}, "becomes"),
            ({"becomes": HEADING}, "sentence"),
            ({"kind-0": "poem"}, "kind-0"),
            ({"kind-0": HEADING}, "__all__"),
        ],
    )
    def test_refused_beside_its_field(self, as_user, stan, quay, sent, field):
        response = as_user(stan).post(self.URL, sent)
        assert response.status_code == 422
        assert list(response.context["form"].errors) == [field]
        assert Book.objects.get().revision == 0

    def test_says_why_it_cannot_be_changed(self, as_user, stan):
        book = builders.book()
        builders.excerpt(book, builders.source())
        url = f"/books/{book.slug}/parts/"
        text = as_user(stan).get(url).content.decode()
        assert "are fixed: 1 excerpt and 0 jobs point at them" in text
        assert "<select" not in text
        response = as_user(stan).post(url, {"sentence": 2, "becomes": HEADING})
        assert response.status_code == 422
        assert "are fixed" in response.content.decode()
