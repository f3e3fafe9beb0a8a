"""Studies whose items belong to topics: intervals over topics, drift, overlap, and what was declined."""

from __future__ import annotations

import csv
import io
import json
from random import Random

import numpy as np
import pytest
from django.urls import reverse

from annotation.models import Assignment, Judgment
from annotation.tasktypes.grade import Grade
from evaluation.kinds.ordinal import grades
from evaluation.kinds.ordinal.tables import reader_pairs
from evaluation.metrics.ordinal.drift import drifts
from evaluation.microscope.compare import microscope
from evaluation.report import formats
from evaluation.report.compute import report
from evaluation.watch import tables
from evaluation.watch.snapshot import watch
from tests import builders
from tests.evaluation.graded import graded, row
from tests.evaluation.judged import NOW

pytestmark = pytest.mark.django_db


@pytest.fixture(autouse=True)
def by_question(monkeypatch):
    """Items of one question are a topic."""
    monkeypatch.setattr(Grade, "group", lambda self, payload: payload["question"])


def votes_of(seed, n, readers=3):
    random = Random(seed)
    rows = []
    for _ in range(n):
        true = random.randrange(4)
        rows.append(
            "".join(
                random.choice("ub")
                if random.random() < 0.1
                else str(min(3, max(0, true + random.choice((0, 0, 1, -1)))))
                for _ in range(readers)
            )
        )
    return rows


def study_of(votes, topics, **fields):
    """``topics``: the name of each item's topic."""
    return graded(votes, topics=topics, **fields)


NAMES = ["ships", "nets", "ale"] * 8
VOTES = votes_of(1, len(NAMES))


def test_topics_are_read_in_the_order_of_their_names():
    study = study_of(VOTES, NAMES)
    found = grades.read(study)
    assert found.topics.names == ("ale", "nets", "ships")
    assert [found.topics.names[at] for at in found.topics.of_item] == NAMES
    assert found.n_topics == 3


def test_positions_are_the_order_of_first_judgments_within_reader_and_topic():
    study = study_of(["12.", "03.", "2u.", "11."], ["a", "b", "a", "a"])
    # A comes to the last item first, and changes the first one at the end.
    first = Judgment.objects.get(assignment__item__number=4, annotator__pseudonym="A")
    place, who = first.assignment, first.annotator
    builders.erasable(who)
    Judgment.objects.filter(pk=first.pk)._raw_delete("default")
    last = row(place, who, "1")
    last.save()
    again = Assignment.objects.get(item__number=1, annotator=who)
    row(again, who, "3", revision=2).save()
    found = grades.read(study)
    by = {
        (int(found.numbers[item]), found.readers[reader].pseudonym): (int(at), int(grade))
        for item, reader, at, grade in zip(
            found.rows.item, found.rows.reader, found.topics.position, found.grade, strict=True
        )
    }
    assert by == {
        (1, "A"): (0, 3), (3, "A"): (1, 2), (4, "A"): (2, 1), (2, "A"): (0, 0),
        (1, "B"): (0, 2), (3, "B"): (1, -1), (4, "B"): (2, 1), (2, "B"): (0, 3),
    }  # fmt: skip


def test_intervals_are_over_topics_and_every_form_says_so():
    over = report(study_of(VOTES, NAMES), resamples=200)
    plain = report(study_of(VOTES, [""] * len(NAMES), slug="plain"), resamples=200)
    for line in over.lines:
        other = plain.line(line.measure.slug)
        assert line.estimate.value == other.estimate.value
        assert "over items" not in line.estimate.method
    assert over.n_topics == 3
    text = " ".join(formats.FORMATS["table"].render(over).split())
    assert "judged 24 items of three topics" in text
    assert "Topics are left out in turn and readers held fixed" in text
    assert "resamples of the topics" in text
    assert "Intervals over three topics are themselves uncertain" in text
    assert "same grade is Wilson’s" in reader_pairs(over, over.found).table().caption
    assert "24 items of 3 topics" in formats.FORMATS["latex"].render(over)
    assert json.loads(formats.FORMATS["json"].render(over))["n_topics"] == 3


def test_intervals_of_agreement_are_over_the_topics_that_two_have_judged():
    """One reader is ahead by thirty topics, on which nobody can agree or not yet."""
    votes = ["12.", "03.", "22.", "11.", "30."] * 2 + ["1.."] * 30
    study = study_of(votes, [*"aabbccddee", *(f"ahead {n}" for n in range(30))])
    found = report(study, now=NOW)
    assert (found.n_topics, found.topics_of_intervals) == (35, 5)
    assert "Intervals over five topics are" in " ".join(formats.FORMATS["table"].render(found).split())
    headlines = watch(study, now=NOW).agreement
    assert {each.n_topics for each in headlines} == {5}
    assert microscope(study).n_topics == 5


def test_without_groups_nothing_of_it_is_there(monkeypatch):
    monkeypatch.undo()
    found = report(graded(VOTES, slug="none"), resamples=100)
    assert found.n_topics == 0
    assert found.found.topical is None
    assert "Wilson" not in reader_pairs(found, found.found).table().caption
    assert found.line("relevant_overlap") is None
    data = json.loads(formats.FORMATS["json"].render(found))
    assert data["n_topics"] is None
    assert "drift" not in data["grades"]
    assert "Topics are" not in formats.FORMATS["table"].render(found)


