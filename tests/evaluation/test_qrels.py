"""Qrels made of a study's judgments: both files, the command, the page, the API, and who reads them."""

from __future__ import annotations

import json
from hashlib import sha256
from statistics import median_low

import pytest
from django.core.management import CommandError, call_command
from django.urls import reverse

from annotation.models import Event, State, Study
from common.errors import BadInput
from evaluation.qrels.of_study import lines, sidecar, study_qrels
from evaluation.report.compute import report
from evaluation.runs.files import read_qrels
from retrieval.corpora.models import Grade, Pool, Run, TopicVersion
from retrieval.corpora.runs import files
from tests import builders
from tests.annotation.test_adjudication_pages import hidden
from tests.evaluation.graded import graded
from tests.evaluation.relevant import judged
from tests.evaluation.test_settled import decide

pytestmark = pytest.mark.django_db
VOTES = {
    ("t2", "d1"): "43.",
    ("t1", "d9"): "001",
    ("t1", "d2"): "144",
    ("t1", "d3"): "u2b",
    ("t2", "d2"): "uub",
    ("t2", "d4"): "...",
}


def about(found):
    return json.loads(sidecar(found, "".join(lines(found))))


@pytest.mark.parametrize(
    ("rule", "expected"),
    [
        ("median", ["t1 0 d2 4", "t1 0 d3 2", "t1 0 d9 0", "t2 0 d1 3"]),
        ("majority", ["t1 0 d2 4", "t1 0 d3 2", "t1 0 d9 0", "t2 0 d1 3"]),
        ("mean", ["t1 0 d2 3", "t1 0 d3 2", "t1 0 d9 0", "t2 0 d1 4"]),
    ],
)
def test_four_bare_columns_by_each_rule(rule, expected):
    found = study_qrels(judged(VOTES), rule)
    assert "".join(lines(found)).splitlines() == expected


def test_the_file_beside_says_what_stands_behind_the_first():
    study = judged(VOTES, fields={"simulated": True})
    found = study_qrels(study)
    written = "".join(lines(found))
    said = about(found)
    assert said["sha256"] == sha256(written.encode()).hexdigest()
    assert (said["study"], said["rule"], said["level"]) == ("lamps", "median", 2)
    assert said["rule_in_words"] == "the middle grade, of two middle ones the lower"
    assert (said["scale"]["highest"], said["scale"]["labels"][0]) == (4, "Not relevant")
    assert (said["n_topics"], said["n_pairs"], said["n_decided"]) == (2, 4, 0)
    assert (said["n_undecided"], said["n_broken"], said["left_out"]) == (3, 2, [["t2", "d2"]])
    assert said["readers_per_pair"] == {"t1": {"d2": 3, "d3": 1, "d9": 3}, "t2": {"d1": 2}}
    assert said["simulated_readers"] == said["readers"] == ["A", "B", "C"]
    assert "+metrics." in said["code_version"]
    assert next(lines(found, header=True)) == (
        "# lamps: the middle grade, of two middle ones the lower; trec_eval 10 or later\n"
    )


def test_a_decision_stands_over_the_rule_and_decides_alone_where_asked():
    study = judged(VOTES)
    decide(study, 1, {"grade": 0})
    decide(study, 5, {"grade": 2})
    decide(study, 2, None)
    found = study_qrels(study)
    assert found.made.qrels == {"t1": {"d2": 4, "d3": 2}, "t2": {"d1": 0, "d2": 2}}
    said = about(found)
    assert said["n_decided"] == 2
    assert said["left_out"] == [["t1", "d9"]]
    assert said["rule_in_words"].endswith("a decision stands over it")
    alone = study_qrels(study, "decided")
    assert alone.made.qrels == {"t2": {"d1": 0, "d2": 2}}
    assert about(alone)["rule_in_words"] == "what an adjudicator decided, and nothing else"


def test_what_an_adjudicator_decides_on_the_page_is_the_judgment(as_user):
    study = judged(VOTES)
    Study.objects.filter(pk=study.pk).update(state=State.CLOSED)
    judge = builders.person("Judy")
    builders.enrolment(study, judge, role="adjudicator", pseudonym="J")
    browser = as_user(judge)
    assert "Item" in browser.get(reverse("annotation:adjudicate", args=[study.slug])).text
    address = reverse("annotation:adjudicate_item", args=[study.slug, 5])
    page = browser.get(address)
    assert "The lamps of d2 stood on the wall." in page.text
    sent = browser.post(
        address, {**hidden(page), "choice": "own", "grade": "2", "reason": "It says a little."}
    )
    assert sent.status_code == 302
    assert study_qrels(study, "decided").made.qrels == {"t2": {"d2": 2}}
    assert report(study).settled.n_settled == 1


def test_what_cannot_be_is_refused_in_a_sentence():
    study = judged(VOTES)
    with pytest.raises(BadInput, match="must be one of median, majority, mean, decided, not 'best'"):
        study_qrels(study, "best")
    with pytest.raises(BadInput, match="level of relevance must lie between 1 and 4, not at 5"):
        study_qrels(study, level=5)
    with pytest.raises(BadInput, match="nothing was decided yet"):
        study_qrels(study, "decided")
    with pytest.raises(BadInput, match="no reader has given a grade yet"):
        study_qrels(judged({("t", "d"): "u.."}, slug="nothing"))
    with pytest.raises(BadInput, match="Item 1 has no topic and document with an id"):
        study_qrels(graded(["12."], slug="plain"))
    with pytest.raises(BadInput, match="yields nominal data: qrels are made of grades"):
        study_qrels(builders.study("choices"))
    with pytest.raises(BadInput, match="Item 1: the id 'd 1' is empty or holds white space"):
        study_qrels(judged({("t", "d 1"): "12."}, slug="spaces"))


