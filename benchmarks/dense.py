"""Dense encoders: encoding, a training step and scoring, each against the plain way, in one run.

    VARIORUM_TEST_DATA=<folder of novels/> python -m benchmarks.dense [--width 256 --layers 4] [--base]
                                                                      [--sentences 256] [--rounds 2]

Random weights: speed does not depend on what they know. Bars are ratios inside one run, the best of the
rounds of each side: encoding sorted by length ≥ 2.0 times the same model in the order of the book by 32;
padding factor of the whole book ≤ 1.05; a training step in parts of equal length ≥ 1.5 times one padded
to 256 and 98, with the same loss to 1e-4; scoring ≥ 0.8 times faiss.IndexFlatIP. sentence-transformers
and faiss take part where they are installed. With a CUDA GPU, tokens a second and the share of --peak are
printed for a RoBERTa-base in bfloat16; without one they are not measured. Exit status 1: a bar is missed.
"""

from __future__ import annotations

import argparse
import importlib
import os
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import torch

from retrieval.engine import dense_toy, order, reading
from retrieval.engine.dense_batches import by_budget, padding_factor
from retrieval.engine.dense_encoder import Encoder
from retrieval.engine.dense_pairs import Pair
from retrieval.engine.dense_recipe import Recipe
from retrieval.engine.dense_settings import Settings
from retrieval.engine.text import segment
from retrieval.engine.tokens import GAP
from retrieval.engine.training import Trainer

BASE = dense_toy.Shape(width=768, layers=12, heads=12, vocabulary=8000, positions=514, dropout=0.0)
NO_BOOK = "Name a folder with novels/pride_and_prejudice.txt in VARIORUM_TEST_DATA."


def sentences() -> list[str]:
    """Of Pride and Prejudice, in order."""
    folder = os.environ.get("VARIORUM_TEST_DATA")
    if not folder:
        sys.exit(NO_BOOK)
    path = Path(folder) / "novels" / "pride_and_prejudice.txt"
    text = reading.prepare(reading.decode(path.read_bytes(), path.name)).text
    return [text[start:end] for start, end in segment(text).sentences]


def best(rounds: int, *ways: Callable[[], Any]) -> list[float]:
    """Seconds of each way, the shortest of the rounds; the ways take turns, so that load falls on all."""
    taken = [[0.0] * rounds for _ in ways]
    for turn in range(rounds):
        for way, kept in zip(ways, taken, strict=True):
            start = time.perf_counter()
            way()
            kept[turn] = time.perf_counter() - start
    return [min(kept) for kept in taken]


class Bars:
    """What was measured, and whether it is enough."""

    missed = 0

    def at_least(self, what: str, value: float, bar: float) -> None:
        self._print(what, f"{value:.2f} (bar: ≥ {bar})", value >= bar)

    def at_most(self, what: str, value: float, bar: float) -> None:
        self._print(what, f"{value:.3g} (bar: ≤ {bar})", value <= bar)

    def _print(self, what: str, text: str, met: bool) -> None:
        self.missed += not met
        print(f"  {what:46} {text}{'' if met else '   MISSED'}", flush=True)


def encoding(folder: Path, texts: Sequence[str], some: Sequence[str], rounds: int, bars: Bars) -> None:
    """Ours against the same model by 32 in the order of the book, and each precision against fp32."""
    encoder = Encoder(folder, Settings(), asked="cpu")
    lengths = [ids.size for ids in encoder.tokeniser.quotations(texts, encoder.settings)]
    factor = padding_factor(lengths, by_budget(lengths, encoder.budget))
    bars.at_most("padding factor of the book", factor, 1.05)
    ids = encoder.tokeniser.quotations(some, encoder.settings)

    def in_order() -> None:
        for start in range(0, len(ids), 32):
            encoder._forward("quotation", ids[start : start + 32])

    ours, theirs = best(rounds, lambda: encoder.encode("quotation", ids), in_order)
    print(f"  fp32: {len(ids) / ours:,.1f} sentences a second; in order by 32: {len(ids) / theirs:,.1f}")
    bars.at_least("times the same model in order by 32", theirs / ours, 2.0)
    for precision in ("bf16", "int8"):
        lower = Encoder(folder, Settings(), precision=precision, asked="cpu")
        (taken,) = best(rounds, lambda lower=lower: lower.encode("quotation", ids))
        print(f"  {precision}: {len(ids) / taken:,.1f} sentences a second, {ours / taken:.2f} times fp32")


def step(folder: Path, texts: Sequence[str], rounds: int, bars: Bars) -> None:
    """A training step in parts of equal length against one padded to the limits."""
    pairs = []
    for n in range(0, 3200, 100):
        context = f"{' '.join(texts[n : n + 4])} {GAP} {' '.join(texts[n + 5 : n + 9])}"
        pairs.append(Pair("book", context, texts[n + 4], n, 1))
    made = {
        on: Trainer(folder, Settings(), Recipe(grouped=on, batch=32), torch.device("cpu"))
        for on in (True, False)
    }
    losses = {}

    def run(on: bool) -> None:
        loss = made[on].loss(pairs)
        loss.backward()
        losses[on] = float(loss.detach())

    ours, theirs = best(rounds, lambda: run(True), lambda: run(False))
    print(f"  in parts of equal length {ours:.2f} s, padded to 256 and 98 {theirs:.2f} s")
    bars.at_least("times the padded step", theirs / ours, 1.5)
    bars.at_most("difference of the losses", abs(losses[True] - losses[False]), 1e-4)


