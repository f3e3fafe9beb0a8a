"""The scripts of readers' pages show no word that is not taken from the catalogue."""

from __future__ import annotations

import re

import pytest
from babel.messages.jslexer import tokenize

from tests.languages.extracting import ROOT

FOLDER = ROOT / "annotation/static/annotation"
OF_OTHERS = {"manage.js", "adjudication.js"}
SCRIPTS = sorted(str(each.relative_to(FOLDER)) for each in FOLDER.rglob("*.js") if each.name not in OF_OTHERS)
WORDS = re.compile(r"[A-Za-z]{2,}[,.:;]? +[A-Za-z]{2,}|^[A-Z][a-z]+[.:]?$")
"""Two words after each other, or one that begins as a label does."""
NO_WORDS = re.compile(
    r"[\[\]=#{}<>@]|^\.|^[a-z:]+\.|^translate\(|^[a-z]+(?:, [a-z]+)+$|^(?:input|main|button)[:\[]"
)
"""Selectors, styles and lists of classes."""
KEYS = {
    "Enter", "Escape", "Arrow", "Delete", "Backspace", "Home", "End", "Tab", "Shift",
    "Accept", "Content", "Alt", "Graph",
}  # fmt: skip
CLASSES = {"keeping soft small", "button note-here", "place now"}


def shown(script: str) -> list[str]:
    """Return the texts of a script that a reader might see and that no catalogue is asked for."""
    found, depth, asked = [], 0, []
    before = ""
    for token in tokenize(script, template_string=True):
        if token.type == "operator" and token.value == "(":
            depth += 1
            if before in {"translated", "counted"}:
                asked.append(depth)
        elif token.type == "operator" and token.value == ")":
            if asked and asked[-1] == depth:
                asked.pop()
            depth -= 1
        elif token.type in {"string", "template_string"} and not asked:
            text = re.sub(r"\$\{.*?\}+", "", token.value[1:-1])
            if WORDS.search(text) and not NO_WORDS.search(text) and text not in KEYS | CLASSES:
                found.append(text)
        if token.type not in {"linecomment", "multilinecomment"}:
            before = token.value
    return found


@pytest.mark.parametrize("script", SCRIPTS)
def test_a_script_takes_its_words_from_the_catalogue(script):
    assert shown((FOLDER / script).read_text(encoding="utf-8")) == []


def test_the_search_finds_what_is_forgotten():
    assert shown('say("Not saved: try again");') == ["Not saved: try again"]
    assert shown('button("link", "Remove")') == ["Remove"]
    assert shown('range.setAttribute("aria-valuetext", "nothing marked");') == ["nothing marked"]
    assert shown("line.textContent = `${n} Items left here`;") == [" Items left here"]
    assert shown('say(translated("Not saved: try {n}", { n: twice("x") }))') == []
