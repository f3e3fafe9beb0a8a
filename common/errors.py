"""What the heart says when it is given something it cannot work with."""


class BadInput(ValueError):
    """The input is wrong; the message is one sentence a person can act on.

    It names the file, line or field, and says what would be right. Commands,
    pages and the API show it as it is.
    """


class BadField(BadInput):
    """Bad input whose field is known, so that a form can say it beside the field."""

    def __init__(self, field: str, sentence: str) -> None:
        super().__init__(sentence)
        self.field = field
