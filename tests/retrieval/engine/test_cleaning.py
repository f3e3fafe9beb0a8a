"""Each rule by itself, then all together."""

import pytest

from retrieval.engine.quotations import cleaning
from retrieval.engine.quotations.excerpting import Page
from retrieval.engine.text.sentences import segment


def cut(rule, text):
    return [text[start:end] for start, end in rule(text)]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("my {84} cousin", ["{84}"]),
        ("my [p. 84] cousin", ["[p. 84]"]),
        ("the set {a, b}", []),
        ("[the natives]", []),
    ],
)
def test_page_marks(text, expected):
    assert cut(cleaning.page_marks, text) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("“clear-sighted” (p. 149) to", [" (p. 149)"]),
        ("as he says (112).", [" (112)"]),
        ("as he says (pp. 3-5, 9).", [" (pp. 3-5, 9)"]),
        ("as he says (149–50).", [" (149–50)"]),
        ("as he says (vol. ii, ch. 3).", [" (vol. ii, ch. 3)"]),
        ("as he says (Chapter 12).", [" (Chapter 12)"]),
        ("as he says (ibid., 9).", [" (ibid., 9)"]),
        ("as he says (see p. xii).", [" (see p. xii)"]),
        ("_Emma_ (1815) is later", []),
        ("William (1758-1816) wrote", []),
        ("it is (1) odd and (2) bad", []),
        ("she said so (5).", [" (5)"]),
        ("so (pp. 12, 15, 34, 67, 120, passim).", [" (pp. 12, 15, 34, 67, 120, passim)"]),
        ("so (pp. 12, 15 et passim).", [" (pp. 12, 15 et passim)"]),
        ("so (12, 15, _passim_).", [" (12, 15, _passim_)"]),
        ("so (ch. 3 passim).", [" (ch. 3 passim)"]),
        ("so (see pp. 12a, 15ff., 20 f., n. 3).", [" (see pp. 12a, 15ff., 20 f., n. 3)"]),
        ("so (45, nn. 3).", [" (45, nn. 3)"]),
        ("he goes there (passim) and stays", []),
        ("he goes (and p. 5, passim, too)", []),
        ("so (45; my emphasis).", [" (45; my emphasis)"]),
        ("so (p. 45, italics in original).", [" (p. 45, italics in original)"]),
        ("so (45 et seq.).", [" (45 et seq.)"]),
        ("so (pp. 45 et seqq.).", [" (pp. 45 et seqq.)"]),
        ("so (45, 48ff., 67).", [" (45, 48ff., 67)"]),
        ("so (45 and 67).", [" (45 and 67)"]),
        ("so (pp. 45, 48, and 67).", [" (pp. 45, 48, and 67)"]),
        ("so (45; cf. 67).", [" (45; cf. 67)"]),
        ("so (II.iii.45).", [" (II.iii.45)"]),
        ("so (2.3.45-48).", [" (2.3.45-48)"]),
        ("so (vgl. S. 45).", [" (vgl. S. 45)"]),
        ("so (S. 45f. und 47).", [" (S. 45f. und 47)"]),
        ("so (ebd., S. 45).", [" (ebd., S. 45)"]),
        ("so (no. 3).", [" (no. 3)"]),
        ("the first of three (no. I) is odd", []),
        ("so (No, I will) she said", []),
        ("both (1 and 2) are odd", []),
        ("so (s 5) it goes", []),
        ("that is (i.e. 45)", []),
        ("so (45 men and 3 women)", []),
        ("it opens (1), turns (2), and closes (3).", [" (1)", " (2)", " (3)"]),
        ("a man (of 40) came", []),
        ("he (and she) came", []),
    ],
)
def test_page_references(text, expected):
    assert cut(cleaning.page_references, text) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("so it goes (Austen 45).", [" (Austen 45)"]),
        ("died peacefully (Legum, 1972).", [" (Legum, 1972)"]),
        ("it goes (_Emma_, 112).", [" (_Emma_, 112)"]),
        ("it goes (see Booth 1961, 243; Wiltshire 9).", [" (see Booth 1961, 243; Wiltshire 9)"]),
        ("it goes (Booth and Kelly 1961: 243).", [" (Booth and Kelly 1961: 243)"]),
        ("it goes (Ibid.).", [" (Ibid.)"]),
        ("it goes (Booth 12, 45, passim).", [" (Booth 12, 45, passim)"]),
        ("it goes (Booth, pp. 12, 45 et passim).", [" (Booth, pp. 12, 45 et passim)"]),
        (
            "it goes (Booth 1961, pp. 2-4; Wiltshire 1992, p. 9).",
            [" (Booth 1961, pp. 2-4; Wiltshire 1992, p. 9)"],
        ),
        ("it goes (Booth 1961-62, 3).", [" (Booth 1961-62, 3)"]),
        (
            "it goes (_Emma_ and _Sense and Sensibility_, 112).",
            [" (_Emma_ and _Sense and Sensibility_, 112)"],
        ),
        ("it goes (Booth et al. 45).", [" (Booth et al. 45)"]),
        ("it goes (Booth, et al., 45).", [" (Booth, et al., 45)"]),
        ("it goes (Žižek 45).", [" (Žižek 45)"]),
        ("it goes (Booth 45 and 67).", [" (Booth 45 and 67)"]),
        ("it goes (Booth 12; and Čapek 45).", [" (Booth 12; and Čapek 45)"]),
        ("it goes (Booth 45; my emphasis).", [" (Booth 45; my emphasis)"]),
        ("it goes (vgl. Booth, S. 45).", [" (vgl. Booth, S. 45)"]),
        ("it goes (_The Ferry_ III.i.56).", [" (_The Ferry_ III.i.56)"]),
        ("it goes (The Ferry 3.1.56).", [" (The Ferry 3.1.56)"]),
        ("the flight (Apollo 11) had", []),
        ("a poem (Sonnet 18).", []),
        ("a poem (Sonnet 18, 45).", [" (Sonnet 18, 45)"]),
        ("a letter (January 14, 1796) says", []),
        ("(In 1815 he left.)", []),
        ("her sister (Mrs. Pell) came", []),
    ],
)
def test_citations(text, expected):
    assert cut(cleaning.citations, text) == expected


