"""Feedback from one corpus for the search of another, against the whole path written out."""

import math
from collections import Counter
from random import Random

import numpy as np
import pytest

from common.errors import BadInput
from retrieval.engine.corpora import relevance
from retrieval.engine.corpora.feedback import FeedbackCorpus, RelevanceFeedback
from retrieval.engine.corpora.index import subset
from retrieval.engine.corpora.presets import FeedbackSettings
from retrieval.engine.corpora.searching import Searcher
from retrieval.engine.corpora.tokenising import TokenSettings
from tests.retrieval.engine.corpora.made import WORDS, indexed, texts

SETTINGS = FeedbackSettings(fb_docs=5, fb_terms=6, query_weight=0.4, max_df=0.5)


def corpus(name: str, index, documents: list[str], part=None) -> FeedbackCorpus:
    searcher = Searcher(index, subset=part)
    return FeedbackCorpus(name, searcher, lambda numbers: [documents[number] for number in numbers])


def lucene(documents: list[list[str]], query: dict[str, float]) -> list[tuple[int, float]]:
    """All documents with a score, best first: k1 .9, b .4."""
    n, mean = len(documents), sum(map(len, documents)) / len(documents)
    scores = [0.0] * n
    for term, weight in sorted(query.items()):
        df = sum(term in document for document in documents)
        for number, document in enumerate(documents):
            tf = document.count(term)
            if tf:
                idf = math.log(1 + (n - df + 0.5) / (df + 0.5))
                scores[number] += weight * idf * tf / (tf + 0.9 * (0.6 + 0.4 * len(document) / mean))
    return sorted(((d, s) for d, s in enumerate(scores) if s > 0), key=lambda found: (-found[1], found[0]))


def written_out(searched, feedback, words, settings):
    """RM3 step by step: first search, model, second search; each in its own corpus."""
    first = lucene(feedback, Counter(words))[: settings.fb_docs]
    df = Counter(word for document in feedback for word in set(document))
    weights: Counter[str] = Counter()
    for number, score in first:
        kept = [word for word in feedback[number] if df[word] <= settings.max_df * len(feedback)]
        for word in set(kept):
            weights[word] += score / sum(s for _, s in first) * kept.count(word) / len(kept)
    chosen = sorted(weights, key=lambda word: (-weights[word], word))[: settings.fb_terms]
    total = sum(weights[word] for word in chosen)
    expanded = {word: (1 - settings.query_weight) * weights[word] / total for word in chosen}
    for word in words:
        expanded[word] = expanded.get(word, 0.0) + settings.query_weight / len(words)
    return expanded, lucene(searched, expanded)


@pytest.mark.parametrize("seed", range(8))
def test_feedback_of_another_corpus_equals_the_path_written_out(tmp_path, seed):
    searched, fiction = texts(seed, 50), texts(seed + 100, 40)
    index = indexed(tmp_path, searched)
    feedback = RelevanceFeedback(
        Searcher(index), [corpus("fiction", indexed(tmp_path, fiction, name="fiction"), fiction)], SETTINGS
    )
    random = Random(seed)
    for _ in range(5):
        words = random.choices(WORDS[5:], k=3)
        if not lucene([text.split() for text in fiction], Counter(words)):
            continue
        expanded, run = written_out(
            [text.split() for text in searched], [text.split() for text in fiction], words, SETTINGS
        )
        found = feedback.search(index.tokeniser.query(" ".join(words)), 50)
        assert dict(found.query) == pytest.approx(expanded, rel=1e-12)
        assert [number for number, _ in found.found.run()] == [number for number, _ in run]
        assert found.found.scores.tolist() == pytest.approx([score for _, score in run], rel=1e-12)


def genres(tmp_path):
    """One index over two genres: every third document is fiction."""
    documents = texts(9, 90)
    index = indexed(tmp_path, documents)
    fiction = np.arange(90) % 3 == 0
    parts = {"fiction": subset(index, fiction, "fiction"), "other": subset(index, ~fiction, "other")}
    return documents, index, parts


def test_a_subset_gives_the_model_that_an_index_of_its_own_gives(tmp_path):
    documents, index, parts = genres(tmp_path)
    alone = documents[::3]
    query = {"w07": 1.0, "w11": 1.0}
    searched = Searcher(index, subset=parts["other"])
    of_mask = RelevanceFeedback(searched, [corpus("m", index, documents, parts["fiction"])], SETTINGS)
    own = corpus("o", indexed(tmp_path, alone, name="alone"), alone)
    of_own = RelevanceFeedback(searched, [own], SETTINGS)
    assert of_mask.models(query)[0] == of_own.models(query)[0]
    assert of_mask.search(query, 9).found.run() == of_own.search(query, 9).found.run()


