"""The parse ladder: what is found in what models write, and never a default."""

import pytest

from machines.client import answers


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ('{"grade": 3}', {"grade": 3}),
        ('  \n{"grade": 3} and so on {"grade": 4}', {"grade": 3}),
        ('```json\n{"grade": 3}\n```', {"grade": 3}),
        ('```\n{"grade": 3}\n```\nBecause …', {"grade": 3}),
        ('Here it is:\n```json\n{"grade": 3}\n```', {"grade": 3}),
        ('<think>First I thought {"grade": 1}.</think>\n{"grade": 3}', {"grade": 3}),
        ('thought {"grade": 1}</think>{"grade": 3}', {"grade": 3}),
        ("<think>I never came to an end", None),
        ("The set {1, 2} gives {\"grade\": 3}", {"grade": 3}),
        ("3", None), ("", None), ("[3]", None), ("null", None), ('{"grade": 3', None),
        ("{" * 50_000, None), ('{"a":' * 50_000, None), ('"{}', {}),
    ],
)  # fmt: skip
def test_the_first_object_is_found_behind_reasoning_and_fences(text, found):
    assert answers.first_object(text) == found
