"""Bad input about one field of a form."""

from __future__ import annotations

from retrieval.engine.errors import BadInput


class BadField(BadInput):
    """Bad input whose field is known, so that a form can say it beside the field."""

    def __init__(self, field: str, sentence: str) -> None:
        super().__init__(sentence)
        self.field = field
