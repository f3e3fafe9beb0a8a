"""A01: who gets what at every address. What is foreign looks exactly like what does not exist.

The table names every route of the URLconf; a new one without its row fails. Replies to
GET and to an empty POST, in the order of CAST:

- Ada holds the place and Ben reads in the same study; Cleo adjudicates in it.
- Dora directs the study; Fay may set studies up, but directs none.
- Stan is staff, Eve is enrolled elsewhere.
"""

from __future__ import annotations

from functools import cache
from http.cookies import SimpleCookie

import pytest
from django.db import transaction
from django.urls import reverse

from tests.drawn import without_drawn
from tests.routes import routes
from tests.thorough import thorough
from tests.variorum.headers import assert_strict
from tests.variorum.whole_site import ARGS, browser_of

pytestmark = pytest.mark.django_db
CAST = ("anon", "ada", "ben", "cleo", "dora", "fay", "stan", "eve")
TABLE: dict[str, tuple[str, str]] = {
    "home": ("302 200 200 200 200 200 200 200", "405 405 405 405 405 405 405 405"),
    "login": ("200 302 302 302 302 302 302 302", "200 302 302 302 302 302 302 302"),
    "logout": ("405 405 405 405 405 405 405 405", "302 302 302 302 302 302 302 302"),
    "password": ("302 200 200 200 200 200 200 200", "302 422 422 422 422 422 422 422"),
    "new_password": ("200 200 200 200 200 200 200 200", "403 403 403 403 403 403 403 403"),
    "new_password_by": ("302 302 302 302 302 302 302 302", "302 302 302 302 302 302 302 302"),
    "signin_by": ("302 302 302 302 302 302 302 302", "302 302 302 302 302 302 302 302"),
    "signin": ("200 200 200 200 200 200 200 200", "403 403 403 403 403 403 403 403"),
    "signin_before": ("403 403 403 403 403 403 403 403", "405 405 405 405 405 405 405 405"),
    "api:page": ("200 200 200 200 200 200 200 200", "405 405 405 405 405 405 405 405"),
    "api:schema": ("200 200 200 200 200 200 200 200", "405 405 405 405 405 405 405 405"),
    "api:qrels": ("401 404 404 404 400 404 404 404", "401 405 405 405 405 405 405 405"),
    "api:next": ("401 405 405 405 405 405 405 405", "401 200 200 204 204 404 404 404"),
    "api:judgment": ("401 405 405 405 405 405 405 405", "401 400 404 404 404 404 404 404"),
    "api:take_back": ("401 405 405 405 405 405 405 405", "401 400 404 404 404 404 404 404"),
    "api:keep": ("401 405 405 405 405 405 405 405", "401 409 404 404 404 404 404 404"),
    **{
        f"api:{name}-{part}": ("401 403 403 403 200 200 200 403", "401 403 403 403 405 405 405 403")
        for name in ("books", "sources")
        for part in ("list", "detail")
    },
    "api:search": ("401 403 403 403 400 400 400 403", "401 403 403 403 405 405 405 403"),
    "api:jobs-list": ("401 403 403 403 200 200 200 403", "401 403 403 403 403 403 400 403"),
    "api:jobs-detail": ("401 403 403 403 200 200 200 403", "401 403 403 403 403 403 405 403"),
    "api:jobs-cancel": ("401 403 403 403 405 405 405 403", "401 403 403 403 403 403 200 403"),
    "api:trainings-list": ("401 403 403 403 403 403 200 403", "401 403 403 403 403 403 405 403"),
    "api:trainings-detail": ("401 403 403 403 403 403 200 403", "401 403 403 403 403 403 405 403"),
    "api:loadings-list": ("401 403 403 403 403 403 200 403", "401 403 403 403 403 403 405 403"),
    "api:loadings-detail": ("401 403 403 403 403 403 200 403", "401 403 403 403 403 403 405 403"),
    **{
        f"api:{name}": ("401 403 403 403 200 200 200 403", "401 403 403 403 405 405 405 403")
        for name in (
            *(
                f"corpora-{part}"
                for part in (
                    "list", "detail", "documents", "runs", "rows", "file", "pools", "entries", "qrels",
                    "grades", "asked", "recalls", "questions",
                )
            ),
            *(f"topics-{part}" for part in ("list", "detail")),
        )
    },
    "api:corpora-sets": ("401 403 403 403 200 200 200 403", "401 403 403 403 400 400 400 403"),
    "api:topics-members": ("401 403 403 403 200 200 200 403", "401 403 403 403 400 400 400 403"),
    "api:topics-reword": ("401 403 403 403 405 405 405 403", "401 403 403 403 400 400 400 403"),
    "api:evaluation": ("401 403 403 403 400 400 400 403", "401 403 403 403 400 400 400 403"),
    "api:evaluations-list": ("401 403 403 403 200 200 200 403", "401 403 403 403 405 405 405 403"),
    "api:evaluations-detail": ("401 403 403 403 200 200 200 403", "401 403 403 403 405 405 405 403"),
    "api:evaluations-result": ("401 403 403 403 200 200 200 403", "401 403 403 403 405 405 405 403"),
    "api:evaluations-cancel": ("401 403 403 403 405 405 405 403", "401 403 403 403 404 404 404 403"),
    "api:searches-list": ("401 403 403 403 403 403 200 403", "401 403 403 403 403 403 400 403"),
    "api:searches-detail": ("401 403 403 403 403 403 200 403", "401 403 403 403 403 403 405 403"),
    "api:searches-cancel": ("401 403 403 403 403 403 405 403", "401 403 403 403 403 403 200 403"),
    "api:searches-resume": ("401 403 403 403 403 403 405 403", "401 403 403 403 403 403 409 403"),
    "api:asked-list": ("401 403 403 403 403 403 200 403", "401 403 403 403 403 403 405 403"),
    "api:asked-detail": ("401 403 403 403 403 403 200 403", "401 403 403 403 403 403 405 403"),
    "api:asked-cancel": ("401 403 403 403 403 403 405 403", "401 403 403 403 403 403 200 403"),
    "api:asked-resume": ("401 403 403 403 403 403 405 403", "401 403 403 403 403 403 409 403"),
    **{
        f"api:asked-{what}{more}": ("401 403 403 403 403 403 405 403", "401 403 403 403 403 403 400 403")
        for what in ("reranking", "contamination", "questions")
        for more in ("", "-estimate")
    },
    "api:asked-reranking-dry-run": ("401 403 403 403 403 403 405 403", "401 403 403 403 403 403 400 403"),
    "api:studies-list": ("401 200 200 200 200 200 200 200", "401 403 403 403 400 400 403 403"),
    "api:studies-open": ("401 405 405 405 405 405 405 405", "401 404 404 404 409 404 404 404"),
    "api:studies-close": ("401 405 405 405 405 405 405 405", "401 404 404 404 200 404 404 404"),
    "api:studies-reopen": ("401 405 405 405 405 405 405 405", "401 404 404 404 409 404 404 404"),
    "api:studies-assignments": ("401 404 404 404 200 404 404 404", "401 405 405 405 405 405 405 405"),
    "api:report": ("401 404 404 404 200 404 404 404", "401 405 405 405 405 405 405 405"),
    "api:figures": ("401 404 404 404 200 404 404 404", "401 405 405 405 405 405 405 405"),
    "api:people-list": ("401 404 404 404 200 404 404 404", "401 405 405 405 405 405 405 405"),
    "api:people-detail": ("401 404 404 404 200 404 404 404", "401 405 405 405 405 405 405 405"),
    "api:people-act": ("401 405 405 405 405 405 405 405", "401 404 404 404 400 404 404 404"),
    "api:webhooks-list": ("401 404 404 404 200 404 404 404", "401 404 404 404 400 404 404 404"),
    "api:webhooks-detail": ("401 404 404 404 200 404 404 404", "401 405 405 405 405 405 405 405"),
    "api:webhooks-end": ("401 405 405 405 405 405 405 405", "401 404 404 404 200 404 404 404"),
    "api:webhooks-test": ("401 405 405 405 405 405 405 405", "401 404 404 404 202 404 404 404"),
    "api:webhooks-deliveries": ("401 404 404 404 200 404 404 404", "401 405 405 405 405 405 405 405"),
    "api:webhooks-resend": ("401 405 405 405 405 405 405 405", "401 404 404 404 409 404 404 404"),
    "api:invitations-list": ("401 404 404 404 200 404 404 404", "401 404 404 404 201 404 404 404"),
    "api:invitations-revoke": ("401 405 405 405 405 405 405 405", "401 404 404 404 200 404 404 404"),
    "api:studies-detail": ("401 404 404 404 200 404 404 404", "401 405 405 405 405 405 405 405"),
    "api:studies-items": ("401 404 404 404 200 404 404 404", "401 404 404 404 400 404 404 404"),
    "api:studies-judgments": ("401 404 404 404 200 404 404 404", "401 405 405 405 405 405 405 405"),
    "api:machines-list": ("401 404 404 404 200 404 404 404", "401 404 404 404 400 404 404 404"),
    "api:machines-answers": ("401 405 405 405 405 405 405 405", "401 404 404 404 400 404 404 404"),
    "api:machines-detail": ("401 404 404 404 200 404 404 404", "401 405 405 405 405 405 405 405"),
    "api:machines-start": ("401 405 405 405 405 405 405 405", "401 404 404 404 400 404 404 404"),
    "api:machines-stop": ("401 405 405 405 405 405 405 405", "401 404 404 404 409 404 404 404"),
    "api:machines-readings": ("401 404 404 404 200 404 404 404", "401 405 405 405 405 405 405 405"),
    "api:sample": ("401 404 404 404 204 404 404 404", "401 404 404 404 400 404 404 404"),
    "api:sample_preview": ("401 405 405 405 405 405 405 405", "401 404 404 404 400 404 404 404"),
    "api:sample_back": ("401 405 405 405 405 405 405 405", "401 404 404 404 400 404 404 404"),
    "api:layouts": ("401 404 404 404 200 404 404 404", "401 405 405 405 405 405 405 405"),
    "api:stopping": ("401 404 404 404 200 404 404 404", "401 405 405 405 405 405 405 405"),
    "api:methods": ("401 404 404 404 200 404 404 404", "401 405 405 405 405 405 405 405"),
    "api:citation": ("401 404 404 404 400 404 404 404", "401 405 405 405 405 405 405 405"),
    "api:pictures": ("401 404 404 404 200 404 404 404", "401 405 405 405 405 405 405 405"),
    "api:validation": ("401 404 404 404 200 404 404 404", "401 405 405 405 405 405 405 405"),
    "api:studies-decisions": ("401 404 404 404 200 404 404 404", "401 405 405 405 405 405 405 405"),
    "retrieval:books": ("302 404 404 404 200 200 200 404", "302 404 404 404 405 405 405 404"),
    "retrieval:import_book": ("302 404 404 404 404 404 200 404", "302 404 404 404 404 404 422 404"),
    "retrieval:book": ("302 404 404 404 200 200 200 404", "302 404 404 404 405 405 405 404"),
    "retrieval:search": ("302 404 404 404 200 200 200 404", "302 404 404 404 405 405 405 404"),
    "retrieval:encode": ("302 404 404 404 404 404 405 404", "302 404 404 404 404 404 302 404"),
    "retrieval:encoding_progress": ("302 404 404 404 302 302 302 404", "302 404 404 404 405 405 405 404"),
    "retrieval:encoding_cancel": ("302 404 404 404 404 404 405 404", "302 404 404 404 404 404 302 404"),
    "retrieval:generate": ("302 404 404 404 404 404 200 404", "302 404 404 404 404 404 422 404"),
    "retrieval:sources": ("302 404 404 404 200 200 200 404", "302 404 404 404 405 405 405 404"),
    "retrieval:import_source": ("302 404 404 404 404 404 200 404", "302 404 404 404 404 404 422 404"),
    "retrieval:source": ("302 404 404 404 200 200 200 404", "302 404 404 404 405 405 405 404"),
    "retrieval:find_excerpts": ("302 404 404 404 404 404 200 404", "302 404 404 404 404 404 422 404"),
    "retrieval:import_relic": ("302 404 404 404 404 404 200 404", "302 404 404 404 404 404 422 404"),
    "retrieval:excerpts": ("302 404 404 404 200 200 200 404", "302 404 404 404 405 405 405 404"),
    "retrieval:excerpt": ("302 404 404 404 200 200 200 404", "302 404 404 404 405 405 405 404"),
    "retrieval:book_parts": ("302 404 404 404 200 200 200 404", "302 404 404 404 404 404 422 404"),
    "retrieval:source_matches": ("302 404 404 404 200 200 200 404", "302 404 404 404 405 405 405 404"),
    "retrieval:exclude": ("302 404 404 404 404 404 200 404", "302 404 404 404 404 404 422 404"),
    "retrieval:take": ("302 404 404 404 404 404 200 404", "302 404 404 404 404 404 422 404"),
    "retrieval:lift": ("302 404 404 404 404 404 405 404", "302 404 404 404 404 404 302 404"),
    "retrieval:matches": ("302 404 404 404 200 200 200 404", "302 404 404 404 405 405 405 404"),
    "corpora:corpora": ("302 404 404 404 200 200 200 404", "302 404 404 404 405 405 405 404"),
    "corpora:corpus": ("302 404 404 404 200 200 200 404", "302 404 404 404 405 405 405 404"),
    "corpora:document": ("302 404 404 404 200 200 200 404", "302 404 404 404 405 405 405 404"),
    "retrieval:corpus_searches": ("302 404 404 404 404 404 200 404", "302 404 404 404 404 404 422 404"),
    "retrieval:corpus_search": ("302 404 404 404 200 200 200 404", "302 404 404 404 405 405 405 404"),
    "retrieval:corpus_search_state": ("302 404 404 404 302 302 302 404", "302 404 404 404 405 405 405 404"),
    "retrieval:corpus_search_cancel": ("302 404 404 404 404 404 405 404", "302 404 404 404 404 404 302 404"),
    "retrieval:corpus_search_retry": ("302 404 404 404 404 404 405 404", "302 404 404 404 404 404 302 404"),
    "retrieval:reranking": ("302 404 404 404 404 404 200 404", "302 404 404 404 404 404 422 404"),
    "retrieval:recall": ("302 404 404 404 404 404 200 404", "302 404 404 404 404 404 422 404"),
    "retrieval:endpoint_job": ("302 404 404 404 200 200 200 404", "302 404 404 404 405 405 405 404"),
    "retrieval:endpoint_job_state": ("302 404 404 404 302 302 302 404", "302 404 404 404 405 405 405 404"),
    "retrieval:endpoint_job_cancel": ("302 404 404 404 404 404 405 404", "302 404 404 404 404 404 302 404"),
    "retrieval:endpoint_job_retry": ("302 404 404 404 404 404 405 404", "302 404 404 404 404 404 302 404"),
    "retrieval:question_sets": ("302 404 404 404 200 200 200 404", "302 404 404 404 422 422 422 404"),
    "retrieval:question_set": ("302 404 404 404 200 200 200 404", "302 404 404 404 405 405 405 404"),
    "retrieval:question_set_write": ("302 404 404 404 404 404 200 404", "302 404 404 404 404 404 422 404"),
    "retrieval:question_set_export": ("302 404 404 404 200 200 200 404", "302 404 404 404 422 422 422 404"),
    "retrieval:question": ("302 404 404 404 200 200 200 404", "302 404 404 404 422 422 422 404"),
    "evaluation:runs": ("302 404 404 404 200 200 200 404", "302 404 404 404 302 302 302 404"),
    "evaluation:allusions": ("302 404 404 404 200 200 200 404", "302 404 404 404 405 405 405 404"),
    "evaluation:allusion_runs": ("302 404 404 404 404 404 200 404", "302 404 404 404 404 404 302 404"),
    "evaluation:evaluation": ("302 404 404 404 200 200 200 404", "302 404 404 404 405 405 405 404"),
    "evaluation:evaluation_state": ("302 404 404 404 302 302 302 404", "302 404 404 404 405 405 405 404"),
    "evaluation:evaluation_cancel": ("302 404 404 404 405 405 405 404", "302 404 404 404 404 404 302 404"),
    "evaluation:evaluation_retry": ("302 404 404 404 405 405 405 404", "302 404 404 404 404 404 302 404"),
    "corpora:expansion": ("302 404 404 404 200 200 200 404", "302 404 404 404 405 405 405 404"),
    "corpora:run": ("302 404 404 404 200 200 200 404", "302 404 404 404 405 405 405 404"),
    "corpora:pool": ("302 404 404 404 200 200 200 404", "302 404 404 404 405 405 405 404"),
    "corpora:load_file": ("302 404 404 404 200 200 200 404", "302 404 404 404 422 422 422 404"),
    "corpora:new_topics": ("302 404 404 404 200 200 200 404", "302 404 404 404 422 422 422 404"),
    "corpora:add_topic": ("302 404 404 404 200 200 200 404", "302 404 404 404 422 422 422 404"),
    "corpora:topics": ("302 404 404 404 200 200 200 404", "302 404 404 404 405 405 405 404"),
    "corpora:topic": ("302 404 404 404 200 200 200 404", "302 404 404 404 422 422 422 404"),
    "retrieval:collection": ("302 404 404 404 200 200 200 404", "302 404 404 404 405 405 405 404"),
    "retrieval:excerpt_reject": ("302 404 404 404 404 404 405 404", "302 404 404 404 404 404 422 404"),
    "retrieval:excerpt_cover": ("302 404 404 404 404 404 405 404", "302 404 404 404 404 404 422 404"),
    "retrieval:excerpt_uncover": ("302 404 404 404 404 404 405 404", "302 404 404 404 404 404 422 404"),
    "retrieval:excerpt_restore": ("302 404 404 404 404 404 405 404", "302 404 404 404 404 404 422 404"),
    "retrieval:excerpt_borders": ("302 404 404 404 404 404 200 404", "302 404 404 404 404 404 422 404"),
    "retrieval:book_delete": ("302 404 404 404 404 404 200 404", "302 404 404 404 404 404 422 404"),
    "retrieval:source_delete": ("302 404 404 404 404 404 200 404", "302 404 404 404 404 404 422 404"),
    "retrieval:excerpt_delete": ("302 404 404 404 404 404 200 404", "302 404 404 404 404 404 422 404"),
    "retrieval:job_delete": ("302 404 404 404 404 404 200 404", "302 404 404 404 404 404 422 404"),
    "retrieval:loading_delete": ("302 404 404 404 404 404 200 404", "302 404 404 404 404 404 422 404"),
    "retrieval:training_delete": ("302 404 404 404 404 404 200 404", "302 404 404 404 404 404 422 404"),
    "retrieval:words_delete": ("302 404 404 404 404 404 200 404", "302 404 404 404 404 404 422 404"),
    "machines:models": ("302 404 404 404 404 404 200 404", "302 404 404 404 404 404 405 404"),
    "machines:probe": ("302 404 404 404 404 404 405 404", "302 404 404 404 404 404 302 404"),
    "retrieval:deletions": ("302 404 404 404 200 200 200 404", "302 404 404 404 405 405 405 404"),
    "retrieval:excerpts_decide": ("302 404 404 404 404 404 405 404", "302 404 404 404 404 404 422 404"),
    "retrieval:excerpts_undo": ("302 404 404 404 404 404 405 404", "302 404 404 404 404 404 302 404"),
    "retrieval:find_many": ("302 404 404 404 404 404 200 404", "302 404 404 404 404 404 422 404"),
    "retrieval:jobs": ("302 404 404 404 200 200 200 404", "302 404 404 404 405 405 405 404"),
    "retrieval:launch": ("302 404 404 404 404 404 200 404", "302 404 404 404 404 404 405 404"),
    "retrieval:job": ("302 404 404 404 200 200 200 404", "302 404 404 404 405 405 405 404"),
    "retrieval:job_progress": ("302 404 404 404 302 302 302 404", "302 404 404 404 405 405 405 404"),
    "retrieval:job_cancel": ("302 404 404 404 404 404 405 404", "302 404 404 404 404 404 302 404"),
    "retrieval:job_retry": ("302 404 404 404 404 404 405 404", "302 404 404 404 404 404 302 404"),
    "retrieval:loading": ("302 404 404 404 200 200 200 404", "302 404 404 404 405 405 405 404"),
    "retrieval:loading_progress": ("302 404 404 404 302 302 302 404", "302 404 404 404 405 405 405 404"),
    "retrieval:loading_cancel": ("302 404 404 404 404 404 405 404", "302 404 404 404 404 404 302 404"),
    "retrieval:loading_retry": ("302 404 404 404 404 404 405 404", "302 404 404 404 404 404 302 404"),
    "retrieval:trainings": ("302 404 404 404 200 200 200 404", "302 404 404 404 405 405 405 404"),
    "retrieval:train": ("302 404 404 404 404 404 200 404", "302 404 404 404 404 404 422 404"),
    "retrieval:training": ("302 404 404 404 200 200 200 404", "302 404 404 404 405 405 405 404"),
    "retrieval:training_progress": ("302 404 404 404 302 302 302 404", "302 404 404 404 405 405 405 404"),
    "retrieval:training_cancel": ("302 404 404 404 404 404 405 404", "302 404 404 404 404 404 302 404"),
    "retrieval:training_retry": ("302 404 404 404 404 404 405 404", "302 404 404 404 404 404 302 404"),
    "annotation:work": ("302 200 404 404 404 404 404 404", "302 422 404 404 404 404 404 404"),
    "annotation:prefetch": ("302 200 404 404 404 404 404 404", "302 405 405 405 405 405 405 405"),
    "annotation:along": ("405 405 405 405 405 405 405 405", "403 200 200 200 200 404 404 404"),
    "annotation:worker": ("200 200 200 200 200 200 200 200", "405 405 405 405 405 405 405 405"),
    "annotation:act": ("405 405 405 405 405 405 405 405", "403 403 403 403 403 403 403 403"),
    "annotation:take_back": ("302 405 405 405 405 405 405 405", "302 302 404 404 404 404 404 404"),
    "annotation:later": ("302 405 405 405 405 405 405 405", "302 302 404 404 404 404 404 404"),
    # The study of this site shows neither neighbours nor earlier answers.
    "annotation:neighbour": ("302 405 405 405 405 405 405 405", "302 404 404 404 404 404 404 404"),
    "annotation:earlier": ("302 404 404 404 404 404 404 404", "302 405 405 405 405 405 405 405"),
    "annotation:keep": ("302 405 405 405 405 405 405 405", "302 302 404 404 404 404 404 404"),
    "annotation:group_seen": ("302 405 405 405 405 405 405 405", "302 302 404 404 404 404 404 404"),
    "annotation:draft": ("302 405 405 405 405 405 405 405", "302 200 404 404 404 404 404 404"),
    "annotation:message": ("302 405 405 405 405 405 405 405", "302 422 404 404 404 404 404 404"),
    "annotation:messages": ("302 200 200 200 200 404 404 404", "302 405 405 405 405 405 405 405"),
    "annotation:prefetch_before": ("301 301 301 301 301 301 301 301", "302 405 405 405 405 405 405 405"),
    "annotation:message_before": ("301 301 301 301 301 301 301 301", "302 422 404 404 404 404 404 404"),
    "annotation:messages_before": ("301 301 301 301 301 301 301 301", "302 405 405 405 405 405 405 405"),
    "annotation:decisions_before": ("301 301 301 301 301 301 301 301", "405 405 405 405 405 405 405 405"),
    "annotation:adjudicate_before": ("301 301 301 301 301 301 301 301", "405 405 405 405 405 405 405 405"),
    "annotation:adjudicate_item_before": (
        "301 301 301 301 301 301 301 301",
        "302 404 404 422 404 404 404 404",
    ),
    "annotation:remove_items_before": ("301 301 301 301 301 301 301 301", "302 404 404 404 302 404 404 404"),
    "annotation:reply": ("405 405 405 405 405 405 405 405", "302 404 404 404 422 404 404 404"),
    "annotation:preferences": ("302 200 200 200 200 200 200 200", "302 302 302 302 302 302 302 302"),
    "annotation:begin": ("302 200 200 200 200 404 404 404", "302 302 302 302 302 404 404 404"),
    "annotation:feedback": ("302 404 404 404 404 404 404 404", "302 405 405 405 405 405 405 405"),
    "annotation:consent": ("302 302 302 302 302 404 404 404", "302 302 302 302 302 404 404 404"),
    "annotation:declined": ("302 302 302 302 302 404 404 404", "302 405 405 405 405 405 405 405"),
    "annotation:guidelines_read": ("302 405 405 405 405 405 405 405", "302 302 302 302 302 404 404 404"),
    "annotation:own_page": ("302 200 200 404 404 404 404 404", "302 405 405 405 405 405 405 405"),
    "annotation:source": ("302 404 404 404 404 404 404 404", "302 404 404 404 404 404 404 404"),
    "annotation:notebook": ("302 200 200 404 404 404 404 404", "302 405 405 405 405 405 405 405"),
    "annotation:notebook_file": ("302 200 200 404 404 404 404 404", "302 405 405 405 405 405 405 405"),
    "annotation:leave": ("302 200 200 404 404 404 404 404", "302 302 302 404 404 404 404 404"),
    "annotation:done": ("302 200 200 200 200 404 404 404", "302 405 405 405 405 405 405 405"),
    "annotation:withdraw": ("302 200 200 200 404 404 404 404", "302 422 422 422 404 404 404 404"),
    "annotation:decisions": ("302 200 200 200 200 404 404 404", "405 405 405 405 405 405 405 405"),
    "annotation:adjudicate": ("302 404 404 200 200 404 404 404", "405 405 405 405 405 405 405 405"),
    "annotation:adjudicate_item": ("302 404 404 200 404 404 404 404", "302 404 404 422 404 404 404 404"),
    "annotation:join": ("200 200 200 200 200 200 200 200", "422 422 422 422 422 422 422 422"),
    "annotation:join_before": ("302 302 302 302 302 302 302 302", "405 405 405 405 405 405 405 405"),
    "annotation:invited": ("302 302 302 302 302 302 302 302", "302 302 302 302 302 302 302 302"),
    "annotation:studies": ("302 404 404 404 200 200 404 404", "405 405 405 405 405 405 405 405"),
    "annotation:build": ("302 404 404 404 200 200 404 404", "302 404 404 404 422 422 404 404"),
    "annotation:study": ("302 404 404 404 200 404 404 404", "405 405 405 405 405 405 405 405"),
    "annotation:open": ("302 404 404 404 200 404 404 404", "302 404 404 404 409 404 404 404"),
    "annotation:close": ("302 404 404 404 200 404 404 404", "302 404 404 404 302 404 404 404"),
    "annotation:reopen": ("405 405 405 405 405 405 405 405", "302 404 404 404 302 404 404 404"),
    "annotation:duplicate": ("302 404 404 404 200 404 404 404", "302 404 404 404 422 404 404 404"),
    "annotation:delete": ("302 404 404 404 200 404 404 404", "302 404 404 404 422 404 404 404"),
    "annotation:restore": ("405 405 405 405 405 405 405 405", "302 404 404 404 404 404 404 404"),
    "annotation:setup": ("302 404 404 404 200 404 404 404", "405 405 405 405 405 405 405 405"),
    "annotation:setup_items": ("302 404 404 404 200 404 404 404", "302 404 404 404 422 404 404 404"),
    "annotation:remove_items": ("405 405 405 405 405 405 405 405", "302 404 404 404 302 404 404 404"),
    "annotation:sample": ("302 404 404 404 200 404 404 404", "302 404 404 404 422 404 404 404"),
    "annotation:setup_consent": ("302 404 404 404 200 404 404 404", "302 404 404 404 422 404 404 404"),
    "annotation:step": ("302 404 404 404 200 404 404 404", "302 404 404 404 422 404 404 404"),
    "annotation:people": ("302 404 404 404 200 404 404 404", "405 405 405 405 405 405 405 405"),
    "annotation:person": ("405 405 405 405 405 405 405 405", "302 404 404 404 302 404 404 404"),
    "annotation:leaks": ("302 404 404 404 200 404 404 404", "302 404 404 404 422 404 404 404"),
    "annotation:items_progress": ("302 404 404 404 302 404 404 404", "405 405 405 405 405 405 405 405"),
    "annotation:leaks_progress": ("302 404 404 404 302 404 404 404", "405 405 405 405 405 405 405 405"),
    "annotation:cover": ("405 405 405 405 405 405 405 405", "302 404 404 404 422 404 404 404"),
    "annotation:explain": ("405 405 405 405 405 405 405 405", "302 404 404 404 404 404 404 404"),
    "annotation:invite": ("302 404 404 404 200 404 404 404", "302 404 404 404 422 404 404 404"),
    "annotation:recruiting": ("302 404 404 404 200 404 404 404", "302 404 404 404 422 404 404 404"),
    "annotation:payment_list": ("302 404 404 404 200 404 404 404", "405 405 405 405 405 405 405 405"),
    "annotation:mail": ("302 404 404 404 200 404 404 404", "302 404 404 404 422 404 404 404"),
    "annotation:mail_template": ("302 404 404 404 200 404 404 404", "302 404 404 404 422 404 404 404"),
    "annotation:own_mail": ("302 200 200 404 404 404 404 404", "302 302 302 404 404 404 404 404"),
    "annotation:stop_mail": ("200 200 200 200 200 200 200 200", "200 200 200 200 200 200 200 200"),
    "annotation:confirm_mail": ("200 200 200 200 200 200 200 200", "200 200 200 200 200 200 200 200"),
    "annotation:revoke": ("405 405 405 405 405 405 405 405", "302 404 404 404 302 404 404 404"),
    "annotation:guidelines": ("302 404 404 404 200 404 404 404", "302 404 404 404 422 404 404 404"),
    "annotation:erase": ("302 404 404 404 200 404 404 404", "302 404 404 404 422 404 404 404"),
    "annotation:items": ("302 404 404 404 200 404 404 404", "405 405 405 405 405 405 405 405"),
    "annotation:item": ("302 404 404 404 200 404 404 404", "405 405 405 405 405 405 405 405"),
    "annotation:workbench": ("302 404 404 404 200 404 200 404", "405 405 405 405 405 405 405 405"),
    "annotation:workbench_item": ("302 404 404 404 200 404 200 404", "302 404 404 404 422 404 422 404"),
    "annotation:notes": ("302 404 404 404 200 404 404 404", "405 405 405 405 405 405 405 405"),
    "annotation:machines": ("302 404 404 404 200 404 404 404", "405 405 405 405 405 405 405 405"),
    "annotation:new_machine_reader": ("302 404 404 404 200 404 404 404", "302 404 404 404 422 404 404 404"),
    "annotation:import_answers": ("302 404 404 404 200 404 404 404", "302 404 404 404 422 404 404 404"),
    "annotation:machine_prompt": ("302 404 404 404 200 404 404 404", "302 404 404 404 422 404 404 404"),
    "annotation:machine_reader": ("302 404 404 404 200 404 404 404", "302 404 404 404 422 404 404 404"),
    "annotation:machine_progress": ("302 404 404 404 302 404 404 404", "405 405 405 405 405 405 405 405"),
    "annotation:machine_readings": ("302 404 404 404 200 404 404 404", "405 405 405 405 405 405 405 405"),
    "annotation:delete_machine": ("302 404 404 404 200 404 404 404", "302 404 404 404 422 404 404 404"),
    "annotation:export": ("302 404 404 404 200 404 404 404", "302 404 404 404 422 404 404 404"),
    "annotation:record": ("302 404 404 404 200 404 404 404", "302 404 404 404 422 404 404 404"),
    "annotation:webhooks": ("302 404 404 404 200 404 404 404", "302 404 404 404 422 404 404 404"),
    **{
        f"annotation:{name}": ("405 405 405 405 405 405 405 405", "302 404 404 404 302 404 404 404")
        for name in ("end_webhook", "test_webhook", "resend_message")
    },
    "annotation:site_record": ("302 404 404 404 404 404 404 404", "302 404 404 404 404 404 404 404"),
    "annotation:tokens": ("302 200 200 200 200 200 200 200", "302 422 422 422 422 422 422 422"),
    "annotation:revoke_token": ("405 405 405 405 405 405 405 405", "302 404 404 404 302 404 404 404"),
    "evaluation:ranking": ("302 404 404 404 200 200 200 404", "302 404 404 404 405 405 405 404"),
    "evaluation:watch": ("302 404 404 404 200 404 404 404", "405 405 405 405 405 405 405 405"),
    "evaluation:results": ("302 404 404 404 200 404 404 404", "405 405 405 405 405 405 405 405"),
    "evaluation:microscope": ("302 404 404 404 200 404 404 404", "405 405 405 405 405 405 405 405"),
    "evaluation:difficulty": ("302 404 404 404 200 404 404 404", "405 405 405 405 405 405 405 405"),
    "evaluation:stopping": ("302 404 404 404 200 404 404 404", "302 404 404 404 422 404 404 404"),
    "evaluation:plan": ("302 404 404 404 200 200 200 404", "405 405 405 405 405 405 405 405"),
    "evaluation:bundle": ("302 404 404 404 200 404 404 404", "302 404 404 404 200 404 404 404"),
    "evaluation:cues": ("302 404 404 404 200 404 404 404", "405 405 405 405 405 405 405 405"),
    "evaluation:paper": ("302 404 404 404 200 404 404 404", "405 405 405 405 405 405 405 405"),
    "evaluation:validation": ("302 404 404 404 200 404 404 404", "405 405 405 405 405 405 405 405"),
    "evaluation:span_queries": ("302 404 404 404 200 404 404 404", "302 404 404 404 422 404 404 404"),
    "evaluation:qrels": ("302 404 404 404 200 404 404 404", "302 404 404 404 422 404 404 404"),
    "evaluation:apparatus": ("302 404 404 404 200 404 404 404", "405 405 405 405 405 405 405 405"),
    "evaluation:apparatus_item": ("302 404 404 404 200 404 404 404", "405 405 405 405 405 405 405 405"),
}  # fmt: skip
UNKNOWN = {
    "slug": "no-such-thing",
    "step": "no-such-step",
    "book": "no-such-book",
    "topics": "no-such-topics",
    "name": "no-such-run",
    "start": 3,
    "end": 8,
    "pk": 987654,
    "number": 987654,
    "pseudonym": "ZZZ",
    "token": "no-such-token",
    "kind": "no-such-kind",
    "form": "no-such-form",
}


