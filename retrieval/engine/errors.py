"""What the heart says when it is given something it cannot work with."""


class BadInput(ValueError):
    """The input is wrong; the message is one sentence a person can act on.

    It names the file, line or field, and says what would be right. Commands,
    pages and the API show it as it is.
    """
