"""What is drawn anew for every reply, taken out of it.

Of the sixty-two letters and digits of a token any short word may be made: once in some thousand pages it
holds the name or the number that a test says is nowhere.
"""

from __future__ import annotations

import re

DRAWN = re.compile(
    r'csrfmiddlewaretoken" value="\w+"|X-CSRFToken": "\w+"|name="(?:submission|of)" value="[\w-]+"'
)


def without_drawn(text: str) -> str:
    """A page, or several, but for the tokens of their forms."""
    return DRAWN.sub("", text)