def test_every_route_has_its_row():
    named = "and what it names to ARGS, and who sees it to PAGES in tests/browser/test_audit.py."
    assert set(TABLE) == set(routes()), f"Add the new address to TABLE, {named}"


@pytest.fixture(scope="module")
def replies(things):
    """`replies(method, who)`: what that person gets at every address, asked for once."""

    @cache
    def ask_for_all(method, who):
        ask = asking(who)
        return {name: ask(method, name, things) for name in TABLE}

    return ask_for_all


EVERYBODY = pytest.mark.parametrize("who", thorough(CAST, ["anon", "ada", "dora", "eve"]))
BOTH_WAYS = pytest.mark.parametrize("method", ["get", "post"])


@EVERYBODY
@BOTH_WAYS
def test_everybody_gets_what_the_table_says(who, method, replies):
    """And where that is a 404, the very reply that something unknown gets."""
    ask, found = asking(who), replies(method, who)
    expected = {name: int(row[method == "post"].split()[CAST.index(who)]) for name, row in TABLE.items()}
    assert {name: each.status_code for name, each in found.items()} == expected
    foreign = {name: seen(each) for name, each in found.items() if each.status_code == 404}
    assert foreign == {name: seen(ask(method, name, None)) for name in foreign}


@EVERYBODY
@BOTH_WAYS
def test_S04_every_reply_says_what_a_page_may_do(who, method, replies):
    for name, reply in replies(method, who).items():
        assert_strict(reply, f"{method} {name}", signed_in=who != "anon")


