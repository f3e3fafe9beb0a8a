"""Measures of runs on judgments: trec_eval, cases by hand, what is left out and what is refused."""

from math import log2

import numpy as np
import pytest
import pytrec_eval

from evaluation.metrics.ranking.graded import default_level, graded, judgments
from evaluation.metrics.ranking.measures import DEFAULT, FURTHER, measure, measures
from evaluation.metrics.ranking.order import ordered

CUTS = (1, 3, 5, 10, 30)
CUT_NAMES = {"map_cut": "MAP", "ndcg_cut": "nDCG", "P": "P", "recall": "recall", "success": "success"}
THEIRS = {"map": "MAP", "ndcg": "nDCG", "recip_rank": "MRR", "Rprec": "R-precision", "bpref": "bpref"}
THEIRS |= {f"{name}_{k}": f"{label}@{k}" for name, label in CUT_NAMES.items() for k in CUTS}
ASKED = {"map", "ndcg", "recip_rank", "Rprec", "bpref", *(f"{name}.1,3,5,10,30" for name in CUT_NAMES)}
CASES = 500


def value(name, ranking, grades, level=1, most=None):
    """Of one topic: a ranking such as "abc" and {document: grade}."""
    judged = judgments({"t": grades}, level, most)
    (found,) = measure(name).per_topic(
        graded(ordered({"t": (list(ranking), range(len(ranking), 0, -1))}), judged)
    )
    return found


def case(number):
    """(level, documents, scores, {document: grade}) with ties, gaps and grades -2 to 4.

    Grades below 0 say that nobody judged. Scores are whole, so that trec_eval's single precision ties where
    ours does; the topic has a relevant document, since pytrec_eval dies of one with negative grades alone.
    """
    generator = np.random.default_rng(number)
    level = int(generator.integers(1, 4))
    documents = [f"d{n}" for n in generator.choice(200, generator.integers(1, 60), replace=False)]
    judged = [each for each in documents if generator.random() < 0.7]
    judged += [f"e{n}" for n in range(generator.integers(0, 10))]
    grades = {each: int(generator.integers(-2, 5)) for each in judged}
    if max(grades.values(), default=-2) < level:
        grades["e99"] = level
    found = [each for each in documents if generator.random() < 0.8] or documents[:1]
    return level, found, generator.integers(0, generator.integers(2, 30), len(found)).astype(float), grades


def test_equal_to_trec_eval_on_random_cases():
    n_tied = n_values = 0
    for number in range(CASES):
        level, documents, scores, grades = case(number)
        evaluator = pytrec_eval.RelevanceEvaluator({"t": grades}, ASKED, relevance_level=level)
        theirs = evaluator.evaluate({"t": dict(zip(documents, scores.tolist(), strict=True))})["t"]
        run = ordered({"t": (documents, scores)})
        ours = graded(run, judgments({"t": grades}, level, 4))
        n_tied += len(run.tied)
        for name, label in THEIRS.items():
            n_values += 1
            assert measure(label).per_topic(ours)[0] == pytest.approx(theirs[name], abs=1e-9), (number, label)
    assert n_tied > CASES / 2
    assert n_values == CASES * 30


def test_exponential_gain_is_trec_eval_on_other_grades():
    for number in range(50):
        _, documents, scores, grades = case(number)
        raised = {each: 2 ** max(grade, 0) - 1 for each, grade in grades.items()}
        if not any(raised.values()):
            continue
        evaluator = pytrec_eval.RelevanceEvaluator({"t": raised}, {"ndcg_cut.10"})
        theirs = evaluator.evaluate({"t": dict(zip(documents, scores.tolist(), strict=True))})["t"]
        ours = graded(ordered({"t": (documents, scores)}), judgments({"t": grades}, 1, 4))
        found = measure("nDCG-exp@10").per_topic(ours)[0]
        assert found == pytest.approx(theirs["ndcg_cut_10"], abs=1e-9)


