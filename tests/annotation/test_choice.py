"""The proxy task, under whatever a form or a script may send."""

import contextlib

import pytest
from hypothesis import given
from hypothesis import strategies as st

from annotation.tasktypes.base import Invalid
from annotation.tasktypes.choice import MOST, Choice

TASK = Choice()
EXAMPLE = TASK.example()

words = st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\x00"), min_size=1).filter(
    lambda text: bool(text.strip())
)
payloads = st.fixed_dictionaries(
    {
        "left": st.lists(words, min_size=1, max_size=4),
        "right": st.lists(words, max_size=4),
        "options": st.lists(words, min_size=2, max_size=MOST, unique=True),
        "language": st.just("en"),
        "citation": words,
        "book": words,
    }
)
json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(),
    lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner),
    max_leaves=5,
)


@given(payloads, st.data())
def test_every_offered_option_can_be_chosen_by_form_and_by_script(payload, data):
    TASK.check_payload(payload)
    order = data.draw(st.permutations(range(len(payload["options"]))))
    position = data.draw(st.integers(0, len(order) - 1))
    number = order[position]
    for sent in (position, str(position)):
        assert TASK.read(payload, {"position": sent}, order) == {"option": number}
    assert TASK.parse(payload, {"option": number}) == {"option": number}
    assert TASK.rows(payload, {"option": number})["option_text"] == payload["options"][number]


@given(payloads, st.data())
def test_whatever_the_order_an_option_is_named_by_where_it_stands(payload, data):
    order = data.draw(st.permutations(range(len(payload["options"]))))
    shown = TASK.present(payload, order)["options"]
    assert shown == [
        {"position": position, "text": payload["options"][number]} for position, number in enumerate(order)
    ]


@pytest.mark.parametrize("sent", [{"option": "1"}, {"option": 1, "position": 1}, {"option": ""}])
def test_what_a_page_of_an_earlier_version_sends_is_refused_and_not_misread(sent):
    """To take it would let a reader ask which option has number 0: in old files that is the right one."""
    with pytest.raises(Invalid, match=r"older than the site.*choose again") as refused:
        TASK.read(EXAMPLE.payload, sent, [2, 0, 1])
    assert refused.value.field == "position"


@given(json_values)
def test_anything_else_is_refused_and_never_an_error(value):
    if value in ("0", "1", "2", "00", "01", "02") or (type(value) is int and 0 <= value <= 2):
        assert TASK.parse(EXAMPLE.payload, {"option": value})["option"] == int(value)
        assert TASK.read(EXAMPLE.payload, {"position": value}, [2, 0, 1])["option"] == [2, 0, 1][int(value)]
    else:
        with pytest.raises(Invalid):
            TASK.parse(EXAMPLE.payload, {"option": value})
        with pytest.raises(Invalid):
            TASK.read(EXAMPLE.payload, {"position": value}, [2, 0, 1])


@given(st.dictionaries(st.sampled_from(["left", "right", "options", "book", "rank"]), json_values))
def test_a_payload_is_an_item_or_invalid_and_never_an_error(payload):
    with contextlib.suppress(Invalid):
        TASK.check_payload(payload)
        assert len(payload["options"]) >= 2
        assert payload["left"] or payload["right"]


@pytest.mark.parametrize(
    ("change", "sentence", "field"),
    [
        ({"options": ["one"]}, "needs 2 to 9 options, not 1", "options"),
        ({"options": [str(n) for n in range(10)]}, "needs 2 to 9 options, not 10", "options"),
        ({"options": ["same", "same"]}, "same words", "options"),
        ({"options": ["one", "  "]}, "entry 1: must be a text with words", "options"),
        ({"options": ["one", "t\x00wo"]}, "NUL", "options"),
        ({"options": ["one", "t\ud800wo"]}, "surrogate", "options"),
        ({"citation": "t\x00wo"}, "NUL", "citation"),
        ({"book": "t\ud800wo"}, "surrogate", "book"),
        ({"options": "one two"}, "must be a list", "options"),
        ({"left": [], "right": []}, "criticism before or after", "left"),
        ({"left": None}, "must be a list", "left"),
        ({"rank": 3}, "Unknown field 'rank'", "rank"),
    ],
)
def test_what_is_wrong_with_an_item_is_said(change, sentence, field):
    with pytest.raises(Invalid, match=sentence) as caught:
        TASK.check_payload({**EXAMPLE.payload, **change})
    assert caught.value.field == field
