"""What the tests of the whole site begin with."""

from tests.variorum.whole_site import things

__all__ = ["things"]
