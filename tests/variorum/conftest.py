"""What the tests of the whole site begin with."""

from tests.variorum.canaries import secrets
from tests.variorum.whole_site import things

__all__ = ["secrets", "things"]
