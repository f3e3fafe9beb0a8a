"""Torch, and what needs it: loaded where a test first uses it, and not where all tests are only gathered.

Loading takes seconds in each of the suite's processes, most of which are given no test of an encoder.
To patch one of these modules give `monkeypatch.setattr` its name: these can only be read.
"""

from importlib import import_module

GATHERING = ("__bases__", "__test__", "__wrapped__", "_mock_name")
"""What pytest asks whatever it finds in a file of tests."""


class Later:
    """Stands for a module, and is asked for what is in it."""

    __slots__ = ("_module",)

    def __init__(self, name):
        self._module = name

    def __getattr__(self, attribute):
        if attribute in GATHERING:
            raise AttributeError(attribute)
        return getattr(import_module(self._module), attribute)


torch = Later("torch")
safetensors_torch = Later("safetensors.torch")
transformers = Later("transformers")
building = Later("retrieval.engine.dense.building")
dense_encoder = Later("retrieval.engine.dense.encoder")
dense_toy = Later("retrieval.engine.dense.toy")
pickled = Later("retrieval.engine.dense.published.pickled")
pieces = Later("retrieval.engine.dense.published.pieces")
mask_overlaps = Later("benchmarks.mask_overlaps")
training = Later("retrieval.engine.training.loop")
austen = Later("benchmarks.austen")
austen_ranks = Later("benchmarks.austen_ranks")
austen_report = Later("benchmarks.austen_report")
austen_similarity = Later("benchmarks.austen_similarity")
