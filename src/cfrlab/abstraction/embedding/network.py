"""HandEbdNet (Fu et al. 2026): a hand's cards, its mixture of advisors, its hand strength.

    hand tensor -> encoder -> m logits -> batch normalisation -> softmax = a column of Phi
                -> linear head without bias -> targets

A prediction is a mixture of the head's columns, the targets that the advisors stand for. Without
bias it must come from the mixture, and with logits normalised over hands none of the advisors can
take all hands: a plain head collapses to one.
"""

from __future__ import annotations

from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from cfrlab.abstraction.embedding.requirements import missing
from cfrlab.abstraction.embedding.sharpen import to_float32
from cfrlab.abstraction.embedding.weights import Architecture, Weights

try:
    import torch
    from torch import Tensor, nn
except (ImportError, OSError) as error:
    raise missing("torch", error) from None

GAIN = 2.0
"""Standard deviation over hands of a logit at the start. At 1 the columns start near uniform, and
end with twice as many effective advisors a hand."""
# Hands at a time outside training.
CHUNK = 4096


class HandEbdNet(nn.Module):
    """The network; random weights come from torch's default generator."""

    def __init__(self, architecture: Architecture) -> None:
        super().__init__()
        self.architecture = architecture
        widths = (architecture.inputs, *architecture.hidden)
        layers = [nn.Linear(a, b) for a, b in pairwise(widths)]
        last = nn.Linear(widths[-1], architecture.advisors, bias=False)
        self.encoder = nn.ModuleList([*layers, last])
        self.norm = nn.BatchNorm1d(architecture.advisors)
        nn.init.constant_(self.norm.weight, GAIN)
        self.head = nn.Linear(architecture.advisors, architecture.targets, bias=False)

    def logits(self, hands: Tensor) -> Tensor:
        """Logits before normalisation, [k, m], of hand tensors uint8 [k, suits, ranks, planes]."""
        *layers, last = self.encoder
        x = hands.flatten(1).to(self.head.weight.dtype)
        for layer in layers:
            x = torch.relu(layer(x))
        out: Tensor = last(x)
        return out

    def coordinates(self, hands: Tensor) -> Tensor:
        """Mixtures of advisors, [k, m]; rows sum to one."""
        scaled = self.norm(self.logits(hands)) / self.architecture.temperature
        return torch.softmax(scaled, dim=1)

    def forward(self, hands: Tensor) -> Tensor:
        """Predicted targets, [k, d]."""
        out: Tensor = self.head(self.coordinates(hands))
        return out

    @torch.no_grad()
    def settle(self, hands: Tensor) -> None:
        """Normalise by mean and variance of the logits over all hands from now on."""
        logits = torch.cat([self.logits(part) for part in torch.split(hands, CHUNK)])
        variance, mean = torch.var_mean(logits, dim=0, correction=0)
        self.norm.running_mean = mean
        self.norm.running_var = variance
        self.eval()

    @torch.no_grad()
    def phi(self, hands: Tensor) -> NDArray[np.float32]:
        """Coordinates of hand tensors as columns of Phi, float32 [m, n]."""
        out = np.empty((self.architecture.advisors, len(hands)), np.float32)
        for start in range(0, len(hands), CHUNK):
            part = self.coordinates(hands[start : start + CHUNK]).double().numpy()
            out[:, start : start + CHUNK] = to_float32((part / part.sum(1, keepdims=True)).T)
        return out

    def weights(self) -> Weights:
        """Copies of the tensors."""
        state = {name: self.state_dict()[name] for name in self.architecture.shapes()}
        return Weights(self.architecture, {k: v.numpy().copy() for k, v in state.items()})

    @staticmethod
    def of(weights: Weights) -> HandEbdNet:
        """The network with these weights, for use."""
        with torch.random.fork_rng(devices=[]):
            net = HandEbdNet(weights.architecture)
        state = {name: torch.from_numpy(array.copy()) for name, array in weights.arrays.items()}
        net.load_state_dict({**net.state_dict(), **state})
        net.eval()
        return net
