"""Stemmers against the examples of the papers that describe them."""

import pytest

from retrieval.engine.corpora.stemming import plural, snowball, without_possessive

# Each rule's example in Porter 1980, all steps done, and words of two letters, which stay as they are.
PORTER = """
    caresses caress  ponies poni  ties ti  caress caress  cats cat  feed feed  agreed agre  plastered plaster
    bled bled  motoring motor  sing sing  conflated conflat  troubled troubl  sized size  hopping hop
    tanned tan  falling fall  hissing hiss  fizzed fizz  failing fail  filing file  happy happi  sky sky
    relational relat  conditional condit  rational ration  valenci valenc  hesitanci hesit  digitizer digit
    radicalli radic  differentli differ  vileli vile  analogousli analog  vietnamization vietnam
    predication predic  operator oper  feudalism feudal  decisiveness decis  hopefulness hope
    callousness callous  formaliti formal  sensitiviti sensit  sensibiliti sensibl  triplicate triplic
    formative form  formalize formal  electriciti electr  electrical electr  hopeful hope  goodness good
    revival reviv  allowance allow  inference infer  airliner airlin  gyroscopic gyroscop
    adjustable adjust  defensible defens  irritant irrit  replacement replac  adjustment adjust
    dependent depend  adoption adopt  homologou homolog  communism commun  activate activ
    angulariti angular  homologous homolog  effective effect  bowdlerize bowdler  probate probat  rate rate
    cease ceas  controll control  roll roll  generalizations gener  oscillators oscil
    analogy analogi  archaeology archaeologi  possibly possibli  is is  by by  s s
""".split()


@pytest.mark.parametrize(("word", "stem"), list(zip(PORTER[::2], PORTER[1::2], strict=True)))
def test_porter(word, stem):
    assert snowball("porter")(word) == stem


# What the later stemmer of the same author does otherwise.
@pytest.mark.parametrize(
    ("word", "stem"),
    [
        ("analogy", "analog"),
        ("possibly", "possibl"),
        ("ties", "tie"),
        ("news", "news"),
        ("generously", "generous"),
        ("dying", "die"),
        ("skies", "sky"),
        ("is", "is"),
    ],
)
def test_english(word, stem):
    assert snowball("english")(word) == stem


@pytest.mark.parametrize(
    ("word", "stem"),
    [
        ("ponies", "pony"),
        ("zombies", "zomby"),
        ("houses", "house"),
        ("shoes", "shoes"),
        ("trees", "trees"),
        ("ships", "ship"),
        ("glass", "glass"),
        ("corpus", "corpus"),
        ("gas", "gas"),
        ("ship", "ship"),
    ],
)
def test_plural(word, stem):
    assert plural(word) == stem


def test_the_possessive_of_either_apostrophe():
    assert [without_possessive(word) for word in ("fox's", "fox’s", "foxs")] == ["fox", "fox", "foxs"]
