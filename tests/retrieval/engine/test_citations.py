"""Citations in brackets go from a context, whatever style they follow; the critic's own brackets stay."""

import pytest

from retrieval.engine.quotations import cleaning

PAGES = [
    "(45)", "(xii)", "(xii-xiv)", "(XIV)", "(45n)", "(45n3)", "(45n.3)", "(45 n. 3)", "(45, n. 3)",
    "(45nn3-4)", "(p. 45 n. 2)", "(p. 45, n. 2)", "(p. 45n2)", "(p.45)", "(p 45)", "(pp.45-6)",
    "(pp. 45ff)", "(45ff)", "(45f)", "(45–6)", "(45/46)", "(45 & 46)", "(45; 112)", "(45 et passim)",
    "(45 and passim)", "(45 sqq.)", "(1:45)", "(2: 112)", "(10:145)", "(II: 45)", "(ii:45)", "(I, 45)",
    "(i. 45)", "(II.45)", "(II, iii, 12)", "(II, iii)", "(III.xiii)", "(2.3.45)", "(2.5.145)", "(2.5; 145)",
    "(II iii 12)", "(vol. 2, ch. 3)", "(Vol. II, Chap. III)", "(Book II, chapter 5)",
    "(Volume Two, Chapter Three)", "(chapter three)", "(bk. ii, ch. iv, p. 45)", "(pt. 1)",
    "(act II, scene iii)", "(canto 3)", "(stanza 4)", "(vv. 12-15)", "(ll. 45-48)", "(line 45)",
    "(lines 45-48)", "(letter 12)", "(letter xxi)", "(sec. 4)", "(§ 12)", "(§§ 3-4)", "(¶ 3)", "(par. 12)",
    "(paras. 3-4)", "(fol. 45)", "(col. 3)", "(loc. 1234)", "(n. 45)", "(note 3)", "(see note 3)",
    "(p. 45 above)", "(p. 45, above)", "(above, p. 45)", "(see above, p. 45)", "(see below, 45)",
    "(supra, 45)", "(esp. 45-47)", "(especially pp. 45-47)", "(compare p. 45)", "(also 45)", "(e.g. p. 45)",
    "(in ch. 3)", "(at p. 45)", "(on p. 45)", "(1811, 45)", "(1811: 45)", "(1961, pp. 45-46)", "[45-46]",
    "[p. 45]", "[II, iii]", "(45; emphasis added)", "(45; author’s italics)", "(ed. 1961, 45)",
]  # fmt: skip
NAMED = [
    "(Booth 45)", "(Booth, 45)", "(Booth xii)", "(Booth, xii)", "(Booth, p. xii)", "(Booth 1961)",
    "(Booth 1961, 45)", "(Booth [1961] 1983, 45)", "(Booth 1961 [1983], 45)", "(Booth 1961/1983, 45)",
    "(Booth 45n3)", "(Booth 1:45)", "(Booth 2: 112)", "(Booth II, 45)", "(Booth, II, iii, 12)",
    "(MP II.iii)", "(MP II iii 45)", "(MP 1.3.45)", "(PP 45)", "(PP, 45)", "(_PP_ 45)", "(P&P 45)",
    "(E 45)", "(“Emma” 45)", "(\"Emma\" 45)", "(‘Emma’ 45)", "(“The Ferry,” 45)",
    "(Booth, “The Ferry,” 45)", "(Booth, _The Ferry_ 45)", "(_The Mill on the Floss_, 45)",
    "(The Mill on the Floss 45)", "(_A Room with a View_ 45)", "(Booth and Kelly 45)",
    "(Booth and Kelly, eds., 45)", "(Booth, ed., 45)", "(Booth, trans., 45)", "(ed. Chapman, 45-46)",
    "(ed. Chapman, p. 45)", "(trans. Kelly 45)", "(Booth, Kelly, and Wiltshire 45)", "(Booth & Kelly 45)",
    "(W. C. Booth 45)", "(C. Booth 45)", "(Booth’s _Rhetoric_ 45)", "(Booth in Kelly 45)",
    "(qtd. in Booth 45)", "(quoted by Booth 45)", "(cited in Booth, p. 45)", "(as quoted in Booth 45)",
    "(see Booth 45)", "(cf. Booth 45)", "(Booth, op. cit., 45)", "(ibid.)", "(Ibid.)", "(ibid., 45)",
    "(ibid. 45)", "(ibid, p. 45)", "(id., 45)", "(idem, 45)", "(op. cit., 45)", "(loc. cit.)",
    "(Booth 45; Kelly 67)", "(Booth 45, Kelly 67)", "(Booth 1961, 45; 1983, 67)", "(Booth 45, and passim)",
    "(45 in Chapman’s edition)", "(p. 45, ed. Chapman)", "[Booth 45]", "(Lady Vane, ch. 3)",
    "(see Booth, p. 45)",
]  # fmt: skip
OWN = [
    "(1811)", "(1811-12)", "(1811–1813)", "(1811, 1813)", "(1811; 1813)", "(1902-4)", "(1810s)", "(I)", "(V)",
    "(a)",
    "(a sister)", "(with a little sign)", "(45 years old)", "(aged 45)", "(of 1811)", "(in 1811)",
    "(in 1811 or 1812)", "(5 May 1811)", "(May 5)", "(5 May)", "(letter of 5 May)", "(Mrs. Pell)",
    "(Henry IV)", "(Louis XIV)", "(part of it)", "(chapter and verse)", "(book-learning)", "(two volumes)",
    "(3 vols.)", "(3 vols., 1811)", "(c. 1811)", "(b. 1775)", "(d. 1817)", "(1775-1817)", "(1,500)",
    "(50%)", "(£45)", "(10:45)", "(0.45)", "(chapter by chapter)", "(one of three)", "(one)",
    "(two and three)", "(third edition)", "(2nd ed.)", "(see above)", "(above)", "(as above)",
    "(cf. Booth)", "(see Booth)", "(Booth)", "(Emma)", "(no)", "(No. I)", "(v. good)", "(line of duty)",
    "(scene of her triumph)", "(I am)", "(I, too)", "(i.e. 45)", "(and 45)", "(at 3)", "(from 3 to 5)",
    "(my italics)", "(ill)", "(civil)", "(Apollo 11)", "(Sonnet 18)", "(the 1810s)", "(Emma and Harriet)",
    "(Written in 1811)", "[Written in 1811-14.]", "(Married at 20)", "(45 men)", "[she]", "[sic]", "[I]",
    "[1811]", "[Emma]", "(and yet)", "(the edition)", "(Anne’s edition)", "(“Emma”)", "(_Emma_)",
    "(a “truth”)", "(she says “no” at 3)", "(three of them)",
]  # fmt: skip


