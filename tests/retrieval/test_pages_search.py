"""/books/<slug>/search/: a claim in the address, passages with their places on the page."""

import re

import pytest

from retrieval.search import evidence as searching
from retrieval.search import patience
from tests import builders

pytestmark = pytest.mark.django_db
URL = "/books/boats/search/"
HTMX = {"HX-Request": "true"}


@pytest.fixture(autouse=True)
def nothing_prepared():
    patience.index_cache.clear()


@pytest.fixture
def boats(db):
    return builders.book()


@pytest.fixture
def browser(as_user, dora, boats):
    return as_user(dora)


def ask(browser, claim="the TARRED boats", headers=None, **more):
    return browser.get(URL, {"claim": claim, **more}, headers=headers or {})


def test_the_page_before_anything_is_asked(browser):
    page = browser.get(URL)
    text = page.content.decode()
    assert page.status_code == 200
    assert "Write a claim about the book" in text
    assert "24 sentences" in text
    assert "data-takes-focus" not in text


def test_passages_with_rank_score_and_place(browser, boats):
    page = ask(browser, size=2)
    hits = page.context["hits"]
    text = page.content.decode()
    assert hits == searching.search(boats, "the TARRED boats", size=2, k=20)
    first = hits[0]
    assert f'href="/books/boats/?at={first.first}&amp;size=2#s{first.first}"' in text
    assert f"sentences {first.first + 1} to {first.first + 2}" in text
    assert f"score {first.score:.4g}" in text
    assert "among all 23 passages of 2 sentences" in text
    assert text.count('class="option"') == len(hits)


def test_the_link_leads_to_the_passage_marked(browser):
    text = ask(browser).content.decode()
    link = re.search(r'href="(/books/boats/\?at=[^"#]+)#s(\d+)"', text)
    place = browser.get(link[1].replace("&amp;", "&")).content.decode()
    marked = re.search(r"<mark[^>]*>(.*?)</mark>", place, re.S)
    assert "tarred" in marked[1]


def test_the_heading_above_is_said(browser, boats):
    book = builders.book("chapters", ["CHAPTER I", "The grey lamp burns.", *builders.SENTENCES])
    book.headings, book.sentences = [book.sentences[0]], book.sentences[1:]
    book.n_sentences -= 1
    book.save()
    text = browser.get("/books/chapters/search/", {"claim": "burns"}).content.decode()
    assert "CHAPTER I" in text


def test_a_claim_is_enough_and_an_address_is_a_search(browser):
    one, two = ask(browser), ask(browser, size=1, ranker="bm25")
    assert one.context["hits"] == two.context["hits"]
    assert one.context["form"]["claim"].value() == "the TARRED boats"


def test_htmx_gets_the_passages_alone_and_the_count_for_the_ear(browser):
    text = ask(browser, headers=HTMX).content.decode()
    assert "<form" not in text
    assert "<html" not in text
    assert re.search(r'id="status" hx-swap-oob="innerHTML">\d+ passages? found\.<', text)
    assert "<title>the TARRED boats · Search The Boats · Variorum</title>" in text


@pytest.mark.parametrize(
    ("asked", "sentence"),
    [
        ({"claim": ""}, "Write what the passages should be evidence for."),
        ({"claim": "  "}, "Write what the passages should be evidence for."),
        ({"claim": "?!…"}, "The claim has no word"),
        ({"claim": "zeppelin"}, "No word of the claim occurs in The Boats"),
        ({"claim": "x" * 1501}, "at most 1500 characters"),
        ({"size": "0"}, "greater than or equal to 1"),
        ({"size": "21"}, "less than or equal to 20"),
        ({"size": "two"}, "Enter a whole number."),
        ({"ranker": "oracle"}, "oracle is not one of the available choices"),
    ],
)
@pytest.mark.parametrize("headers", [{}, HTMX])
def test_a_refusal_is_one_sentence_that_takes_the_focus(browser, asked, sentence, headers):
    page = ask(browser, headers=headers, **asked)
    text = page.content.decode()
    assert page.status_code == 422
    assert sentence in text
    assert "data-takes-focus" in text
    assert page.context["hits"] is None


def test_a_passage_longer_than_the_book(browser):
    builders.book("short", ["One lamp.", "Two lamps."])
    page = browser.get("/books/short/search/", {"claim": "lamps", "size": 3})
    assert "there is no passage of 3" in page.content.decode()


def test_what_is_typed_is_no_markup(browser):
    text = ask(browser, claim="<script>boats</script>").content.decode()
    assert "<script>boats" not in text


@pytest.mark.parametrize("name", ["ada", "eve"])
def test_annotators_find_nothing(as_user, request, boats, name):
    browser = as_user(request.getfixturevalue(name))
    assert ask(browser).status_code == 404


def test_signed_out_comes_back_to_the_search(client, boats):
    page = client.get(f"{URL}?claim=lamps")
    assert page["Location"] == f"/login/?next={URL}%3Fclaim%3Dlamps"


def test_an_unknown_book_and_a_post(browser):
    assert browser.get("/books/ships/search/").status_code == 404
    assert browser.post(URL, {"claim": "lamps"}).status_code == 405


def test_at_most_twelve_queries(browser, django_assert_max_num_queries):
    with django_assert_max_num_queries(12):
        ask(browser)


def test_the_book_has_a_box_that_leads_here(browser):
    text = browser.get("/books/boats/").content.decode()
    assert f'<form class="filters" method="get" action="{URL}">' in text
    assert 'name="claim"' in text
