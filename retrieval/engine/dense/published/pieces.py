"""SentencePiece's `.model` file as a tokeniser of Hugging Face's `tokenizers`.

The file is a message of Protocol Buffers, of which a few fields are wanted: pieces with score and type, the
kind of model, how texts are normalised (sentencepiece_model.proto of google/sentencepiece). A unigram model
(Kudo 2018) is then what `tokenizers` calls Unigram; `benchmarks.pieces` compares the two.
"""

from __future__ import annotations

import struct
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from tokenizers import Regex, Tokenizer, models, normalizers, pre_tokenizers

from common.errors import BadInput
from retrieval.engine.dense.average.tokens import SPACE

_NORMAL, _UNKNOWN, _CONTROL, _UNUSED = 1, 2, 3, 5
_UNIGRAM = 1
_VARINT, _EIGHT, _BYTES, _FOUR = 0, 1, 2, 5
_LARGEST = 64 * 2**20


@dataclass(frozen=True)
class Pieces:
    """What a `.model` file says.

    scores: the log probability of each piece that a text may be cut into, in the file's order.
    characters: SentencePiece's compiled table of normalised characters; empty for none.
    begins: whether a space is put before each text.
    squeezes: whether several spaces become one.
    """

    scores: dict[str, float]
    characters: bytes
    begins: bool
    squeezes: bool


def read(path: Path) -> Pieces:
    """Return what a `.model` file says.

    Raises:
        BadInput: it is none, is no unigram model, or has pieces that only SentencePiece itself can find.
    """
    if path.stat().st_size > _LARGEST:
        raise BadInput(f"{path.name} has more than {_LARGEST >> 20} MB; it cannot be a SentencePiece model.")
    try:
        return _read(path.read_bytes(), path.name)
    except BadInput:
        raise
    except (IndexError, struct.error, UnicodeDecodeError, ValueError, TypeError):
        raise BadInput(f"{path.name} is no SentencePiece model.") from None


def unigram(pieces: Pieces, order: Sequence[str]) -> Tokenizer:
    """Return the tokeniser; its token 0 is the unknown one, token i + 1 is `order[i]`.

    `order`: all pieces, once each.
    """
    vocabulary = [("<unk>", 0.0), *((piece, pieces.scores[piece]) for piece in order)]
    made = Tokenizer(models.Unigram(vocabulary, unk_id=0))
    steps: list[normalizers.Normalizer] = []
    if pieces.characters:
        steps.append(normalizers.Precompiled(pieces.characters))
    if pieces.squeezes:
        steps += [normalizers.Replace(Regex(" {2,}"), " "), normalizers.Strip()]
    made.normalizer = normalizers.Sequence(steps)
    crosses = any(SPACE in piece[1:] for piece in pieces.scores)
    made.pre_tokenizer = pre_tokenizers.Metaspace(
        replacement=SPACE, prepend_scheme="always" if pieces.begins else "never", split=not crosses
    )
    return made


def _read(data: bytes, name: str) -> Pieces:
    scores: dict[str, float] = {}
    kind, normal = _UNIGRAM, b""
    for field, value in _fields(data):
        if field == 1:
            piece, score, what = _piece(_message(value))
            if what == _NORMAL:
                scores[piece] = score
            elif what not in (_UNKNOWN, _CONTROL, _UNUSED):
                raise BadInput(f"{name} has the piece {piece!r:.40} of type {what}, which is not read here.")
        elif field == 2:
            kind = int(dict(_fields(_message(value))).get(3, _UNIGRAM))
        elif field == 3:
            normal = _message(value)
    if kind != _UNIGRAM:
        raise BadInput(f"{name} is a SentencePiece model of kind {kind}; only unigram models are read.")
    if not scores:
        raise ValueError("no pieces")
    told = dict(_fields(normal))
    return Pieces(scores, _message(told.get(2, b"")), bool(told.get(3, 1)), bool(told.get(4, 1)))


def _piece(data: bytes) -> tuple[str, float, int]:
    """A piece, its score and its type."""
    told = dict(_fields(data))
    text, score, what = _message(told[1]).decode(), told.get(2, b"\0\0\0\0"), told.get(3, _NORMAL)
    return text, float(struct.unpack("<f", _message(score))[0]), int(what)


def _message(value: int | bytes) -> bytes:
    if isinstance(value, int):
        raise ValueError("a number where a message is expected")
    return value


def _fields(data: bytes) -> Iterator[tuple[int, int | bytes]]:
    """The fields of a message: number and value, a whole number or bytes."""
    at = 0
    while at < len(data):
        key, at = _number(data, at)
        kind = key & 7
        if kind == _VARINT:
            value, at = _number(data, at)
            yield key >> 3, value
            continue
        if kind == _BYTES:
            size, at = _number(data, at)
        else:
            size = {_EIGHT: 8, _FOUR: 4}[kind] if kind in (_EIGHT, _FOUR) else len(data) + 1
        if at + size > len(data):
            raise ValueError("cut off")
        yield key >> 3, data[at : at + size]
        at += size


def _number(data: bytes, at: int) -> tuple[int, int]:
    """A number of seven bits a byte, and where it ends."""
    value = shift = 0
    while True:
        byte = data[at]
        value |= (byte & 127) << shift
        at, shift = at + 1, shift + 7
        if byte < 128:
            return value, at
        if shift > 63:
            raise ValueError("too long a number")
