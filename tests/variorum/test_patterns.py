"""Every regular expression of the project takes steps in proportion to the text, whatever the text is.

Somebody's text meets them in a request: one that grows with the square of the text, or faster, takes the
site down. Steps are counted (regex_steps.py) on texts made against each pattern (regex_attacks.py).
"""

import ast
import importlib
import re
from pathlib import Path

import pytest

from tests.regex_attacks import Attack, attacks, longest_bound
from tests.regex_steps import Counter, TooManySteps
from tests.variorum.house import APPS

ROOT = Path(__file__).parents[2]
LENGTH = 96
"""Of the shorter text; three times the largest bound of a repeat where that is more."""
LIMIT = 300_000
"""Steps at which the count of a pattern that grows without measure is given up."""
GROWTH, SLACK = 2.4, 64
"""How steps may grow on a text twice as long; bounded repeats take a little more than twice as many."""
NO_PATTERN = {"Pattern", "Match", "error", "escape", *re.RegexFlag.__members__}
"""What modules use of `re` that makes no pattern."""
NAMES = re.compile(r"\b(?:re|regex)\b")
FUNCTIONS = ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda
PROSE = (ROOT / "variorum" / "sample" / "essay_harrow.txt").read_text("utf-8")[:1500]
ODD = "a.--“b” [*] {12} (pp. 3-5, 9) (_Emma_, 4) (Knox 1961, 2; Poe 9)\n\n IV 19\n* * *\n. . . ?!’ [12]*x\n"


def named(tree: ast.AST) -> list[tuple[str, int]]:
    """What is used of `re`, with the line."""
    return [
        (node.attr, node.lineno)
        for node in ast.walk(tree)
        if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name) and node.value.id == "re"
    ]


def compiles(tree: ast.AST) -> int:
    return sum(name == "compile" for name, _ in named(tree))


def hidden(tree: ast.AST) -> list[str]:
    """Where a pattern is made that a walk through the module's names would not find."""
    found = []
    for node in ast.walk(tree):
        if isinstance(node, ast.ImportFrom) and node.module in {"re", "regex"}:
            found.append(f"line {node.lineno}: write `import re`")
        if isinstance(node, ast.Import) and any(
            each.name == "regex" or (each.name == "re" and each.asname) for each in node.names
        ):
            found.append(f"line {node.lineno}: write `import re`")
        if isinstance(node, FUNCTIONS):
            inner = {line for name, line in named(node) if name == "compile"}
            found += [f"line {line}: compile it outside of the function" for line in sorted(inner)]
    others = [(name, line) for name, line in named(tree) if name not in NO_PATTERN | {"compile"}]
    return found + [f"line {line}: compile it first, instead of re.{name}" for name, line in others]


def kept(value: object, name: str) -> list[tuple[str, re.Pattern[str]]]:
    """The patterns in a value, also inside containers and classes."""
    if isinstance(value, re.Pattern):
        return [(name, value)]
    if isinstance(value, type):
        value = dict(vars(value))
    if isinstance(value, list | tuple | set | frozenset):
        value = dict(enumerate(value))
    if isinstance(value, dict):
        return [found for key, each in value.items() for found in kept(each, f"{name}.{key}")]
    return []


def patterns(path: Path, tree: ast.Module) -> list[tuple[str, re.Pattern[str]]]:
    """Those that a module keeps under names that it gives itself."""
    own = {
        node.id for node in ast.walk(tree) if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store)
    } | {node.name for node in tree.body if isinstance(node, ast.ClassDef)}
    module = importlib.import_module(".".join(path.with_suffix("").parts))
    values = [(name, value) for name, value in vars(module).items() if name in own]
    return [found for name, value in values for found in kept(value, f"{module.__name__}.{name}")]


SOURCES = {
    path.relative_to(ROOT): path.read_text("utf-8")
    for app in APPS
    for path in sorted((ROOT / app).rglob("*.py"))
    if "migrations" not in path.parts
}
# Every process of the suite gathers these: only what may hold a pattern is parsed for it.
OF_MODULES = {path: patterns(path, ast.parse(text)) for path, text in SOURCES.items() if "re.compile" in text}
ALL = dict(found for each in OF_MODULES.values() for found in each)


def fault(pattern: re.Pattern[str]) -> str:
    """How the steps of a pattern grow too fast, or nothing."""
    counter, ways = Counter(pattern, LIMIT), ("spans", "fullmatch")
    length = max(LENGTH, 3 * longest_bound(pattern))
    found = (grows(counter, of, attack, length) for attack in attacks(pattern) for of in ways)
    return next(filter(None, found), "")