def scoring(rounds: int, bars: Bars) -> None:
    """7,514 vectors of 768, 512 queries: one product, against faiss where it is."""
    numbers = np.random.default_rng(0)
    vectors = numbers.normal(size=(7514, 768)).astype(np.float32)
    queries = numbers.normal(size=(512, 768)).astype(np.float32)

    def ours() -> None:
        for start in range(0, len(queries), 256):
            scores = queries[start : start + 256] @ vectors.T
            for row in scores:
                order.top(row, 100)

    faiss = installed("faiss")
    if faiss is None:
        (taken,) = best(rounds, ours)
        print(
            f"  {len(queries) / taken:,.0f} queries a second, top 100; faiss is not installed: not compared"
        )
        return
    index = faiss.IndexFlatIP(768)
    index.add(vectors)
    taken, theirs = best(rounds, ours, lambda: index.search(queries, 100))
    bars.at_least("times faiss.IndexFlatIP, top 100", theirs / taken, 0.8)


def peer(folder: Path, some: Sequence[str], rounds: int, bars: Bars) -> None:
    """sentence-transformers on the same encoder, where it is installed."""
    library = installed("sentence_transformers")
    if library is None:
        print("  sentence-transformers is not installed: not compared")
        return
    from transformers import PreTrainedTokenizerFast

    words = PreTrainedTokenizerFast(
        tokenizer_file=str(folder / "tokenizer.json"), pad_token="<pad>", model_max_length=98
    )
    words.save_pretrained(folder / "quotation")
    module = library.models.Transformer(str(folder / "quotation"), max_seq_length=98)
    pooling = library.models.Pooling(module.get_word_embedding_dimension())
    model = library.SentenceTransformer(modules=[module, pooling])
    ours = Encoder(folder, Settings(pooling="mean"), asked="cpu")
    taken, theirs = best(
        rounds, lambda: ours.quotations(some), lambda: model.encode(list(some), batch_size=32)
    )
    bars.at_least("times sentence-transformers, fp32", theirs / taken, 1.0)


def gpu(place: Path, texts: Sequence[str], peak: float) -> None:
    """RoBERTa-base in bfloat16: contexts of 256 tokens, encoded and trained on."""
    if not torch.cuda.is_available():
        print("  not measured: there is no CUDA GPU here")
        return
    print(f"  {torch.cuda.get_device_name()}")
    folder = dense_toy.write(place / "base", texts, seed=0, shape=BASE)
    encoder = Encoder(folder, Settings(), precision="bf16", asked="cuda")
    ids = [np.full(256, 7, dtype=np.int32) for _ in range(8192)]
    encoder.encode("context", ids[:512])
    (taken,) = best(3, lambda: encoder.encode("context", ids))
    # 2 FLOP a weight and token, and 4 · width · length a layer for attention; training is three times that.
    each = 2 * 84.93e6 + 4 * 768 * 12 * 256
    rate = len(ids) * 256 / taken
    print(f"  encoding: {rate:,.0f} tokens a second, {rate * each / peak:.1%} of {peak / 1e12:.0f} TFLOP/s")
    trainer = Trainer(folder, Settings(), Recipe(), torch.device("cuda"))
    texts = [" ".join(["morning"] * 300)] * 100
    pairs = [Pair("book", f"{text} {GAP} {text}", text, n, 1) for n, text in enumerate(texts)]
    trainer.loss(pairs).backward()
    torch.cuda.synchronize()
    (taken,) = best(3, lambda: (trainer.loss(pairs).backward(), torch.cuda.synchronize()))
    rate = len(pairs) * (256 + 98) / taken
    print(f"  training: {rate:,.0f} tokens a second, {3 * rate * each / peak:.1%}")


def installed(name: str) -> Any:
    """The module, or None."""
    try:
        return importlib.import_module(name)
    except ImportError:
        return None


def main() -> int:
    options = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    options.add_argument("--width", type=int, default=256)
    options.add_argument("--layers", type=int, default=4)
    options.add_argument("--base", action="store_true", help="RoBERTa-base: 768 wide, 12 layers")
    options.add_argument("--sentences", type=int, default=256, help="to encode, evenly spread")
    options.add_argument("--rounds", type=int, default=2)
    options.add_argument("--peak", type=float, default=790e12, help="FLOP/s of the GPU in bfloat16")
    asked = options.parse_args()
    torch.set_num_threads(1)
    small = BASE._replace(width=asked.width, layers=asked.layers, heads=max(1, asked.width // 64))
    shape = BASE if asked.base else small
    texts, bars = sentences(), Bars()
    some = texts[:: len(texts) // max(64, asked.sentences)]
    with tempfile.TemporaryDirectory() as place:
        folder = dense_toy.write(Path(place) / "model", texts, seed=0, shape=shape)
        print(f"Encoding, {shape.width} wide, {shape.layers} layers, 1 thread, {len(some)} sentences")
        encoding(folder, texts, some, asked.rounds, bars)
        peer(folder, some, asked.rounds, bars)
        print("A training step, 32 pairs")
        step(folder, texts, asked.rounds, bars)
        print("Scoring")
        scoring(asked.rounds, bars)
        print("GPU")
        gpu(Path(place), texts, asked.peak)
    return 1 if bars.missed else 0


if __name__ == "__main__":
    sys.exit(main())
