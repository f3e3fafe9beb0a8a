"""Endpoints that a test registers are forgotten with it: other tests begin without any."""

import pytest

from machines.endpoints import scripted
from tests.annotation.machine.scripted import ENDPOINT


@pytest.fixture(autouse=True)
def forgotten():
    yield
    scripted.unregister(ENDPOINT.name)
