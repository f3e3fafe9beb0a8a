"""What the heart says when it is given something it cannot work with."""

from collections.abc import Iterator
from contextlib import contextmanager

MODEL_PACKAGES = frozenset({"torch", "transformers", "tokenizers", "safetensors", "huggingface_hub"})
"""What requirements.txt adds to requirements-web.txt."""


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


@contextmanager
def needs_model_packages() -> Iterator[None]:
    """Import what models need; say in a sentence what is missing where only the web's packages are there.

    Raises:
        BadInput: a package of `MODEL_PACKAGES` is not installed.
    """
    try:
        yield
    except ModuleNotFoundError as error:
        package = (error.name or "").partition(".")[0]
        if package not in MODEL_PACKAGES:
            raise
        raise BadInput(
            f"A model is asked for, and {package} is not installed here: this is an installation for pages "
            "and for rankers by words. pip install -r requirements.txt brings it; jobs with models run on "
            "workers that have it."
        ) from error