def test_the_command_writes_both_files_which_evaluate_runs_and_a_corpus_take(tmp_path, capsys):
    builders.collection()
    run = Run.objects.get()
    topic, first, second = "1", "quay-1", "quay-2"
    judged({(topic, first): "44.", (topic, second): "00."})
    path = tmp_path / "lamps.qrels"
    call_command("export_qrels", "lamps", "--output", str(path))
    told = capsys.readouterr().err
    assert "Wrote 2 judgments of 1 topic to" in told
    beside = json.loads((tmp_path / "lamps.qrels.json").read_text())
    assert beside["sha256"] == sha256(path.read_bytes()).hexdigest()
    assert read_qrels(path) == {topic: {first: 4, second: 0}}
    (tmp_path / "x.run").write_text(f"{topic} Q0 {second} 1 2 x\n{topic} Q0 {first} 2 1 x\n")
    call_command("evaluate_runs", str(path), str(tmp_path / "x.run"), "--format", "json")
    assert '"MRR"' in capsys.readouterr().out
    qrels, new = files.load_qrels(path, run.corpus, run.topics, "judged")
    assert new
    assert sorted(Grade.objects.filter(qrels=qrels).values_list("grade", flat=True)) == [0, 4]
    with pytest.raises(CommandError, match="nothing was decided yet"):
        call_command("export_qrels", "lamps", "--rule", "decided", "--output", str(tmp_path / "none"))
    assert not list(tmp_path.glob("*none*"))


def test_the_page_counts_by_each_rule_and_hands_out_both_files(as_user):
    study = judged(VOTES, by=builders.researcher("Rhea"))
    client = as_user(builders.User.objects.get(username="rhea"))
    address = reverse("evaluation:qrels", args=[study.slug])
    page = client.get(address)
    assert "4 judgments of 2 topics" in page.text
    assert "1 pair of topic and document left out" in page.text
    assert client.get(address, {"rule": "best"}).status_code == 422
    assert "nothing was decided yet" in client.get(address, {"rule": "decided"}).text
    first = client.post(address, {"rule": "mean", "part": "qrels"})
    assert first["Content-Disposition"] == 'attachment; filename="lamps-mean.qrels"'
    assert first.text.splitlines()[0] == "t1 0 d2 3"
    second = client.post(address, {"rule": "mean", "part": "json"})
    assert json.loads(second.text)["sha256"] == sha256(first.content).hexdigest()
    assert client.post(address, {"rule": "decided"}).status_code == 422
    events = Event.objects.filter(study=study, verb="export").order_by("pk").values_list("data", flat=True)
    assert list(events) == [{"format": "qrels", "rule": "mean"}, {"format": "json", "rule": "mean"}]
    assert address in client.get(reverse("annotation:export", args=[study.slug])).text


def test_the_api_gives_the_same(as_user):
    study = judged(VOTES, by=builders.researcher("Rhea"))
    client = as_user(builders.User.objects.get(username="rhea"))
    address = reverse("api:qrels", args=[study.slug])
    assert client.get(address).text == "".join(lines(study_qrels(study)))
    found = client.get(address, {"rule": "mean", "part": "json"}).json()
    assert found["rule"] == "mean"
    for asked in ({"rule": "best"}, {"part": "csv"}, {"limit": 3}, {"rule": "decided"}):
        assert client.get(address, asked).status_code == 400


def test_the_judgments_of_the_first_pool_alone_and_which_pools_there_were(tmp_path):
    builders.collection()
    first = Pool.objects.get()
    second = Pool.objects.create(corpus=first.corpus, topics=first.topics, number=2, depth=9)
    study = judged({("1", "quay-1"): "44.", ("1", "quay-2"): "00.", ("1", "quay-3"): "1.u"})
    wording = TopicVersion.objects.get(version=2)
    for item in study.items.all():
        pool = second if item.number == 3 else first
        builders.rewrite([item], provenance={"pool": pool.pk, "topic_version": wording.pk})
    before, after = study_qrels(study, pools=1), study_qrels(study)
    assert before.made.qrels == {"1": {"quay-1": 4, "quay-2": 0}}
    assert after.made.qrels == {"1": {"quay-1": 4, "quay-2": 0, "quay-3": 1}}
    assert (before.outcomes, after.outcomes) == (
        {"answer": 4, "undecided": 0, "broken": 0},
        {"answer": 5, "undecided": 1, "broken": 0},
    )
    assert (len(before.readers), len(after.readers)) == (2, 3)
    said = about(before)
    assert [(each["corpus"], each["topics"], each["number"]) for each in said["pools"]] == [
        ("quays", "boats", 1),
        ("quays", "boats", 2),
    ]
    assert (said["upto_pool"], said["topic_versions"]) == (1, {"1": [2]})
    assert about(after)["upto_pool"] is None
    call_command("export_qrels", "lamps", "--pools", "1", "--output", str(tmp_path / "first"))
    assert read_qrels(tmp_path / "first") == before.made.qrels
    with pytest.raises(BadInput, match="No item of the study comes of a pool numbered 1 to 1"):
        study_qrels(judged(VOTES, slug="filed"), pools=1)


def test_every_grade_is_the_low_median_of_its_readers():
    votes = {(f"t{at % 4}", f"d{at}"): f"{at % 5}{at * 7 % 5}{at * 3 % 5}" for at in range(40)}
    found = study_qrels(judged(votes)).made.qrels
    assert found == {
        topic: {
            document: median_low(map(int, said))
            for (one, document), said in sorted(votes.items())
            if one == topic
        }
        for topic in ("t0", "t1", "t2", "t3")
    }
