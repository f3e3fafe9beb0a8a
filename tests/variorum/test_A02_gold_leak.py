"""A02: whatever a reader does, by pages or by the API, says nothing of gold, origins or colleagues.

What can be reached by links alone is searched in test_S02_safe_methods, on the same walk.
"""

from __future__ import annotations

import json
import re
import uuid
from collections import Counter
from datetime import timedelta

import pytest
from django.contrib.auth.models import User
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client
from django.utils import timezone

from annotation.models import Kind, OptionOrder, Study
from annotation.people.tokens import issue
from annotation.studies.lifecycle import open_study
from tests import builders
from tests.thorough import as_thorough
from tests.variorum.canaries import leaks, told
from tests.variorum.whole_site import addresses, browser_of, walk

pytestmark = pytest.mark.django_db


def reading(browser, secrets):
    """The whole study, page by page, with what htmx gets and what a refusal says."""
    begin, answers = f"/studies/{secrets['study']}/begin/", iter(["", "0", "1", "2"])
    for _ in range(8):
        where = browser.post(begin)["Location"]
        yield told(begin, browser.get(where))
        if "/work/" not in where:
            return
        form = {"submission": str(uuid.uuid4()), "revision": "0", "position": next(answers, "0")}
        for headers in ({}, {"HX-Request": "true"}):
            yield told(where, browser.get(where, headers=headers))
        yield told(where, browser.post(where, form, headers={"HX-Request": "true"}))
    raise AssertionError("The study has no end.")


FILED = pytest.mark.parametrize(
    ("order", "drawn"),
    [
        as_thorough((OptionOrder.CANONICAL, True)),
        (OptionOrder.PER_ANNOTATOR, True),
        as_thorough((OptionOrder.PER_ANNOTATOR, False)),
    ],
)


def gold_first(n):
    """A file as people make them: the right option first in every line, a few for practice and for checks."""
    for number in range(n):
        texts = [f"{letter} passage for gap {number}." for letter in ("Gilt", "Lead", "Zinc")]
        kind = {0: "practice", 1: "check"}.get(number % 6, "work")
        line = {"left": [f"Here is gap {number}."], "right": [], "options": texts, "gold": {"option": 0}}
        yield json.dumps({**line, "kind": kind})


def study_from_file(order, drawn):
    """An open study of that file, loaded as a researcher does it, with Ada as its reader.

    Not `drawn`: as such a study was before import drew the order of the options.
    """
    # Others than those of the whole module, who may be here already.
    dora, ada = builders.researcher("Doris"), builders.person("Adele")
    study = builders.study("filed", items=0, overlap=1, state="draft", by=dora)
    Study.objects.filter(pk=study.pk).update(option_order=order, check_every=3)
    file = SimpleUploadedFile("items.jsonl", "\n".join(gold_first(36)).encode())
    desk = Client()
    desk.force_login(dora)
    assert desk.post("/manage/filed/setup/items/", {"file": file}).status_code == 302
    builders.enrolment(study, ada)
    study.refresh_from_db()
    for item in () if drawn else study.items.all():
        filed = item.provenance["file_order"]
        as_filed = [filed.index(number) for number in range(3)]
        item.payload, item.gold = study.task_type.reordered(item.payload, item.gold, as_filed)
        assert item.gold == {"option": 0}
        item.save()
    return open_study(study, by=dora, now=timezone.now()), ada


def options_on(page, place):
    """Of each option on a page its words and everything that its controls say of themselves."""
    for nth, label in enumerate(re.findall(r'<label class="candidate".*?</label>', page, re.DOTALL)):
        words = re.search(r'class="candidate-text"[^>]*>([^<]*)<', label).group(1)
        said = re.findall(r'([\w-]+)="([^"]*)"', label.replace(str(place), "PLACE"))
        yield words, {("nth", nth), *((name, value) for name, value in said if name != "submission")}


