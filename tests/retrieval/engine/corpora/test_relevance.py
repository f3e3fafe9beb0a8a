"""Relevance models: published definitions by example, and a literal reference on random corpora."""

from collections import Counter
from math import exp, inf
from random import Random

import pytest

from common.errors import BadInput
from retrieval.engine.corpora.presets import PRESETS, FeedbackSettings, preset
from retrieval.engine.corpora.relevance import Model, estimate, mix, rm3

CORPUS = {
    "f1": "fair fair gin gin gin revelry the the the",
    "f2": "fair gin song song the the",
    "n1": "gin act act temperance the",
    "n2": "parlour the",
    "n3": "the parish",
}
RUN = [("f1", 3.0), ("f2", 1.0), ("n1", 1.0)]


def model(allowed: set[str] | None = None, **settings) -> Model:
    documents = {name: text.split() for name, text in CORPUS.items()}
    df = Counter(term for terms in documents.values() for term in set(terms))
    given = {"fb_docs": 3, "fb_terms": 4, "max_df": 0.6, "overlap": allowed is not None, **settings}
    return estimate(
        [score for _, score in RUN],
        [documents[name] for name, _ in RUN],
        df.__getitem__,
        len(documents),
        FeedbackSettings(**given),
        None if allowed is None else allowed.__contains__,
    )


def written(weights) -> str:
    return " ".join(f"{term} {weight:.6f}".replace(" 0.", " .") for term, weight in weights.items())


@pytest.mark.parametrize(
    ("settings", "terms"),
    [
        ({}, "gin .470588 fair .294118 act .117647 song .117647"),
        ({"posterior": "uniform"}, "gin .387097 fair .225806 act .193548 song .193548"),
        ({"posterior": "softmax"}, "gin .485531 fair .314041 revelry .142551 act .057877"),
        ({"prune_each": True, "fb_terms": 2}, "gin .581818 fair .418182"),
        ({"length": "all"}, "gin .465909 fair .284091 act .136364 revelry .113636"),
        ({"allowed": {"gin", "act", "temperance", "the"}}, "gin .850000 act .100000 temperance .050000"),
    ],
)
def test_the_model_of_three_documents(settings, terms):
    assert written(model(**settings).terms) == terms


def test_rm3_of_a_query():
    found = rm3({"gin": 2.0, "craze": 1.0}, model().terms, 0.5)
    assert written(found) == "gin .568627 craze .166667 fair .147059 act .058824 song .058824"
    assert sum(found.values()) == pytest.approx(1, abs=1e-15)


def test_what_was_dropped_is_told_with_the_reason():
    assert model().dropped == {"common": ["the"]}
    assert model(min_df=2).dropped == {
        "common": ["the"],
        "rare": ["act", "revelry", "song", "temperance"],
    }
    assert model({"gin"}).dropped == {
        "common": ["the"],
        "overlap": ["act", "fair", "revelry", "song", "temperance"],
    }
    assert model(stop_list="lucene", max_df=1.0).dropped == {"stop list": ["the"]}


def test_a_term_of_exactly_the_largest_share_is_kept_unless_it_is_to_be_dropped():
    assert "gin" in model(max_df=0.6).terms  # in 3 of 5
    assert model(max_df=0.6, max_df_dropped=True).dropped["common"] == ["gin", "the"]


def test_the_shape_of_anserini_drops_what_its_letters_cannot_write():
    terms = ["gin", "o", "fox's", "fée", "x" * 20, "y" * 21, "1751"]
    settings = FeedbackSettings(max_df=1.0, shape="anserini")
    found = estimate([1.0], [terms], lambda term: 1, 1, settings)
    assert found.dropped == {"shape": ["fox's", "fée", "o", "y" * 21]}
    assert list(found.terms) == ["1751", "gin", "x" * 20]


def test_documents_of_no_score_count_alike():
    found = estimate([0.0, -1.0], [["sea"], ["ship"]], lambda term: 1, 20, FeedbackSettings())
    assert found.posteriors == [0.5, 0.5]
    assert found.terms == {"sea": 0.5, "ship": 0.5}


def test_softmax_is_nearly_all_of_the_first_document_on_bm25_scores():
    scores, documents = [24.0, 22.0, 21.0, 20.5, 20.0], [["sea"]] * 5
    shares = {
        name: estimate(scores, documents, lambda term: 1, 99, FeedbackSettings(posterior=name)).posteriors[0]
        for name in ("softmax", "score", "uniform")
    }
    assert {name: round(share, 2) for name, share in shares.items()} == (
        {"softmax": 0.81, "score": 0.22, "uniform": 0.2}
    )


def test_a_search_that_finds_nothing_gives_the_query_alone():
    nothing = estimate([], [], lambda term: 0, 5, FeedbackSettings())
    assert nothing == Model({}, [], {})
    assert rm3({"gin": 2.0, "craze": 2.0}, nothing.terms, 0.3) == {"craze": 0.5, "gin": 0.5}
    assert rm3({}, {"gin": 1.0}, 0.3) == {"gin": 1.0}


def test_two_models_are_mixed_without_a_second_cut_and_half_of_each_is_not_one_of_both():
    fiction, other = {"gin": 0.6, "fair": 0.4}, {"act": 0.7, "gin": 0.3}
    assert written(mix(fiction, other, 0.5)) == "gin .450000 act .350000 fair .200000"
    assert mix(fiction, other, 1.0) == {"gin": 0.6, "fair": 0.4, "act": 0.0}
    assert mix(fiction, {}, 0.1) == fiction
    with pytest.raises(BadInput, match=r"alpha is 1.1; it must be a number from 0 to 1"):
        mix(fiction, other, 1.1)