def test_merged_and_alpha_are_two_things_and_a_sweep_estimates_once(tmp_path):
    documents, index, parts = genres(tmp_path)
    searched, query = Searcher(index, subset=parts["other"]), {"w07": 1.0, "w11": 1.0}
    merged = RelevanceFeedback(searched, [corpus("both", index, documents)], SETTINGS).search(query, 20)
    two = [corpus(name, index, documents, part) for name, part in parts.items()]
    alpha = RelevanceFeedback(searched, two, SETTINGS, alpha=0.5)
    mixed = alpha.search(query, 20)
    assert len(merged.models) == 1
    assert len(mixed.models) == 2
    assert dict(merged.query) != pytest.approx(dict(mixed.query))
    assert max(len(model.terms) for model in mixed.models) < len(mixed.query) <= 2 * 6 + 2
    for step, end in ((1.0, two[0]), (0.0, two[1])):
        swept = alpha.search(query, 20, models=mixed.models, alpha=step)
        single = RelevanceFeedback(searched, [end], SETTINGS).search(query, 20)
        # The other model's terms have weight 0 and change nothing.
        assert {t: w for t, w in swept.query.items() if w} == pytest.approx(dict(single.query))
        assert [n for n, _ in swept.found.run()] == [n for n, _ in single.found.run()]
    assert alpha.search(query, 20, models=mixed.models).query == mixed.query


def test_terms_that_no_searched_document_has_are_told_or_kept_out(tmp_path):
    fiction, searched = ["gin fair revelry", "parlour", "song"], ["gin act", "act parish", "temperance"]
    index = indexed(tmp_path, searched)
    source = corpus("fiction", indexed(tmp_path, fiction, name="fiction"), fiction)
    settings = FeedbackSettings(fb_terms=3, max_df=1.0)
    free = RelevanceFeedback(Searcher(index), [source], settings).search({"gin": 1.0}, 5)
    assert free.without_postings == ["fair", "revelry"]
    assert free.query == {"gin": 0.5 + 0.5 / 3, "fair": 0.5 / 3, "revelry": 0.5 / 3}
    bound = FeedbackSettings(fb_terms=3, max_df=1.0, overlap=True)
    held = RelevanceFeedback(Searcher(index), [source], bound).search({"gin": 1.0}, 5)
    assert held.without_postings == []
    assert held.query == {"gin": 1.0}
    assert held.models[0].dropped == {"overlap": ["fair", "revelry"]}


def test_a_query_without_feedback_is_searched_as_it_is(tmp_path):
    index = indexed(tmp_path, ["gin act", "act"])
    source = corpus("fiction", indexed(tmp_path, ["song"], name="fiction"), ["song"])
    found = RelevanceFeedback(Searcher(index), [source]).search({"act": 2.0, "gin": 2.0}, 5)
    assert found.query == relevance.unit({"act": 2.0, "gin": 2.0})
    assert found.found.numbers.tolist() == [0, 1]


def test_other_settings_of_terms_are_refused(tmp_path):
    index = indexed(tmp_path, ["gin"])
    stemmed = indexed(tmp_path, ["gin"], name="stemmed", settings=TokenSettings(stemmer="snowball-porter"))
    with pytest.raises(BadInput, match="index both with the same settings"):
        RelevanceFeedback(Searcher(index), [corpus("stemmed", stemmed, ["gin"])])


def test_a_text_that_is_not_the_indexed_one_is_refused(tmp_path):
    index = indexed(tmp_path, ["gin act", "act"])
    feedback = RelevanceFeedback(Searcher(index), [corpus("own", index, ["gin", "act"])])
    with pytest.raises(BadInput, match="Document 0 of own has 1 terms, and its index counted 2"):
        feedback.search({"gin": 1.0}, 1)


def test_alpha_belongs_to_two_corpora(tmp_path):
    documents = ["gin act", "act"]
    own = corpus("own", indexed(tmp_path, documents), documents)
    for corpora, alpha, sentence in (
        ([], None, "Feedback from 0 corpora"),
        ([own] * 3, 0.5, "Feedback from 3 corpora"),
        ([own], 0.5, "give both, or neither"),
        ([own] * 2, None, "give both, or neither"),
        ([own] * 2, 2, "alpha is 2; it must be a number from 0 to 1"),
    ):
        with pytest.raises(BadInput, match=sentence):
            RelevanceFeedback(own.searcher, corpora, alpha=alpha)


def test_what_a_run_stores_of_its_feedback(tmp_path):
    documents, index, parts = genres(tmp_path)
    two = [corpus(name, index, documents, part) for name, part in parts.items()]
    said = RelevanceFeedback(Searcher(index), two, SETTINGS, alpha=0.3).describe()["feedback"]
    assert (said["model"], said["alpha"], said["settings"]) == ("rm3", 0.3, SETTINGS.as_json())
    assert [(each["name"], each["subset"]["documents"]) for each in said["corpora"]] == (
        [("fiction", 30), ("other", 60)]
    )


def test_a_model_of_judged_documents_is_uniform_rm1_of_those_the_corpus_has(tmp_path):
    everything = [*texts(1, 30), *texts(2, 30)]
    index = indexed(tmp_path / "all", everything)
    part = subset(index, np.arange(60) < 30, "first")
    feedback = corpus("first", index, everything, part)
    expander = RelevanceFeedback(Searcher(index), [feedback], SETTINGS)
    (model,), used = expander.judged_models([41, 7, 3, 11, 59, 20, 5, 28])
    assert used == [3, 5, 7, 11, 20]
    own = [index.tokeniser.terms(everything[number]) for number in (7, 3, 11, 20, 5)]
    expected = relevance.estimate([1.0] * 5, own, feedback.searcher.frequency, 30, SETTINGS)
    assert model.terms == expected.terms
    (nothing,), none = expander.judged_models([41, 59])
    assert (nothing.terms, none) == ({}, [])
