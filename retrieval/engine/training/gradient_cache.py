"""Gradient caching: a step larger than memory, with the gradients of the plain step.

    1. v = f(texts; θ) part by part, nothing kept but v and the random state before each part
    2. ∂L/∂v of the loss of all vectors together
    3. f(part; θ) again from the same random state, part by part: ∂L/∂θ = Σ_parts (∂L/∂v)ᵀ · ∂v/∂θ

Gao, Zhang, Han and Callan 2021, "Scaling Deep Contrastive Learning Batch Size under Memory Limited Setup".
Memory is that of one part; time is a third more, for the second encoding. The random state makes dropout
leave out the same numbers both times, so the gradients are those of the step encoded in the same parts at
once, but for the order of sums.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import torch


class TextBatch(NamedTuple):
    """Texts that are encoded together.

    encode: returns their vectors, (n, width).
    places: (n,), where each belongs among the texts of its side.
    """

    encode: Callable[[], Any]
    places: Sequence[int]


def backward(
    sides: Sequence[Sequence[TextBatch]], loss_of: Callable[..., Any], cuda: Sequence[torch.device] = ()
) -> Any:
    """Add the gradients of `loss_of(vectors of each side)` to the weights; the loss, detached.

    Args:
        sides: Of contexts and of quotations, all parts.
        loss_of: Called with the vectors (n, width) of each side, in the order of their places.
        cuda: The GPU whose random numbers the encoders draw, if any.
    """
    states, vectors = [], []
    for parts in sides:
        found = []
        for part in parts:
            states.append(_random(cuda))
            # With gradients, though none are taken: without, torch may choose another kernel for attention,
            # whose dropout would differ.
            found.append(part.encode().detach())
        places = torch.tensor([place for part in parts for place in part.places])
        vectors.append(torch.cat(found)[torch.argsort(places).to(found[0].device)].requires_grad_())
    loss = loss_of(*vectors)
    loss.backward()
    with torch.random.fork_rng(devices=list(cuda)):
        again = iter(states)
        for parts, whole in zip(sides, vectors, strict=True):
            for part in parts:
                _replay(next(again), cuda)
                part.encode().backward(gradient=whole.grad[list(part.places)])
    return loss.detach()


def _random(cuda: Sequence[torch.device]) -> tuple[Any, list[Any]]:
    return torch.get_rng_state(), [torch.cuda.get_rng_state(place) for place in cuda]


def _replay(state: tuple[Any, list[Any]], cuda: Sequence[torch.device]) -> None:
    torch.set_rng_state(state[0])
    for place, each in zip(cuda, state[1], strict=True):
        torch.cuda.set_rng_state(each, place)
