"""A model whose weights lie in a folder of this machine: asked without any endpoint, one question at a time.

Only safetensors are read, nothing of the folder is run, and nothing is looked for elsewhere. torch and
transformers are loaded when the first question is asked.
"""

from __future__ import annotations

import hashlib
import threading
import time
from collections.abc import Iterator
from functools import lru_cache
from pathlib import Path
from typing import Any, NamedTuple

from common.chat import Reply, Request
from common.errors import BadInput, needs_model_packages
from machines.client import decisions
from machines.client.endpoint import Abilities, Endpoint
from machines.client.weather import LONGEST_PROBLEM, Outcome, Weather

BLOCK = 2**20
TURN = threading.Lock()
"""A seed is of the whole process: two questions at once would share it."""
BLOCKS = 64
"""Blocks of a file that its digest looks at, the first and the last among them: weights are read in part."""


class Checkpoint:
    """Answers from a folder's weights, on one device. Threads take turns."""

    def __init__(self, endpoint: Endpoint, device: str) -> None:
        if endpoint.folder is None or not any(endpoint.folder.glob("*.safetensors")):
            raise BadInput(f"Endpoint {endpoint.name}: {endpoint.folder} holds no weights (*.safetensors).")
        self.endpoint, self._folder, self._device = endpoint, endpoint.folder, device

    def close(self) -> None:
        """Keep the model: the next job may want it."""

    def send(self, request: Request, abilities: Abilities) -> Outcome:
        """Return what the model says."""
        began = time.monotonic()
        try:
            with TURN:
                outcome = self._ask(_load(self._folder, self._device), request)
        except (OSError, ValueError, RuntimeError) as error:
            problem = f"{self.endpoint.name} cannot answer: {type(error).__name__}: {error}"
            return Outcome(Weather.REFUSED, problem=" ".join(problem.split())[:LONGEST_PROBLEM])
        return Outcome(
            outcome.weather, outcome.reply, outcome.problem, seconds=round(time.monotonic() - began, 4)
        )

    def _ask(self, loaded: Loaded, request: Request) -> Outcome:
        if decisions.fits(request):
            reply = decisions.reply(loaded.pipeline(decisions.body(request)), request)
            if reply is not None:
                return Outcome(Weather.FAIR, reply)
        return _generated(loaded, request)


class Loaded(NamedTuple):
    """A model that is ready: transformers' own objects."""

    model: Any
    tokenizer: Any
    pipeline: Any


def digest(folder: Path) -> str:
    """Return a sha256 that another model's folder does not have: of all its files' names and sizes, of the
    small ones whole, and of 64 blocks of 1 MiB of each large one.
    """
    files = tuple(
        (path.name, stat.st_size, stat.st_mtime_ns)
        for path in sorted(folder.iterdir())
        if path.is_file() and (stat := path.stat())
    )
    return _digest(folder, files)


@lru_cache(8)
def _digest(folder: Path, files: tuple[tuple[str, int, int], ...]) -> str:
    found = hashlib.sha256()
    for name, size, _ in files:
        found.update(f"{name}\0{size}\0".encode())
        with (folder / name).open("rb") as file:
            for start in _starts(size):
                file.seek(start)
                found.update(file.read(BLOCK))
    return found.hexdigest()


def _starts(size: int) -> Iterator[int]:
    """Yield where the blocks begin that a digest looks at."""
    if size <= BLOCK * BLOCKS:
        yield from range(0, size, BLOCK)
    else:
        yield from (n * (size - BLOCK) // (BLOCKS - 1) for n in range(BLOCKS))


@lru_cache(1)
def _load(folder: Path, device: str) -> Loaded:
    """Load a model; the last one stays."""
    with needs_model_packages():
        import torch
        from transformers import AutoModelForCausalLM, AutoTokenizer
        from transformers.decision import DecisionConfig
        from transformers.pipelines import DecisionPipeline

    here: dict[str, Any] = {"local_files_only": True, "trust_remote_code": False}
    tokenizer = AutoTokenizer.from_pretrained(folder, **here)
    model = AutoModelForCausalLM.from_pretrained(
        folder, use_safetensors=True, dtype="auto" if device == "cuda" else torch.float32, **here
    )
    model = model.to(device).eval()
    config = DecisionConfig.from_pretrained(folder, local_files_only=True)
    return Loaded(model, tokenizer, DecisionPipeline(model, tokenizer=tokenizer, decision_config=config))


def _generated(loaded: Loaded, request: Request) -> Outcome:
    """Return what the model writes."""
    import torch

    messages = [each._asdict() for each in request.messages]
    told = loaded.tokenizer.apply_chat_template(
        messages, add_generation_prompt=True, return_tensors="pt", return_dict=True
    ).to(loaded.model.device)
    sent = int(told["input_ids"].shape[1])
    most = getattr(loaded.model.config, "max_position_embeddings", None)
    if most and sent + request.max_tokens > most:
        said = f"It is too long: {sent:,} tokens and {request.max_tokens:,} to write, of {most:,}."
        return Outcome(Weather.TOO_LONG, problem=said)
    warm = request.temperature > 0
    torch.manual_seed(request.seed)
    with torch.inference_mode():
        written = loaded.model.generate(
            **told,
            max_new_tokens=request.max_tokens,
            do_sample=warm,
            temperature=request.temperature if warm else None,
            pad_token_id=loaded.tokenizer.pad_token_id or loaded.tokenizer.eos_token_id,
        )[0, sent:]
    cut = len(written) >= request.max_tokens
    text = loaded.tokenizer.decode(written, skip_special_tokens=True)
    finish = "length" if cut else "stop"
    return Outcome(
        Weather.FAIR, Reply(text, finish=finish, prompt_tokens=sent, completion_tokens=len(written))
    )