def test_many_topics_at_once_equal_each_alone():
    cases = [case(number) for number in range(40)]
    run = {f"t{n}": (documents, scores) for n, (_, documents, scores, _) in enumerate(cases)}
    judged = judgments({f"t{n}": grades for n, (*_, grades) in enumerate(cases)}, 1, 4)
    together = graded(ordered(run), judged)
    for one in (*DEFAULT, *FURTHER):
        for place, topic in enumerate(judged.topics):
            grades = {topic: cases[int(topic[1:])][3]}
            alone = graded(ordered({topic: run[topic]}), judgments(grades, 1, 4))
            assert one.per_topic(together)[place] == pytest.approx(one.per_topic(alone)[0], abs=1e-12)


class TestByHand:
    def test_both_gains_of_grades_ranked_worst_first(self):
        grades = {"a": 1, "b": 2, "c": 3}
        assert value("nDCG@3", "abc", grades) == pytest.approx(0.78999800, abs=5e-9)
        assert value("nDCG-exp@3", "abc", grades) == pytest.approx(0.68060606, abs=5e-9)

    def test_the_ideal_holds_what_was_not_found(self):
        assert value("nDCG@5", "ax", {"a": 1, "b": 1, "c": 1}) == pytest.approx(1 / (1 + 1 / log2(3) + 0.5))

    def test_the_level_decides_what_is_relevant_but_not_the_gain(self):
        grades = {"a": 1, "b": 2}
        assert value("P@1", "ab", grades, level=2) == 0
        assert value("MRR", "ab", grades, level=2) == 0.5
        ndcg = (1 + 2 / log2(3)) / (2 + 1 / log2(3))
        assert value("nDCG@2", "ab", grades, level=2) == pytest.approx(ndcg)

    def test_map_at_a_cut_is_divided_by_all_relevant_documents(self):
        assert value("MAP@1", "ab", {"a": 1, "b": 1}) == 0.5
        assert value("P@10", "ab", {"a": 1, "b": 1}) == 0.2
        assert value("MRR@1", "xa", {"a": 1}) == 0
        assert value("success@2", "xa", {"a": 1}) == 1

    def test_bpref_passes_over_what_is_unjudged(self):
        grades = {"a": 1, "b": 1, "n": 0, "m": 0, "o": -1}
        assert value("bpref", "xyoab", grades) == 1.0
        assert value("bpref", "nab", grades) == pytest.approx(0.5)
        assert value("bpref", "nmab", grades) == 0.0

    def test_rbp_and_what_it_may_lack(self):
        """By hand from Moffat and Zobel (2008): weights .2, .16, .128; unjudged second, then the tail."""
        grades = {"a": 4, "c": 2}
        assert value("RBP(.8)", "axc", grades, most=4) == pytest.approx(0.2 + 0.128 * 0.5)
        assert value("residual(.8)", "axc", grades, most=4) == pytest.approx(0.16 + 0.8**3)
        assert value("residual(.95)", "", grades, most=4) == 1.0
        # The scale says what full gain is, not the highest grade that was given.
        assert value("RBP(.8)", "c", grades, most=4) == pytest.approx(0.1)

    def test_judged_counts_holes_and_not_empty_ranks(self):
        grades = {"a": 1, "b": 0, "o": -1}
        assert value("judged@10", "axb", grades) == pytest.approx(0.9)
        assert value("judged@2", "ao", grades) == 0.5
        assert value("judged@10", "ab", grades) == 1.0


class TestOrder:
    def test_equal_scores_by_document_descending_byte_by_byte(self):
        found = ordered({"t": (["b", "a", "ä", "c"], [1, 1, 1, 2])})
        assert found.first("t") == ["c", "ä", "b", "a"]
        assert found.tied == {"t"}

    def test_bytes_and_not_letters_decide(self):
        """U+FF5E comes before U+10000 in UTF-8, and behind it in UTF-16."""
        documents = ["\uff5e", "\U00010000", "z"]
        found = ordered({"t": (documents, [1, 1, 1])}).first("t")
        assert found == sorted(documents, key=str.encode, reverse=True) == ["\U00010000", "\uff5e", "z"]

    def test_stored_order_is_kept(self):
        found = ordered({"t": (["a", "b", "c"], [1, 1, 9])}, "stored")
        assert found.first("t") == ["a", "b", "c"]
        assert found.tied == {"t"}
        assert not ordered({"t": (["a", "b"], [2, 1])}, "stored").tied

    def test_scores_that_differ_in_double_precision_only_are_no_tie(self):
        found = ordered({"t": (["a", "b"], [20.0000005, 20.0])})
        assert (found.first("t"), found.tied) == (["a", "b"], frozenset())

    @pytest.mark.parametrize("rule", ["trec_eval", "stored"])
    def test_refused(self, rule):
        with pytest.raises(ValueError, match="Topic 't' has a score that is not a number"):
            ordered({"t": (["a"], [float("nan")])}, rule)
        with pytest.raises(ValueError, match="Topic 't' has 2 documents, but 1 scores"):
            ordered({"t": (["a", "b"], [1])}, rule)

    def test_no_such_rule(self):
        with pytest.raises(ValueError, match="must be one of trec_eval, stored, not 'bm25'"):
            ordered({}, "bm25")

    def test_an_empty_topic(self):
        assert ordered({"t": ([], [])}).first("t") == []


