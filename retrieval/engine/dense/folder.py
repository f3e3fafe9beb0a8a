"""A checkpoint's folder: which files it may hold, its fingerprint, and where its parts are.

    tokenizer.json                          one tokeniser for both encoders
    config.json  model.safetensors          one encoder for contexts and quotations, or
    context/…    quotation/…                two, each with its own pair of these files

Everything is looked at by name and as JSON before anything is read as a model: a pickle runs code when it is
loaded, and `auto_map` asks the loader to run code that lies beside the weights.
"""

from __future__ import annotations

import hashlib
import json
from pathlib import Path
from typing import Any

from common.errors import BadInput

RUNS_CODE = frozenset({".bin", ".pt", ".pth", ".ckpt", ".pkl", ".pickle", ".joblib", ".py", ".pyc", ".so"})
REMOTE_CODE = ("auto_map", "custom_pipelines", "trust_remote_code")
WEIGHTS, CONFIG, TOKENISER, CARD = "model.safetensors", "config.json", "tokenizer.json", "card.json"
TOWERS = ("context", "quotation")
LARGEST_JSON = 64 * 2**20


def checked(folder: Path) -> list[Path]:
    """Return the files of a folder that is safe to read, sorted by path. Raises `BadInput`.

    Raises:
        BadInput: there is no such folder; a file could run code, is a link, or a part is missing.
    """
    if not folder.is_dir():
        raise BadInput(f"There is no folder {folder}; a checkpoint is a folder with {CONFIG} and {WEIGHTS}.")
    files = refuse_code(folder)
    for part in (TOKENISER, *(f"{tower}{name}" for tower in _prefixes(folder) for name in (CONFIG, WEIGHTS))):
        if not (folder / part).is_file():
            raise BadInput(f"{folder.name} has no {part}; see the layout of a checkpoint in docs/dense.md.")
    return files


def refuse_code(folder: Path) -> list[Path]:
    """Return the files of a folder, sorted by path, whether or not a part is missing. Raises `BadInput`
    for code.

    Raises:
        BadInput: a file could run code, or is a link.
    """
    files = []
    for path in sorted(folder.rglob("*")):
        name = path.relative_to(folder)
        if path.is_symlink():
            raise BadInput(f"{folder.name}/{name} is a link; copy the file itself into the folder.")
        if path.is_file():
            _refuse_code(path, f"{folder.name}/{name}")
            files.append(path)
    return files


def fingerprint(folder: Path) -> str:
    """Return the sha256 over the names and contents of all files of a checked folder.

    Raises:
        BadInput: as `checked`.
    """
    whole = hashlib.sha256()
    for path in checked(folder):
        with path.open("rb") as file:
            part = hashlib.file_digest(file, "sha256").hexdigest()
        whole.update(f"{path.relative_to(folder).as_posix()}\0{part}\n".encode())
    return whole.hexdigest()


def tower(folder: Path, which: str) -> Path:
    """Return the folder of the encoder `which` ("context" or "quotation")."""
    return folder / which if (folder / which).is_dir() else folder


def read_json(path: Path) -> dict[str, Any]:
    """Read a JSON object from a file.

    Raises:
        BadInput: it is none, or far too large.
    """
    found = _read(path)
    if not isinstance(found, dict):
        raise BadInput(f"{path.name} must hold a JSON object.")
    return found


def read_objects(path: Path) -> list[dict[str, Any]]:
    """Read a JSON list of objects from a file; raises as `read_json`."""
    found = _read(path)
    if not isinstance(found, list) or not all(isinstance(each, dict) for each in found):
        raise BadInput(f"{path.name} must hold a JSON list of objects.")
    return found


def _read(path: Path) -> Any:
    if path.stat().st_size > LARGEST_JSON:
        raise BadInput(f"{path.name} has more than {LARGEST_JSON >> 20} MB; it cannot be a configuration.")
    try:
        return json.loads(path.read_text(encoding="utf-8"))
    except (ValueError, RecursionError) as error:
        raise BadInput(f"{path.name} is not JSON: {error}.") from None


def _prefixes(folder: Path) -> tuple[str, ...]:
    return ("context/", "quotation/") if any((folder / name).is_dir() for name in TOWERS) else ("",)


def _refuse_code(path: Path, name: str) -> None:
    if path.suffix.lower() in RUNS_CODE:
        raise BadInput(
            f"{name} could run code when it is loaded; a checkpoint's weights must be {WEIGHTS} alone."
        )
    if path.suffix.lower() == ".json" and path.name != TOKENISER:
        if path.stat().st_size > LARGEST_JSON:
            raise BadInput(f"{name} has more than {LARGEST_JSON >> 20} MB; it cannot be a configuration.")
        text = path.read_bytes()
        for key in REMOTE_CODE:
            # Also in escaped spelling: the file is JSON, so its own reader decides what a key is.
            if key.encode() in text or (b"\\u" in text and key in _keys(path)):
                raise BadInput(f"{name} has {key}, which runs code from outside; such a model is refused.")


def _keys(path: Path) -> set[str]:
    found: set[str] = set()

    def collect(pairs: list[tuple[str, Any]]) -> None:
        found.update(key for key, _ in pairs)

    try:
        json.loads(path.read_text(encoding="utf-8"), object_pairs_hook=collect)
    except (ValueError, RecursionError) as error:
        raise BadInput(f"{path.name} is not JSON: {error}.") from None
    return found