@pytest.mark.parametrize("place", PAGES + NAMED)
def test_a_citation_goes_with_the_space_before_it(place):
    assert cleaning.clean(f"It rained upon the town {place}. Nobody spoke.") == (
        "It rained upon the town. Nobody spoke."
    )


@pytest.mark.parametrize("place", ["(Booth 45)", "(p. 45)", "(45)", "(xii)", "(II, iii, 12)", "(ibid.)"])
def test_a_citation_goes_in_the_middle_of_a_sentence(place):
    assert cleaning.clean(f"It rained {place} upon the town.") == "It rained upon the town."


@pytest.mark.parametrize("words", OWN)
def test_what_the_critic_says_in_brackets_stays(words):
    text = f"It rained upon the town {words} and nobody spoke."
    assert cleaning.clean(text) == text.replace("_", "")


def test_the_second_of_a_name_stays():
    assert (
        cleaning.clean("His son Francis Austen (ii); acquires it.")
        == "His son Francis Austen (ii); acquires it."
    )
    assert cleaning.clean("The preface says so (ii); acquires it.") == "The preface says so; acquires it."


@pytest.mark.parametrize("figure", ["(5)", "(v)", "(i)"])
def test_one_figure_goes_only_where_the_sentence_pauses_behind_it(figure):
    assert cleaning.clean(f"It rained {figure}, and rained.") == "It rained, and rained."
    assert figure in cleaning.clean(f"It rained {figure} and rained.")


@pytest.mark.parametrize(
    "text",
    [
        "It opens (i), turns (ii), and closes (iii).",
        "It opens (I), turns (II), and closes (III).",
        "It opens (1): first (i), then (ii); and closes (2).",
    ],
)
def test_letters_that_count_stay(text):
    assert cleaning.clean(text) == text


@pytest.mark.parametrize(
    ("text", "cleaned"),
    [
        ("It rained (the word recurs, pp. 45, 67) here.", "It rained (the word recurs) here."),
        ("It rained (the word recurs: vol. 2, p. 45).", "It rained (the word recurs)."),
        ("It rained (he says so on p. 45) here.", "It rained (he says so) here."),
        ("It rained (10 June; ch. 3).", "It rained (10 June)."),
        ("It rained (the word, see ch. iii) here.", "It rained (the word) here."),
        ("It rained (the word, p. 45, is odd) here.", "It rained (the word, p. 45, is odd) here."),
    ],
)
def test_a_place_at_the_end_of_a_bracket_goes_alone(text, cleaned):
    assert cleaning.clean(text) == cleaned