def test_the_overlap_stands_beside_kappa_with_its_interval_over_topics():
    found = report(study_of(VOTES, NAMES), resamples=200)
    slugs = [line.measure.slug for line in found.lines]
    assert slugs[slugs.index("cohen_kappa") + 1] == "relevant_overlap"
    pairs = [
        (int(one), int(other))
        for said in VOTES
        for one, other in ((said[0], said[1]), (said[0], said[2]), (said[1], said[2]))
        if one.isdigit() and other.isdigit()
    ]
    both, either = (sum(op(a >= 2, b >= 2) for a, b in pairs) for op in (min, max))
    line = found.line("relevant_overlap")
    assert line.estimate.value == pytest.approx(both / either)
    assert line.estimate.low < both / either < line.estimate.high
    assert line.estimate.method.startswith("jackknife-t over topics")
    data = json.loads(formats.FORMATS["json"].render(found))["grades"]
    assert (data["relevant_from"], data["relevant_from_beside"]) == (2, 1)
    assert [each["annotators"] for each in data["overlaps"]] == [
        ["A", "B"],
        ["A", "C"],
        ["B", "C"],
        ["A", "B", "C"],
    ]


def test_drift_margins_and_declined_are_those_of_the_judgments():
    study = study_of(VOTES, NAMES)
    found = report(study, resamples=100)
    data = json.loads(formats.FORMATS["json"].render(found))["grades"]
    read = grades.read(study)
    rows, topics = read.rows, read.topics
    kept = rows.answered
    alone = drifts(
        rows.item[kept], rows.reader[kept], topics.of_item[rows.item[kept]], topics.position[kept],
        read.grade[kept], found.seed, most=0,
    ).together  # fmt: skip
    assert data["drift"]["together"]["slope"] == alone.slope
    assert data["drift"]["together"]["slope_p"] == alone.slope_p
    assert list(data["drift"]["readers"]) == ["A", "B", "C"]
    assert data["margins"] == {
        name: [sum(said[who] == str(grade) for said in VOTES) for grade in range(4)]
        for who, name in enumerate("ABC")
    }
    for each in data["topics"]:
        own = [said for said, name in zip(VOTES, NAMES, strict=True) if name == each["topic"]]
        assert each["n_items"] == len(own)
        for who, name in enumerate("ABC"):
            said = [one[who] for one in own]
            assert each["readers"][name] == {
                "answer": sum(map(str.isdigit, said)),
                "undecided": said.count("u"),
                "broken": said.count("b"),
            }
    by = {
        (each["annotator"], each["number"]): each
        for each in csv.DictReader(io.StringIO(formats.FORMATS["csv"].render(found)))
    }
    assert float(by["", "drift_slope"]["value"]) == alone.slope
    assert float(by["", "drift_slope"]["p"]) == alone.slope_p
    assert by["A", "graded_3"]["value"] == str(data["margins"]["A"][3])
    assert float(by["A B", "overlap_from_2"]["value"]) == data["overlaps"][0]["overlap"]


def test_the_page_says_it_in_words_and_draws_it(as_user):
    study_of(VOTES, NAMES, by=builders.researcher("Rhea"), gold="0123" * 6)
    page = as_user(builders.User.objects.get(username="rhea")).get(
        reverse("evaluation:results", args=["tides"])
    )
    for slug in ("confusion", "margins", "overlap", "drift", "declined", "gold-grades"):
        assert f'id="{slug}"' in page.text
    assert "while a topic is judged" in page.text
    assert "The overlap is no κ" in page.text
    assert page.text.count('class="square"') == 2 * 16
    assert 'id="slopes-title"' in page.text
    assert "2000 of the topics" in page.text


def test_a_slope_that_is_there_is_said_in_a_plain_sentence():
    """B grades 0, 0, 1, 1, 2, 2, 3, 3 in the order of judging, whatever A says of the document."""
    votes = [f"1{at // 2}" for _ in range(6) for at in range(8)]
    found = report(study_of(votes, [f"t{at // 8}" for at in range(48)], names=["Ada", "Ben"]))
    drifted = found.found.topical.drifts
    assert drifted.annotators[1].slope == pytest.approx(np.polyfit(range(8), [0, 0, 1, 1, 2, 2, 3, 3], 1)[0])
    assert drifted.annotators[1].slope_p < 0.001
    # A's grades stay, but beside B's they fall as B's rise.
    assert drifted.together.slope == pytest.approx(0)
    text = " ".join(formats.FORMATS["table"].render(found).split())
    assert "Grades do not clearly rise or fall while a topic is judged" in text
    assert "By themselves two readers move" in text


def test_the_live_page_and_the_microscope_are_over_topics_too():
    study = study_of(VOTES, NAMES)
    seen = watch(study, now=NOW)
    found = tables.agreement(seen.agreement)
    assert found.caption == "So far, with 95 % intervals over 3 topics"
    assert found.columns[-1].heading == "More topics to ± 0.05"
    assert "three topics" in tables.caution(seen.agreement)
    (alpha,) = [each for each in seen.agreement if "ordinal" in each.label]
    line = report(study).line("ordinal_alpha").estimate
    half = (line.high - line.low) / 2
    assert alpha.more == pytest.approx(3 * (half / 0.05) ** 2 - 3, abs=1)
    scope = microscope(study, resamples=100)
    assert (scope.n_topics, scope.caution[:27]) == (3, "Intervals over three topics")
    methods = {each.about.method for each in scope.table.rows if each.about.method}
    assert all("over items" not in each for each in methods)
