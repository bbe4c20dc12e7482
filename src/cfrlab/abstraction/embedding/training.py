"""Training of a HandEbdNet, the same for a given seed: one thread, deterministic kernels."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from cfrlab.abstraction.embedding.params import Params
from cfrlab.abstraction.embedding.report import Learned, check_not_collapsed, learned
from cfrlab.abstraction.embedding.requirements import missing
from cfrlab.abstraction.embedding.weights import Architecture, Weights
from cfrlab.errors import CfrlabError

try:
    import torch
    from torch import Tensor
except (ImportError, OSError) as error:
    raise missing("torch", error) from None

from cfrlab.abstraction.embedding.network import HandEbdNet


@dataclass(frozen=True, eq=False)
class Trained:
    """What `fit` returns.

    Attributes:
        phi: float32 [m, n]; columns sum to one as well as float32 allows.
        weights: of the network; its head is in units of the targets.
        report: how it came out.
    """

    phi: NDArray[np.float32]
    weights: Weights
    report: Learned


def fit(
    hands: NDArray[np.uint8],
    targets: NDArray[np.floating],
    advisors: int,
    params: Params,
    seed: int,
    progress: Callable[[int], None] | None = None,
    groups: Mapping[str, slice] | None = None,
) -> Trained:
    """Train a network for one round.

    Args:
        hands: hand tensors of all classes, [n, suits, ranks, planes].
        targets: what to predict, [n, d]; the loss is the mean squared error.
        advisors: width m of the embedding.
        params: options.
        seed: of initial weights and batches. Equal arguments give equal results on one machine;
            no global state of torch is left changed.
        progress: told about every 100 steps, with their number.
        groups: columns of the targets by name, to report on.

    Raises CfrlabError for arrays that do not fit each other, for more advisors than hands, and for
    a network that collapsed.
    """
    what = f"embedding network of round {hands.shape[-1]}"
    _check(what, hands, targets, advisors)
    _, suits, ranks, planes = hands.shape
    architecture = Architecture(
        suits, ranks, planes, params.hidden, advisors, targets.shape[1], params.temperature
    )
    with _reproducible(seed):
        inputs = torch.from_numpy(hands)
        net = _train(architecture, inputs, targets, params, progress or (lambda steps: None))
        phi, weights = net.phi(inputs), net.weights()
    found = learned(phi, weights.arrays["head.weight"], targets, groups or {})
    check_not_collapsed(found, params.min_r2, params.min_in_use, what)
    return Trained(phi, weights, found)


def coordinates(weights: Weights, hands: NDArray[np.uint8]) -> NDArray[np.float32]:
    """Phi of hand tensors [n, suits, ranks, planes] under trained weights, float32 [m, n].

    Raises CfrlabError for tensors of another deck or round.
    """
    a = weights.architecture
    if hands.shape[1:] != (a.suits, a.ranks, a.planes):
        raise CfrlabError(
            f"embedding network: made for hand tensors of {a.suits} suits, {a.ranks} ranks, "
            f"{a.planes} planes, got {list(hands.shape[1:])}; use the network of this deck and "
            "round"
        )
    with _reproducible(0):
        return HandEbdNet.of(weights).phi(torch.from_numpy(hands))


def _check(
    what: str, hands: NDArray[np.uint8], targets: NDArray[np.floating], advisors: int
) -> None:
    if hands.ndim != 4 or targets.ndim != 2 or len(hands) != len(targets) or not targets.size:
        raise CfrlabError(
            f"{what}: needs hand tensors [n, suits, ranks, planes] and targets [n, d] for the same "
            f"hands, got shapes {hands.shape} and {targets.shape}"
        )
    if not np.isfinite(targets).all():
        raise CfrlabError(f"{what}: its targets are not finite numbers")
    if not np.ptp(targets, axis=0).any():
        raise CfrlabError(f"{what}: its targets are the same for all hands, nothing can be learned")
    if not 1 <= advisors <= len(hands):
        raise CfrlabError(
            f"{what}: cannot have {advisors} advisors for {len(hands)} hands; choose from 1 to "
            f"{len(hands)}"
        )


@contextmanager
def _reproducible(seed: int) -> Iterator[None]:
    """One thread, deterministic kernels and a seeded generator; all as before afterwards."""
    threads = torch.get_num_threads()
    strict = torch.are_deterministic_algorithms_enabled()
    warn = torch.is_deterministic_algorithms_warn_only_enabled()
    with torch.random.fork_rng(devices=[]):
        torch.default_generator.manual_seed(seed)
        torch.set_num_threads(1)
        torch.use_deterministic_algorithms(True)
        try:
            yield
        finally:
            torch.use_deterministic_algorithms(strict, warn_only=warn)
            torch.set_num_threads(threads)


def _train(
    architecture: Architecture,
    hands: Tensor,
    targets: NDArray[np.floating],
    params: Params,
    progress: Callable[[int], None],
) -> HandEbdNet:
    """A trained network, in evaluation mode."""
    # Centred and of unit variance on the whole, so that one learning rate suits all targets.
    # Columns of Phi sum to one, so this only moves and scales the head.
    wanted = targets.astype(np.float64)
    mean = wanted.mean(0)
    scale = float(np.sqrt(((wanted - mean) ** 2).mean()))
    scaled = torch.from_numpy(((wanted - mean) / scale).astype(np.float32))
    net = HandEbdNet(architecture)
    with torch.no_grad():
        net.head.weight.copy_(scaled[torch.randperm(len(hands))[: architecture.advisors]].T)
    optimiser = torch.optim.Adam(net.parameters(), lr=params.rate, fused=True)
    schedule = torch.optim.lr_scheduler.OneCycleLR(
        optimiser, max_lr=params.rate, total_steps=params.steps
    )
    for step, batch in enumerate(_batches(len(hands), params), start=1):
        loss = torch.nn.functional.mse_loss(net(hands[batch]), scaled[batch])
        optimiser.zero_grad()
        torch.autograd.backward(loss)
        optimiser.step()
        schedule.step()
        if step % 100 == 0 or step == params.steps:
            progress(step % 100 or 100)
    net.settle(hands)
    with torch.no_grad():
        net.head.weight.mul_(scale).add_(torch.from_numpy(mean.astype(np.float32))[:, None])
    return net


def _batches(n: int, params: Params) -> Iterator[Tensor]:
    """Hands of every step: random orders of all hands, cut into batches; a short rest is left."""
    size = min(params.batch, n)
    steps = 0
    while True:
        for batch in torch.split(torch.randperm(n), size):
            if len(batch) == size:
                if steps == params.steps:
                    return
                steps += 1
                yield batch
