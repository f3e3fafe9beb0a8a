"""JSON read strictly: what stands twice, and what is no number."""

import pytest

from common.strict_json import first_repeated, loads


def read(text):
    return loads(text, lambda key: f"twice {key}", lambda name: f"no number {name}")


def test_what_is_json_is_read_as_it_is():
    assert read('{"a": [1, 2.5, null, true], "b": {"a": {}}}') == {"a": [1, 2.5, None, True], "b": {"a": {}}}


def test_an_object_with_a_key_twice_is_replaced_where_it_stands():
    assert read('{"a": {"b": 1, "c": 2, "b": 1}, "d": [{"e": 1}]}') == {"a": "twice b", "d": [{"e": 1}]}


@pytest.mark.parametrize("name", ["NaN", "Infinity", "-Infinity"])
def test_what_json_has_no_number_for_is_replaced_where_it_stands(name):
    assert read(f'[{{"a": {name}}}]') == [{"a": f"no number {name}"}]


def test_the_first_of_those_that_come_again():
    assert first_repeated([3, 1, 2, 2, 1]) == 1


def test_one_repeated_key_among_very_many_is_found_at_once():
    text = "{" + ",".join(f'"{n}": 0' for n in range(200_000)) + ', "199999": 0}'
    assert read(text) == "twice 199999"
