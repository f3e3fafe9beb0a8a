"""Every case has a test that carries it, and no test carries a case that there is none of."""

from collections import Counter
from pathlib import Path

import pytest

from tests.cases.__main__ import Result, results, table, verdict
from tests.cases.catalogue import BOTH, CASES, POSTGRESQL, SQLITE, case_of, in_sources

TESTS = Path(__file__).resolve().parents[1]


def test_every_case_has_a_test_and_every_test_a_case_that_there_is():
    carried = Counter(case for case, _ in in_sources(TESTS))
    assert len(CASES) == 57
    assert sorted(CASES.keys() - carried.keys()) == []
    assert sorted(carried.keys() - CASES.keys()) == []


@pytest.mark.parametrize(
    ("module", "name", "case"),
    [
        ("tests.annotation.test_R04_killed", "test_nothing_is_lost", "R04"),
        ("tests/annotation/test_R04_killed.py", "test_R07_two", "R07"),
        ("tests.annotation.test_judging", "test_R02_twice", "R02"),
        ("tests.annotation.test_judging", "test_twice_R02_not", None),
        ("tests.annotation.test_R4_killed", "test_x", None),
    ],
)
def test_a_case_is_read_from_a_name(module, name, case):
    assert case_of(module, name) == case


JUNIT = """<testsuites><testsuite>
<testcase classname="tests.a.test_x" name="test_R02_twice[one]"/>
<testcase classname="tests.a.test_x.TestAll" name="test_R02_twice[two]"><failure/></testcase>
<testcase classname="tests.a.test_R04_killed" name="test_once"><skipped/></testcase>
<testcase classname="tests.a.test_x" name="test_other"/>
</testsuite></testsuites>"""


def test_results_are_counted_by_function_and_a_case_without_a_test_holds_nowhere(tmp_path):
    (tmp_path / "j.xml").write_text(JUNIT)
    found = list(results(tmp_path / "j.xml"))
    assert found == [
        Result("R02", "a/test_x.py::test_R02_twice", Counter(passed=1, failed=1)),
        Result("R04", "a/test_R04_killed.py::test_once", Counter(skipped=1)),
    ]
    lines, right = table(["R02", "R04", "R01"], {SQLITE: found, POSTGRESQL: []})
    said = [line.split("  ")[-1].strip() for line in lines if line[:1] == "R"]
    assert said == ["FAILS", "NO TEST ON SQLite, PostgreSQL", "NO TEST"]
    assert right == 0
    passed = {"t": Result("R02", "t", Counter(passed=2))}
    assert verdict({SQLITE: passed, POSTGRESQL: {}}, BOTH) == "NO TEST ON PostgreSQL"
    assert verdict({SQLITE: passed, POSTGRESQL: passed}, BOTH) == "holds"
