"""Cases that `make test` leaves to `make test-services`.

What is walked in every state and by everybody takes minutes; one of each stays in `make test`. They run on
PostgreSQL alone, as what they try depends on no database; cases of reliability and security run on both in
`make cases`.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable
from typing import Any

import pytest


def thorough(cases: Iterable[Any], usual: Collection[Any]) -> list[Any]:
    """Return the cases as parameters of a test; all but the usual ones are marked as thorough."""
    return [each if each in usual else as_thorough(each) for each in cases]


def as_thorough(case: Any) -> Any:
    """Return a case, a tuple where it has several arguments, marked as thorough."""
    return pytest.param(*(case if isinstance(case, tuple) else (case,)), marks=pytest.mark.services)