@pytest.mark.parametrize("who", thorough(["ada", "dora", "stan"], ["dora"]))
def test_nothing_takes_another_method(who, things):
    ask = asking(who)
    # The sign-in page sends signed-in people home, whatever they ask of it.
    tried = [(method, name) for method in ("put", "delete") for name in TABLE if name != "login"]
    assert [each for each in tried if ask(*each, things).status_code < 400] == []


def asking(who):
    """`ask(method, name, things)` by that person, who signs in once; None instead asks for the unknown."""
    browser = browser_of(who)
    signed_in = browser.cookies.output(header="", sep=";")

    def ask(method, name, existing):
        named = ARGS.get(name, {}).items()
        args = {key: UNKNOWN[key] if existing is None else existing[each] for key, each in named}
        browser.cookies = SimpleCookie(signed_in)
        script = {"content_type": "application/json"} if name.startswith("api:") else {}
        body = {"data": {"sent": "1"} if not script else {}, **script} if method != "get" else {}
        with transaction.atomic():
            response = getattr(browser, method)(reverse(name, kwargs=args), **body)
            transaction.set_rollback(True)
        return response

    return ask


def seen(response):
    """Status, headers and body, without what is new in every reply."""
    return response.status_code, dict(response.headers), without_drawn(response.content.decode())


MOVED = {
    "/work/7/ahead/": "/work/7/prefetch/",
    "/work/7/talk/": "/work/7/messages/",
    "/studies/tide/notes/": "/studies/tide/messages/",
    "/studies/tide/decided/": "/studies/tide/decisions/",
    "/settle/tide/": "/adjudicate/tide/",
    "/settle/tide/3/": "/adjudicate/tide/3/",
    "/manage/tide/setup/items/out/": "/manage/tide/setup/items/remove/",
}


def test_old_addresses_lead_to_the_new_ones_with_their_query(client):
    for before, now in MOVED.items():
        for query in ("", "?page=2&from=a%20b"):
            reply = client.get(before + query)
            assert (reply.status_code, reply["Location"]) == (301, now + query)
