"""Dense encoders: encoding, a training step and scoring, each against the plain way, in one run.

    VARIORUM_TEST_DATA=<folder of novels/> python -m benchmarks.dense [--width 256 --layers 4] [--base]
                                                                      [--sentences 256] [--rounds 2]

Random weights: speed does not depend on what they know. Everything runs in one thread and is timed in CPU
seconds, which other work on the machine does not stretch; bars are ratios inside one run, the best of the
rounds of each side: encoding sorted by length ≥ 2.0 times the same model in the order of the book by 32;
padding factor of the whole book ≤ 1.05; a training step in parts of equal length ≥ 1.5 times one padded
to 256 and 98, with the same loss to 1e-4; encoding ≥ 1.0 times sentence-transformers in the same precision;
scoring ≥ 0.8 times faiss.IndexFlatIP. sentence-transformers and faiss take part where they are installed.
Exit status 1: a bar is missed.

With a CUDA GPU, tokens a second and the share of --peak are printed as a table for a RoBERTa-base in
bfloat16; without one they are not measured. --rehearse makes the same table on the CPU with the small shape,
to see that it can be made.
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

from retrieval.engine.dense import ranker, toy
from retrieval.engine.dense.batches import by_budget
from retrieval.engine.dense.encoder import Encoder, pooled
from retrieval.engine.dense.settings import Settings
from retrieval.engine.formats import reading
from retrieval.engine.text.sentences import segment
from retrieval.engine.text.tokens import GAP
from retrieval.engine.training.loop import Trainer
from retrieval.engine.training.pairs import Pair
from retrieval.engine.training.recipe import Recipe

BASE = toy.Shape(width=768, layers=12, heads=12, vocabulary=8000, positions=514, dropout=0.0)


def sentences() -> list[str]:
    """Of Pride and Prejudice, in order."""
    folder = os.environ.get("VARIORUM_TEST_DATA")
    if not folder:
        sys.exit("Name a folder with novels/pride_and_prejudice.txt in VARIORUM_TEST_DATA.")
    path = Path(folder) / "novels" / "pride_and_prejudice.txt"
    text = reading.read(path.read_bytes(), path.name).text
    return [text[start:end] for start, end in segment(text).sentences]


def best(rounds: int, *ways: Callable[[], Any]) -> list[float]:
    """CPU seconds of each way, the shortest of the rounds; the ways take turns, so that load falls on all."""
    taken = [[0.0] * rounds for _ in ways]
    for turn in range(rounds):
        for way, kept in zip(ways, taken, strict=True):
            start = time.process_time()
            way()
            kept[turn] = time.process_time() - start
    return [min(kept) for kept in taken]


def one_thread() -> None:
    """Begin anew where BLAS was not told: it reads how many threads it may have when it is loaded."""
    told = dict.fromkeys(("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "RAYON_NUM_THREADS"), "1")
    if any(os.environ.get(name) != value for name, value in told.items()):
        command = [sys.executable, "-m", "benchmarks.dense", *sys.argv[1:]]
        os.execve(sys.executable, command, {**os.environ, **told})


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
    batches = by_budget(lengths, encoder.budget)
    padded = sum(max(lengths[at] for at in batch) * batch.size for batch in batches)
    bars.at_most("padding factor of the book", padded / sum(lengths), 1.05)
    ids = encoder.tokeniser.quotations(some, encoder.settings)

    def in_order() -> None:
        for start in range(0, len(ids), 32):
            batch = np.arange(start, min(start + 32, len(ids)), dtype=np.int64)
            encoder._forward(
                "quotation", ids, batch, lambda _, output, mask: pooled(output, mask, Settings())
            )

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
    made: dict[Any, Trainer] = {
        on: Trainer(folder, Settings(), Recipe(grouped=on, batch=32), torch.device("cpu"))
        for on in (True, False)
    }
    made["cached"] = Trainer(folder, Settings(), Recipe(batch=32, sub_batch=8), torch.device("cpu"))
    losses = {}

    def run(which: Any) -> None:
        losses[which] = float(made[which].learn(pairs))

    ours, theirs, cached = best(rounds, *(lambda which=which: run(which) for which in made))
    print(f"  in parts of equal length {ours:.2f} s, padded to 256 and 98 {theirs:.2f} s")
    bars.at_least("times the padded step", theirs / ours, 1.5)
    bars.at_most("difference of the losses", abs(losses[True] - losses[False]), 1e-4)
    print(f"  with gradients cached, 8 texts at a time: {cached / ours:.2f} times the step's time")


def scoring(rounds: int, bars: Bars) -> None:
    """7,514 vectors of 768, 512 queries, top 100 under the tie rule, against faiss where it is."""
    numbers = np.random.default_rng(0)
    vectors = numbers.normal(size=(7514, 768)).astype(np.float32)
    queries = numbers.normal(size=(512, 768)).astype(np.float32)

    def ours() -> None:
        ranker.nearest(queries, vectors, 100)

    faiss = installed("faiss")
    if faiss is None:
        (taken,) = best(rounds, ours)
        print(f"  {len(queries) / taken:,.0f} queries a second; faiss is not installed: not compared")
        return
    faiss.omp_set_num_threads(1)
    index = faiss.IndexFlatIP(768)
    index.add(vectors)
    taken, theirs = best(10 * rounds, ours, lambda: index.search(queries, 100))
    bars.at_least("times faiss.IndexFlatIP, top 100", theirs / taken, 0.8)


def peer(folder: Path, width: int, some: Sequence[str], rounds: int, bars: Bars) -> None:
    """sentence-transformers on the same encoder, where it is installed."""
    library = installed("sentence_transformers")
    if library is None:
        print("  sentence-transformers is not installed: not compared")
        return
    from sentence_transformers.sentence_transformer import modules
    from tokenizers import Tokenizer, processors
    from transformers import PreTrainedTokenizerFast

    tokeniser = Tokenizer.from_file(str(folder / "tokenizer.json"))
    ends = [(token, tokeniser.token_to_id(token)) for token in ("<s>", "</s>")]
    tokeniser.post_processor = processors.TemplateProcessing(single="<s> $A </s>", special_tokens=ends)
    words = PreTrainedTokenizerFast(tokenizer_object=tokeniser, pad_token="<pad>", model_max_length=98)
    words.save_pretrained(folder / "quotation")
    for precision in ("fp32", "bf16"):
        parts = [modules.Transformer(str(folder / "quotation"), max_seq_length=98), modules.Pooling(width)]
        model = library.SentenceTransformer(modules=parts, device="cpu")
        if precision == "bf16":
            model.bfloat16()
        ours = Encoder(folder, Settings(pooling="mean"), precision=precision, asked="cpu")
        taken, theirs = best(
            rounds,
            lambda ours=ours: ours.quotations(some),
            lambda model=model: model.encode(list(some), batch_size=32, show_progress_bar=False),
        )
        print(f"  {len(some) / taken:,.1f} sentences a second; the library {len(some) / theirs:,.1f}")
        bars.at_least(f"times sentence-transformers, {precision}", theirs / taken, 1.0)
        one = ours.quotations(some[:20]).astype(np.float64)
        other = np.asarray(model.encode(list(some[:20]), convert_to_tensor=True).float(), dtype=np.float64)
        cosine = (one * other).sum(1) / np.linalg.norm(one, axis=1) / np.linalg.norm(other, axis=1)
        bars.at_least(f"cosine of the two's vectors, {precision}", float(cosine.min()), 0.999)


def card(folder: Path, shape: toy.Shape, contexts: int, peak: float, place: str) -> None:
    """A table: contexts of 256 tokens encoded, and pairs of 256 and 98 trained on, in bfloat16 on a GPU.

    2 FLOP a weight and token, and 4 · width · length a layer and token for attention; three times that to
    learn.
    """
    weights = 12 * shape.width**2 * shape.layers

    def flop(length: int) -> float:
        return length * (2 * weights + 4 * shape.width * shape.layers * length)

    def row(what: str, way: Callable[[], Any], tokens: int, work: float) -> None:
        seconds = best_of(way, place)
        print(f"  | {what} | {tokens / seconds:,.0f} | {work / seconds / peak:.1%} |", flush=True)

    name = torch.cuda.get_device_name() if place == "cuda" else "a rehearsal on the CPU"
    model = f"{shape.width} wide, {shape.layers} layers"
    print(f"  | {name}, {model} | tokens a second | of {peak / 1e12:.0f} TFLOP/s |")
    print("  | --- | --- | --- |")
    encoder = Encoder(folder, Settings(), precision="bf16", asked=place)
    ids = [np.full(256, 7, dtype=np.int32) for _ in range(contexts)]
    row(
        f"encoding {contexts:,} contexts of 256 tokens",
        lambda: encoder.encode("context", ids),
        256 * contexts,
        flop(256) * contexts,
    )
    trainer = Trainer(folder, Settings(), Recipe(), torch.device(place))
    trainer._mode(training=True)
    number = min(100, contexts)
    text = " ".join(["morning"] * 600)
    pairs = [Pair("book", f"{text} {GAP} {text}", text, n, 1) for n in range(number)]

    def learn() -> None:
        trainer.optimizer.zero_grad(set_to_none=True)
        trainer.learn(pairs)
        trainer.optimizer.step()

    row(
        f"training, {number} pairs of 256 and 98 tokens a step",
        learn,
        (256 + 98) * number,
        3 * (flop(256) + flop(98)) * number,
    )


def best_of(way: Callable[[], Any], place: str, times: int = 3) -> float:
    """The least seconds that it takes, after a first time that is not counted."""
    taken = []
    for _ in range(times + 1):
        start = time.perf_counter()
        way()
        if place == "cuda":
            torch.cuda.synchronize()
        taken.append(time.perf_counter() - start)
    return min(taken[1:])


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
    options.add_argument("--rehearse", action="store_true", help="the GPU's table on the CPU")
    asked = options.parse_args()
    one_thread()
    torch.set_num_threads(1)
    small = BASE._replace(width=asked.width, layers=asked.layers, heads=max(1, asked.width // 64))
    shape = BASE if asked.base else small
    texts, bars = sentences(), Bars()
    some = texts[:: len(texts) // max(64, asked.sentences)]
    with tempfile.TemporaryDirectory() as place:
        folder = toy.write(Path(place) / "model", texts, seed=0, shape=shape)
        print(f"Encoding, {shape.width} wide, {shape.layers} layers, 1 thread, {len(some)} sentences")
        encoding(folder, texts, some, asked.rounds, bars)
        peer(folder, shape.width, some, asked.rounds, bars)
        print("A training step, 32 pairs")
        step(folder, texts, asked.rounds, bars)
        print("Scoring")
        scoring(asked.rounds, bars)
        print("GPU")
        if torch.cuda.is_available():
            base = toy.write(Path(place) / "base", texts, seed=0, shape=BASE)
            card(base, BASE, 8192, asked.peak, "cuda")
        elif asked.rehearse:
            card(folder, shape, 8, asked.peak, "cpu")
        else:
            print("  not measured: there is no CUDA GPU here")
    return 1 if bars.missed else 0


if __name__ == "__main__":
    sys.exit(main())
