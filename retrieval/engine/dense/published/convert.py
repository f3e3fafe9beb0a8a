"""A published encoder's files into a checkpoint's folder: safetensors, config.json, tokenizer.json.

`encoder` is meant for a process of its own: it limits that process for good (`confined`) before it reads
anything, and loads torch only then.
"""

from __future__ import annotations

import hashlib
import json
import shutil
from pathlib import Path
from typing import TYPE_CHECKING, Any

from common.errors import BadInput, needs_model_packages
from retrieval.engine.dense import folder as dense_folder
from retrieval.engine.dense.folder import CONFIG, TOKENISER, WEIGHTS
from retrieval.engine.dense.presets import LIMIT, MODULES, POOLING

if TYPE_CHECKING:
    from torch import Tensor

KINDS = frozenset({".bin", ".pt", ".pth"})
NO_WEIGHTS = ("training_args", "optimizer", "scheduler", "scaler", "rng_state")
"""What a training leaves beside its weights."""
BESIDE = (MODULES, LIMIT, f"1_Pooling/{POOLING}")
USES = {"realm": "crealm", "average": "sim"}
"""Kinds whose use follows from what they are: model_type → preset."""
SPARE_MEMORY = 4 * 2**30
"""Bytes beside four times the size of the files: torch itself, and room to read a configuration."""


def weight_files(source: Path) -> list[Path]:
    """Return the files of the weights that a folder, or a file itself, names; several are parts of one model.

    Raises:
        BadInput: there are none, or one of several must be chosen.
    """
    if source.is_file():
        return [source]
    if not source.is_dir():
        raise BadInput(f"There is no file or folder {source}.")
    found = sorted(
        path
        for path in source.iterdir()
        if path.suffix.lower() in KINDS and path.is_file() and not path.name.startswith(NO_WEIGHTS)
    )
    parts = [path for path in found if path.match("pytorch_model-*-of-*.bin")]
    if not found:
        raise BadInput(f"{source.name} has no weights to convert, no file that ends in .bin, .pt or .pth.")
    if len(found) > 1 and parts != found:
        names = ", ".join(path.name for path in found)
        raise BadInput(f"{source.name} has several files of weights ({names}); name the one to convert.")
    return found


def memory(files: list[Path]) -> int:
    """Return how many bytes a process may use that converts these files."""
    return SPARE_MEMORY + 4 * sum(path.stat().st_size for path in files)


def encoder(source: Path, target: Path) -> dict[str, Any]:
    """Write one encoder, and its tokeniser where it has one, into a new folder; return what the card says.

    This process is limited from then on. `source`: a folder, or the file of weights in it.

    Raises:
        BadInput: the files are refused, do not belong together, or something is missing.
    """
    files = weight_files(source)
    told: dict[str, Any] = {"from": [_told(path) for path in files]}
    from retrieval.engine.dense.published import confined

    confined.limit(memory(files))
    with needs_model_packages():
        import safetensors.torch

        from retrieval.engine.dense.published import pickled, sim

    confined.forbid_programs_and_network()
    target.mkdir(parents=True)
    read = [(path.name, pickled.load(path)) for path in files]
    if len(read) == 1 and sim.is_sim(read[0][1]):
        weights, more = _sim(read[0][1], files[0], target)
        told |= more
    else:
        weights = pickled.merged((name, pickled.weights(found, name)) for name, found in read)
        _copy(files[0].parent, target)
    safetensors.torch.save_file(weights, target / WEIGHTS, metadata={"format": "pt"})
    return told


def preset(target: Path) -> str:
    """Return the name of the settings that an encoder's kind asks for, or nothing."""
    return USES.get(str(dense_folder.read_json(target / CONFIG).get("model_type")), "")


def _sim(found: Any, file: Path, target: Path) -> tuple[dict[str, Tensor], dict[str, Any]]:
    """Write SIM's configuration and tokeniser; its table, and what the card says."""
    from retrieval.engine.dense.published import pieces, sim

    models = sorted(file.parent.glob("*.model"))
    if len(models) != 1:
        raise BadInput(
            f"Beside {file.name} there must be one SentencePiece model (.model); there are {len(models)}."
        )
    known = pieces.read(models[0])
    made = sim.table(found, known, file.name)
    (target / CONFIG).write_text(json.dumps(made.config, indent=1), encoding="utf-8")
    pieces.unigram(known, made.order).save(str(target / TOKENISER))
    return made.weights, {"pieces_from": [_told(models[0])], **made.told}


def _copy(source: Path, target: Path) -> None:
    """Copy what lies beside the weights and is read; make tokenizer.json where only its parts are there."""
    if not (source / CONFIG).is_file():
        raise BadInput(f"{source.name} has no {CONFIG}, which says what the weights are.")
    for name in (CONFIG, *BESIDE):
        if (source / name).is_file():
            (target / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(source / name, target / name)
    tokeniser(source, target / TOKENISER)


def tokeniser(source: Path, place: Path) -> None:
    """Copy a folder's tokenizer.json, or make it of BERT's vocab.txt or RoBERTa's vocab.json and merges.txt.

    Where the folder has none of them, nothing is written.

    Raises:
        BadInput: the vocabulary cannot be read.
    """
    if (source / TOKENISER).is_file():
        shutil.copyfile(source / TOKENISER, place)
        return
    from tokenizers.implementations import BertWordPieceTokenizer, ByteLevelBPETokenizer

    beside = source / "tokenizer_config.json"
    told = dense_folder.read_json(beside) if beside.is_file() else {}
    pairs, words = source / "merges.txt", source / "vocab.txt"
    try:
        if words.is_file():
            lower = told.get("do_lower_case", True) is not False
            made = BertWordPieceTokenizer(str(words), lowercase=lower)
            made.save(str(place))
        elif pairs.is_file() and (source / "vocab.json").is_file():
            made = ByteLevelBPETokenizer(str(source / "vocab.json"), str(pairs))
            made.add_special_tokens(["<s>", "<pad>", "</s>", "<unk>", "<mask>"])
            made.save(str(place))
    except Exception as error:  # noqa: BLE001 - tokenizers raises no narrower one
        raise BadInput(f"The vocabulary in {source.name} cannot be read: {error}.") from None


def _told(path: Path) -> dict[str, str]:
    with path.open("rb") as file:
        return {"file": path.name, "sha256": hashlib.file_digest(file, "sha256").hexdigest()}