class TestJudgments:
    def test_topics_without_relevant_documents_are_counted_and_left_out(self):
        found = judgments({"b": {"x": 1}, "a": {"x": 0}, "c": {"x": -1}, "d": {}}, 1)
        assert (found.topics, found.without_relevant) == (("b",), ("a", "c", "d"))

    def test_the_level_is_half_the_scale_unless_said(self):
        assert [default_level(most) for most in (1, 2, 3, 4)] == [1, 1, 2, 2]
        assert judgments({"t": {"a": 4}}).level == 2
        assert judgments({"t": {"a": 2}}, most=4).level == 2

    def test_what_was_judged_below_zero_was_not_judged(self):
        found = judgments({"t": {"a": 1, "b": 0, "c": -1}})
        assert (found.n_relevant.tolist(), found.n_nonrelevant.tolist()) == ([1], [1])

    def test_refused(self):
        with pytest.raises(
            ValueError, match="Topic 't', document 'a': the grade must be a whole number up to 2"
        ):
            judgments({"t": {"a": 3}}, most=2)
        with pytest.raises(ValueError, match="whole number"):
            judgments({"t": {"a": 1.5}})
        with pytest.raises(ValueError, match="between 1 and 2, not at 3"):
            judgments({"t": {"a": 2}}, level=3)
        with pytest.raises(ValueError, match="no grade above 0"):
            judgments({"t": {"a": 0}})

    def test_a_document_that_is_ranked_twice_is_refused(self):
        with pytest.raises(ValueError, match="Topic 't' ranks document 'b' twice"):
            graded(ordered({"t": (["b", "a", "b"], [3, 2, 1])}), judgments({"t": {"a": 1}}))


class TestNames:
    def test_a_name_gives_the_measure_of_that_name(self):
        names = "MAP,MAP@100,recall@5,P@10,success@1,MRR,MRR@10,R-precision,bpref,nDCG,nDCG@10,nDCG-exp,"
        names += "nDCG-exp@10,RBP(.8),residual(.95),judged@10"
        assert ",".join(one.label for one in measures(names)) == names
        assert len({one.slug for one in measures(names)}) == 16

    def test_capitals_and_repetitions_do_not_matter(self):
        assert [one.label for one in measures(" ndcg@10, NDCG@10,rbp(0.80),map")] == [
            "nDCG@10",
            "RBP(.8)",
            "MAP",
        ]

    @pytest.mark.parametrize(
        "name",
        ["", "F1", "recall", "P@0", "MAP(.5)", "RBP", "RBP@10", "RBP(1.5)", "RBP(.0)", "bpref@10", "P@1x"],
    )
    def test_other_names_are_refused_with_those_there_are(self, name):
        with pytest.raises(ValueError, match=r"No measure is called .*; there are MAP, MAP@k"):
            measure(name)

    def test_the_lines_of_a_report(self):
        assert [one.label for one in DEFAULT] == ["MAP", "nDCG@10", "recall@100", "P@10", "MRR", "judged@10"]
        labels = ["R-precision", "bpref", "RBP(.8)", "residual(.8)", "nDCG-exp@10"]
        assert [one.label for one in FURTHER] == labels
        assert all(one.definition.endswith(".") for one in (*DEFAULT, *FURTHER))
