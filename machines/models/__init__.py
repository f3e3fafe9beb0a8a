"""Calls to models, what they may cost, and how each endpoint stands. No row holds a key."""

from machines.models.budgets import Budget
from machines.models.calls import ANSWERED, LONGEST_REPLY, PENDING, Call, State
from machines.models.states import EndpointState

__all__ = ["ANSWERED", "LONGEST_REPLY", "PENDING", "Budget", "Call", "EndpointState", "State"]