def grows(counter: Counter, of: str, attack: Attack, length: int) -> str:
    steps = []
    for times in (1, 2):
        counter.steps = 0
        try:
            getattr(counter, of)(attack.text(times * length))
        except TooManySteps:
            return f"{of}: more than {LIMIT:,} steps for {attack} at length {times * length}"
        steps.append(counter.steps)
    if steps[1] > GROWTH * steps[0] + SLACK:
        return f"{of}: {steps[0]:,} steps for {attack} at length {length}, {steps[1]:,} at twice that"
    return ""


@pytest.mark.parametrize("name", ALL)
def test_a_pattern_takes_steps_in_proportion_to_the_text(name):
    assert fault(ALL[name]) == ""


@pytest.mark.parametrize("name", ALL)
def test_the_count_finds_what_re_finds(name):
    pattern = ALL[name]
    counter = Counter(pattern, 100 * LIMIT)
    for text in [*(attack.text(24) for attack in attacks(pattern)), ODD, PROSE]:
        assert counter.spans(text) == [found.span() for found in pattern.finditer(text)], text
        assert counter.fullmatch(text) is (pattern.fullmatch(text) is not None), text


@pytest.mark.parametrize(
    "pattern",
    [
        r"(a+)+b",
        r"(?:a|a)*b",
        r"(?:a|b|ab)*c",
        r"(a*)*b",
        r"(?:\w+\s?)*!",
        r"\d+\d+x",
        r"x*y*x*z",
        r"\s*x",
        r"\s*+x",
        r"(?<!\w)(?>\w+ ?)++!",
        r"\w+@",
        r'"[^!]*?!',
        r"\[[^]]*\]",
        r"a(?=.*b)",
        # What cleaning once had: a row of page numbers, and names in italics.
        r"\(\d{1,4}[a-z]?(?:\s?[,;:.]?\s?\d{1,4}(?:\s?[-,]\s?\d{1,4})*)*\)",
        r"\(_?[A-Z][\w.]*(?:,? _?[A-Z][\w.]*_?)*_?,? \d+\)",
    ],
)
def test_a_slow_pattern_is_found(pattern):
    assert fault(re.compile(pattern))


@pytest.mark.parametrize(
    "pattern", [r"a+b?", r"(?<!\s)\s*+x", r"[a-z]{1,40}@", r'"[^"]*+"', r"\A\s*x", r"(['\"]).{0,9}?\1"]
)
def test_a_pattern_in_proportion_is_passed(pattern):
    assert fault(re.compile(pattern)) == ""


@pytest.mark.parametrize(
    ("pattern", "text"),
    [
        (r"(a|ab)(c|bcd)(d*)", "abcdabcd"),
        (r"(?:a|ab)*+c|b", "ababc aab"),
        (r"(?>a|ab)c|.", "abcac"),
        (r"(\w)\1", "aabbcdd"),
        (r"(?:(a)|b)*?c", "ababc"),
        (r"(a?)*?b|a{2,3}?|a{2,3}", "aaaab aaaaaa"),
        (r"(?i:A)b(?=C|c$)|(?<!b)c", "abC ABc cc"),
        (r"x*", "axxb"),
        (r"(?m)^\s*|\bb\b|\B.$", " a\n b\nbb"),
        (r"(?:a*|b)*+c?", "aabbc"),
    ],
)
def test_the_count_reads_every_construct_as_re_does(pattern, text):
    compiled = re.compile(pattern)
    counter = Counter(compiled, LIMIT)
    assert counter.spans(text) == [found.span() for found in compiled.finditer(text)]
    assert counter.fullmatch(text) is (compiled.fullmatch(text) is not None)


def test_no_pattern_of_the_project_is_hidden_from_these_tests():
    # Where neither name stands there is nothing to find.
    trees = {path: ast.parse(text) for path, text in SOURCES.items() if NAMES.search(text)}
    assert {str(path): found for path, tree in trees.items() if (found := hidden(tree))} == {}
    missed = {
        str(path): f"{compiles(tree)} compiled, {len(found)} kept under a name"
        for path, tree in trees.items()
        if len(found := OF_MODULES.get(path, [])) != compiles(tree)
    }
    assert missed == {}


@pytest.mark.parametrize(
    "source",
    [
        "import re\ndef f(text):\n    return re.compile('a').match(text)",
        "import re\nfound = re.search('a', text)",
        "import re\ncut = lambda text: re.sub('a', '', text)",
        "from re import compile",
        "import re as r",
        "import regex",
    ],
)
def test_a_hidden_pattern_is_found(source):
    assert hidden(ast.parse(source))
