"""Weights in a `.bin` or `.pt` file, read with `torch.load(weights_only=True)`.

That reader makes tensors, plain values and containers of them; of other classes only those that are named
here, which hold values and do nothing. Whatever else a file names is refused, and was not called.
"""

from __future__ import annotations

import argparse
import pickle
import warnings
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any

import torch

from common.errors import BadInput

HARMLESS = (argparse.Namespace,)
INSIDE = ("state_dict", "model_state_dict", "model")
"""Under what name weights lie in a file that holds more than them."""
WRAPPERS = ("module.", "_orig_mod.")
"""What torch's wrappers write before every name: several GPUs, compiled."""
DTYPES = (
    torch.float64, torch.float32, torch.float16, torch.bfloat16,
    torch.int64, torch.int32, torch.int16, torch.int8, torch.uint8, torch.bool,
)  # fmt: skip


def load(path: Path) -> Any:
    """Return what a file holds: tensors, plain values, containers of them.

    Raises:
        BadInput: it holds anything else, is damaged, or is larger than the memory left to this process.
    """
    try:
        with torch.serialization.safe_globals(list(HARMLESS)), warnings.catch_warnings():
            warnings.simplefilter("ignore")  # on storages of old files
            return torch.load(path, map_location="cpu", weights_only=True)
    except pickle.UnpicklingError as error:
        if "global" not in str(error).lower():
            raise BadInput(f"{path.name} cannot be read as weights: {_reason(error)}") from None
        raise BadInput(
            f"{path.name} holds more than tensors and was not read: {_reason(error)} "
            "Files that could run code are refused."
        ) from None
    except MemoryError:
        raise BadInput(f"{path.name} needs more memory than a file of its size may.") from None
    except Exception as error:  # noqa: BLE001 - of a damaged file torch raises whatever it stumbles over
        raise BadInput(f"{path.name} cannot be read as weights: {_reason(error)}") from None


def weights(found: Any, name: str) -> dict[str, torch.Tensor]:
    """Return the weights in what a file held, each a tensor of its own, contiguous, of the type it had.

    `name`: of the file. What torch's wrappers write before names is taken off; tensors that share memory are
    parted.

    Raises:
        BadInput: there are none, something beside them is no tensor, or a tensor is of a kind that
            safetensors do not hold.
    """
    for inside in INSIDE:
        if isinstance(found, Mapping) and isinstance(found.get(inside), Mapping):
            found = found[inside]
            break
    if not isinstance(found, Mapping) or not found:
        raise BadInput(f"{name} holds no weights by name, but a {type(found).__name__}.")
    return {bare: _own(value, f"{name}: {bare}") for bare, value in _unwrapped(found, name)}


def _unwrapped(found: Mapping[Any, Any], name: str) -> Iterator[tuple[str, Any]]:
    strange = next((key for key in found if not isinstance(key, str)), None)
    if strange is not None:
        raise BadInput(f"{name} names a weight {strange!r:.40}, which is no text.")
    for wrapper in WRAPPERS:
        if all(key.startswith(wrapper) for key in found):
            found = {key.removeprefix(wrapper): value for key, value in found.items()}
    yield from found.items()


def _own(value: Any, name: str) -> torch.Tensor:
    if not isinstance(value, torch.Tensor):
        raise BadInput(f"{name} is a {type(value).__name__} and no tensor; only weights are converted.")
    if value.layout != torch.strided or value.is_quantized or value.dtype not in DTYPES or value.is_meta:
        raise BadInput(f"{name} is a tensor that safetensors do not hold ({value.dtype}, {value.layout}).")
    if value.numel() * value.element_size() > value.untyped_storage().nbytes():
        raise BadInput(f"{name} claims {value.numel():,} numbers, but the file holds fewer.")
    return value.detach().clone(memory_format=torch.contiguous_format)


def merged(parts: Iterable[tuple[str, dict[str, torch.Tensor]]]) -> dict[str, torch.Tensor]:
    """Return the weights of several files together; each part with its file's name.

    Raises:
        BadInput: two files hold one name.
    """
    whole: dict[str, torch.Tensor] = {}
    for file, part in parts:
        twice = next((name for name in part if name in whole), None)
        if twice is not None:
            raise BadInput(f"{file} holds {twice}, which another file holds too.")
        whole |= part
    return whole


def _reason(error: Exception) -> str:
    lines = [line.strip() for line in str(error).splitlines() if line.strip()]
    telling = [line for line in lines if "global" in line.lower() or "unsupported" in line.lower()]
    return f"{(telling or lines or [type(error).__name__])[0][:200].rstrip('.')}."
