"""Small models as others publish them: pickles, and a SentencePiece model written field by field."""

import argparse
import json
import os
import socket
import struct

from tests.retrieval.dense.later import torch

SPACE = "\u2581"
SCORES = {
    **dict.fromkeys([f"{SPACE}the", f"{SPACE}boat", f"{SPACE}at", f"{SPACE}dawn"], -2.0),
    **dict.fromkeys([SPACE, "t", "h", "e", "b", "o", "a", "d", "w", "n", "m", "s", "k", "<", ">", ","], -6.0),
    f"{SPACE}mask": -4.0,
    "oat": -4.5,
    f"{SPACE}bo": -4.6,
    "s": -3.0,
}
WORDS = ["the", "boats", "at", "dawn", "<", "mask", ">", "oat"]


def _field(number, value):
    if isinstance(value, bytes):
        return bytes([number << 3 | 2, len(value)]) + value
    if isinstance(value, float):
        return bytes([number << 3 | 5]) + struct.pack("<f", value)
    return bytes([number << 3, value])


def sentencepiece(scores=None, kind=1, **types):
    """The bytes of a `.model`: unknown and control pieces first, no table of characters."""
    pieces = [("<unk>", 0.0, 2), ("<s>", 0.0, 3), ("</s>", 0.0, 3)]
    pieces += [(piece, score, types.get(piece, 1)) for piece, score in (scores or SCORES).items()]
    whole = b""
    for piece, score, what in pieces:
        inside = _field(1, piece.encode()) + _field(2, score) + _field(3, what)
        whole += _field(1, inside)
    return whole + _field(2, _field(3, kind)) + _field(3, _field(1, b"identity"))


def sim(folder, **changed):
    """SIM's two files: a table, where its pieces lie in it, its arguments, in torch's older format.

    `oat` has the row 0 and so does not count; `m` and the signs are in no row.
    """
    folder.mkdir(parents=True)
    rows = [
        f"{SPACE}the",
        f"{SPACE}boat",
        f"{SPACE}at",
        f"{SPACE}dawn",
        f"{SPACE}mask",
        "s",
        "UUUNKKK",
        "zzz",
    ]
    words = {"oat": 0, **{word: at for at, word in enumerate(rows, 1)}}
    table = torch.randn(9, 6, generator=torch.Generator().manual_seed(2))
    whole = {
        "state_dict": {"embedding.weight": table},
        "vocab_words": words,
        "args": argparse.Namespace(dim=6, gpu=-1, model="avg"),
        "epoch": 3,
        **changed,
    }
    torch.save(whole, folder / "sim.pt", _use_new_zipfile_serialization=False)
    (folder / "sim.sp.30k.model").write_bytes(sentencepiece())
    return folder, table, words


def as_bin(folder, made, change=lambda weights: weights):
    """A checkpoint's folder with its safetensors as pytorch_model.bin instead."""
    from safetensors.torch import load_file

    made.mkdir(parents=True)
    for name in ("config.json", "tokenizer.json"):
        if (folder / name).is_file():
            (made / name).write_bytes((folder / name).read_bytes())
    torch.save(change(load_file(folder / "model.safetensors")), made / "pytorch_model.bin")
    return made


class Command:
    """Unpickled by anything but torch's careful reader, it would run a command."""

    def __init__(self, canary):
        self.canary = canary

    def __reduce__(self):
        return os.system, (f"touch {self.canary}",)


def outlaw():
    """What becomes of a network, a program and much memory in a process that is confined."""
    from retrieval.engine.dense.published import confined

    confined.limit(300 * 2**20)
    confined.forbid_programs_and_network()
    found = []
    for attempt in (socket.socket, lambda: os.system("true"), os.fork, lambda: bytearray(2**30)):
        try:
            attempt()
            found.append("allowed")
        except (PermissionError, MemoryError) as error:
            found.append(type(error).__name__)
    return json.dumps(found)
