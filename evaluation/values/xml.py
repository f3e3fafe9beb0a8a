"""Text and attributes as XML 1.0 holds them."""

from __future__ import annotations

import re
from xml.sax.saxutils import escape, quoteattr

# What XML 1.0 cannot hold, not even escaped.
FORBIDDEN = re.compile("[^\t\n\r\u0020-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


def text(value: str) -> str:
    """As XML holds it; what it cannot hold becomes U+FFFD."""
    return escape(FORBIDDEN.sub("\ufffd", value), {"\r": "&#13;"})


def attribute(value: str) -> str:
    """Quoted."""
    return quoteattr(FORBIDDEN.sub("\ufffd", value))