def test_equal_weights_are_ordered_by_the_alphabet_at_the_cut():
    settings = FeedbackSettings(fb_terms=2, max_df=1.0)
    found = estimate([1.0], [["dawn", "sea", "act", "ship"]], lambda term: 1, 1, settings)
    assert list(found.terms) == ["act", "dawn"]


def test_presets_say_what_the_systems_do():
    anserini, pyterrier, indri = (preset(name) for name in ("anserini", "pyterrier", "indri"))
    assert preset("variorum") == FeedbackSettings()
    assert (anserini.fb_docs, anserini.fb_terms, anserini.query_weight, anserini.prune_each) == (
        10,
        10,
        0.5,
        True,
    )
    assert (pyterrier.fb_docs, pyterrier.fb_terms, pyterrier.query_weight, pyterrier.min_df) == (
        3,
        10,
        0.6,
        2,
    )
    assert (pyterrier.posterior, pyterrier.length, pyterrier.max_df_dropped) == ("softmax", "all", True)
    assert (indri.posterior, indri.max_df) == ("softmax", 1.0)
    with pytest.raises(BadInput, match="choose one of: variorum, anserini, pyterrier, indri"):
        preset("lemur")
    for settings in PRESETS.values():
        assert FeedbackSettings(**settings.as_json()) == settings


@pytest.mark.parametrize(
    ("given", "sentence"),
    [
        ({"fb_docs": 0}, "fb_docs is 0; it must be a whole number from 1 to 1,000"),
        ({"fb_terms": 2.5}, "fb_terms is 2.5"),
        ({"min_df": True}, "min_df is True"),
        ({"query_weight": -0.1}, "query_weight is -0.1; it must be a number from 0 to 1"),
        ({"max_df": inf}, "max_df is inf"),
        ({"posterior": "linear"}, "posterior is 'linear'; choose one of: score, uniform, softmax"),
        ({"length": "none"}, "choose one of: kept, all"),
        ({"shape": "short"}, "choose one of: any, anserini"),
        ({"stop_list": "smart"}, "choose one of: none, lucene"),
    ],
)
def test_wrong_settings_are_refused(given, sentence):
    with pytest.raises(BadInput, match=sentence):
        FeedbackSettings(**given)


def test_scores_and_documents_must_belong_together():
    for scores in ([1.0], [1.0, inf]):
        with pytest.raises(BadInput, match="There are 2 documents; each must have one score"):
            estimate(scores, [["sea"], ["ship"]], lambda term: 1, 5, FeedbackSettings())
    with pytest.raises(BadInput, match="say which terms the searched corpus has"):
        estimate([1.0], [["sea"]], lambda term: 1, 5, FeedbackSettings(overlap=True))


def literally(scores, documents, df, n, settings, allowed):
    """P(w|R) for every word of the vocabulary, as the definition has it: no step is shared between words."""
    scores, documents = scores[: settings.fb_docs], documents[: settings.fb_docs]
    share = {
        "uniform": [1] * len(scores),
        "score": scores,
        "softmax": [exp(score - scores[0]) for score in scores],
    }[settings.posterior]

    def may(word):
        low = df[word] >= settings.min_df
        high = df[word] < settings.max_df * n if settings.max_df_dropped else df[word] <= settings.max_df * n
        return low and high and (not settings.overlap or word in allowed)

    def part(word, p, document):
        ranked = sorted({w for w in document if may(w)}, key=lambda w: (-document.count(w), w))
        kept = ranked[: settings.fb_terms] if settings.prune_each else ranked
        if word not in kept:
            return 0.0
        length = sum(document.count(w) for w in kept) if settings.length == "kept" else len(document)
        # In this order, because weights that are equal by arithmetic may differ in their last bit.
        return p * document.count(word) / length

    weights = {
        word: sum(part(word, p / sum(share), document) for p, document in zip(share, documents, strict=True))
        for word in df
    }
    chosen = sorted((w for w in weights if weights[w]), key=lambda w: (-weights[w], w))[: settings.fb_terms]
    total = sum(weights[word] for word in chosen)
    return {word: weights[word] / total for word in chosen}


@pytest.mark.parametrize("seed", range(60))
def test_the_model_equals_a_literal_reference(seed):
    random = Random(seed)
    words = [f"w{number:02d}" for number in range(25)]
    documents = [random.choices(words, k=random.randint(1, 40)) for _ in range(30)]
    df = Counter(word for document in documents for word in set(document))
    settings = FeedbackSettings(
        fb_docs=random.randint(1, 12),
        fb_terms=random.randint(1, 12),
        posterior=random.choice(["score", "uniform", "softmax"]),
        prune_each=random.random() < 0.5,
        length=random.choice(["kept", "all"]),
        max_df=random.choice([0.3, 0.5, 1.0]),
        max_df_dropped=random.random() < 0.5,
        min_df=random.choice([1, 5]),
        overlap=random.random() < 0.5,
    )
    allowed = set(random.sample(words, 15))
    scores = sorted((random.uniform(0.1, 9) for _ in range(random.randint(1, 12))), reverse=True)
    found = estimate(scores, documents[: len(scores)], df.__getitem__, 30, settings, allowed.__contains__)
    expected = literally(scores, documents[: len(scores)], df, 30, settings, allowed)
    assert dict(found.terms) == pytest.approx(expected, rel=1e-12)
    assert list(found.terms) == list(expected)
