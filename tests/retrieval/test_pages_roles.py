"""Who may open what, beside test_A01_matrix: staff change, scholars read, others find nothing there."""

import re

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.urls import reverse
from django.utils import timezone

from retrieval.candidates import submitting
from retrieval.models import CandidateJob, Comparison, Exclusion, Status
from tests import builders

pytestmark = pytest.mark.django_db

READ = [
    *("books", "book", "search", "book_parts", "sources", "source", "source_matches", "matches"),
    *("excerpts", "excerpt", "jobs", "job", "collection", "deletions"),
]
STAFF_FORMS = [
    *("import_book", "import_source", "import_relic", "find_excerpts", "find_many", "generate"),
    *("exclude", "take", "excerpt_borders", "book_delete", "source_delete", "excerpt_delete"),
]
STAFF_PAGES = ["launch"]
STAFF_ACTS = ["job_cancel", "job_retry", "excerpt_reject", "excerpt_restore", "lift"]


@pytest.fixture
def urls():
    """One address of every page, each of something that exists."""
    book, source = builders.book(), builders.source()
    excerpt = builders.excerpt(book, source)
    job = submitting.submit(book, ranker="bm25", parameters={})
    found = {"found": 1, "dropped": [[3, 8, "too-short"]], "code_version": "test", "at": timezone.now()}
    Comparison.objects.create(book=book, source=source, **found)
    exclusion = Exclusion.objects.create(source=source, start=0, end=2, reason="title", at=timezone.now())
    args = {
        **{name: [book.slug] for name in ("book", "book_parts", "generate", "search", "book_delete")},
        **{name: [source.slug] for name in ("source", "source_matches", "find_excerpts", "exclude")},
        "source_delete": [source.slug],
        **{name: [job.pk] for name in ("job", "job_progress", "job_cancel", "job_retry")},
        **{f"excerpt{act}": [excerpt.pk] for act in ("", "_borders", "_reject", "_restore", "_delete")},
        "take": [source.slug, book.slug, 3, 8],
        "lift": [exclusion.pk],
    }
    names = [*READ, "job_progress", *STAFF_FORMS, *STAFF_PAGES, *STAFF_ACTS]
    return {name: reverse(f"retrieval:{name}", args=args.get(name, [])) for name in names}


def seen(response):
    """A page without the token that is new in each."""
    return re.sub(r'csrfmiddlewaretoken" value="\w+"|X-CSRFToken": "\w+"', "", response.content.decode())


def test_signed_out_goes_to_the_sign_in_page_and_comes_back(client, urls):
    for url in urls.values():
        response = client.get(url)
        assert response.status_code == 302
        assert response["Location"] == f"{reverse('login')}?next={url}"


@pytest.mark.parametrize("name", ["ada", "eve"])
def test_annotators_meet_the_same_page_as_where_nothing_is(as_user, request, urls, name):
    browser = as_user(request.getfixturevalue(name))
    unknown = browser.get("/jobs/987654/")
    for url in urls.values():
        for verb in (browser.get, browser.post):
            response = verb(url)
            assert response.status_code == 404, url
            assert seen(response) == seen(unknown), url


def test_acts_are_posts_of_staff(as_user, dora, stan, urls):
    for page in STAFF_ACTS:
        assert as_user(stan).get(urls[page]).status_code == 405, page
        assert as_user(dora).post(urls[page]).status_code == 404, page
    assert CandidateJob.objects.get().status == Status.QUEUED


def test_dora_sees_no_button_that_she_cannot_use(as_user, dora, urls):
    browser = as_user(dora)
    for page in READ:
        text = browser.get(urls[page]).content.decode()
        for staff_only in [*STAFF_FORMS, *STAFF_PAGES, *STAFF_ACTS]:
            assert urls[staff_only] not in text, (page, staff_only)


def test_staff_finds_every_form_by_links(as_user, stan, urls):
    browser = as_user(stan)
    text = "".join(browser.get(urls[page]).content.decode() for page in READ)
    for form in [*STAFF_FORMS, *STAFF_PAGES, "job_cancel", "excerpt_reject", "lift"]:
        assert urls[form] in text, form


def test_a_form_without_its_token_is_refused(stan, urls):
    from django.test import Client

    browser = Client(enforce_csrf_checks=True)
    browser.force_login(stan)
    assert browser.post(urls["job_cancel"]).status_code == 403
    assert CandidateJob.objects.get().status == Status.QUEUED


def test_at_most_twelve_queries_a_page(as_user, stan, urls, django_assert_max_num_queries):
    for number in range(2, 9):
        more = builders.book(f"more-{number}", title=f"More {number}")
        builders.excerpt(more, builders.source(f"critic-{number}", f"Critic 19{number:02}"))
        submitting.submit(more, ranker="bm25", parameters={})
    browser = as_user(stan)
    for page in (*READ, *STAFF_FORMS, *STAFF_PAGES):
        with django_assert_max_num_queries(12, info=page):
            browser.get(urls[page])


def test_no_list_reads_a_text(as_user, stan, urls):
    browser = as_user(stan)
    with CaptureQueriesContext(connection) as queries:
        for page in ("books", "sources", "excerpts", "jobs", "matches"):
            browser.get(urls[page])
    asked = " ".join(query["sql"] for query in queries)
    assert '"text"' not in asked
    assert '"sentences"' not in asked