@pytest.mark.parametrize(
    ("text", "cleaned"),
    [
        ("It opens (1), it turns (2), and it closes (3).",) * 2,
        ("It is said twice (2), then once (3).", "It is said twice, then once."),
        ("He says so (1). And no more.", "He says so. And no more."),
        ("It opens (1), he says (7), and turns (2).", "It opens (1), he says, and turns (2)."),
    ],
)
def test_the_figures_of_a_count_stay(text, cleaned):
    assert cleaning.clean(text) == cleaned


def test_a_count_ends_where_the_next_step_is_far():
    far = "x" * 1600
    assert cleaning.steps(f"It opens (1). {far} It turns (2).") == []
    assert len(cleaning.steps(f"It opens (1). It turns (2). {far} It closes (3).")) == 2


def test_a_sentence_keeps_the_step_that_is_counted_before_it():
    text = "It opens (1). It turns (2). It closes (3). He says so (7)."
    page = Page(text, segment(text).sentences, [])
    assert page.read((28, 42)) == "It closes (3)."
    assert page.read((43, 58)) == "He says so."


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("so.[12] But", ["[12]"]),
        ("so.¹² But", ["¹²"]),
        ("so.* But", ["*"]),
        ("* * *", []),
        ("[she] came", []),
    ],
)
def test_footnote_marks(text, expected):
    assert cut(cleaning.footnote_marks, text) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("came to\n196 JANE AUSTEN\nthe door", ["196 JANE AUSTEN"]),
        ("came to\nJANE AUSTEN 197\nthe door", ["JANE AUSTEN 197"]),
        ("came to\n197\nthe door", ["197"]),
        ("CHAPTER IV 19", []),
        ("In 1815 JANE AUSTEN wrote", []),
    ],
)
def test_running_heads(text, expected):
    assert cut(cleaning.running_heads, text) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("the worth- lessness of it", "the worthlessness of it"),
        ("the worth-\nlessness of it", "the worthlessness of it"),
        ("two- and three-fold", "two- and three-fold"),
        ("a well-known name", "a well-known name"),
    ],
)
def test_broken_words(text, expected):
    assert cleaning.clean(text) == expected
    assert bool(cut(cleaning.broken_words, text)) is (text != expected)


def test_italics():
    assert cleaning.clean("_You_ want _so much_, says _Emma_.") == "You want so much, says Emma."
    assert cut(cleaning.italics, "a_name_inside") == []


def test_relics_own_example_comes_clean():
    page = "keeps them “less clear-sighted” (p. 149) to the real worth- lessness of Wickham (p. 277)."
    assert cleaning.clean(page) == "keeps them “less clear-sighted” to the real worthlessness of Wickham."


def test_cuts_say_what_was_cut_and_by_which_rule():
    text = "my {84} cousin _says_ so.[3]"
    assert [(cut.rule, cut.printed) for cut in cleaning.cuts(text)] == [
        ("page mark", "{84}"),
        ("italics", "_"),
        ("italics", "_"),
        ("footnote mark", "[3]"),
    ]
    assert all(text[cut.start : cut.end] == cut.printed for cut in cleaning.cuts(text))


def test_blank_keeps_every_other_character_in_its_place():
    text = "my {84} cousin _says_ (p. 3) so."
    assert cleaning.blank(text) == "my      cousin _says_        so."


@pytest.mark.parametrize(
    "place",
    [
        "(45; ch. 3)", "(Eliot 45; bk. 1, ch. 3)", "(1: 45)", "(de Man 45)", "(see van den Berg 45)",
        "(P&P 45)", "(Booth 45, Smith 46)", "(PP, 45; vol. 1, ch. 10)",
    ],
)  # fmt: skip
def test_places_of_a_novel_that_goes_by_many_editions_are_cut(place):
    assert (
        cleaning.clean(f"It rained upon the town {place}. Nobody spoke.")
        == "It rained upon the town. Nobody spoke."
    )


@pytest.mark.parametrize("words", ["(10:45)", "(at 3: 15 boats)", "(the de facto 3)", "(10 June)"])
def test_words_that_only_look_like_such_a_place_stay(words):
    assert words in cleaning.clean(f"It rained upon the town {words}.")
