"""What gradient caching saves: the memory and time of one large training step, plain and in parts.

    VARIORUM_TEST_DATA=<folder of novels/> python -m benchmarks.gradient_cache [--pairs 512] [--sub-batch 32]

Encoders 256 wide with 4 layers and random weights, one thread, each way in a process of its own, since peak
memory never falls. The losses must be equal to 1e-4; else the exit status is 1.
"""

from __future__ import annotations

import argparse
import multiprocessing
import resource
import sys
import tempfile
import time
from pathlib import Path

import torch

from benchmarks.dense import BASE, sentences
from retrieval.engine.dense import toy
from retrieval.engine.dense.settings import Settings
from retrieval.engine.text.tokens import GAP
from retrieval.engine.training.loop import Trainer
from retrieval.engine.training.pairs import Pair
from retrieval.engine.training.recipe import Recipe

SHAPE = BASE._replace(width=256, layers=4, heads=4)


def step(sub_batch: int, pairs: int, place: Path) -> tuple[float, float, int, int]:
    """The loss, CPU seconds, and MiB before the step and at its peak."""
    torch.set_num_threads(1)
    texts = sentences()
    learned = []
    for at in range(pairs):
        n = 7 * at % (len(texts) - 9)
        context = f"{' '.join(texts[n : n + 4])} {GAP} {' '.join(texts[n + 5 : n + 9])}"
        learned.append(Pair("book", context, texts[n + 4], n, 1))
    recipe = Recipe(batch=pairs, sub_batch=sub_batch)
    trainer = Trainer(place, Settings(), recipe, torch.device("cpu"))
    before, began = peak(), time.process_time()
    loss = float(trainer.learn(learned))
    return loss, time.process_time() - began, before, peak()


def peak() -> int:
    """MiB of this process at its largest."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss >> 10


def main() -> int:
    options = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    options.add_argument("--pairs", type=int, default=512)
    options.add_argument("--sub-batch", type=int, default=32)
    asked = options.parse_args()
    losses = []
    with tempfile.TemporaryDirectory() as home:
        place = toy.write(Path(home) / "model", sentences(), seed=0, shape=SHAPE)
        for sub_batch in (0, asked.sub_batch):
            with multiprocessing.get_context("spawn").Pool(1) as pool:
                loss, seconds, before, most = pool.apply(step, (sub_batch, asked.pairs, place))
            how = f"cached, {sub_batch} texts at a time" if sub_batch else "plain"
            memory = f"{before:,} MiB before, {most:,} at its peak"
            print(f"{how}: loss {loss:.5f}, {seconds:.1f} CPU seconds, {memory}", flush=True)
            losses.append(loss)
    return 0 if abs(losses[0] - losses[1]) <= 1e-4 else 1


if __name__ == "__main__":
    sys.exit(main())
