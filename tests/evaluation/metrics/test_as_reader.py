"""A machine's agreement with people beside people's among themselves."""

from __future__ import annotations

from math import sqrt

import numpy as np
import pytest
from scipy.stats import t

from evaluation.metrics.machines.as_reader import AS_GOOD, OPEN, WORSE, adjusted, as_reader


def test_the_interval_is_students_of_the_differences():
    ours, theirs = [0.75, 0.5, 0.25, 0.5], [0.25, 0.5, 0.5, 0.75]
    found = as_reader(ours, theirs, 0)
    apart = np.subtract(ours, theirs)
    reach = t.ppf(0.975, 3) * apart.std(ddof=1) / sqrt(4)
    assert (found.with_people, found.among_people, found.n_items) == (0.5, 0.5, 4)
    assert (found.low, found.high) == pytest.approx((-reach, reach))
    assert found.verdict == OPEN


def test_topics_are_left_out_as_a_whole():
    rng = np.random.default_rng(1)
    topic = np.repeat(np.arange(12), 5)
    ours = np.clip(0.5 + rng.normal(0, 0.2, 12)[topic], 0, 1)
    theirs = np.full(60, 0.5)
    wide, narrow = as_reader(ours, theirs, 0, topic), as_reader(ours, theirs, 0)
    sums = np.bincount(topic, ours - theirs) / 5
    reach = t.ppf(0.975, 11) * sums.std(ddof=1) / sqrt(12)
    assert wide.high - wide.difference == pytest.approx(reach)
    assert wide.high - wide.low > 1.5 * (narrow.high - narrow.low)
    assert "topics" in wide.method


def test_the_verdict_follows_the_lower_end():
    n = 60
    better, mixed = np.ones(n), np.tile([0.0, 1.0], n // 2)
    assert as_reader(better, mixed, 0).verdict == AS_GOOD
    assert as_reader(mixed, better, 0).verdict == WORSE
    equal = as_reader(better, better, 0)
    assert (equal.low, equal.p, equal.verdict) == (None, 1.0, OPEN)
    assert as_reader([1.0], [0.0], 0).low is None
    assert as_reader([], [], 0) is None


def test_p_is_adjusted_over_the_machines():
    n = 40
    worse = as_reader(np.tile([0.0, 1.0], n // 2), np.ones(n), 0)
    first, none, second = adjusted([worse, None, worse])
    assert (first.p_holm, none, second.p_holm) == (min(1.0, 2 * worse.p), None, min(1.0, 2 * worse.p))


def test_one_who_answers_as_the_readers_do_is_covered():
    """Readers and a machine with the same chances on each item: the interval holds 0 as often as it says."""
    rng = np.random.default_rng(2)
    held = 0
    for _ in range(400):
        right = rng.random((80, 4)) < rng.beta(4, 2, (80, 1))
        said = np.where(right, 0, rng.integers(1, 3, (80, 4)))
        alike = (said[:, :, None] == said[:, None, :]).astype(float)
        among = (alike[:, 0, 1] + alike[:, 0, 2] + alike[:, 1, 2]) / 3
        found = as_reader(alike[:, 3, :3].mean(axis=1), among, 0)
        held += found.low <= 0 <= found.high
    assert 0.92 <= held / 400 <= 0.98


def test_the_interval_ends_where_a_difference_of_shares_does():
    found = as_reader([1.0, 0.5, 0.0, 0.5], [0.0, 0.5, 0.5, 1.0], 0)
    assert (found.low, found.high) == (-1.0, 1.0)
