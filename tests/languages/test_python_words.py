"""Whether every sentence that a module says to readers goes through the catalogue."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from django.conf import settings

from annotation.reading import keys
from annotation.tasktypes import registry
from tests.languages import catalogues

ROOT = Path(settings.BASE_DIR)
# The modules that speak to readers.
SPEAK = (
    "annotation/assignment",
    "annotation/judging",
    "annotation/people",
    "annotation/reading",
    "annotation/tasktypes",
    "annotation/mail/views.py",
    "annotation/templatetags",
    "common/wording.py",
    "variorum/accounts",
    "variorum/middleware.py",
)
# What of these modules is said to researchers, operators and models alone, who read English.
TO_OTHERS = {
    "annotation/people/tokens.py": {"*"},  # keys of scripts
    "annotation/people/practising.py": {"*"},  # how practice stands, to researchers
    "annotation/people/enrolments.py": {"invite"},
    "annotation/people/leaving.py": {"readmit", "skip_practice", "change_role"},
    "annotation/people/withdrawal.py": {"check_erasable"},
    "annotation/judging/judgments.py": {"submit_and_continue"},  # a fault of the program
    "annotation/tasktypes/span_lines.py": {"*"},  # lines of files
    "annotation/templatetags/spans.py": {"_word"},  # markup
    "common/wording.py": {"were", "counted"},  # for what is English everywhere
    "variorum/accounts/links.py": {"*"},  # what a command says
    "variorum/accounts/recorded.py": {"*"},  # the record
}
# Of task types: what checks items and files of items, which researchers bring, and what models are asked.
OF_ITEMS = {
    "__init_subclass__", "_check_grade", "check_anchor", "check_conditions", "check_digest", "check_document",
    "check_gap", "check_id", "check_language", "check_lemmata", "check_names", "check_options", "check_part",
    "check_payload", "check_question", "check_references", "check_rubric", "check_scale", "check_setting",
    "check_text", "check_texts", "check_tokens", "check_topic", "from_file", "from_reply", "get", "gold_of",
    "identity", "instruction", "named_scale", "of_excerpt", "of_line", "of_quotation", "simulate", "words_of",
}  # fmt: skip
WORDS = re.compile(r"[a-z][,:]? [a-z]")
REFUSALS = {
    "Invalid",
    "BadInput",
    "BadField",
    "Stale",
    "Reused",
    "Late",
    "TooMany",
    "ValidationError",
    "refusal",
}
NOTES = {"success", "error", "info", "warning"}
SHOWN = {"label", "help_text", "missing", "wrong", "said", "refused"}


def modules() -> Iterator[Path]:
    for each in SPEAK:
        path = ROOT / each
        yield from [path] if path.is_file() else sorted(path.rglob("*.py"))


def name_of(call: ast.Call) -> str:
    return call.func.id if isinstance(call.func, ast.Name) else getattr(call.func, "attr", "")


def is_english(value: ast.AST) -> bool:
    """Return whether words stand here that no catalogue is asked for."""
    if isinstance(value, ast.Constant):
        return isinstance(value.value, str) and any(sign.isalpha() for sign in value.value)
    if isinstance(value, ast.JoinedStr):
        return any(is_english(each) for each in value.values if isinstance(each, ast.Constant))
    if isinstance(value, ast.BinOp):
        return is_english(value.left) or is_english(value.right)
    if isinstance(value, ast.IfExp):
        return is_english(value.body) or is_english(value.orelse)
    if isinstance(value, ast.Call) and isinstance(value.func, ast.Attribute) and value.func.attr == "format":
        return is_english(value.func.value)
    return False


def is_sentence(value: ast.expr) -> bool:
    """Return whether several words stand here in one text that no catalogue is asked for."""
    texts = [each.value for each in ast.walk(value) if isinstance(each, ast.Constant)]
    return is_english(value) and any(isinstance(each, str) and WORDS.search(each) for each in texts)


def said(call: ast.Call) -> Iterator[ast.AST]:
    """Yield what a call says to a reader."""
    name = name_of(call)
    if name in REFUSALS and call.args:
        yield call.args[0]
    if name in NOTES and isinstance(call.func, ast.Attribute) and len(call.args) > 1:
        yield call.args[1]
    yield from (each.value for each in call.keywords if each.arg in SHOWN)


def untranslated(tree: ast.AST, source: str) -> list[str]:
    """Return each place, with its function, where a reader is told something in English alone."""
    found: list[str] = []
    others = TO_OTHERS.get(source, set())

    def walk(node: ast.AST, function: str) -> None:
        for each in ast.iter_child_nodes(node):
            inside = each.name if isinstance(each, ast.FunctionDef) else function
            if isinstance(each, ast.FunctionDef) and (inside in others or "*" in others):
                continue
            if isinstance(each, ast.FunctionDef) and "tasktypes" in source and inside in OF_ITEMS:
                continue
            if isinstance(each, ast.Call):
                found.extend(f"{source}:{one.lineno} {inside}" for one in said(each) if is_english(one))
            if isinstance(each, ast.Return) and each.value is not None and is_sentence(each.value):
                found.append(f"{source}:{each.lineno} {inside}")
            walk(each, inside)

    walk(tree, "")
    return found


@pytest.mark.parametrize(
    ("code", "lines"),
    [
        ('def f():\n    raise Invalid("Say why.", "reason")', [2]),
        ('def f():\n    raise Invalid(f"Say why, {name}.", "reason")', [2]),
        ('def f():\n    raise Invalid("Say why, {name}.".format(name=name), "reason")', [2]),
        ('def f():\n    raise Invalid(_("Say why, {name}.").format(name=name), "reason")', []),
        ('messages.success(request, "Saved.")\nmessages.success(request, _("Saved."))', [1]),
        ('label = Field(label="Reason", initial="none")', [1]),
        ('def f():\n    return "it is closed"\ndef g():\n    return "annotation/done.html"', [2]),
        ('def f():\n    return _("it is closed") if closed else "it is open"', [2]),
    ],
)
def test_a_sentence_is_found_where_no_catalogue_is_asked_for_it(code, lines):
    assert [int(re.search(r":(\d+)", each)[1]) for each in untranslated(ast.parse(code), "one.py")] == lines


def test_what_a_module_says_to_readers_goes_through_the_catalogue():
    found = []
    for path in modules():
        source = str(path.relative_to(ROOT))
        found += untranslated(ast.parse(path.read_text(encoding="utf-8")), source)
    assert not found


def test_all_that_a_task_type_calls_things_is_in_the_catalogues():
    labels = set()
    for task in registry.all_types().values():
        labels |= {task.label, task.asks, task.undecided_label, *task.undecided_reasons}
        labels |= {task.said_before, task.nothing_before}
        labels |= {each.label for each in (*task.plain_answers, *task.keys)}
    labels |= {each.label for each in keys.COMMON}
    for language in catalogues.languages():
        known = {each.id for each in catalogues.read(language, "django.python.po")}
        assert not labels - known
