"""The ledger: every call to a model has its row before it is sent, and what came back is written at once."""

from machines.ledger.asking import Asking
from machines.ledger.estimating import Estimate, estimate, estimate_counts
from machines.ledger.probing import probe, probe_if_old
from machines.ledger.stopped import Stopped
from machines.ledger.sweeping import sweep

__all__ = ["Asking", "Estimate", "Stopped", "estimate", "estimate_counts", "probe", "probe_if_old", "sweep"]
