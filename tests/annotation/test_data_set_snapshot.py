"""A data set is of one moment, and nobody who writes waits for it."""

from __future__ import annotations

import json
from threading import Thread

import pytest
from django.db import connection

from annotation.dataset.files import files
from annotation.models import Enrolment, Guideline
from tests import builders
from tests.annotation.manage_cast import judge

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.services]


def test_X04_what_is_written_meanwhile_is_in_no_table_of_it():
    if connection.vendor == "sqlite" and connection.is_in_memory_db():
        pytest.skip("A database in memory has no journal in which a reader finds what was there before.")
    study = builders.study()
    builders.enrolment(study, builders.person("Ada"))
    judge(study, 1, "A")

    def meanwhile():
        judge(study, 2, "A")
        Guideline.objects.create(study=study, version=2, text="Another.")
        Enrolment.objects.create(study=study, role="annotator", pseudonym="Z")
        connection.close()

    found = {}
    for path, pieces in files(study, parquet=False):
        found[path] = b"".join(pieces).decode()
        if len(found) == 1:
            writer = Thread(target=meanwhile)
            writer.start()
            writer.join(20)
            assert not writer.is_alive()
            assert study.guidelines.count() == 1
    assert study.guidelines.count() == 2
    lines = {path: text.splitlines() for path, text in found.items()}
    assert len(lines["data/judgments.jsonl"]) == 1
    assert len(lines["data/annotators.jsonl"]) == 1
    assert len(json.loads(found["study.json"])["guidelines"]) == 1
