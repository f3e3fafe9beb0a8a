"""Toys whose texts have different vectors; as they are drawn, every comparison is one of rounding errors."""

from retrieval.engine.dense import folder as dense_folder
from tests.retrieval.dense.later import safetensors_torch


def spread(folder):
    """The same checkpoint with its matrices ten times as large, and the folder again."""
    for tower in dense_folder.TOWERS:
        file = dense_folder.tower(folder, tower) / dense_folder.WEIGHTS
        weights = safetensors_torch.load_file(file)
        made = {name: weight * 10 if weight.dim() > 1 else weight for name, weight in weights.items()}
        safetensors_torch.save_file(made, file)
    return folder
