"""Judgments made of several annotators' grades."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evaluation.metrics.ranking.from_grades import Given, majority, mean, median, qrels_of


def answers(**documents):
    """``a=(1, 2, None)``: grades of annotators A, B, C for document a of topic t."""
    return [
        Given("t", document, "ABC"[who], grade)
        for document, grades in documents.items()
        for who, grade in enumerate(grades)
    ]


class TestRules:
    def test_the_median_is_the_lower_of_two_middle_grades(self):
        assert [median(each) for each in ([3], [4, 0, 1], [1, 2], [4, 0, 3, 1])] == [3, 1, 1, 1]

    def test_the_majority_is_the_lowest_of_equally_frequent_grades(self):
        assert [majority(each) for each in ([3], [4, 4, 0], [2, 1], [4, 4, 3, 3, 0])] == [3, 4, 1, 3]

    def test_the_mean_is_rounded_half_up(self):
        assert [mean(each) for each in ([3], [1, 2], [2, 3], [0, 0, 1], [0, 1, 1])] == [3, 2, 3, 0, 1]

    @given(st.lists(st.integers(0, 4), min_size=1, max_size=9))
    def test_every_rule_against_its_definition(self, grades):
        ordered, n = sorted(grades), len(grades)
        assert median(grades) == (ordered[n // 2] if n % 2 else ordered[n // 2 - 1])
        most = max(grades.count(grade) for grade in grades)
        assert majority(grades) == min(grade for grade in grades if grades.count(grade) == most)
        assert -0.5 < mean(grades) - sum(grades) / n <= 0.5


class TestQrels:
    given = [*answers(a=(1, 2), b=(3, None, 4), c=(None, None)), Given("s", "a", "A", 0)]

    def test_undecided_answers_enter_no_rule(self):
        found = qrels_of(self.given)
        assert found.qrels == {"s": {"a": 0}, "t": {"a": 1, "b": 3}}
        assert found.annotators == {("s", "a"): 1, ("t", "a"): 2, ("t", "b"): 2}
        assert (found.n_undecided, found.left_out, found.n_decided) == (3, (("t", "c"),), 0)

    def test_a_decision_stands_over_the_rule(self):
        found = qrels_of(self.given, "mean", {("t", "a"): 0, ("t", "c"): 4, ("t", "z"): 1})
        assert found.qrels["t"] == {"a": 0, "b": 4, "c": 4, "z": 1}
        assert found.annotators["t", "z"] == found.annotators["t", "c"] == 0
        assert (found.n_decided, found.left_out) == (3, ())

    def test_a_pair_without_an_answer_by_decision_has_no_judgment(self):
        found = qrels_of(self.given, decisions={("t", "a"): None})
        assert found.qrels["t"] == {"b": 3}
        assert found.left_out == (("t", "a"), ("t", "c"))

    def test_decisions_alone(self):
        found = qrels_of(self.given, "decided", {("t", "a"): 2})
        assert found.qrels == {"t": {"a": 2}}
        assert found.left_out == (("s", "a"), ("t", "b"), ("t", "c"))

    def test_refused(self):
        with pytest.raises(ValueError, match="must be one of median, majority, mean, decided, not 'best'"):
            qrels_of([], "best")
        with pytest.raises(
            ValueError, match="Topic 't', document 'a': a grade must be a whole number from 0"
        ):
            qrels_of(answers(a=(-1,)))
        with pytest.raises(ValueError, match="'A' has two answers on topic 't', document 'a'"):
            qrels_of([*answers(a=(1,)), *answers(a=(2,))])
        with pytest.raises(ValueError, match="whole number"):
            qrels_of([], decisions={("t", "a"): -2})
