"""Stemmers against the examples of the papers that describe them."""

import pytest

from retrieval.engine.corpora.stemming import plural, porter, without_possessive

# Each rule's example in Porter 1980, all steps done.
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
    analogy analog  archaeology archaeolog  possibly possibl  is is  by by
""".split()


@pytest.mark.parametrize(("word", "stem"), list(zip(PORTER[::2], PORTER[1::2], strict=True)))
def test_porter(word, stem):
    assert porter(word) == stem


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
