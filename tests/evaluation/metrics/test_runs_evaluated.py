"""Means of runs over topics, comparisons, pools: against numpy, by hand, and what is refused."""

import numpy as np
import pytest

from evaluation.metrics.common.mcnemar import holm
from evaluation.metrics.common.paired import sign_flip
from evaluation.metrics.ranking.compared import difference, together
from evaluation.metrics.ranking.evaluated import evaluate, run_means
from evaluation.metrics.ranking.graded import graded, judgments
from evaluation.metrics.ranking.measures import measures
from evaluation.metrics.ranking.order import ordered
from evaluation.metrics.ranking.pools import brought_alone, found_alone, holes, leave_each_run_out

N_TOPICS = 30


def world(seed=1, n_topics=N_TOPICS):
    """Judgments of thirty topics and two runs, of which the second puts relevant documents later."""
    generator = np.random.default_rng(seed)
    qrels, good, bad = {}, {}, {}
    for topic in (f"t{n:02}" for n in range(n_topics)):
        grades = {f"d{n}": int(generator.integers(0, 5)) for n in range(30)}
        grades["d0"] = 4
        noise = generator.normal(size=(2, 30))
        qrels[topic] = grades
        good[topic] = (list(grades), [grade + noise[0, n] for n, grade in enumerate(grades.values())])
        bad[topic] = (list(grades), [grade + 4 * noise[1, n] for n, grade in enumerate(grades.values())])
    return qrels, {"good": ordered(good), "bad": ordered(bad)}


QRELS, RUNS = world()
JUDGED = judgments(QRELS, 2, 4)
NAMES = measures("MAP,nDCG@10,success@1,judged@10")
GOOD, BAD = (evaluate(name, RUNS[name], JUDGED, NAMES) for name in ("good", "bad"))


def test_the_mean_and_its_standard_error_are_those_of_the_topics():
    for found in run_means(GOOD, seed=1):
        values = GOOD.of(found.measure)
        assert found.mean.value == pytest.approx(values.mean())
        assert found.mean.standard_error == pytest.approx(values.std(ddof=1) / np.sqrt(N_TOPICS))
        assert (found.mean.n_queries, found.facet) == (N_TOPICS, "")
        assert found.mean.method.endswith("over topics") or "over topics (all equal)" in found.mean.method


def test_the_interval_is_what_resampling_topics_gives():
    (found, *_) = run_means(GOOD, seed=1, resamples=4000)
    values = GOOD.of(NAMES[0])
    drawn = np.random.default_rng(9).choice(values, (4000, N_TOPICS)).mean(axis=1)
    assert (found.mean.low, found.mean.high) == pytest.approx(np.quantile(drawn, [0.025, 0.975]), abs=0.004)


def test_the_same_seed_gives_the_same_numbers():
    assert run_means(GOOD, seed=5) == run_means(GOOD, seed=5)
    assert run_means(GOOD, seed=5) != run_means(GOOD, seed=6)


def test_a_facet_is_the_report_of_its_topics():
    facets = {topic: "broad" if int(topic[1:]) % 3 else "specific" for topic in GOOD.topics[:20]}
    found = run_means(GOOD, seed=1, facets=facets)
    assert [each.facet for each in found] == [""] * 4 + ["broad"] * 4 + ["specific"] * 4
    assert [each.mean.n_queries for each in found[4::4]] == [13, 7]
    own = [GOOD.of(NAMES[0])[at] for at, topic in enumerate(GOOD.topics) if facets.get(topic) == "specific"]
    assert found[8].mean.value == pytest.approx(np.mean(own))


def test_what_a_run_lacks_has_the_value_0_and_is_named():
    judged = judgments({"a": {"x": 1}, "b": {"x": 1}, "c": {"x": 0}}, 1)
    found = evaluate("r", ordered({"a": (["x", "y"], [1, 1]), "z": (["x"], [1])}), judged, NAMES[:1])
    assert found.values.tolist() == [[0.5, 0.0]]
    assert (found.missing, found.without_relevant, found.unjudged, found.tied) == (
        ("b",),
        ("c",),
        ("z",),
        ("a",),
    )


def test_a_run_on_other_topics_is_refused():
    with pytest.raises(ValueError, match="Run r has none of the judged topics, such as 'a'"):
        evaluate("r", ordered({"q": (["x"], [1])}), judgments({"a": {"x": 1}}))


