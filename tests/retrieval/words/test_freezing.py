"""A ranking freezes what its names stand for: complete, refused where something is missing or has changed."""

import numpy as np
import pytest

from common.errors import BadInput
from retrieval.engine.ranking import rankers
from retrieval.engine.words.tables import AS_GIVEN, LemmaTable
from retrieval.models import WordTable
from retrieval.words import freezing, offered

pytestmark = pytest.mark.django_db


def frozen(slug, **given):
    ranker = rankers.get(slug)
    return freezing.freeze(ranker, rankers.complete(ranker, given), "fp32")


def test_an_empty_name_is_the_only_one_or_none_where_it_is_optional(add):
    vectors, _ = add("vectors", "sea"), add("stop-list", "short")
    found = frozen("tfidf-emb")
    assert (found.parameters["vectors"], found.parameters["stop_list"]) == ("sea", "")
    assert found.tables == {"vectors/sea": vectors.sha256}
    assert frozen("soft-cosine", relation="random").tables == {}


def test_lemmas_are_needed_only_where_words_are_lemmas(add):
    with pytest.raises(
        BadInput,
        match=r"The ranker tfidf needs a lemma table. No lemma table is here yet; add one with "
        r"manage.py add_words lemmas FILE --name NAME",
    ):
        frozen("tfidf", words="lemmas")
    row = add("lemmas", "english")
    assert frozen("tfidf").tables == {}
    assert frozen("tfidf", words="lemmas").tables == {"lemmas/english": row.sha256}
    with pytest.raises(
        BadInput, match=r"uses its parameter lemmas only where words is lemmas; set words=lemmas"
    ):
        frozen("tfidf", lemmas="english")


def test_a_caller_may_put_a_thing_of_its_own(db):
    ranker = rankers.get("tfidf")
    asked = rankers.complete(ranker, {"words": "lemmas"})
    found = freezing.freeze(ranker, asked, "fp32", instead=["lemmas"])
    given = freezing.opened(ranker, {**found.parameters, "lemmas": AS_GIVEN}, words=found.tables)
    assert given["lemmas"] is AS_GIVEN
    assert np.isfinite(ranker.prepare(["boat sail", "lamp"], given).scores(["boat"])).all()


def test_the_thing_takes_the_place_of_its_name(add):
    add("lemmas", "english")
    found = frozen("tfidf", words="lemmas")
    given = freezing.opened(rankers.get("tfidf"), found.parameters, words=found.tables)
    assert isinstance(given["lemmas"], LemmaTable)
    assert given["lemmas"].lemma("boats") == "boat"
    scores = (
        rankers.get("tfidf").prepare(["one boat", "a lamp", "no word", "at all"], given).scores(["Boats"])
    )
    assert scores[0].argmax() == 0
    assert scores[0][0] > 0


def test_another_file_under_the_name_or_none_is_refused(add):
    add("vectors", "sea")
    found = frozen("tfidf-emb")
    WordTable.objects.all().delete()
    with pytest.raises(BadInput, match=r"No word vectors are here yet; add some with .*--name sea"):
        freezing.opened(rankers.get("tfidf-emb"), found.parameters, words=found.tables)
    add("vectors", "sea", "boats 1 2\n")
    with pytest.raises(BadInput, match="Word vectors sea is another file today"):
        freezing.opened(rankers.get("tfidf-emb"), found.parameters, words=found.tables)


def test_a_ranker_is_offered_with_each_table_it_needs_and_by_each_lemma_table(add):
    def specs():
        return [
            spec
            for spec, _ in offered.ranker_choices(offered.kept())
            if spec.split()[0] in ("bm25", "tfidf", "tfidf-emb")
        ]

    assert specs() == ["bm25", "tfidf"]
    assert any("add_words vectors FILE --name NAME" in each for each in offered.missing(offered.kept()))
    add("vectors", "sea"), add("lemmas", "english")
    assert specs() == [
        "bm25",
        "tfidf",
        "tfidf words=lemmas lemmas=english",
        "tfidf-emb vectors=sea",
        "tfidf-emb vectors=sea words=lemmas lemmas=english",
    ]
    assert dict(offered.ranker_choices(offered.kept()))["tfidf words=lemmas lemmas=english"].endswith(
        "lemmas by english"
    )
    assert offered.missing(offered.kept()) == []