def walked(browser, study):
    """The whole study by page and by prefetch: (item as it is seen, words, what is said of each option)."""
    begin, name = f"/studies/{study.slug}/begin/", re.compile(r"prefetch-[0-9a-f]{20}")
    for _ in range(200):
        where = browser.post(begin)["Location"]
        if "/work/" not in where:
            return
        place = where.split("/")[2]
        for headers in ({}, {"HX-Request": "true"}):
            seen = list(options_on(browser.get(where, headers=headers).text, place))
            assert len(seen) == 3
            yield from seen
        yield from options_on(name.sub("PLACE", browser.get(f"{where}prefetch/").text), place)
        draft = {"revision": "0", "position": "2", "note": "So far"}
        assert "position" not in browser.post(f"{where}draft/", draft).text
        form = {"submission": str(uuid.uuid4()), "revision": "0", "position": "1"}
        refused = browser.post(where, {**form, "position": "7"}, headers={"HX-Request": "true"})
        yield from options_on(refused.text, place)
        assert browser.post(where, form).status_code == 302
    raise AssertionError("The study has no end.")


@FILED
@pytest.mark.django_db
def test_nobody_can_tell_the_right_option_of_a_file_that_has_it_first(order, drawn):
    """Whoever goes by any one thing that is said of the options is right as often as one who guesses."""
    study, ada = study_from_file(order, drawn)
    browser = Client()
    browser.force_login(ada)
    seen = list(walked(browser, study))
    right, times = Counter(), Counter()
    for words, said in seen:
        times.update(said)
        right.update(each for each in said if words.startswith("Gilt"))
    assert {item.kind for item in study.items.filter(assignments__annotator__user=ada)} == set(Kind)
    told = [each for each, n in times.items() if n >= 30]
    assert {("nth", n) for n in range(3)} | {("value", str(n)) for n in range(3)} < set(told)
    share = {each: right[each] / times[each] for each in told}
    # A third is chance; of 36 items four standard errors are three tenths. In the file it was all of them.
    assert {each: found for each, found in share.items() if not 0.02 < found < 0.65} == {}
    assert not [each for each in times if each not in told and right[each] == times[each] > 5]


@FILED
@pytest.mark.django_db
def test_no_script_can_either(order, drawn):
    study, ada = study_from_file(order, drawn)
    _, key = issue(ada, "a script", ["judge"], timezone.now() + timedelta(days=1))
    script = Client(headers={"Authorization": f"Bearer {key}"})
    right, n, expected = Counter(), 0, Counter()
    while (place := script.post(f"/api/v1/studies/{study.slug}/next/")).status_code == 200:
        shown, n = place.json(), n + 1
        options = shown["shown"]["options"]
        assert [{**each, "text": ""} for each in options] == [{"position": k, "text": ""} for k in range(3)]
        right.update(each["position"] for each in options if each["text"].startswith("Gilt"))
        body = {"submission": str(uuid.uuid4()), "answer": {"position": 1}}
        reply = script.post(
            f"/api/v1/assignments/{shown['id']}/judgment/", body, content_type="application/json"
        )
        assert reply.status_code == 201
        said = reply.json()
        assert said["answer"] == {"position": 1}
        assert "order" not in said
        if shown["practice"]:
            found = said["feedback"]["expected"]
            assert options[found["position"]]["text"].startswith("Gilt")
            expected.update([found["position"]])
    assert n >= 30
    assert sum(expected.values()) == 6
    assert all(0.02 < right[position] / n < 0.65 for position in range(3))


def test_a_reader_who_does_the_whole_study_is_told_nothing(secrets):
    browser = browser_of("ada")
    seen = list(reading(browser, secrets))
    seen += [told(*each) for each in walk(browser, ["/", *addresses(secrets)])]
    assert leaks(seen) == []


def test_a_script_with_every_scope_of_a_reader_is_told_nothing(secrets):
    ada = User.objects.get(username="ada")
    _, plain = issue(ada, "a script", ["read", "judge", "jobs"], timezone.now() + timedelta(days=1))
    browser = Client(headers={"Authorization": f"Bearer {plain}"})
    seen = [told(each, browser.get(each)) for each in addresses(secrets) if each.startswith("/api/")]
    for position in range(4):
        place = browser.post(f"/api/v1/studies/{secrets['study']}/next/")
        seen.append(told("next", place))
        if place.status_code == 204:
            break
        body = {"submission": str(uuid.uuid4()), "answer": {"position": position % 3}}
        where = f"/api/v1/assignments/{place.json()['id']}/judgment/"
        seen.append(told(where, browser.post(where, {**body, "answer": {}}, content_type="application/json")))
        seen.append(told(where, browser.post(where, body, content_type="application/json")))
    assert place.status_code == 204
    assert leaks(seen) == []