class TestCompared:
    found = together([difference(GOOD, BAD, 3)])

    def test_differences_are_topic_by_topic(self):
        for each in self.found:
            expected = GOOD.of(each.measure) - BAD.of(each.measure)
            assert each.per_topic == pytest.approx(expected)
            assert each.paired.difference == pytest.approx(expected.mean())
            assert (each.n_raised, each.n_lowered) == ((expected > 0).sum(), (expected < 0).sum())
            assert (each.paired.name, each.paired.against, each.n_topics) == ("good", "bad", N_TOPICS)

    def test_what_says_nothing_about_quality_is_not_compared(self):
        assert [each.measure.label for each in self.found] == ["MAP", "nDCG@10", "success@1"]

    def test_p_is_the_sign_flip_tests(self):
        assert self.found[0].paired.p == sign_flip(GOOD.of(NAMES[0]), BAD.of(NAMES[0]), 3).p
        assert self.found[0].paired.p < 0.01
        assert self.found[2].paired.test == "McNemar, exact"

    def test_holm_is_over_all_comparisons(self):
        assert [each.paired.p_holm for each in self.found] == list(
            holm([each.paired.p for each in self.found])
        )
        again = GOOD._replace(name="again")
        several = together([difference(each, BAD, 3) for each in (GOOD, again)])
        assert len(several) == 6
        assert several[0].paired.p_holm == pytest.approx(min(1, 6 * min(each.paired.p for each in several)))

    def test_a_run_against_itself_differs_nowhere(self):
        each, *_ = difference(GOOD._replace(name="copy"), GOOD, 1)
        assert (each.n_raised, each.n_lowered, each.paired.p) == (0, 0, 1.0)


class TestPools:
    qrels = {"t": {"a": 2, "b": 2, "c": 0, "d": 2}, "u": {"e": 2, "f": 0}}
    runs = {
        "one": ordered({"t": (["a", "b", "c"], [3, 2, 1]), "u": (["f"], [1])}),
        "two": ordered({"t": (["a", "d", "b"], [3, 2, 1]), "u": (["e"], [1])}),
    }
    judged = judgments(qrels, 1, 2)

    def test_what_one_run_alone_has_among_its_first(self):
        assert brought_alone(self.runs, 2) == {
            "one": {"t": {"b"}, "u": {"f"}},
            "two": {"t": {"d"}, "u": {"e"}},
        }
        assert brought_alone(self.runs, 3)["one"] == {"t": {"c"}, "u": {"f"}}

    def test_the_share_of_relevant_documents_that_it_found_alone(self):
        one, two = found_alone(self.runs, 2, self.judged)
        assert (one.name, one.n_documents, one.n_relevant, one.share) == ("one", 2, 1, 0.25)
        assert (two.n_documents, two.n_relevant, two.share) == (2, 2, 0.5)

    def test_each_run_without_what_only_it_brought(self):
        one, two = leave_each_run_out(self.runs, 2, self.qrels, self.judged, measures("P@2"))
        # Without b, which only "one" brought, t has a and d; topic u keeps e.
        assert (one.value, one.without, one.n_topics, one.n_lost) == (0.5, 0.25, 2, 0)
        # Without d and e; topic u then has no relevant document and leaves both means.
        assert (two.value, two.without, two.n_topics, two.n_lost) == (1.0, 0.5, 1, 1)

    def test_a_depth_below_one_is_refused(self):
        with pytest.raises(ValueError, match="depth of a pool must be 1 or more, not 0"):
            brought_alone(self.runs, 0)

    @pytest.mark.parametrize(
        ("n_unjudged", "few", "too_few"),
        [(0, False, False), (1, False, False), (2, True, False), (4, True, True)],
    )
    def test_holes(self, n_unjudged, few, too_few):
        documents = [f"x{n}" for n in range(n_unjudged)] + [f"d{n}" for n in range(20)]
        judged = judgments({"t": {f"d{n}": 1 for n in range(20)}})
        found = holes("r", graded(ordered({"t": (documents, range(len(documents), 0, -1))}), judged))
        assert found.judged == pytest.approx(1 - n_unjudged / 10)
        assert (found.few, found.too_few) == (few, too_few)

    def test_no_topic_no_holes(self):
        assert holes("r", graded(ordered({}), judgments({"t": {"a": 1}}, level=2, most=2))) is None
